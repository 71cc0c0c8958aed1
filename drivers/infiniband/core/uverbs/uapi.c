// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The method tables of one device, made once when the device appears: our declarations (defs.h)
 * and the driver's (ib_device.driver_def), merged, and cut down to what this device supports.
 * device.c makes and frees them; the doors look objects, methods and commands up.
 *
 * Declarations form chains. "Is supported" entries switch off the object or the write command that
 * stands before them. Afterwards everything that needs something switched off goes as well: the
 * methods of a missing object, methods with a mandatory attribute of such a kind, and optional
 * attributes of such a kind alone.
 */
#include <linux/slab.h>
#include <rdma/uverbs_ioctl.h>
#include <rdma/uverbs_std_types.h>

#include "defs.h"
#include "uverbs.h"

/* Chains that chain: ours are two deep, drivers' three. */
#define MAX_CHAIN_DEPTH	8

struct uapi_builder {
	struct uverbs_api *uapi;
	struct ib_device *ibdev;
	int depth;
	struct uverbs_api_object *object;	/* the one that definitions now belong to */
	u32 object_index;
	struct uverbs_api_method *write;	/* the last write command */
};

static const struct uapi_definition core_defs[] = {
	UAPI_DEF_CHAIN(uverbs_context_defs),
	UAPI_DEF_CHAIN(uverbs_device_defs),
	UAPI_DEF_CHAIN(uverbs_gid_defs),
	UAPI_DEF_CHAIN(uverbs_pd_defs),
	UAPI_DEF_CHAIN(uverbs_mr_defs),
	UAPI_DEF_CHAIN(uverbs_mw_defs),
	UAPI_DEF_CHAIN(uverbs_dm_defs),
	UAPI_DEF_CHAIN(uverbs_comp_channel_defs),
	UAPI_DEF_CHAIN(uverbs_async_event_defs),
	UAPI_DEF_CHAIN(uverbs_cq_defs),
	UAPI_DEF_CHAIN(uverbs_qp_defs),
	UAPI_DEF_CHAIN(uverbs_srq_defs),
	UAPI_DEF_CHAIN(uverbs_ah_defs),
	UAPI_DEF_CHAIN(uverbs_mcast_defs),
	UAPI_DEF_CHAIN(uverbs_xrcd_defs),
	{},
};

/* ---- merging ---- */

static int object_start(struct uapi_builder *b, u16 object_id)
{
	u32 key = uapi_key_obj(object_id);
	struct uverbs_api_object **slot;

	if (WARN_ON(key == UVERBS_API_KEY_ERR))
		return -EOVERFLOW;
	b->object_index = key >> UVERBS_API_OBJ_KEY_SHIFT;
	slot = &b->uapi->objects[b->object_index];
	if (!*slot)
		*slot = kzalloc(sizeof(**slot), GFP_KERNEL);
	if (!*slot)
		return -ENOMEM;
	(*slot)->id = object_id;
	b->object = *slot;
	b->write = NULL;
	return 0;
}

static int add_attr(struct uverbs_api_method *method, const struct uverbs_attr_def *def)
{
	u32 key = uapi_key_attr(def->id);
	struct uverbs_api_attr *attr;
	u32 bkey;

	if (WARN_ON(key == UVERBS_API_KEY_ERR))
		return -EOVERFLOW;
	bkey = uapi_bkey_attr(key);
	if (WARN_ON(method->attrs[bkey]))
		return -EEXIST;
	attr = kzalloc(sizeof(*attr), GFP_KERNEL);
	if (!attr)
		return -ENOMEM;
	attr->spec = def->attr;
	method->attrs[bkey] = attr;
	return 0;
}

static int add_method(struct uapi_builder *b, const struct uverbs_method_def *def)
{
	u32 key = uapi_key_ioctl_method(def->id);
	struct uverbs_api_method **slot, *method;
	size_t i;
	int ret;

	if (WARN_ON(key == UVERBS_API_KEY_ERR))
		return -EOVERFLOW;
	slot = &b->uapi->methods[b->object_index][key >> UVERBS_API_METHOD_KEY_SHIFT];
	if (!*slot)
		*slot = kzalloc(sizeof(**slot), GFP_KERNEL);
	method = *slot;
	if (!method)
		return -ENOMEM;
	method->object_id = b->object->id;
	method->method_id = def->id;
	/* A definition without handler adds attributes to a method that is defined elsewhere. */
	if (def->handler) {
		if (WARN_ON(method->handler))
			return -EEXIST;
		method->handler = def->handler;
	}
	for (i = 0; i < def->num_attrs; i++) {
		/* An empty slot comes from an attribute that is compiled out. */
		if (!(*def->attrs)[i])
			continue;
		ret = add_attr(method, (*def->attrs)[i]);
		if (ret)
			return ret;
	}
	return 0;
}

static int add_object_tree(struct uapi_builder *b, const struct uapi_definition *def)
{
	const struct uverbs_object_def *tree = def->chain_obj_tree;
	size_t i;
	int ret;

	if (WARN_ON(tree->id != def->object_start.object_id))
		return -EINVAL;
	ret = object_start(b, tree->id);
	if (ret)
		return ret;
	if (tree->type_attrs) {
		if (WARN_ON(b->object->type_attrs))
			return -EEXIST;
		b->object->type_attrs = tree->type_attrs;
		b->object->type_class = tree->type_attrs->type_class;
	}
	for (i = 0; i < tree->num_methods; i++) {
		if (!(*tree->methods)[i])
			continue;
		ret = add_method(b, (*tree->methods)[i]);
		if (ret)
			return ret;
	}
	return 0;
}

static int add_write(struct uapi_builder *b, const struct uapi_definition *def)
{
	const struct uverbs_api_method **slot;
	struct uverbs_api_method *method;

	if (WARN_ON(!b->object || def->write.command_num >= UVERBS_API_WRITE_KEY_NUM))
		return -EINVAL;
	slot = def->write.is_ex ? b->uapi->write_ex : b->uapi->write;
	slot += def->write.command_num;
	if (WARN_ON(*slot))
		return -EEXIST;
	method = kzalloc(sizeof(*method), GFP_KERNEL);
	if (!method)
		return -ENOMEM;
	method->handler = def->func_write;
	method->object_id = b->object->id;
	method->method_id = def->write.command_num;
	method->is_ex = def->write.is_ex;
	method->has_udata = def->write.has_udata;
	method->has_resp = def->write.has_resp;
	method->req_size = def->write.req_size;
	method->resp_size = def->write.resp_size;
	/* Drivers choose legacy commands one by one, whatever functions they have. */
	if (!method->is_ex && !(b->ibdev->uverbs_cmd_mask & BIT_ULL(method->method_id)))
		method->disabled = true;
	*slot = method;
	b->write = method;
	return 0;
}

static int switch_off(struct uapi_builder *b, enum uapi_definition_scope scope)
{
	if (scope == UAPI_SCOPE_OBJECT && b->object)
		b->object->disabled = 1;
	else if (scope == UAPI_SCOPE_METHOD && b->write)
		b->write->disabled = true;
	else if (WARN_ON(true))
		return -EINVAL;
	return 0;
}

static bool has_device_op(const struct ib_device *ibdev, size_t offset)
{
	return *(void * const *)((const u8 *)&ibdev->ops + offset) != NULL;
}

static int merge(struct uapi_builder *b, const struct uapi_definition *def)
{
	int ret = 0;

	if (!def)
		return 0;
	if (WARN_ON(b->depth >= MAX_CHAIN_DEPTH))
		return -ELOOP;
	b->depth++;
	for (; !ret && def->kind != UAPI_DEF_END; def++) {
		switch ((enum uapi_definition_kind)def->kind) {
		case UAPI_DEF_OBJECT_START:
			ret = object_start(b, def->object_start.object_id);
			break;
		case UAPI_DEF_WRITE:
			ret = add_write(b, def);
			break;
		case UAPI_DEF_CHAIN_OBJ_TREE:
			ret = add_object_tree(b, def);
			break;
		case UAPI_DEF_CHAIN:
			ret = merge(b, def->chain);
			break;
		case UAPI_DEF_IS_SUPPORTED_FUNC:
			if (!def->func_is_supported(b->ibdev))
				ret = switch_off(b, def->scope);
			break;
		case UAPI_DEF_IS_SUPPORTED_DEV_FN:
			if (!has_device_op(b->ibdev, def->needs_fn_offset))
				ret = switch_off(b, def->scope);
			break;
		case UAPI_DEF_END:
			break;
		}
	}
	b->depth--;
	return ret;
}

/* ---- finishing ---- */

static bool object_usable(struct uverbs_api *uapi, u16 object_id)
{
	const struct uverbs_api_object *obj;

	if (object_id == UVERBS_IDR_ANY_OBJECT)
		return true;
	obj = uverbs_uapi_object(uapi, object_id);
	return !IS_ERR_OR_NULL(obj) && obj->type_class;
}

static bool attr_usable(struct uverbs_api *uapi, const struct uverbs_attr_spec *spec)
{
	switch (spec->type) {
	case UVERBS_ATTR_TYPE_IDR:
	case UVERBS_ATTR_TYPE_FD:
		return object_usable(uapi, spec->u.obj.obj_type);
	case UVERBS_ATTR_TYPE_IDRS_ARRAY:
		return object_usable(uapi, spec->u2.objs_arr.obj_type);
	default:
		return true;
	}
}

static void finish_attr(struct uverbs_api *uapi, struct uverbs_api_attr *attr)
{
	const struct uverbs_attr_spec *spec = &attr->spec;

	attr->absent = !attr_usable(uapi, spec);
	if (attr->absent)
		return;
	if (spec->type == UVERBS_ATTR_TYPE_IDR || spec->type == UVERBS_ATTR_TYPE_FD)
		attr->object = uverbs_uapi_object(uapi, spec->u.obj.obj_type);
	attr->plain_len = uverbs_api_plain_len(spec);
}

static int finish_method(struct uverbs_api *uapi, struct uverbs_api_method *method)
{
	unsigned int bkey;

	method->destroy_bkey = UVERBS_API_ATTR_BKEY_LEN;
	/* Without a handler: attributes for a core method that this kernel does not have. */
	if (IS_ERR(uverbs_uapi_object(uapi, method->object_id)) || !method->handler)
		method->disabled = true;

	for (bkey = 0; bkey < UVERBS_API_ATTR_BKEY_LEN; bkey++) {
		struct uverbs_api_attr *attr = method->attrs[bkey];

		if (!attr)
			continue;
		finish_attr(uapi, attr);
		if (attr->absent && attr->spec.mandatory)
			method->disabled = true;
		if (attr->spec.mandatory)
			__set_bit(bkey, method->mandatory);
		if (attr->spec.type == UVERBS_ATTR_TYPE_IDR &&
		    attr->spec.u.obj.access == UVERBS_ACCESS_DESTROY) {
			/* Two of them could not be undone together. */
			if (WARN_ON(method->destroy_bkey != UVERBS_API_ATTR_BKEY_LEN))
				return -EINVAL;
			method->destroy_bkey = bkey;
		}
		method->num_bkeys = bkey + 1;
	}
	bkey = uapi_bkey_attr(uapi_key_attr(UVERBS_ATTR_UHW_IN));
	method->has_udata = method->attrs[bkey] && method->attrs[bkey]->spec.is_udata;
	return 0;
}

static int finish_methods(struct uverbs_api *uapi)
{
	int object, method, ret;

	for (object = 0; object < UVERBS_API_OBJECTS; object++) {
		for (method = 0; method < UVERBS_API_METHODS; method++) {
			if (!uapi->methods[object][method])
				continue;
			ret = finish_method(uapi, uapi->methods[object][method]);
			if (ret)
				return ret;
		}
	}
	return 0;
}

static void finish_writes(struct uverbs_api *uapi)
{
	struct uverbs_api_method *method;
	int i;

	for (i = 0; i < 2 * UVERBS_API_WRITE_KEY_NUM; i++) {
		method = (struct uverbs_api_method *)(i < UVERBS_API_WRITE_KEY_NUM ?
			uapi->write[i] : uapi->write_ex[i - UVERBS_API_WRITE_KEY_NUM]);
		if (!method)
			continue;
		if (IS_ERR(uverbs_uapi_object(uapi, method->object_id)))
			method->disabled = true;
		if (method->disabled)
			continue;
		if (method->is_ex)
			uapi->num_write_ex = method->method_id + 1;
		else
			uapi->num_write = method->method_id + 1;
	}
}

static void method_free(struct uverbs_api_method *method)
{
	unsigned int bkey;

	if (!method)
		return;
	for (bkey = 0; bkey < UVERBS_API_ATTR_BKEY_LEN; bkey++)
		kfree(method->attrs[bkey]);
	kfree(method);
}

void uverbs_uapi_destroy(struct uverbs_api *uapi)
{
	int i, k;

	for (i = 0; i < UVERBS_API_OBJECTS; i++) {
		for (k = 0; k < UVERBS_API_METHODS; k++)
			method_free(uapi->methods[i][k]);
		kfree(uapi->objects[i]);
	}
	for (i = 0; i < UVERBS_API_WRITE_KEY_NUM; i++) {
		method_free((struct uverbs_api_method *)uapi->write[i]);
		method_free((struct uverbs_api_method *)uapi->write_ex[i]);
	}
	kvfree(uapi);
}

struct uverbs_api *uverbs_uapi_create(struct ib_device *ibdev)
{
	struct uapi_builder builder = { .ibdev = ibdev };
	int ret;

	builder.uapi = kvzalloc(sizeof(*builder.uapi), GFP_KERNEL);
	if (!builder.uapi)
		return ERR_PTR(-ENOMEM);
	builder.uapi->driver_id = ibdev->ops.driver_id;

	ret = merge(&builder, core_defs);
	if (!ret) {
		builder.object = NULL;
		builder.write = NULL;
		ret = merge(&builder, ibdev->driver_def);
	}
	if (!ret)
		ret = finish_methods(builder.uapi);
	if (ret) {
		/* Without memory ib_core says that the device goes without us. */
		if (ret != -ENOMEM)
			dev_err(&ibdev->dev,
				"ib_uverbs: the driver's method tables do not fit: %d\n", ret);
		uverbs_uapi_destroy(builder.uapi);
		return ERR_PTR(ret);
	}
	finish_writes(builder.uapi);
	return builder.uapi;
}
