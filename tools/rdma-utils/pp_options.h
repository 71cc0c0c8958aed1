/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* pp_options.h - command lines of the ping-pong programs, out of one table of options. */
#ifndef PP_OPTIONS_H
#define PP_OPTIONS_H

#include <getopt.h>
#include "find_device.h"
#include "pp_table.h"

static inline void pp_usage(FILE *to, const struct pp_kind *kind)
{
	char form[40];
	size_t i;

	fprintf(to, "Usage:\n"
		"  %s            start a server and wait for a client\n"
		"  %s <host>     connect to the server at <host>\n\nOptions:\n",
		kind->name, kind->name);
	for (i = 0; i < PP_ROWS; i++) {
		const struct pp_row *row = &pp_rows[i];

		if (!strchr(kind->letters, row->letter))
			continue;
		snprintf(form, sizeof(form), "-%c, --%s%s%s%s", pp_typed(row->letter), row->name,
			 row->argument ? "=<" : "", row->argument ? row->argument : "",
			 row->argument ? ">" : "");
		fprintf(to, "  %-24s %s\n", form, row->help);
	}
	fprintf(to, "  %-24s %s\n", "-h, --help", "print this and exit");
	fprintf(to, "Messages are of %u bytes, the path MTU is %u when nothing else is said.\n",
		kind->size, 128U << kind->mtu);
}

static inline bool pp_mtu(const char *text, enum ibv_mtu *mtu)
{
	unsigned int bytes, code;

	if (!find_device_number(text, 256, 4096, &bytes))
		return false;
	for (code = IBV_MTU_256; code <= IBV_MTU_4096; code++) {
		if (128U << code == bytes) {
			*mtu = code;
			return true;
		}
	}
	return false;
}

static inline bool pp_set(const struct pp_row *row, struct pp_options *o)
{
	unsigned int index;

	switch (row->letter) {
	case 'd':
		o->device = optarg;
		return true;
	case 'm':
		return pp_mtu(optarg, &o->mtu);
	case 'g':
		if (!find_device_number(optarg, 0, 255, &index))
			return false;
		o->gid_index = (int)index;
		return true;
	default:
		if (row->argument)
			return find_device_number(optarg, row->min, row->max,
						  (unsigned int *)((char *)o + row->offset));
		*(bool *)((char *)o + row->offset) = true;
		return true;
	}
}

static inline bool pp_bad(const struct pp_row *row)
{
	if (row->max)
		fprintf(stderr, "-%c, --%s wants a number from %lu to %lu, not '%s'\n",
			pp_typed(row->letter), row->name, row->min, row->max, optarg);
	else
		fprintf(stderr, "-%c, --%s does not take '%s' (%s)\n", pp_typed(row->letter),
			row->name, optarg, row->help);
	return false;
}

/* The forms that getopt_long() wants, of the options that the program has. */
static inline void pp_forms(const struct pp_kind *kind, char *shorts, struct option *longs)
{
	size_t i;

	for (i = 0; i < PP_ROWS; i++) {
		const struct pp_row *row = &pp_rows[i];

		if (!strchr(kind->letters, row->letter))
			continue;
		*shorts++ = pp_typed(row->letter);
		if (row->argument)
			*shorts++ = ':';
		*longs++ = (struct option){ row->name, row->argument ? required_argument :
					    no_argument, NULL, pp_typed(row->letter) };
	}
	*shorts++ = 'h';
	*shorts = '\0';
	*longs++ = (struct option){ "help", no_argument, NULL, 'h' };
	*longs = (struct option){ NULL, 0, NULL, 0 };
}

static inline const struct pp_row *pp_row_of(const struct pp_kind *kind, int typed)
{
	size_t i;

	for (i = 0; i < PP_ROWS; i++)
		if (strchr(kind->letters, pp_rows[i].letter) &&
		    pp_typed(pp_rows[i].letter) == typed)
			return &pp_rows[i];
	return NULL;
}

/* What does not go together. */
static inline bool pp_sound(const struct pp_options *o)
{
	if (o->prefetch && !o->odp && !o->implicit_odp)
		fprintf(stderr, "-P needs -o or -O\n");
	else if (o->device_memory && (o->odp || o->implicit_odp))
		fprintf(stderr, "-j does not go with -o or -O\n");
	else if (o->rx_depth < o->qps)
		fprintf(stderr, "-r %u is less than one receive for each of %u queue pairs\n",
			o->rx_depth, o->qps);
	else
		return true;
	return false;
}

/* 0, or the exit status plus one. */
static inline int pp_parse(int argc, char **argv, const struct pp_kind *kind,
			   struct pp_options *o)
{
	struct option longs[PP_ROWS + 2];
	char shorts[2 * PP_ROWS + 2];
	int c;

	*o = (struct pp_options){
		.tcp_port = 18515, .ib_port = 1, .gid_index = -1, .size = kind->size,
		.rx_depth = 500, .iterations = kind->iterations, .qps = kind->srq ? 16 : 1,
		.clients = 1, .mtu = kind->mtu,
	};
	pp_forms(kind, shorts, longs);
	while ((c = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		const struct pp_row *row = pp_row_of(kind, c);

		if (!row) {
			pp_usage(c == 'h' ? stdout : stderr, kind);
			return c == 'h' ? 1 : 2;
		}
		if (!pp_set(row, o))
			return pp_bad(row), 2;
	}
	if (optind < argc)
		o->host = argv[optind++];
	if (optind < argc) {
		fprintf(stderr, "'%s' is not expected: there is one host\n", argv[optind]);
		pp_usage(stderr, kind);
		return 2;
	}
	return pp_sound(o) ? 0 : 2;
}

#endif
