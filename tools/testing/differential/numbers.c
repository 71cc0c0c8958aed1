// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Numbers: every command, object and method number, known or not, with a request of zeros; other
 * ioctl()s; and reads and writes that are no command.
 */
#include "doors.h"

#define COMMANDS	80
#define OBJECTS		24
#define METHODS		10

static const struct {
	const char *name;
	uint16_t in, out;
} shapes[] = {
	{ "none", 0, 0 }, { "some", 64, 64 }, { "much", 256, 256 },
};

static void nothing(const struct world *w, void *request)
{
	(void)w;
	(void)request;
}

static void try_command(uint32_t number, bool ex, bool invoke, int shape)
{
	struct command command = {
		.name = "", .number = number, .ex = ex, .in = shapes[shape].in,
		.out = shapes[shape].out, .fill = nothing,
	};
	struct world w;
	struct call c;
	int error;

	/* A context that is there already: a second one is an error. */
	world_open(&w);
	call_prepare(&c, &command, &w, invoke);
	error = call_go(w.fd, &c);
	report_plain(error, "number %s %s%u %s", invoke ? "ioctl" : "write", ex ? "EX " : "",
		     number, shapes[shape].name);
	world_close();
}

static void try_method(int fd, uint16_t object, uint16_t method)
{
	struct uverbs_raw raw;

	doors_start(&raw, object, method);
	report_plain(uverbs_raw_go(fd, &raw), "method object%u method%u bare", object, method);
	uverbs_raw_add(&raw, 0, 0, 0x12345);
	report_plain(uverbs_raw_go(fd, &raw), "method object%u method%u handle", object, method);
	raw.attrs[0].len = 8;
	report_plain(uverbs_raw_go(fd, &raw), "method object%u method%u value", object, method);
}

static void try_descriptors(const struct world *w)
{
	static const unsigned long others[] = {
		0, 1, TCGETS, _IOWR(RDMA_IOCTL_MAGIC, 0, struct ib_uverbs_ioctl_hdr),
		_IOWR(RDMA_IOCTL_MAGIC, 2, struct ib_uverbs_ioctl_hdr), _IO(RDMA_IOCTL_MAGIC, 1),
	};
	const int fds[] = { w->fd, w->async, w->channel };
	void *volatile nowhere = NULL;
	uint8_t bytes[64] = { 0 };
	size_t i, fd, len;

	for (fd = 0; fd < sizeof(fds) / sizeof(fds[0]); fd++) {
		fcntl(fds[fd], F_SETFL, O_NONBLOCK);
		for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
			report_plain(ioctl(fds[fd], others[i], bytes) ? errno : 0,
				     "descriptor %zu ioctl %lx", fd, others[i]);
		report_plain(ioctl(fds[fd], RDMA_VERBS_IOCTL, NULL) ? errno : 0,
			     "descriptor %zu ioctl of NULL", fd);
		for (len = 0; len <= sizeof(bytes); len += 4) {
			report_plain(write(fds[fd], bytes, len) < 0 ? errno : 0,
				     "descriptor %zu write %zu", fd, len);
			report_plain(read(fds[fd], bytes, len) < 0 ? errno : 0,
				     "descriptor %zu read %zu", fd, len);
		}
		report_plain(read(fds[fd], nowhere, 64) < 0 ? errno : 0,
			     "descriptor %zu read NULL", fd);
		report_plain(write(fds[fd], nowhere, 64) < 0 ? errno : 0,
			     "descriptor %zu write NULL", fd);
		report_plain(lseek(fds[fd], 1, SEEK_SET) < 0 ? errno : 0,
			     "descriptor %zu lseek", fd);
	}
}

void try_numbers(void)
{
	uint32_t number, ex, invoke, object, method;
	struct world w;
	size_t shape;

	for (number = 0; number < COMMANDS; number++)
		for (ex = 0; ex < 2; ex++)
			for (invoke = 0; invoke < 2; invoke++)
				for (shape = 0; shape < sizeof(shapes) / sizeof(shapes[0]); shape++)
					try_command(number, ex, invoke, shape);
	world_open(&w);
	for (object = 0; object < OBJECTS; object++)
		for (method = 0; method < METHODS; method++)
			try_method(w.fd, object, method);
	try_descriptors(&w);
	world_close();
}
