/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * shim.h - the private face of libibverbs.so.1.
 *
 * The library has two halves.  The verbs half (device.c, context.c, cmd_*.c, events.c, query.c
 * and the pure helpers) turns verbs into ioctl command buffers and knows nothing of rings.  The
 * data half (shca_*.c) owns the rings of the shca driver in user memory and makes no command of
 * its own.  They meet in this header: the verbs half calls the shca_*_alloc, _start, _stop and
 * _free hooks around a command and carries the driver's part of it (struct shim_udata) unseen.
 *
 * Errors: internal functions return 0 or a positive errno value; public verbs as their man page
 * says.  Lock order: shca context's qp_mutex, then a CQ's lock, then a QP's or SRQ's lock.
 */
#ifndef SHIM_H
#define SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <infiniband/verbs.h>

#define SHIM_EXPORT	__attribute__((visibility("default")))
#define SHIM_LIKELY(x)	__builtin_expect(!!(x), 1)
#define SHIM_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define SHIM_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define shim_container_of(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))

/* The driver's part of a command, carried along by the verbs half. */
struct shim_udata {
	const void *in;
	void *out;
	uint16_t in_len;	/* bytes */
	uint16_t out_len;	/* bytes */
};

/* A device of the list.  Programs see the first member only. */
struct shim_device {
	struct ibv_device ibv;
	/*
	 * Other libraries look behind struct ibv_device for the operations table of a plug-in, to
	 * tell their own devices from foreign ones.  NULL is nobody's table.
	 */
	const void *no_plugin;
	int refs;		/* atomic: one per list that holds it, one per open context */
	int index;		/* of the RDMA device in the kernel, -1: unknown */
	dev_t cdev;		/* of the character device, 0: unknown */
	__be64 node_guid;
};

struct shca_context;

/* An open device.  Programs see &v.context. */
struct shim_context {
	struct verbs_context v;
	struct shim_device *device;
	struct shca_context *hw;
	uint64_t core_support;	/* enum ib_uverbs_core_support */
};

static inline struct shim_device *shim_device(struct ibv_device *device)
{
	return shim_container_of(device, struct shim_device, ibv);
}

static inline struct shim_context *shim_context(struct ibv_context *context)
{
	return shim_container_of(context, struct shim_context, v.context);
}

#include "domain.h"

/* Sets errno and passes the value on, for verbs that return it as well (G036). */
int shim_error_set(int err);

/* sysfs.c; the ibv_ names are exported, but no installed header declares them */
const char *ibv_get_sysfs_path(void);
int ibv_read_sysfs_file(const char *dir, const char *file, char *buf, size_t size);
int shim_sysfs_read(const char *dir, const char *file, char *buf, size_t size);

/* discover.c: fills list (NULL-terminated, malloc'd) and its count. */
int shim_discover_devices(struct shim_device ***list, int *count);
bool shim_discover_copy_on_fork(void);

/* device.c */
void shim_device_put(struct shim_device *dev);

/* context.c */
bool shim_context_gone(int err);

/* fork.c */
void shim_fork_init_from_env(void);
int shim_fork_exclude(void *addr, size_t length);
int shim_fork_include(void *addr, size_t length);

/* query.c */
int shim_query_device_attr(struct ibv_context *context, struct ibv_device_attr_ex *attr);
int shim_query_port_attr(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr,
			 size_t size);
int shim_query_device_ex(struct ibv_context *context, const struct ibv_query_device_ex_input *in,
			 struct ibv_device_attr_ex *attr, size_t size);

/* events.c: waits until that many events of the object were acknowledged. */
void shim_events_init(pthread_mutex_t *mutex, pthread_cond_t *cond);
void shim_events_wait(pthread_mutex_t *mutex, pthread_cond_t *cond, uint32_t *done,
		      uint32_t reported);
void shim_events_channel_get(struct ibv_comp_channel *channel);
void shim_events_channel_put(struct ibv_comp_channel *channel);

/* cmd_*.c: verbs that programs reach through the tables of the context. */
struct ibv_td *shim_td_alloc(struct ibv_context *context, struct ibv_td_init_attr *attr);
int shim_td_free(struct ibv_td *td);
struct ibv_pd *shim_pd_alloc_parent(struct ibv_context *context,
				    struct ibv_parent_domain_init_attr *attr);
struct ibv_mw *shim_mw_alloc(struct ibv_pd *pd, enum ibv_mw_type type);
int shim_mw_free(struct ibv_mw *mw);
struct ibv_cq_ex *shim_cq_create_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr);
struct ibv_qp *shim_qp_create_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr);
struct ibv_qp *shim_qp_open(struct ibv_context *context, struct ibv_qp_open_attr *attr);
int shim_qp_set_rate_limit(struct ibv_qp *qp, struct ibv_qp_rate_limit_attr *limit);
int shim_cq_modify(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr);
struct ibv_xrcd *shim_xrcd_open(struct ibv_context *context, struct ibv_xrcd_init_attr *attr);
int shim_xrcd_close(struct ibv_xrcd *xrcd);
struct ibv_mr *shim_mr_alloc_null(struct ibv_pd *pd);
struct ibv_mr *shim_mr_reg_dm(struct ibv_pd *pd, struct ibv_dm *dm, uint64_t offset,
			      size_t length, unsigned int access);
struct ibv_dm *shim_dm_alloc(struct ibv_context *context, struct ibv_alloc_dm_attr *attr);
int shim_dm_free(struct ibv_dm *dm);
struct ibv_srq *shim_srq_create_ex(struct ibv_context *context, struct ibv_srq_init_attr_ex *attr);

/*
 * Hooks of the data half.  alloc makes the object and names the buffers of the driver's part,
 * start maps the rings after the command, stop forgets the object after the kernel destroyed it,
 * free releases what alloc made; stop may be left out when start never succeeded.
 */
int shca_context_alloc(struct shim_context *ctx, struct shim_udata *udata);
int shca_context_start(struct shim_context *ctx);
void shca_context_free(struct shim_context *ctx);
void shca_context_set_ops(struct shim_context *ctx);
/* The key of a region that swallows what is written, 0: there is none. */
uint32_t shca_context_null_lkey(struct shim_context *ctx);
void shca_context_pacing(struct shim_context *ctx, struct ibv_packet_pacing_caps *caps);

struct ibv_cq *shca_cq_alloc(struct shim_context *ctx, const struct ibv_cq_init_attr_ex *attr,
			     bool extended, struct shim_udata *udata);
int shca_cq_start(struct ibv_cq *cq);
void shca_cq_free(struct ibv_cq *cq);
/* The ring stands still between begin and end; end takes the new ring unless err is set. */
void shca_cq_resize_begin(struct ibv_cq *cq, struct shim_udata *udata);
int shca_cq_resize_end(struct ibv_cq *cq, int err, int cqe);

struct ibv_qp *shca_qp_alloc(struct shim_context *ctx, const struct ibv_qp_init_attr_ex *attr,
			     struct shim_udata *udata);
int shca_qp_start(struct ibv_qp *qp, const struct ibv_qp_cap *granted, bool sig_all);
void shca_qp_stop_begin(struct ibv_qp *qp);
void shca_qp_stop_end(struct ibv_qp *qp, bool gone);
void shca_qp_reset(struct ibv_qp *qp);
void shca_qp_free(struct ibv_qp *qp);

struct ibv_srq *shca_srq_alloc(struct shim_context *ctx, struct ibv_pd *pd,
			       struct shim_udata *udata);
int shca_srq_start(struct ibv_srq *srq, const struct ibv_srq_attr *granted);
uint32_t shca_srq_number(struct ibv_srq *srq);
void shca_srq_resize_begin(struct ibv_srq *srq, struct shim_udata *udata);
int shca_srq_resize_end(struct ibv_srq *srq, int err, uint32_t max_wr);
void shca_srq_free(struct ibv_srq *srq);

/* Sets errno.  Length 0: an import, which the driver tells how much it is. */
struct ibv_dm *shca_dm_new(size_t length, struct shim_udata *udata);
int shca_dm_start(struct ibv_dm *dm, struct ibv_context *context);
size_t shca_dm_length(struct ibv_dm *dm);
void shca_dm_free(struct ibv_dm *dm);

struct ibv_ah *shca_ah_alloc(struct shim_udata *udata);
void shca_ah_free(struct ibv_ah *ah);

#endif
