// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * mcast.c - multicast groups among the QPs of one device.
 *
 * The host attaches and detaches; a multicast frame asks for the next member each time it leaves
 * one, so nothing is allocated or copied per message.  One sorted list per device: by group, then
 * by QP number.  A hop walks it, which suits the few groups that a host has.
 */
#include "mcast.h"
#include "types.h"

struct eng_mcast_member {
	struct eng_mcast_member *next;
	u32 qpn;
	u8 mgid[16];
};

static int order(const struct eng_mcast_member *m, const u8 mgid[16], u32 qpn)
{
	int by_group = env_memcmp(m->mgid, mgid, 16);

	if (by_group)
		return by_group;
	return m->qpn < qpn ? -1 : m->qpn > qpn;
}

/* The link that points at the first member not before (@mgid, @qpn). */
static struct eng_mcast_member **seek(struct eng_dev *dev, const u8 mgid[16], u32 qpn)
{
	struct eng_mcast_member **link = &dev->mcast_members;

	env_lock_held(&dev->mcast_lock);
	while (*link && order(*link, mgid, qpn) < 0)
		link = &(*link)->next;
	return link;
}

int eng_mcast_attach(struct eng_qp *qp, const u8 mgid[16])
{
	struct eng_mcast_member *fresh = env_alloc(sizeof(*fresh));
	struct eng_mcast_member **link;

	if (!fresh)
		return -ENV_ENOMEM;
	env_memcpy(fresh->mgid, mgid, 16);
	fresh->qpn = qp->qpn;
	env_lock(&qp->dev->mcast_lock);
	link = seek(qp->dev, mgid, qp->qpn);
	if (!*link || order(*link, mgid, qp->qpn) != 0) {
		fresh->next = *link;
		*link = fresh;
		fresh = NULL;
	}
	env_unlock(&qp->dev->mcast_lock);
	env_free(fresh);
	return 0;
}

int eng_mcast_detach(struct eng_qp *qp, const u8 mgid[16])
{
	struct eng_mcast_member **link, *found = NULL;

	env_lock(&qp->dev->mcast_lock);
	link = seek(qp->dev, mgid, qp->qpn);
	if (*link && order(*link, mgid, qp->qpn) == 0) {
		found = *link;
		*link = found->next;
	}
	env_unlock(&qp->dev->mcast_lock);
	env_free(found);
	return found ? 0 : -ENV_EINVAL;
}

u32 eng_mcast_next(struct eng_dev *dev, const u8 mgid[16], u32 after)
{
	struct eng_mcast_member *m;
	u32 qpn = 0;

	env_lock(&dev->mcast_lock);
	m = *seek(dev, mgid, after + 1);
	if (m && !env_memcmp(m->mgid, mgid, 16))
		qpn = m->qpn;
	env_unlock(&dev->mcast_lock);
	return qpn;
}

void eng_mcast_forget(struct eng_dev *dev, u32 qpn)
{
	struct eng_mcast_member **link, *gone = NULL, *m;

	env_lock(&dev->mcast_lock);
	link = &dev->mcast_members;
	while ((m = *link)) {
		if (m->qpn != qpn) {
			link = &m->next;
			continue;
		}
		*link = m->next;
		m->next = gone;
		gone = m;
	}
	env_unlock(&dev->mcast_lock);
	while ((m = gone)) {
		gone = m->next;
		env_free(m);
	}
}
