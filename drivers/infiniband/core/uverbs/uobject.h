/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * User objects: handle and fd number to kernel object, who may use it now, and its end.
 * Called by dispatch.c for each call and by file.c/disassociate.c at the end of a file.
 */
#ifndef _UVERBS_UOBJECT_H
#define _UVERBS_UOBJECT_H

#include <rdma/uverbs_types.h>

struct uverbs_api_object;
struct ib_uverbs_file;

/* A hidden object, exclusively held. It ends in exactly one of commit and abort. */
struct ib_uobject *uverbs_uobject_begin(const struct uverbs_api_object *obj,
					struct uverbs_attr_bundle *attrs);
void uverbs_uobject_commit(struct ib_uobject *uobj);
/* created: the hardware object exists and is destroyed first. */
void uverbs_uobject_abort(struct ib_uobject *uobj, bool created,
			  struct uverbs_attr_bundle *attrs);

/* obj NULL accepts each kind of object that has a handle. */
struct ib_uobject *uverbs_uobject_lookup(const struct uverbs_api_object *obj,
					 struct ib_uverbs_file *ufile, s64 id,
					 enum rdma_lookup_mode mode);
void uverbs_uobject_release(struct ib_uobject *uobj, enum rdma_lookup_mode mode);

/* For an object held by a DESTROY lookup. An error leaves everything as it was. */
int uverbs_uobject_destroy(struct ib_uobject *uobj, struct uverbs_attr_bundle *attrs);

/* Destroys all objects of the file and its context; a second call finds nothing to do. */
void uverbs_uobject_teardown(struct ib_uverbs_file *ufile, enum rdma_remove_reason reason);

#endif
