// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * doorbell.c - the file descriptor that a process rings when it posted work.  ib_uverbs makes it
 * through the driver's object below; ioctl() on it runs the engine in the caller.
 *
 * The file may outlive its context and the device.  So it knows the engine device only, by an RCU
 * pointer that is cleared when the context ends; engine devices are freed by RCU.  A QP found there
 * is counted, and whoever destroys it waits for the count, which is all that a ring needs.  A QP of
 * another context is not found, by the context's number, which unlike its address is never used
 * again.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <rdma/uverbs_std_types.h>

#include "runner.h"
#include "shca.h"

struct doorbell {
	struct ib_uobject uobject;	/* first: ib_uverbs allocates and frees it */
	struct eng_dev __rcu *eng;	/* counted; NULL: context or device are gone */
	u64 context_id;
};

/* The QP, counted; -EINVAL, -EIO. */
static int find(struct doorbell *doorbell, unsigned long qpn, struct eng_qp **qp)
{
	struct eng_dev *eng;
	int err = 0;

	if (unlikely(qpn > 0xffffff))
		return -EINVAL;
	rcu_read_lock();
	eng = rcu_dereference(doorbell->eng);
	if (unlikely(!eng)) {
		err = -EIO;
	} else {
		*qp = eng_qp_find(eng, qpn);
		if (unlikely(!*qp))
			err = -EINVAL;
	}
	rcu_read_unlock();
	return err;
}

static long ring(struct file *file, unsigned int cmd, unsigned long qpn)
{
	struct doorbell *doorbell = file->private_data;
	struct eng_qp *eng;
	struct shca_qp *qp;
	int err;

	if (unlikely(cmd != SHCA_IOC_DOORBELL))
		return -ENOTTY;
	err = find(doorbell, qpn, &eng);
	if (unlikely(err))
		return err;
	qp = eng_qp_host(eng);
	if (likely(qp->context_id == doorbell->context_id))
		shca_runner_run(eng);
	else
		err = -EINVAL;
	eng_qp_put(eng);
	return err;
}

static const struct file_operations doorbell_fops = {
	.owner = THIS_MODULE,
	.release = uverbs_uobject_fd_release,
	.unlocked_ioctl = ring,
	.compat_ioctl = ring,		/* the argument is a number, not a pointer */
	.llseek = noop_llseek,
};

/* The file was closed, or the context ends: nobody can begin to ring after the exchange. */
static void doorbell_destroyed(struct ib_uobject *uobject, enum rdma_remove_reason why)
{
	struct doorbell *doorbell = container_of(uobject, struct doorbell, uobject);
	struct eng_dev *eng = unrcu_pointer(xchg(&doorbell->eng, NULL));

	if (eng)
		eng_dev_put(eng);
}

static int alloc(struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobject = uverbs_attr_get_uobject(attrs, SHCA_ATTR_DOORBELL_ALLOC_FD);
	struct doorbell *doorbell = container_of(uobject, struct doorbell, uobject);
	struct shca_ucontext *context = container_of(attrs->context, struct shca_ucontext, ib);
	struct eng_dev *eng = shca_dev_of(attrs->context->device)->eng;

	doorbell->context_id = context->id;
	eng_dev_get(eng);
	rcu_assign_pointer(doorbell->eng, eng);
	return 0;
}

static const struct uverbs_attr_def *const alloc_attrs[] = {
	UVERBS_ATTR_FD(SHCA_ATTR_DOORBELL_ALLOC_FD, SHCA_OBJECT_DOORBELL,
		       UVERBS_ACCESS_NEW, UA_MANDATORY),
};

static const struct uverbs_method_def alloc_method = {
	.id = SHCA_METHOD_DOORBELL_ALLOC,
	.handler = alloc,
	.num_attrs = ARRAY_SIZE(alloc_attrs),
	.attrs = &alloc_attrs,
};

static const struct uverbs_method_def *const methods[] = { &alloc_method };

static const struct uverbs_object_def object = {
	.id = SHCA_OBJECT_DOORBELL,
	.type_attrs = &UVERBS_TYPE_ALLOC_FD(sizeof(struct doorbell), doorbell_destroyed,
					    &doorbell_fops, "[shca-doorbell]",
					    O_RDWR | O_CLOEXEC),
	.num_methods = ARRAY_SIZE(methods),
	.methods = &methods,
};

const struct uapi_definition shca_doorbell_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE(SHCA_OBJECT_DOORBELL, &object),
	{}
};
