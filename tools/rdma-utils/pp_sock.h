/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* pp_sock.h - the TCP connection over which ping-pong programs tell each other their QPs. */
#ifndef PP_SOCK_H
#define PP_SOCK_H

#include <arpa/inet.h>
#include <netdb.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "pp_options.h"

/* One end of a connection. */
struct pp_dest {
	uint32_t lid;
	uint32_t qpn;
	uint32_t psn;
	union ibv_gid gid;
};

/* As text on the wire: lid, qpn, psn, 32 digits of the GID. */
#define PP_DEST_TEXT sizeof("0000:000000:000000:00000000000000000000000000000000")

static inline void pp_dest_write(const struct pp_dest *d, char *text)
{
	int i, at = sprintf(text, "%04x:%06x:%06x:", d->lid, d->qpn, d->psn);

	for (i = 0; i < 16; i++)
		at += sprintf(text + at, "%02x", d->gid.raw[i]);
}

static inline bool pp_dest_read(struct pp_dest *d, const char *text)
{
	unsigned int byte;
	int i, at;

	if (sscanf(text, "%4x:%6x:%6x:%n", &d->lid, &d->qpn, &d->psn, &at) != 3)
		return false;
	for (i = 0; i < 16; i++) {
		if (sscanf(text + at + 2 * i, "%2x", &byte) != 1)
			return false;
		d->gid.raw[i] = (uint8_t)byte;
	}
	return true;
}

static inline bool pp_move(int fd, char *bytes, size_t count, bool out)
{
	while (count) {
		ssize_t n = out ? write(fd, bytes, count) : read(fd, bytes, count);

		if (n <= 0)
			return false;
		bytes += n;
		count -= (size_t)n;
	}
	return true;
}

static inline int pp_listen(const struct addrinfo *a)
{
	int one = 1, conn, fd = socket(a->ai_family, a->ai_socktype, a->ai_protocol);

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, a->ai_addr, a->ai_addrlen) || listen(fd, 1)) {
		close(fd);
		return -1;
	}
	conn = accept(fd, NULL, NULL);
	close(fd);
	return conn;
}

static inline int pp_connect(const struct addrinfo *a)
{
	int fd = socket(a->ai_family, a->ai_socktype, a->ai_protocol);

	if (fd >= 0 && connect(fd, a->ai_addr, a->ai_addrlen)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* Waits for the client, or connects to the server; -1 on failure. */
static inline int pp_meet(const struct pp_options *o)
{
	struct addrinfo hints = {
		.ai_socktype = SOCK_STREAM, .ai_flags = o->host ? 0 : AI_PASSIVE,
		.ai_family = o->host ? AF_UNSPEC : AF_INET6,
	}, *all, *a;
	char service[8];
	int fd = -1;

	snprintf(service, sizeof(service), "%d", o->tcp_port);
	if (getaddrinfo(o->host, service, &hints, &all))
		return -1;
	for (a = all; a && fd < 0; a = a->ai_next)
		fd = o->host ? pp_connect(a) : pp_listen(a);
	freeaddrinfo(all);
	return fd;
}

/* The client speaks first. */
static inline bool pp_exchange(int fd, bool client, const struct pp_dest *mine,
			       struct pp_dest *theirs)
{
	char out[PP_DEST_TEXT], in[PP_DEST_TEXT];

	pp_dest_write(mine, out);
	if (client && !pp_move(fd, out, sizeof(out), true))
		return false;
	if (!pp_move(fd, in, sizeof(in), false))
		return false;
	if (!client && !pp_move(fd, out, sizeof(out), true))
		return false;
	in[sizeof(in) - 1] = '\0';
	return pp_dest_read(theirs, in);
}

/* Ready on both sides before the clock starts, done on both before anything is destroyed. */
static inline bool pp_barrier(int fd)
{
	char byte = 'r';

	return pp_move(fd, &byte, 1, true) && pp_move(fd, &byte, 1, false);
}

#endif
