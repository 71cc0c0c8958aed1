// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A world: two files of the device and, in the first, one object of each kind that the device has.
 * Built in the same order every time, so handles and descriptors are the same everywhere.
 */
#include "doors.h"
#include "kinds.h"

#include <sys/syscall.h>

#define NO_HANDLE	0x3fffffffu

static const struct command *find(const char *name)
{
	unsigned int i;

	for (i = 0; i < command_count; i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	abort();
}

/* The new object's handle; what the device does not have is NO_HANDLE. */
static uint32_t make(const struct world *w, int fd, const char *name)
{
	const struct command *command = find(name);
	struct call c;
	uint32_t handle;

	call_prepare(&c, command, w, false);
	if (call_go(fd, &c))
		return NO_HANDLE;
	memcpy(&handle, answer + command->handle - 1, sizeof(handle));
	return handle;
}

static int open_at(const char *path, int fd)
{
	int got = path ? open(path, O_RDONLY) : uverbs_raw_fd_of(getenv("KV_DEV"));

	if (got < 0)
		return -1;
	if (got != fd) {
		dup2(got, fd);
		close(got);
	}
	return fd;
}

/* A descriptor that a command answers with. */
static int make_fd(const struct world *w, int fd, const char *name)
{
	struct call c;
	int made;

	call_prepare(&c, find(name), w, false);
	if (call_go(fd, &c))
		return -1;
	memcpy(&made, answer, sizeof(made));
	return made;
}

void world_open(struct world *w)
{
	memset(w, 0xff, sizeof(*w));
	w->plain = open_at("/dev/null", WORLD_FIRST_FD);
	w->fd = open_at(NULL, WORLD_FIRST_FD + 1);
	w->other = open_at(NULL, WORLD_FIRST_FD + 2);
	if (w->fd < 0 || w->other < 0)
		tap_bail("cannot open the device");
	w->async = make_fd(w, w->fd, "GET_CONTEXT");
	make_fd(w, w->other, "GET_CONTEXT");
	w->foreign_pd = make(w, w->other, "ALLOC_PD");
	w->channel = make_fd(w, w->fd, "CREATE_COMP_CHANNEL");
	w->pd = make(w, w->fd, "ALLOC_PD");
	w->cq = make(w, w->fd, "CREATE_CQ");
	w->srq = make(w, w->fd, "CREATE_SRQ");
	w->qp = make(w, w->fd, "CREATE_QP");
	w->mr = make(w, w->fd, "REG_MR");
	w->mw = make(w, w->fd, "ALLOC_MW");
	w->ah = make(w, w->fd, "CREATE_AH");
	w->spare_pd = make(w, w->fd, "ALLOC_PD");
	w->spare_cq = make(w, w->fd, "CREATE_CQ");
	w->spare_srq = make(w, w->fd, "CREATE_SRQ");
	w->xrcd = w->flow = w->wq = NO_HANDLE;
}

/* Calls leave descriptors behind; they all end here. */
void world_close(void)
{
	syscall(SYS_close_range, WORLD_FIRST_FD, ~0u, 0);
}
