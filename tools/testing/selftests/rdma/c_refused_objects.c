// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shows that what the manual calls invalid in calls that make and free domains, memory and
 * addresses is refused with the errno value of its page, and that nothing has changed then: limits,
 * masks, types, objects of another context, objects that are in use (G034).
 */
#include "refused.h"

/* ---- domains ---- */

/* EBUSY, and what was made for it goes again. */
static int busy_pd(bool made, int (*undo)(void *), void *object)
{
	int err = made ? ibv_dealloc_pd(base.pd) : -1;

	if (made && undo(object))
		return -1;
	return err;
}

static int undo_mr(void *mr)
{
	return ibv_dereg_mr(mr);
}

static int pd_with_region(void)
{
	struct ibv_mr *mr = ibv_reg_mr(base.pd, base.f.buf, 4096, 0);

	return busy_pd(mr, undo_mr, mr);
}

static int undo_mw(void *mw)
{
	return ibv_dealloc_mw(mw);
}

static int pd_with_window(void)
{
	struct ibv_mw *mw = ibv_alloc_mw(base.pd, IBV_MW_TYPE_1);

	return busy_pd(mw, undo_mw, mw);
}

static int undo_srq(void *srq)
{
	return ibv_destroy_srq(srq);
}

static int pd_with_srq(void)
{
	struct ibv_srq *srq = refused_srq(base.pd);

	return busy_pd(srq, undo_srq, srq);
}

static int undo_ah(void *ah)
{
	return ibv_destroy_ah(ah);
}

static int pd_with_ah(void)
{
	struct ibv_ah_attr attr = refused_address();
	struct ibv_ah *ah = ibv_create_ah(base.pd, &attr);

	return busy_pd(ah, undo_ah, ah);
}

static struct ibv_pd *parent(struct ibv_pd *pd, struct ibv_td *td, uint32_t comp_mask)
{
	struct ibv_parent_domain_init_attr attr = { .pd = pd, .td = td, .comp_mask = comp_mask };

	return ibv_alloc_parent_domain(base.f.ctx, &attr);
}

static int undo_pd(void *pd)
{
	return ibv_dealloc_pd(pd);
}

static int pd_with_parent(void)
{
	struct ibv_pd *domain = parent(base.pd, NULL, 0);

	return busy_pd(domain, undo_pd, domain);
}

static int parent_of_nothing(void)
{
	return refused_null(parent(NULL, NULL, 0));
}

static int parent_of_parent(void)
{
	struct ibv_pd *domain = parent(base.pd, NULL, 0);
	int err = domain ? refused_null(parent(domain, NULL, 0)) : -1;

	return domain && ibv_dealloc_pd(domain) ? -1 : err;
}

static int parent_of_foreign(void)
{
	return refused_null(parent(base.other.pd, NULL, 0));
}

static int parent_without_allocators(void)
{
	return refused_null(parent(base.pd, NULL, IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS));
}

static int parent_unknown(void)
{
	return refused_null(parent(base.pd, NULL, 1U << 31));
}

static int td_unknown(void)
{
	struct ibv_td_init_attr attr = { .comp_mask = 1 };

	return refused_null(ibv_alloc_td(base.f.ctx, &attr));
}

static int td_in_use(void)
{
	struct ibv_td_init_attr attr = { .comp_mask = 0 };
	struct ibv_td *td = ibv_alloc_td(base.f.ctx, &attr);
	struct ibv_pd *domain = td ? parent(base.pd, td, 0) : NULL;
	int err = domain ? ibv_dealloc_td(td) : -1;

	return domain && (ibv_dealloc_pd(domain) || ibv_dealloc_td(td)) ? -1 : err;
}

/* ---- memory ---- */

static int reg(size_t length, int access)
{
	return refused_null(ibv_reg_mr(base.f.pd, base.f.buf, length, access));
}

static int reg_empty(void)
{
	return reg(0, IBV_ACCESS_LOCAL_WRITE);
}

static int reg_round(void)
{
	return reg(SIZE_MAX - 4096, IBV_ACCESS_LOCAL_WRITE);
}

static int reg_remote_write_alone(void)
{
	return reg(4096, IBV_ACCESS_REMOTE_WRITE);
}

static int reg_atomic_alone(void)
{
	return reg(4096, IBV_ACCESS_REMOTE_ATOMIC);
}

static int reg_unknown(void)
{
	return reg(4096, 1 << 18);
}

static int reg_unmapped(void)
{
	return refused_null(ibv_reg_mr(base.f.pd, (void *)4096, 4096, IBV_ACCESS_LOCAL_WRITE));
}

/* Text of this program: to be read, not to be written. */
static int reg_read_only(void)
{
	return refused_null(ibv_reg_mr(base.f.pd, (void *)(uintptr_t)reg_read_only, 16,
				       IBV_ACCESS_LOCAL_WRITE));
}

static int reg_on_demand(void)
{
	return reg(4096, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ON_DEMAND);
}

static int rereg(int flags, struct ibv_pd *pd, size_t length)
{
	int err = ibv_rereg_mr(base.f.mr, flags, pd, base.f.buf, length, 0);

	return err == IBV_REREG_MR_ERR_INPUT ? errno : err ? -1 : 0;
}

static int rereg_unknown(void)
{
	return rereg(1 << 3, NULL, 4096);
}

static int rereg_empty(void)
{
	return rereg(IBV_REREG_MR_CHANGE_TRANSLATION, NULL, 0);
}

static int rereg_foreign_pd(void)
{
	return rereg(IBV_REREG_MR_CHANGE_PD, base.other.pd, 0);
}

static int mw_type(int type)
{
	return refused_null(ibv_alloc_mw(base.f.pd, type));
}

static int mw_type_zero(void)
{
	return mw_type(0);
}

static int mw_type_three(void)
{
	return mw_type(3);
}

static int dm(size_t length, uint32_t log_align, uint32_t comp_mask)
{
	struct ibv_alloc_dm_attr attr = { length, log_align, comp_mask };

	return refused_null(ibv_alloc_dm(base.f.ctx, &attr));
}

static int dm_empty(void)
{
	return dm(0, 0, 0);
}

static int dm_too_much(void)
{
	struct ibv_device_attr_ex ex;

	return ibv_query_device_ex(base.f.ctx, NULL, &ex) ? -1 : dm(ex.max_dm_size + 1, 0, 0);
}

static int dm_alignment(void)
{
	return dm(64, 40, 0);
}

static int dm_unknown(void)
{
	return dm(64, 0, 1);
}

/* Something done to 4096 bytes of it, which go again. */
static int with_dm(int (*attempt)(struct ibv_dm *dm))
{
	struct ibv_alloc_dm_attr attr = { .length = 4096 };
	struct ibv_dm *dm = ibv_alloc_dm(base.f.ctx, &attr);
	int err;

	if (!dm)
		return -1;
	errno = 0;
	err = attempt(dm);
	return ibv_free_dm(dm) ? -1 : err;
}

static int try_beyond(struct ibv_dm *dm)
{
	return ibv_memcpy_to_dm(dm, 4092, base.f.buf, 8);
}

static int dm_beyond(void)
{
	return with_dm(try_beyond);
}

static int try_odd(struct ibv_dm *dm)
{
	return ibv_memcpy_from_dm(base.f.buf, dm, 2, 4);
}

static int dm_odd(void)
{
	return with_dm(try_odd);
}

static int try_busy(struct ibv_dm *dm)
{
	struct ibv_mr *mr = ibv_reg_dm_mr(base.f.pd, dm, 0, 4096, IBV_ACCESS_ZERO_BASED);
	int err = mr ? ibv_free_dm(dm) : -1;

	return mr && ibv_dereg_mr(mr) ? -1 : err;
}

static int dm_busy(void)
{
	return with_dm(try_busy);
}

static int try_absolute(struct ibv_dm *dm)
{
	return refused_null(ibv_reg_dm_mr(base.f.pd, dm, 0, 64, IBV_ACCESS_LOCAL_WRITE));
}

static int dm_region_absolute(void)
{
	return with_dm(try_absolute);
}

static int try_outside(struct ibv_dm *dm)
{
	return refused_null(ibv_reg_dm_mr(base.f.pd, dm, 4096, 1, IBV_ACCESS_ZERO_BASED));
}

static int dm_region_outside(void)
{
	return with_dm(try_outside);
}

static int try_foreign_pd(struct ibv_dm *dm)
{
	return refused_null(ibv_reg_dm_mr(base.other.pd, dm, 0, 64, IBV_ACCESS_ZERO_BASED));
}

static int dm_region_foreign(void)
{
	return with_dm(try_foreign_pd);
}

/* ---- addresses ---- */

enum wrong_address { PORT_0, PORT_2, EMPTY_GID, NO_GRH, NO_ROUTE };

static int ah(enum wrong_address wrong)
{
	struct ibv_ah_attr attr = refused_address();

	if (wrong == PORT_0 || wrong == PORT_2)
		attr.port_num = wrong == PORT_2 ? 2 : 0;
	if (wrong == EMPTY_GID)
		attr.grh.sgid_index = (uint8_t)(refused_gid_count() - 1);
	if (wrong == NO_GRH)
		attr.is_global = 0;
	if (wrong == NO_ROUTE)
		refused_no_route(&attr);
	return refused_null(ibv_create_ah(base.f.pd, &attr));
}

static int ah_port_0(void)
{
	return ah(PORT_0);
}

static int ah_port_2(void)
{
	return ah(PORT_2);
}

static int ah_empty(void)
{
	return ah(EMPTY_GID);
}

static int ah_no_grh(void)
{
	return ah(NO_GRH);
}

static int ah_no_route(void)
{
	return ah(NO_ROUTE);
}

/* A datagram whose header says that it came to dgid. */
static int ah_from(uint8_t version, uint8_t next, const char *dgid)
{
	struct ibv_wc wc = { .wc_flags = IBV_WC_GRH };
	struct ibv_ah_attr attr;
	struct ibv_grh grh = {
		.version_tclass_flow = htonl((uint32_t)version << 28), .next_hdr = next,
		.sgid = base.f.gid,
	};

	inet_pton(AF_INET6, dgid, &grh.dgid);
	return refused_minus(ibv_init_ah_from_wc(base.f.ctx, FIXTURE_PORT, &wc, &grh, &attr));
}

static int ah_from_group(void)
{
	return ah_from(6, 17, "ff0e::1");
}

static int ah_from_stranger(void)
{
	return ah_from(6, 17, "2001:db8::99");
}

static int ah_from_version_7(void)
{
	return ah_from(7, 17, "2001:db8::99");
}

static int ah_from_tcp(void)
{
	return ah_from(6, 6, "2001:db8::99");
}

static const struct refused_row rows[] = {
	{ "ibv_alloc_pd", EBUSY, "freeing one with a region", pd_with_region },
	{ "ibv_alloc_pd", EBUSY, "freeing one with a window", pd_with_window },
	{ "ibv_alloc_pd", EBUSY, "freeing one with an SRQ", pd_with_srq },
	{ "ibv_alloc_pd", EBUSY, "freeing one with an address handle", pd_with_ah },
	{ "ibv_alloc_pd", EBUSY, "freeing one with a parent domain", pd_with_parent },
	{ "ibv_alloc_parent_domain", EINVAL, "one of nothing", parent_of_nothing },
	{ "ibv_alloc_parent_domain", EINVAL, "one of a parent domain", parent_of_parent },
	{ "ibv_alloc_parent_domain", EINVAL, "one in another context", parent_of_foreign },
	{ "ibv_alloc_parent_domain", EINVAL, "NULL for allocators", parent_without_allocators },
	{ "ibv_alloc_parent_domain", EOPNOTSUPP, "an unknown comp_mask", parent_unknown },
	{ "ibv_alloc_td", EINVAL, "an unknown comp_mask", td_unknown },
	{ "ibv_alloc_td", EBUSY, "freeing one in use", td_in_use },
	{ "ibv_reg_mr", EINVAL, "length 0", reg_empty },
	{ "ibv_reg_mr", EINVAL, "a range round the end", reg_round },
	{ "ibv_reg_mr", EINVAL, "remote write without local write", reg_remote_write_alone },
	{ "ibv_reg_mr", EINVAL, "remote atomics without local write", reg_atomic_alone },
	{ "ibv_reg_mr", EINVAL, "an unknown right", reg_unknown },
	{ "ibv_reg_mr", EFAULT, "memory that is not there", reg_unmapped },
	{ "ibv_reg_mr", EFAULT, "memory that cannot be written", reg_read_only },
	{ "ibv_reg_mr", EOPNOTSUPP, "paging on demand", reg_on_demand },
	{ "ibv_rereg_mr", EINVAL, "unknown flags", rereg_unknown },
	{ "ibv_rereg_mr", EINVAL, "length 0", rereg_empty },
	{ "ibv_rereg_mr", EINVAL, "a PD of another context", rereg_foreign_pd },
	{ "ibv_alloc_mw", EINVAL, "type 0", mw_type_zero },
	{ "ibv_alloc_mw", EINVAL, "type 3", mw_type_three },
	{ "ibv_alloc_dm", EINVAL, "length 0", dm_empty },
	{ "ibv_alloc_dm", EINVAL, "more than max_dm_size", dm_too_much },
	{ "ibv_alloc_dm", EINVAL, "alignment to 2^40", dm_alignment },
	{ "ibv_alloc_dm", EINVAL, "an unknown comp_mask", dm_unknown },
	{ "ibv_alloc_dm", EINVAL, "a copy from the middle of a word", dm_odd },
	{ "ibv_alloc_dm", EFAULT, "a copy beyond the end", dm_beyond },
	{ "ibv_alloc_dm", EBUSY, "freeing it under a region", dm_busy },
	{ "ibv_reg_dm_mr", EINVAL, "no IBV_ACCESS_ZERO_BASED", dm_region_absolute },
	{ "ibv_reg_dm_mr", EINVAL, "a range outside", dm_region_outside },
	{ "ibv_reg_dm_mr", EINVAL, "a PD of another context", dm_region_foreign },
	{ "ibv_create_ah", EINVAL, "port 0", ah_port_0 },
	{ "ibv_create_ah", EINVAL, "port 2", ah_port_2 },
	{ "ibv_create_ah", ENODATA, "an empty entry of the GID table", ah_empty },
	{ "ibv_create_ah", EINVAL, "no global route", ah_no_grh },
	{ "ibv_create_ah", ENETUNREACH, "an address without route", ah_no_route },
	{ "ibv_init_ah_from_wc", EINVAL, "a datagram to a group", ah_from_group },
	{ "ibv_init_ah_from_wc", ENOENT, "a datagram to somebody else", ah_from_stranger },
	{ "ibv_init_ah_from_wc", EPROTONOSUPPORT, "a header of version 7", ah_from_version_7 },
	{ "ibv_init_ah_from_wc", EPROTONOSUPPORT, "a header before TCP", ah_from_tcp },
};

int main(void)
{
	return refused_main(rows, sizeof(rows) / sizeof(*rows));
}
