// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * XRC domains: open and close.
 *
 * A domain is private to its opener, or bound to a file: whoever opens it with a descriptor of
 * the same inode gets the same domain. Domains with an inode are found in a tree of the device,
 * keyed by the inode's address, which an inode reference held by the tree keeps unique.
 * dispatch.c calls in; ib_core and the file system go out.
 *
 * Counting: xrcd->usecnt has one for each opener of a shared domain and one for each QP and SRQ
 * (ib_core); ib_uxrcd_object.refcnt counts the QPs and SRQs of one opener, who cannot close the
 * domain before they are gone.
 */
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/rbtree.h>
#include <linux/slab.h>

#include "call.h"
#include "defs.h"
#include "objects.h"

struct xrcd_node {
	struct rb_node rb;		/* in ib_uverbs_device.xrcd_tree */
	struct inode *inode;		/* with a reference */
	struct ib_xrcd *xrcd;
};

static struct xrcd_node *xrcd_tree_find(struct ib_uverbs_device *dev, const struct inode *inode)
{
	struct rb_node *rb = dev->xrcd_tree.rb_node;
	struct xrcd_node *node;

	lockdep_assert_held(&dev->xrcd_lock);
	while (rb) {
		node = rb_entry(rb, struct xrcd_node, rb);
		if (node->inode == inode)
			return node;
		rb = inode < node->inode ? rb->rb_left : rb->rb_right;
	}
	return NULL;
}

static bool xrcd_node_less(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct xrcd_node, rb)->inode < rb_entry(b, struct xrcd_node, rb)->inode;
}

/* Takes its own reference on inode; ENOMEM leaves nothing behind. */
static int xrcd_tree_add(struct ib_uverbs_device *dev, struct inode *inode, struct ib_xrcd *xrcd)
{
	struct xrcd_node *node;

	lockdep_assert_held(&dev->xrcd_lock);
	node = kzalloc(sizeof(*node), GFP_KERNEL);
	if (!node)
		return -ENOMEM;
	node->inode = igrab(inode);
	if (!node->inode) {
		kfree(node);
		return -EINVAL;
	}
	node->xrcd = xrcd;
	rb_add(&node->rb, &dev->xrcd_tree, xrcd_node_less);
	return 0;
}

static void xrcd_tree_del(struct ib_uverbs_device *dev, const struct inode *inode)
{
	struct xrcd_node *node = xrcd_tree_find(dev, inode);

	if (!node)
		return;
	rb_erase(&node->rb, &dev->xrcd_tree);
	iput(node->inode);
	kfree(node);
}

static struct ib_xrcd *xrcd_make(struct uverbs_attr_bundle *attrs, struct inode *inode)
{
	struct ib_xrcd *xrcd;
	int ret;

	lockdep_assert_held(&attrs->ufile->device->xrcd_lock);
	xrcd = ib_alloc_xrcd_user(uverbs_call_device(attrs), inode, &attrs->driver_udata);
	if (IS_ERR(xrcd))
		return xrcd;
	ret = xrcd_tree_add(attrs->ufile->device, inode, xrcd);
	if (!ret)
		return xrcd;
	ib_dealloc_xrcd_user(xrcd, &attrs->driver_udata);
	return ERR_PTR(ret);
}

/* The domain of the inode, found or made as oflags allow: who comes second finds it. */
static struct ib_xrcd *xrcd_open_inode(struct uverbs_attr_bundle *attrs, struct inode *inode,
				       u32 oflags)
{
	struct ib_uverbs_device *dev = attrs->ufile->device;
	struct xrcd_node *node = xrcd_tree_find(dev, inode);
	struct ib_xrcd *xrcd;

	if (node) {
		if (oflags & O_EXCL)
			return ERR_PTR(-EINVAL);
		xrcd = node->xrcd;
	} else {
		if (!(oflags & O_CREAT))
			return ERR_PTR(-EAGAIN);
		xrcd = xrcd_make(attrs, inode);
		if (IS_ERR(xrcd))
			return xrcd;
	}
	atomic_inc(&xrcd->usecnt);
	return xrcd;
}

static struct ib_xrcd *xrcd_open_fd(struct uverbs_attr_bundle *attrs, u32 fd, u32 oflags)
{
	struct ib_uverbs_device *dev = attrs->ufile->device;
	struct ib_xrcd *xrcd;
	struct fd f;

	/* Nobody else's: there is nobody to wait for. */
	if (fd == (u32)-1)
		return ib_alloc_xrcd_user(uverbs_call_device(attrs), NULL, &attrs->driver_udata);
	f = fdget(fd);
	if (!f.file)
		return ERR_PTR(-EBADF);
	mutex_lock(&dev->xrcd_lock);
	xrcd = xrcd_open_inode(attrs, file_inode(f.file), oflags);
	mutex_unlock(&dev->xrcd_lock);
	fdput(f);
	return xrcd;
}

static int xrcd_open(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_open_xrcd_resp resp = {};
	struct ib_uverbs_open_xrcd cmd;
	struct ib_uobject *uobj;
	struct ib_xrcd *xrcd;
	int ret;

	ret = uverbs_call_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	uobj = uverbs_call_new(attrs, UVERBS_OBJECT_XRCD);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	atomic_set(&uverbs_objects_xrcd(uobj)->refcnt, 0);
	xrcd = xrcd_open_fd(attrs, cmd.fd, cmd.oflags);
	if (IS_ERR(xrcd))
		return PTR_ERR(xrcd);
	uobj->object = xrcd;
	uverbs_call_created(attrs, uobj);
	resp.xrcd_handle = uobj->id;
	return uverbs_call_respond(attrs, &resp, sizeof(resp));
}

/* One opener less; the last one ends the domain. */
static int xrcd_release(struct ib_uverbs_device *dev, struct ib_xrcd *xrcd,
			struct uverbs_attr_bundle *attrs)
{
	struct inode *inode = xrcd->inode;
	int ret;

	lockdep_assert_held(&dev->xrcd_lock);
	if (!atomic_dec_and_test(&xrcd->usecnt))
		return 0;
	ret = ib_dealloc_xrcd_user(xrcd, &attrs->driver_udata);
	if (ret)
		atomic_inc(&xrcd->usecnt);
	else
		xrcd_tree_del(dev, inode);
	return ret;
}

static int xrcd_close(struct ib_uobject *uobj, enum rdma_remove_reason why,
		      struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_device *dev = attrs->ufile->device;
	struct ib_xrcd *xrcd = uobj->object;
	int ret;

	/*
	 * Also at the end of the file: its QPs and SRQs are destroyed first, so this only holds a
	 * domain back for as long as one of them could not be.
	 */
	if (atomic_read(&uverbs_objects_xrcd(uobj)->refcnt))
		return -EBUSY;
	if (!xrcd->inode)
		return ib_dealloc_xrcd_user(xrcd, &attrs->driver_udata);
	mutex_lock(&dev->xrcd_lock);
	ret = xrcd_release(dev, xrcd, attrs);
	mutex_unlock(&dev->xrcd_lock);
	return ret;
}

static int xrcd_close_write(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_close_xrcd cmd;
	int ret;

	ret = uverbs_call_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	return PTR_ERR_OR_ZERO(uverbs_call_destroy(attrs, UVERBS_OBJECT_XRCD, cmd.xrcd_handle));
}

DECLARE_UVERBS_NAMED_METHOD_DESTROY(
	UVERBS_METHOD_XRCD_DESTROY,
	UVERBS_ATTR_IDR(UVERBS_ATTR_DESTROY_XRCD_HANDLE, UVERBS_OBJECT_XRCD,
			UVERBS_ACCESS_DESTROY, UA_MANDATORY));

DECLARE_UVERBS_NAMED_OBJECT(
	UVERBS_OBJECT_XRCD, UVERBS_TYPE_ALLOC_IDR_SZ(sizeof(struct ib_uxrcd_object), xrcd_close),
	&UVERBS_METHOD(UVERBS_METHOD_XRCD_DESTROY));

const struct uapi_definition uverbs_xrcd_defs[] = {
	DECLARE_UVERBS_OBJECT(
		UVERBS_OBJECT_XRCD,
		DECLARE_UVERBS_WRITE(IB_USER_VERBS_CMD_OPEN_XRCD, xrcd_open,
				     UVERBS_IO_RESP_UDATA(struct ib_uverbs_open_xrcd,
							  struct ib_uverbs_open_xrcd_resp),
				     UAPI_DEF_METHOD_NEEDS_FN(alloc_xrcd)),
		DECLARE_UVERBS_WRITE(IB_USER_VERBS_CMD_CLOSE_XRCD, xrcd_close_write,
				     UVERBS_IO_REQ(struct ib_uverbs_close_xrcd),
				     UAPI_DEF_METHOD_NEEDS_FN(dealloc_xrcd))),
	UAPI_DEF_CHAIN_OBJ_TREE_NAMED(UVERBS_OBJECT_XRCD, UAPI_DEF_OBJ_NEEDS_FN(dealloc_xrcd)),
	{}
};
