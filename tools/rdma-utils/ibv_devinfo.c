// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* ibv_devinfo - prints what the RDMA devices and their ports say of themselves. */
#include <getopt.h>
#include "devinfo_device.h"
#include "devinfo_extended.h"
#include "devinfo_port.h"
#include "find_device.h"

struct options {
	const char *device;
	unsigned int port;	/* 0: all */
	bool verbose, list, json;
};

static const struct option longs[] = {
	{ "ib-dev", required_argument, NULL, 'd' }, { "ib-port", required_argument, NULL, 'i' },
	{ "list", no_argument, NULL, 'l' }, { "verbose", no_argument, NULL, 'v' },
	{ "json", no_argument, NULL, 'J' }, { "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static void usage(FILE *to, const char *name)
{
	fprintf(to,
		"Usage: %s             print the properties of RDMA devices\n\n"
		"Options:\n"
		"  -d, --ib-dev=<dev>     only device <dev> (default: all of them)\n"
		"  -i, --ib-port=<port>   only port <port> of it (default: all of them)\n"
		"  -l, --list             only the names of the devices\n"
		"  -v, --verbose          all properties\n"
		"  -J, --json             as JSON, with the same names\n"
		"  -h, --help             print this and exit\n", name);
}

static int show(struct out *o, struct ibv_context *context, const struct options *options)
{
	struct ibv_device_attr_ex a;
	unsigned int port;
	int err = ibv_query_device_ex(context, NULL, &a);

	if (err) {
		fprintf(stderr, "%s cannot be queried: %s\n", ibv_get_device_name(context->device),
			strerror(err));
		return 1;
	}
	if (options->port > a.orig_attr.phys_port_cnt) {
		fprintf(stderr, "%s has no port %u, its last is %u\n",
			ibv_get_device_name(context->device), options->port,
			a.orig_attr.phys_port_cnt);
		return 1;
	}
	out_open(o, NULL, '{');
	devinfo_identity(o, context->device, &a.orig_attr);
	if (options->verbose) {
		devinfo_plain(o, &a.orig_attr);
		devinfo_extended(o, &a);
		out_number(o, out_device, "num_comp_vectors",
			   (unsigned int)context->num_comp_vectors, "%llu");
	}
	out_open(o, "ports", '[');
	for (port = 1; port <= a.orig_attr.phys_port_cnt; port++)
		if (!options->port || options->port == port)
			err |= devinfo_port(o, context, port, options->verbose);
	out_close(o, ']');
	out_close(o, '}');
	out_people(o, "\n");
	return err;
}

static int show_device(struct out *o, struct ibv_device *device, const struct options *options)
{
	struct ibv_context *context;
	int err;

	if (options->list) {
		if (!o->json)
			printf("\t%s\n", ibv_get_device_name(device));
		out_open(o, NULL, '{');
		if (o->json)
			out_string(o, out_device, "name", ibv_get_device_name(device));
		out_close(o, '}');
		return 0;
	}
	context = ibv_open_device(device);
	if (!context) {
		fprintf(stderr, "%s cannot be opened: %s\n", ibv_get_device_name(device),
			strerror(errno));
		return 1;
	}
	err = show(o, context, options);
	ibv_close_device(context);
	return err;
}

static int show_all(const struct options *options)
{
	struct out o = { .json = options->json };
	int i, count, seen = 0, err = 0;
	struct ibv_device **list = ibv_get_device_list(&count);

	if (!list) {
		fprintf(stderr, "Failed to get IB devices list: %s\n", strerror(errno));
		return 1;
	}
	if (options->list && !o.json)
		printf("%d HCA%s found:\n", count, count == 1 ? "" : "s");
	out_open(&o, NULL, '[');
	for (i = 0; list[i]; i++) {
		if (options->device && strcmp(options->device, ibv_get_device_name(list[i])))
			continue;
		seen++;
		err |= show_device(&o, list[i], options);
	}
	out_close(&o, ']');
	if (options->list)
		out_people(&o, "\n");
	ibv_free_device_list(list);
	if (seen || options->list)
		return err;
	if (options->device)
		fprintf(stderr, "IB device '%s' wasn't found\n", options->device);
	else
		fprintf(stderr, "No IB devices found\n");
	return 1;
}

/* 0, or the exit status plus one. */
static int parse(int argc, char **argv, struct options *options)
{
	int c;

	while ((c = getopt_long(argc, argv, "d:i:lvJh", longs, NULL)) != -1) {
		switch (c) {
		case 'd':
			options->device = optarg;
			break;
		case 'i':
			if (!find_device_number(optarg, 1, 255, &options->port)) {
				fprintf(stderr, "-i wants a port from 1 to 255, not '%s'\n",
					optarg);
				return 2;
			}
			break;
		case 'l':
			options->list = true;
			break;
		case 'v':
			options->verbose = true;
			break;
		case 'J':
			options->json = true;
			break;
		default:
			usage(c == 'h' ? stdout : stderr, argv[0]);
			return c == 'h' ? 1 : 2;
		}
	}
	if (optind == argc)
		return 0;
	fprintf(stderr, "'%s' is not expected; a device is named with -d\n", argv[optind]);
	usage(stderr, argv[0]);
	return 2;
}

int main(int argc, char **argv)
{
	struct options options = { .port = 0 };
	int end = parse(argc, argv, &options);

	return end ? end - 1 : show_all(&options);
}
