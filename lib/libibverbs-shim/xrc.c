// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * xrc.c - the legacy XRC calls (V55 to V62), which later releases of the stock library lack.
 *
 * Called by programs that use <infiniband/xrc.h>.  They name a receive QP by its domain and
 * number; the kernel gives handles.  So each domain keeps the QPs that this process made or
 * registered with: a registration is a handle, and the QP goes with the last handle of all
 * processes (C264..C269).  Who ends without unregistering loses his handles with his descriptors.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include "shim.h"
#include <infiniband/xrc.h>

_Static_assert(offsetof(struct ibv_xrc_qp_init_attr, xrc_domain) == 64 || sizeof(void *) == 4,
	       "legacy callers put the domain there (G132)");

/* A receive QP that this process is registered with. */
struct registration {
	struct registration *next;
	struct ibv_qp *qp;
};

struct domain {
	struct ibv_xrc_domain legacy;
	struct ibv_xrcd *xrcd;
	pthread_mutex_t mutex;			/* protects the list, and its QPs from going */
	struct registration *registered;
};

static struct domain *of(struct ibv_xrc_domain *d)
{
	return shim_container_of(d, struct domain, legacy);
}

/* The link that leads to the registration with a QP, or to the end of the list. */
static struct registration **find(struct domain *d, uint32_t qpn)
{
	struct registration **link = &d->registered;

	while (*link && (*link)->qp->qp_num != qpn)
		link = &(*link)->next;
	return link;
}

/* Without an inode only O_CREAT makes sense (C255). */
SHIM_EXPORT struct ibv_xrc_domain *ibv_open_xrc_domain(struct ibv_context *context, int fd,
						       int oflag)
{
	struct ibv_xrcd_init_attr attr = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = fd, .oflags = oflag,
	};
	struct domain *d;

	if (oflag & ~(O_CREAT | O_EXCL) || (fd == -1 && oflag != O_CREAT)) {
		errno = EINVAL;
		return NULL;
	}
	d = calloc(1, sizeof(*d));
	if (!d) {
		errno = ENOMEM;
		return NULL;
	}
	d->xrcd = shim_xrcd_open(context, &attr);
	if (!d->xrcd) {
		free(d);
		return NULL;
	}
	pthread_mutex_init(&d->mutex, NULL);
	d->legacy.context = context;
	d->legacy.handle = shim_xrcd(d->xrcd)->handle;
	return &d->legacy;
}

/* EBUSY while the process is registered with a QP of it (C258), or an SRQ is left. */
SHIM_EXPORT int ibv_close_xrc_domain(struct ibv_xrc_domain *legacy)
{
	struct domain *d = of(legacy);
	bool busy;
	int err;

	pthread_mutex_lock(&d->mutex);
	busy = d->registered;
	pthread_mutex_unlock(&d->mutex);
	err = busy ? EBUSY : shim_xrcd_close(d->xrcd);
	if (err)
		return shim_error_set(err);
	pthread_mutex_destroy(&d->mutex);
	free(d);
	return 0;
}

SHIM_EXPORT struct ibv_srq *ibv_create_xrc_srq(struct ibv_pd *pd,
					       struct ibv_xrc_domain *xrc_domain,
					       struct ibv_cq *xrc_cq,
					       struct ibv_srq_init_attr *init)
{
	struct ibv_srq_init_attr_ex ex = {
		.srq_context = init->srq_context, .attr = init->attr,
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
			     IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ,
		.srq_type = IBV_SRQT_XRC, .pd = pd, .cq = xrc_cq,
		.xrcd = xrc_domain ? of(xrc_domain)->xrcd : NULL,
	};
	struct ibv_srq *srq = shim_srq_create_ex(pd->context, &ex);

	if (srq)
		init->attr = ex.attr;
	return srq;
}

/* Enters a QP that was made or opened; without memory for it the QP goes again. */
static int enter_locked(struct domain *d, struct ibv_qp *qp)
{
	struct registration *r = malloc(sizeof(*r));

	if (!r) {
		ibv_destroy_qp(qp);
		return ENOMEM;
	}
	r->qp = qp;
	r->next = d->registered;
	d->registered = r;
	return 0;
}

/* Of the attributes only the domain counts (C262). */
SHIM_EXPORT int ibv_create_xrc_rcv_qp(struct ibv_qp_init_attr *init_attr, uint32_t *xrc_rcv_qpn)
{
	struct ibv_xrc_domain *legacy =
		shim_container_of(init_attr, struct ibv_xrc_qp_init_attr, base)->xrc_domain;
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_XRC_RECV, .comp_mask = IBV_QP_INIT_ATTR_XRCD,
	};
	struct ibv_qp *qp;
	uint32_t qpn;
	int err;

	if (!legacy)
		return shim_error_set(EINVAL);
	attr.xrcd = of(legacy)->xrcd;
	qp = shim_qp_create_ex(legacy->context, &attr);
	if (!qp)
		return errno;
	qpn = qp->qp_num;
	pthread_mutex_lock(&of(legacy)->mutex);
	err = enter_locked(of(legacy), qp);
	pthread_mutex_unlock(&of(legacy)->mutex);
	if (!err)
		*xrc_rcv_qpn = qpn;
	return shim_error_set(err);
}

/* A process that is not registered has no QP of that number: EINVAL (C271, G138). */
SHIM_EXPORT int ibv_modify_xrc_rcv_qp(struct ibv_xrc_domain *xrc_domain, uint32_t xrc_qp_num,
				      struct ibv_qp_attr *attr, int attr_mask)
{
	struct domain *d = of(xrc_domain);
	struct registration *r;
	int err = EINVAL;

	pthread_mutex_lock(&d->mutex);
	r = *find(d, xrc_qp_num);
	if (r)
		err = ibv_modify_qp(r->qp, attr, attr_mask);
	pthread_mutex_unlock(&d->mutex);
	return shim_error_set(err);
}

SHIM_EXPORT int ibv_query_xrc_rcv_qp(struct ibv_xrc_domain *xrc_domain, uint32_t xrc_qp_num,
				     struct ibv_qp_attr *attr, int attr_mask,
				     struct ibv_qp_init_attr *init_attr)
{
	struct domain *d = of(xrc_domain);
	struct registration *r;
	int err = EINVAL;

	pthread_mutex_lock(&d->mutex);
	r = *find(d, xrc_qp_num);
	if (r)
		err = ibv_query_qp(r->qp, attr, attr_mask, init_attr);
	pthread_mutex_unlock(&d->mutex);
	return shim_error_set(err);
}

static int register_locked(struct domain *d, uint32_t qpn)
{
	struct ibv_qp_open_attr attr = {
		.comp_mask = IBV_QP_OPEN_ATTR_NUM | IBV_QP_OPEN_ATTR_XRCD | IBV_QP_OPEN_ATTR_TYPE,
		.qp_num = qpn, .xrcd = d->xrcd, .qp_type = IBV_QPT_XRC_RECV,
	};
	struct ibv_qp *qp;

	/* A second registration does not count (G137). */
	if (*find(d, qpn))
		return 0;
	qp = shim_qp_open(d->legacy.context, &attr);
	return qp ? enter_locked(d, qp) : errno;
}

SHIM_EXPORT int ibv_reg_xrc_rcv_qp(struct ibv_xrc_domain *xrc_domain, uint32_t xrc_qp_num)
{
	struct domain *d = of(xrc_domain);
	int err;

	pthread_mutex_lock(&d->mutex);
	err = register_locked(d, xrc_qp_num);
	pthread_mutex_unlock(&d->mutex);
	return shim_error_set(err);
}

SHIM_EXPORT int ibv_unreg_xrc_rcv_qp(struct ibv_xrc_domain *xrc_domain, uint32_t xrc_qp_num)
{
	struct domain *d = of(xrc_domain);
	struct registration **link, *r;
	int err = EINVAL;

	pthread_mutex_lock(&d->mutex);
	link = find(d, xrc_qp_num);
	r = *link;
	if (r)
		err = ibv_destroy_qp(r->qp);
	if (!err) {
		*link = r->next;
		free(r);
	}
	pthread_mutex_unlock(&d->mutex);
	return shim_error_set(err);
}
