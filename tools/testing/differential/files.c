// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Files: every call on a file without a context, with handles and descriptors of another file,
 * after the object was destroyed, and on a file whose device was removed.
 */
#include "doors.h"

#include <poll.h>
#include <sys/wait.h>

static void all_commands(const struct world *w, int fd, const char *where)
{
	unsigned int i, invoke;
	struct call c;

	for (i = 0; i < command_count; i++)
		for (invoke = 0; invoke < 2; invoke++) {
			if (commands[i].context)
				continue;
			call_prepare(&c, &commands[i], w, invoke);
			report_plain(call_go(fd, &c), "%s %s %s", where, invoke ? "ioctl" : "write",
				     commands[i].name);
		}
}

static void all_methods(const struct world *w, int fd, const char *where)
{
	struct uverbs_raw raw;
	unsigned int i;

	for (i = 0; i < method_count; i++) {
		if (methods[i].context)
			continue;
		doors_start(&raw, methods[i].object, methods[i].method);
		methods[i].fill(w, &raw);
		report_plain(uverbs_raw_go(fd, &raw), "%s method %s", where, methods[i].name);
	}
}

/* The same descriptor number means nothing in another file's commands. */
static void try_descriptors(const struct world *w)
{
	const struct {
		const char *name;
		int fd;
	} channels[] = {
		{ "another file's channel", w->channel }, { "an async file", w->async },
		{ "the device", w->fd }, { "/dev/null", w->plain }, { "standard output", 1 },
		{ "closed", 9999 }, { "-1", -1 }, { "-2", -2 },
	};
	struct world bent = *w;
	struct call c;
	size_t i;

	bent.pd = w->foreign_pd;
	for (i = 0; i < sizeof(channels) / sizeof(channels[0]); i++) {
		bent.channel = channels[i].fd;
		for (unsigned int n = 0; n < command_count; n++) {
			if (!strstr(commands[n].name, "CREATE_CQ"))
				continue;
			call_prepare(&c, &commands[n], &bent, false);
			report_plain(call_go(w->other, &c), "channel %s %s", channels[i].name,
				     commands[n].name);
		}
	}
}

static void destroy_twice(void)
{
	unsigned int i, invoke;
	struct world w;
	struct call c;
	int first;

	for (i = 0; i < command_count; i++) {
		if (!strstr(commands[i].name, "DE"))
			continue;
		for (invoke = 0; invoke < 2; invoke++) {
			world_open(&w);
			call_prepare(&c, &commands[i], &w, invoke);
			first = call_go(w.fd, &c);
			report_plain(first, "once %s", commands[i].name);
			report_plain(call_go(w.fd, &c), "twice %s", commands[i].name);
			all_commands(&w, w.fd, commands[i].name);
			world_close();
		}
	}
}

/* A PD, a CQ and an SRQ that others hold. */
static void destroy_busy(void)
{
	unsigned int i;
	struct world w, bent;
	struct call c;

	world_open(&w);
	bent = w;
	bent.spare_pd = w.pd;
	bent.spare_cq = w.cq;
	bent.spare_srq = w.srq;
	for (i = 0; i < command_count; i++) {
		if (strcmp(commands[i].name, "DEALLOC_PD") &&
		    strcmp(commands[i].name, "DESTROY_CQ"))
			continue;
		call_prepare(&c, &commands[i], &bent, false);
		report(&w, call_go(w.fd, &c), NULL, "busy %s", commands[i].name);
	}
	world_close();
}

void try_files(void)
{
	struct world w;
	int bare;

	world_open(&w);
	bare = uverbs_raw_fd_of(getenv("KV_DEV"));
	all_commands(&w, bare, "bare");
	all_methods(&w, bare, "bare");
	close(bare);
	all_commands(&w, w.other, "other");
	all_methods(&w, w.other, "other");
	try_descriptors(&w);
	world_close();
	destroy_busy();
	destroy_twice();
}

static void report_poll(int fd, const char *name)
{
	struct pollfd p = { .fd = fd, .events = POLLIN | POLLOUT };
	int n = poll(&p, 1, 0);

	report_plain(n, "removed poll %s %x", name, p.revents);
}

/* Deletes the link while files are open. A driver that cannot let go of them waits. */
static pid_t start_removal(void)
{
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		world_close();	/* the child must not hold the files open */
		execlp("rdma", "rdma", "link", "delete", getenv("KV_DEV"), NULL);
		_exit(127);
	}
	return child;
}

static void after_removal(const struct world *w, int bare)
{
	struct ib_uverbs_async_event_desc event = { 0 };

	fcntl(w->async, F_SETFL, O_NONBLOCK);
	fcntl(w->channel, F_SETFL, O_NONBLOCK);
	all_commands(w, w->fd, "removed");
	all_methods(w, w->fd, "removed");
	all_commands(w, bare, "removed bare");
	all_methods(w, bare, "removed bare");
	report_poll(w->fd, "device");
	report_poll(w->async, "async");
	report_poll(w->channel, "channel");
	report_plain(read(w->async, &event, sizeof(event)) < 0 ? errno : 0,
		     "removed async event %u", event.event_type);
	report_plain(read(w->async, &event, sizeof(event)) < 0 ? errno : 0, "removed async again");
	report_plain(read(w->channel, &event, 8) < 0 ? errno : 0, "removed channel");
}

/* The last part: afterwards there is no device. */
void try_removed(void)
{
	bool lets_go = !strncmp(getenv("KV_DEV"), "shca", 4);
	int bare, status = 0;
	struct world w;
	pid_t child;

	world_open(&w);
	bare = uverbs_raw_fd_of(getenv("KV_DEV"));
	child = start_removal();
	if (lets_go) {
		waitpid(child, &status, 0);
		after_removal(&w, bare);
	}
	close(bare);
	world_close();
	if (!lets_go)
		waitpid(child, &status, 0);
	report_plain(status, "removed");
}
