/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* pp_introduce.h - two ping-pong programs meet: ends exchanged, shown, connected. */
#ifndef PP_INTRODUCE_H
#define PP_INTRODUCE_H

#include "pp_objects.h"

static inline void pp_show(const char *whose, const struct pp_dest *d)
{
	char gid[INET6_ADDRSTRLEN];

	inet_ntop(AF_INET6, d->gid.raw, gid, sizeof(gid));
	printf("  %-15s LID 0x%04x, QPN 0x%06x, PSN 0x%06x, GID %s\n", whose, d->lid, d->qpn,
	       d->psn, gid);
}

/* What is ours at the port: LID or GID. */
static inline bool pp_local(struct ibv_context *context, const struct pp_options *o,
			    struct pp_dest *me)
{
	static const union ibv_gid none;
	struct ibv_port_attr port;

	errno = ibv_query_port(context, (uint8_t)o->ib_port, &port);
	if (errno)
		return pp_fail("query port");
	if (port.link_layer == IBV_LINK_LAYER_ETHERNET && o->gid_index < 0) {
		fprintf(stderr, "on Ethernet -g has to say which GID is ours; "
			"ibv_devinfo -v lists them\n");
		return false;
	}
	me->lid = port.lid;
	me->psn = (uint32_t)rand() & 0xffffff;
	if (o->gid_index < 0)
		return true;
	if (ibv_query_gid(context, (uint8_t)o->ib_port, o->gid_index, &me->gid) ||
	    !memcmp(&me->gid, &none, sizeof(none))) {
		fprintf(stderr, "there is no GID %d; ibv_devinfo -v lists them\n", o->gid_index);
		return false;
	}
	return true;
}

/* Hears of the other side and is ready for it, in the order that suits each side. */
static inline bool pp_exchange(struct pp *p, int fd, unsigned int told,
			       bool (*ready)(struct pp *p))
{
	bool client = p->o.host != NULL;

	if (client && !pp_tell(fd, p->mine, told))
		return pp_fail("tell the server");
	if (!pp_hear(fd, p->theirs, told))
		return pp_fail("hear of the other side");
	if (!ready(p))
		return false;
	if (!client && !pp_tell(fd, p->mine, told))
		return pp_fail("tell the client");
	return pp_done(fd, client) ? true : pp_fail("begin");
}

/* Ends are told before TCP is left, so that both are shown whatever happens later. */
static inline bool pp_introduce(struct pp *p, bool (*ready)(struct pp *p))
{
	unsigned int i, told = p->kind->srq ? PP_MAX_QPS : 1;
	bool ok;
	int fd;

	for (i = 0; i < p->o.qps; i++) {
		if (!pp_local(p->context, &p->o, &p->mine[i]))
			return false;
		p->mine[i].qpn = p->qp[i]->qp_num;
		pp_show("local address:", &p->mine[i]);
	}
	fflush(stdout);
	fd = pp_meet(&p->o);
	if (fd < 0)
		return pp_fail("meet the other side");
	ok = pp_exchange(p, fd, told, ready);
	close(fd);
	for (i = 0; i < p->o.qps && ok; i++)
		pp_show("remote address:", &p->theirs[i]);
	return ok;
}

#endif
