/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * devinfo_out.h - what ibv_devinfo finds goes through here and comes out as the familiar text, or
 * as JSON (RFC 8259) with the same names. Values in JSON are numbers where they are numbers.
 */
#ifndef DEVINFO_OUT_H
#define DEVINFO_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OUT_DEPTH 8	/* objects and lists within one another */
#define OUT_TAB 8

struct out {
	bool json;
	int depth;
	bool filled[OUT_DEPTH];	/* something stands there already: a comma comes first */
};

/* Columns of the familiar text: where names begin and where values do. */
struct out_at {
	int name, value;
};

static const struct out_at out_device = { 8, 40 };
static const struct out_at out_port = { 24, 48 };
static const struct out_at out_caps = { 16, 48 };	/* below a heading */
static const struct out_at out_wide = { 16, 64 };
static const struct out_at out_narrow = { 16, 40 };
static const struct out_at out_close_by = { 16, 32 };

/* In JSON: ready for the next member or element. */
static inline void out_next(struct out *o, const char *key)
{
	int i;

	printf("%s%s", o->filled[o->depth] ? "," : "", o->depth ? "\n" : "");
	o->filled[o->depth] = true;
	for (i = 0; i < o->depth; i++)
		printf("  ");
	if (key)
		printf("\"%s\": ", key);
}

/* An object '{' or a list '['; closed with '}' or ']'. */
static inline void out_open(struct out *o, const char *key, char bracket)
{
	if (!o->json)
		return;
	out_next(o, key);
	putchar(bracket);
	o->depth++;
	o->filled[o->depth] = false;
}

static inline void out_close(struct out *o, char bracket)
{
	int i;

	if (!o->json)
		return;
	o->depth--;
	printf("%s", o->filled[o->depth + 1] ? "\n" : "");
	for (i = 0; o->filled[o->depth + 1] && i < o->depth; i++)
		printf("  ");
	putchar(bracket);
	if (!o->depth)
		putchar('\n');
}

static inline void out_json_string(const char *text)
{
	const unsigned char *at;

	putchar('"');
	for (at = (const unsigned char *)text; *at; at++) {
		if (*at == '"' || *at == '\\')
			printf("\\%c", *at);
		else if (*at < 0x20)
			printf("\\u%04x", *at);
		else
			putchar(*at);
	}
	putchar('"');
}

/* "\tname:" and tabs up to the column of values. */
static inline void out_name(struct out_at at, const char *name)
{
	int column;

	for (column = 0; column < at.name; column += OUT_TAB)
		putchar('\t');
	column += printf("%s:", name);
	do {
		putchar('\t');
		column = (column / OUT_TAB + 1) * OUT_TAB;
	} while (column < at.value);
}

/* Lines that only people read. */
static inline void out_people(const struct out *o, const char *text)
{
	if (!o->json)
		fputs(text, stdout);
}

static inline void out_string(struct out *o, struct out_at at, const char *name, const char *text)
{
	if (o->json) {
		out_next(o, name);
		out_json_string(text);
	} else {
		out_name(at, name);
		printf("%s\n", text);
	}
}

/* A number; the format is for people and takes one unsigned long long. */
static inline void out_number(struct out *o, struct out_at at, const char *name,
			      unsigned long long value, const char *format)
{
	if (o->json) {
		out_next(o, name);
		printf("%llu", value);
		return;
	}
	out_name(at, name);
	printf(format, value);
	putchar('\n');
}

/* A word and the number it stands for; JSON shows the word. */
static inline void out_word(struct out *o, struct out_at at, const char *name, const char *word,
			    int value)
{
	if (o->json) {
		out_string(o, at, name, word);
		return;
	}
	out_name(at, name);
	printf("%s (%d)\n", word, value);
}

/* A number that goes by a code; JSON shows the number. */
static inline void out_coded(struct out *o, struct out_at at, const char *name, const char *number,
			     int code)
{
	if (!o->json) {
		out_word(o, at, name, number, code);
		return;
	}
	out_next(o, name);
	printf("%lu", strtoul(number, NULL, 10));
}

#endif
