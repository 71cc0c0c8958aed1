/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * verbs.h - what the doors mention of <rdma/ib_verbs.h>, <rdma/restrack.h> and
 * <rdma/uverbs_std_types.h>.  Part of kernel.h, apart for its length.
 */
#ifndef FUZZ_VERBS_H
#define FUZZ_VERBS_H

#include <rdma/rdma_user_ioctl.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>

struct ib_uverbs_file;
struct uverbs_attr_bundle;
struct rdma_restrack_entry;
struct rdma_user_mmap_entry;
struct ib_rdmacg_object { int unused; };
enum rdma_restrack_type { RDMA_RESTRACK_NONE };
enum rdmacg_resource_type { RDMACG_RESOURCE_NONE };
enum rdma_remove_reason { RDMA_REMOVE_DESTROY };
struct ib_device { int unused; };
struct ib_event_handler { int unused; };
struct ib_pd;
struct ib_cq;
struct ib_qp;
struct ib_srq;
struct ib_ah;
struct ib_qp_init_attr;
struct ib_ucontext { struct ib_device *device; };
struct ib_ucontext *ib_uverbs_get_ucontext_file(struct ib_uverbs_file *ufile);
struct ib_udata {
	const void *inbuf;
	void *outbuf;
	size_t inlen, outlen;
};
struct ib_uobject {
	struct ib_uverbs_file *ufile;
	struct ib_ucontext *context;
	void *object;
	int id;
	struct kref ref;
	const struct uverbs_api_object *uapi_object;
};

/* <rdma/uverbs_std_types.h> is about verbs that the doors know nothing of, but for this. */
struct uverbs_api_object {
	const struct uverbs_obj_type *type_attrs;
	const struct uverbs_obj_type_class *type_class;
	u8 disabled:1;
	u32 id;
};

#define _UVERBS_TRACE_H
#define trace_uverbs_method(devnum, door, object, method, ret) ((void)(ret))

#endif
