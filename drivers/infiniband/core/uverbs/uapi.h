/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * uapi.h - the tables of one device, made by uapi.c from our and the driver's declarations.
 */
#ifndef _UVERBS_UAPI_H
#define _UVERBS_UAPI_H

#include <rdma/uverbs_ioctl.h>

struct uverbs_api_attr {
	struct uverbs_attr_spec spec;
	/* IDR, FD: of which kind; NULL for each kind */
	const struct uverbs_api_object *object;
	bool absent;	/* names objects of a kind that this device does not have */
	/* PTR_IN of just so many bytes, which stand in the attribute itself; 0: another */
	u8 plain_len;
};

static inline u8 uverbs_api_plain_len(const struct uverbs_attr_spec *spec)
{
	if (spec->type == UVERBS_ATTR_TYPE_PTR_IN && spec->u.ptr.min_len == spec->u.ptr.len &&
	    spec->u.ptr.len <= sizeof_field(struct ib_uverbs_attr, data))
		return spec->u.ptr.len;
	return 0;
}

/* Objects and their ioctl methods by the part of their uapi_key_*() that names them. */
#define UVERBS_API_OBJECTS	(1 << UVERBS_API_OBJ_KEY_BITS)
#define UVERBS_API_METHODS	(UVERBS_API_METHOD_IS_WRITE >> UVERBS_API_METHOD_KEY_SHIFT)

struct uverbs_api_method {
	int (*handler)(struct uverbs_attr_bundle *attrs);
	u32 object_id, method_id;
	/* ioctl door */
	DECLARE_BITMAP(mandatory, UVERBS_API_ATTR_BKEY_LEN);
	struct uverbs_api_attr *attrs[UVERBS_API_ATTR_BKEY_LEN];
	u8 num_bkeys;			/* highest used bkey + 1 */
	u8 destroy_bkey;		/* UVERBS_API_ATTR_BKEY_LEN when it destroys nothing */
	bool has_udata;			/* both doors */
	/* write door */
	bool is_ex, has_resp;
	u8 req_size, resp_size;
	bool disabled;
};

struct uverbs_api {
	enum rdma_driver_id driver_id;
	struct uverbs_api_object *objects[UVERBS_API_OBJECTS];
	struct uverbs_api_method *methods[UVERBS_API_OBJECTS][UVERBS_API_METHODS];
	const struct uverbs_api_method *write[UVERBS_API_WRITE_KEY_NUM];
	const struct uverbs_api_method *write_ex[UVERBS_API_WRITE_KEY_NUM];
	u32 num_write, num_write_ex;	/* the highest usable number of each + 1 */
};

struct uverbs_api *uverbs_uapi_create(struct ib_device *ibdev);
void uverbs_uapi_destroy(struct uverbs_api *uapi);
/* NULL when the object does not exist; ERR_PTR(-EOPNOTSUPP) when this device lacks it. */
static inline const struct uverbs_api_object *uverbs_uapi_object(const struct uverbs_api *uapi,
								 u16 object_id)
{
	u32 key = uapi_key_obj(object_id);
	const struct uverbs_api_object *obj;

	if (key == UVERBS_API_KEY_ERR)
		return NULL;
	obj = uapi->objects[key >> UVERBS_API_OBJ_KEY_SHIFT];
	return obj && obj->disabled ? ERR_PTR(-EOPNOTSUPP) : obj;
}

/* NULL when there is no such method or this device lacks it. */
static inline const struct uverbs_api_method *uverbs_uapi_method(const struct uverbs_api *uapi,
								 u16 object_id, u16 method_id)
{
	u32 object_key = uapi_key_obj(object_id);
	u32 method_key = uapi_key_ioctl_method(method_id);
	const struct uverbs_api_method *method;

	if (object_key == UVERBS_API_KEY_ERR || method_key == UVERBS_API_KEY_ERR)
		return NULL;
	method = uapi->methods[object_key >> UVERBS_API_OBJ_KEY_SHIFT]
			      [method_key >> UVERBS_API_METHOD_KEY_SHIFT];
	return method && !method->disabled ? method : NULL;
}

#endif
