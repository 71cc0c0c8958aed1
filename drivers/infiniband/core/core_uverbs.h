/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The seam between ib_core and ib_uverbs: what ib_uverbs takes from ib_core although no public
 * <rdma/...> header declares it. Names and prototypes are those of the stock modules, so each of
 * our two modules also runs beside a stock one. Both modules include this file, hence a change of
 * a prototype here breaks the build of one of them instead of a running kernel.
 */
#ifndef _CORE_UVERBS_H
#define _CORE_UVERBS_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <rdma/ib_verbs.h>
#include <rdma/restrack.h>

struct ib_uqp_object;

/* Answer of a client's get_nl_info(): which character device serves a device (GET_CHARDEV). */
struct ib_client_nl_info {
	struct sk_buff *nl_msg;	/* where the client may add attributes of its own */
	struct device *cdev;	/* no reference: ib_core takes one before the client can go */
	u32 port;		/* asked for by the user, (u32)-1 when not */
	u64 abi;		/* left at 0 it is not reported */
};

/* qp.c */
struct ib_qp *ib_create_qp_user(struct ib_device *dev, struct ib_pd *pd,
				struct ib_qp_init_attr *attr, struct ib_udata *udata,
				struct ib_uqp_object *uobj, const char *caller);
void ib_qp_usecnt_inc(struct ib_qp *qp);
void ib_qp_usecnt_dec(struct ib_qp *qp);

/* nldev: may users without CAP_NET_RAW set a controlled Q_Key? */
bool rdma_nl_get_privileged_qkey(void);

/* cgroup.c */
int ib_rdmacg_try_charge(struct ib_rdmacg_object *cg_obj, struct ib_device *device,
			 enum rdmacg_resource_type resource_index);
void ib_rdmacg_uncharge(struct ib_rdmacg_object *cg_obj, struct ib_device *device,
			enum rdmacg_resource_type resource_index);

/*
 * restrack.c. The life of an entry: new -> set_name/parent_name -> add -> del. put() instead of
 * del() ends an entry that was never added. sync() returns when nobody who looked the entry up
 * before still uses it (for changes of pointers that a netlink dump follows, like a new PD of an
 * MR). begin_del() hides an entry and waits likewise; then commit_del() or abort_del() follows.
 */
void rdma_restrack_new(struct rdma_restrack_entry *res, enum rdma_restrack_type type);
void rdma_restrack_set_name(struct rdma_restrack_entry *res, const char *caller);
void rdma_restrack_parent_name(struct rdma_restrack_entry *dst,
			       const struct rdma_restrack_entry *parent);
void rdma_restrack_add(struct rdma_restrack_entry *res);
void rdma_restrack_del(struct rdma_restrack_entry *res);
void rdma_restrack_sync(struct rdma_restrack_entry *res);
void rdma_restrack_begin_del(struct rdma_restrack_entry *res);
void rdma_restrack_commit_del(struct rdma_restrack_entry *res);
void rdma_restrack_abort_del(struct rdma_restrack_entry *res);

/*
 * umap.c: tracking of I/O mappings, so that ib_uverbs can zap them when the device goes.
 * vma->vm_file->private_data is the struct ib_uverbs_file, and that struct begins with a
 * struct core_umap_file: ib_core knows no more of it than this.
 */
struct core_umap_file {
	/* Protects maps and the contents of its members; taken inside mmap_lock or alone. */
	struct mutex lock;
	struct list_head maps;
};

struct rdma_umap_priv {
	struct vm_area_struct *vma;
	struct list_head list;			/* in core_umap_file.maps */
	struct rdma_user_mmap_entry *entry;	/* may be NULL; the priv holds a reference */
};

/* Links priv, takes a reference on entry, becomes vma->vm_private_data. vm_ops stay as they are. */
void rdma_umap_priv_init(struct rdma_umap_priv *priv, struct vm_area_struct *vma,
			 struct rdma_user_mmap_entry *entry);

#endif
