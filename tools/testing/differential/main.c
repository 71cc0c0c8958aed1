// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * differential [PART...]: the list of parts, in order. Writes the trace to standard output.
 */
#include "doors.h"

#include <sys/mman.h>

uint32_t driver_id;

static const struct {
	const char *name;
	void (*run)(void);
} parts[] = {
	{ "commands", bend_commands }, { "methods", bend_methods }, { "numbers", try_numbers },
	{ "QP kinds", try_qp_kinds }, { "transitions", try_transitions },
	{ "graphs", try_graphs }, { "files", try_files }, { "races", try_races },
	{ "removed", try_removed },
};

static void map_at(uint8_t *at, size_t bytes)
{
	if (mmap(at, bytes, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != at)
		tap_bail("mmap at %p", (void *)at);
	memset(at, 0, bytes);
}

int main(int argc, char **argv)
{
	size_t i;
	int arg, fd;

	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	map_at(answer, ANSWER_BYTES);
	map_at(buffer, BUFFER_BYTES);
	fd = uverbs_raw_open();
	driver_id = uverbs_raw_driver_id;
	close(fd);
	/* What calls open gets numbers that worlds close. */
	while (fd >= 0 && fd < WORLD_FIRST_FD - 1)
		fd = open("/dev/null", O_RDONLY);
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		for (arg = 1; arg < argc && strcmp(argv[arg], parts[i].name); arg++)
			;
		if (argc > 1 && arg == argc)
			continue;
		printf("part %s -> 0\n", parts[i].name);
		parts[i].run();
		fflush(stdout);
	}
	return 0;
}
