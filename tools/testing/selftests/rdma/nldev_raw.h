/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Requests of the RDMA netlink family, attribute by attribute: what tests of netlink stand on.
 * Nothing here knows what a command should contain.
 */
#ifndef SELFTEST_NLDEV_RAW_H
#define SELFTEST_NLDEV_RAW_H

#include <libmnl/libmnl.h>
#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>
#include <stdint.h>
#include <sys/time.h>

#include "tap.h"

#define NLDEV_BUF_BYTES 65536
#define NLDEV_ANSWER_S 5	/* a request without an answer by then is lost */

struct nldev {
	struct mnl_socket *sock;
	unsigned int seq;
	char out[8192];
	char in[NLDEV_BUF_BYTES];
	struct nlmsghdr *nlh;
};

__attribute__((unused))
static void nldev_open(struct nldev *nl)
{
	struct timeval limit = { .tv_sec = NLDEV_ANSWER_S };

	memset(nl, 0, sizeof(*nl));
	nl->sock = mnl_socket_open(NETLINK_RDMA);
	if (!nl->sock || mnl_socket_bind(nl->sock, 0, MNL_SOCKET_AUTOPID))
		tap_bail("RDMA netlink socket");
	if (setsockopt(mnl_socket_get_fd(nl->sock), SOL_SOCKET, SO_RCVTIMEO, &limit,
		       sizeof(limit)))
		tap_bail("time limit of the socket");
}

__attribute__((unused))
static void nldev_begin(struct nldev *nl, unsigned int command, unsigned int flags)
{
	memset(nl->out, 0, sizeof(nl->out));
	nl->nlh = mnl_nlmsg_put_header(nl->out);
	nl->nlh->nlmsg_type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, command);
	nl->nlh->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | flags;
	nl->nlh->nlmsg_seq = ++nl->seq;
}

/*
 * Sends and reads to the end: the acknowledgement or the last message of a dump. Returns its
 * error number, positive; ETIMEDOUT when there was no answer. @each sees every data message.
 */
__attribute__((unused))
static int nldev_send(struct nldev *nl, void (*each)(const struct nlmsghdr *nlh, void *arg),
		      void *arg)
{
	const struct nlmsghdr *nlh;
	ssize_t got;
	int rest;

	if (mnl_socket_sendto(nl->sock, nl->nlh, nl->nlh->nlmsg_len) < 0)
		return errno;
	for (;;) {
		got = mnl_socket_recvfrom(nl->sock, nl->in, sizeof(nl->in));
		if (got < 0)
			return errno == EAGAIN ? ETIMEDOUT : errno;
		rest = got;
		for (nlh = (void *)nl->in; mnl_nlmsg_ok(nlh, rest);
		     nlh = mnl_nlmsg_next(nlh, &rest)) {
			if (nlh->nlmsg_seq != nl->seq)
				continue;
			if (nlh->nlmsg_type == NLMSG_ERROR)
				return -((struct nlmsgerr *)mnl_nlmsg_get_payload(nlh))->error;
			if (nlh->nlmsg_type == NLMSG_DONE)
				return -*(int *)mnl_nlmsg_get_payload(nlh);
			if (each)
				each(nlh, arg);
		}
	}
}

#endif
