/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * pp_sock.h - the TCP connection over which ping-pong programs tell each other their QPs, with the
 * words that the well-known programs of these names use: the client tells first, the server
 * answers when it is ready to receive, and "done" starts it.
 */
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
#define PP_DONE "done"
#define PP_END "END"

static inline void pp_dest_write(const struct pp_dest *d, char *text)
{
	int i, at = sprintf(text, "%04x:%06x:%06x:", d->lid & 0xffff, d->qpn & 0xffffff,
			    d->psn & 0xffffff);

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
		ssize_t n = out ? send(fd, bytes, count, MSG_NOSIGNAL) : read(fd, bytes, count);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			errno = n ? errno : ECONNRESET;
			return false;
		}
		bytes += n;
		count -= (size_t)n;
	}
	return true;
}

/* A socket that listens on the port, of either family where IPv6 is there; -1 on failure. */
static inline int pp_listen(unsigned int tcp_port)
{
	struct sockaddr_in6 any6 = { .sin6_family = AF_INET6, .sin6_port = htons(tcp_port) };
	struct sockaddr_in any4 = { .sin_family = AF_INET, .sin_port = htons(tcp_port) };
	int one = 1, zero = 0, err, fd = socket(AF_INET6, SOCK_STREAM, 0);
	bool v6 = fd >= 0;

	if (!v6)
		fd = socket(AF_INET, SOCK_STREAM, 0);
	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (v6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &zero, sizeof(zero));
	err = v6 ? bind(fd, (struct sockaddr *)&any6, sizeof(any6)) :
		   bind(fd, (struct sockaddr *)&any4, sizeof(any4));
	if (err || listen(fd, PP_MAX_QPS)) {
		close(fd);
		return -1;
	}
	return fd;
}

static inline int pp_connect(const struct pp_options *o)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_family = AF_UNSPEC };
	struct addrinfo *all, *a;
	int fd = -1, err, saved;
	char service[8];

	snprintf(service, sizeof(service), "%u", o->tcp_port);
	err = getaddrinfo(o->host, service, &hints, &all);
	if (err) {
		fprintf(stderr, "%s: %s\n", o->host, gai_strerror(err));
		errno = EHOSTUNREACH;
		return -1;
	}
	for (a = all; a && fd < 0; a = a->ai_next) {
		fd = socket(a->ai_family, a->ai_socktype, a->ai_protocol);
		if (fd >= 0 && connect(fd, a->ai_addr, a->ai_addrlen)) {
			saved = errno;
			close(fd);
			errno = saved;
			fd = -1;
		}
	}
	freeaddrinfo(all);
	return fd;
}

/* Waits for one client, or connects to the server; -1 on failure. */
static inline int pp_meet(const struct pp_options *o)
{
	int fd, listening;

	if (o->host)
		return pp_connect(o);
	listening = pp_listen(o->tcp_port);
	if (listening < 0)
		return -1;
	fd = accept(listening, NULL, NULL);
	close(listening);
	return fd;
}

/* Tells the other side of count ends, or hears of them. */
static inline bool pp_tell(int fd, const struct pp_dest *mine, unsigned int count)
{
	char text[PP_DEST_TEXT];
	unsigned int i;

	for (i = 0; i < count; i++) {
		pp_dest_write(&mine[i], text);
		if (!pp_move(fd, text, sizeof(text), true))
			return false;
	}
	return true;
}

static inline bool pp_hear(int fd, struct pp_dest *theirs, unsigned int count)
{
	char text[PP_DEST_TEXT];
	unsigned int i;

	errno = EPROTO;
	for (i = 0; i < count; i++) {
		if (!pp_move(fd, text, sizeof(text), false))
			return false;
		text[sizeof(text) - 1] = '\0';
		if (!pp_dest_read(&theirs[i], text))
			return false;
	}
	return true;
}

/* The client says that it is connected; the server waits for that. */
static inline bool pp_done(int fd, bool client)
{
	char text[] = PP_DONE;

	return pp_move(fd, text, sizeof(text), client) && !memcmp(text, PP_DONE, sizeof(text));
}

/* The client says that it is at the end, and the server says so too: neither leaves before. */
static inline bool pp_end(int fd, bool client)
{
	char mine[] = PP_END, theirs[sizeof(mine)];
	bool first = client && pp_move(fd, mine, sizeof(mine), true);

	return client == first && pp_move(fd, theirs, sizeof(theirs), false) &&
	       !memcmp(theirs, PP_END, sizeof(theirs)) &&
	       (client || pp_move(fd, mine, sizeof(mine), true));
}

#endif
