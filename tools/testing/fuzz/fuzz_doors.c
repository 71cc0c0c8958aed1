// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * fuzz_doors.c - commands into both doors of ib_uverbs: decode_ioctl.c, decode_write.c and, behind
 * them, dispatch.c and attrs.c, as they are in the module.
 *
 * The methods are made up: every type of attribute, with handlers that read and write whatever the
 * decoders let through.  Objects are plain memory here, and what a call holds, begins, commits and
 * aborts must add up.  An input says which command, which attributes, and is user memory as well.
 */
#include "usermem.h"
#include "call.h"
#include "dispatch.h"
#include "uobject.h"

enum { OBJECTS = 4, ATTRS = 9, METHODS = 6, LONGEST = 2048 };

static struct uverbs_api_attr attrs[METHODS][ATTRS];
static struct uverbs_api_method methods[METHODS], writes[8];
static struct uverbs_api uapi;
static struct ib_uverbs_device device;
static struct ib_uverbs_file ufile;
static struct ib_device ibdev;
static struct uverbs_api_object object_kinds[OBJECTS];
static struct ib_uobject objects[OBJECTS];
static const struct uverbs_obj_type_class class;
static const struct uverbs_obj_type object_type = { .type_class = &class };
static u8 outcome;		/* what handlers answer, and which lookups fail */

/* ---- what stands behind the doors ---- */

static struct { int held, begun, ended; } balance;

struct ib_uobject *uverbs_uobject_begin(const struct uverbs_api_object *obj,
					struct uverbs_attr_bundle *bundle)
{
	struct ib_uobject *uobj;

	if (outcome & 0x10)
		return ERR_PTR(-ENOMEM);
	uobj = calloc(1, sizeof(*uobj));
	balance.begun++;
	uobj->uapi_object = obj;
	uobj->ufile = bundle->ufile;
	uobj->id = balance.begun;
	return uobj;
}

void uverbs_uobject_commit(struct ib_uobject *uobj)
{
	balance.ended++;
	free(uobj);
}

void uverbs_uobject_abort(struct ib_uobject *uobj, bool created,
			  struct uverbs_attr_bundle *bundle)
{
	balance.ended++;
	free(uobj);
}

struct ib_uobject *uverbs_uobject_lookup(const struct uverbs_api_object *obj,
					 struct ib_uverbs_file *file, s64 id,
					 enum rdma_lookup_mode mode)
{
	if (id < 0 || id >= OBJECTS)
		return ERR_PTR(-ENOENT);
	balance.held++;
	return &objects[id];
}

void uverbs_uobject_release(struct ib_uobject *uobj, enum rdma_lookup_mode mode)
{
	balance.held--;
}

int uverbs_uobject_destroy(struct ib_uobject *uobj, struct uverbs_attr_bundle *bundle)
{
	return outcome & 0x20 ? -EBUSY : 0;
}

/* ---- handlers ---- */

static void use_in(const struct uverbs_attr_bundle *bundle, const struct uverbs_attr *attr)
{
	static u8 bytes[1 << 16];

	if (attr->ptr_attr.len <= sizeof(attr->ptr_attr.data))
		memcpy(bytes, &attr->ptr_attr.data, attr->ptr_attr.len);
	else if (copy_from_user(bytes, u64_to_user_ptr(attr->ptr_attr.data), attr->ptr_attr.len))
		return;
}

static void use_copied(const struct uverbs_attr *attr)
{
	static u8 bytes[1 << 16];

	memcpy(bytes, attr->ptr_attr.len <= sizeof(attr->ptr_attr.data) ?
	       (const void *)&attr->ptr_attr.data : attr->ptr_attr.ptr, attr->ptr_attr.len);
}

/* Reads and writes all that is there, as far as it may. */
static int use_everything(struct uverbs_attr_bundle *bundle)
{
	const struct uverbs_api_method *method = uverbs_call_of(bundle)->method;
	static const u8 answer[256];
	u32 i, k, sum = 0;

	for_each_set_bit(i, bundle->attr_present, method->num_bkeys) {
		const struct uverbs_attr_spec *spec = &method->attrs[i]->spec;
		struct uverbs_attr *attr = &bundle->attrs[i];

		switch (spec->type) {
		case UVERBS_ATTR_TYPE_PTR_IN:
		case UVERBS_ATTR_TYPE_ENUM_IN:
			if (spec->alloc_and_copy)
				use_copied(attr);
			else
				use_in(bundle, attr);
			break;
		case UVERBS_ATTR_TYPE_PTR_OUT:
			sum += (u32)uverbs_copy_to_struct_or_zero(bundle, (u16)i, answer,
								  sizeof(answer));
			break;
		case UVERBS_ATTR_TYPE_IDR:
			sum += (u32)attr->obj_attr.uobject->id;
			break;
		case UVERBS_ATTR_TYPE_IDRS_ARRAY:
			for (k = 0; k < attr->objs_arr_attr.len; k++)
				sum += (u32)attr->objs_arr_attr.uobjects[k]->id;
			break;
		default:
			break;
		}
	}
	return outcome & 1 ? -EINVAL - (int)(sum & 0) : 0;
}

static int serve_write(struct uverbs_attr_bundle *bundle)
{
	struct uverbs_call_rest rest;
	u8 request[64], part[16];
	int ret;

	if (outcome & 2) {
		ret = uverbs_call_request(bundle, request, sizeof(request));
	} else {
		ret = uverbs_call_request_start(bundle, &rest, request, 24);
		while (!ret && !uverbs_call_rest_next(&rest, part, sizeof(part)))
			;
		if (!ret)
			ret = uverbs_call_rest_end(&rest);
	}
	if (!ret && outcome & 4)
		ret = PTR_ERR(uverbs_call_new(bundle, 0)) & 0;
	if (!ret && outcome & 8)
		uverbs_call_get(bundle, 1, request[0], UVERBS_ACCESS_READ);
	if (!ret)
		ret = uverbs_call_respond(bundle, request, sizeof(request));
	return ret ? ret : use_everything(bundle);
}

/* ---- the tables ---- */

static void add_attr(u32 method, u32 id, struct uverbs_attr_spec spec)
{
	struct uverbs_api_method *m = &methods[method];
	u32 bkey = uapi_bkey_attr(uapi_key_attr(id));
	static u32 used[METHODS];
	struct uverbs_api_attr *attr = &attrs[method][used[method]++];

	attr->spec = spec;
	attr->plain_len = uverbs_api_plain_len(&spec);
	if (spec.type == UVERBS_ATTR_TYPE_IDR && spec.u.obj.obj_type < OBJECTS)
		attr->object = &object_kinds[spec.u.obj.obj_type];
	m->attrs[bkey] = attr;
	m->has_udata |= spec.is_udata;
	if (bkey >= m->num_bkeys)
		m->num_bkeys = (u8)(bkey + 1);
	if (spec.mandatory)
		__set_bit(bkey, m->mandatory);
	if (spec.type == UVERBS_ATTR_TYPE_IDR && spec.u.obj.access == UVERBS_ACCESS_DESTROY)
		m->destroy_bkey = (u8)bkey;
}

#define PTR(kind, low, high, ...) ((struct uverbs_attr_spec){ \
	.type = UVERBS_ATTR_TYPE_ ## kind, .u.ptr.min_len = low, .u.ptr.len = high, __VA_ARGS__ })
#define IDR(kind, how, ...) ((struct uverbs_attr_spec){ \
	.type = UVERBS_ATTR_TYPE_IDR, .u.obj.obj_type = kind, .u.obj.access = how, __VA_ARGS__ })

static void make_methods(void)
{
	static const struct uverbs_attr_spec choices[3] = {
		{ .type = UVERBS_ATTR_TYPE_PTR_IN, .u.ptr = { .len = 8 } },
		{ .type = UVERBS_ATTR_TYPE_PTR_IN, .u.ptr = { .len = 40, .min_len = 16 },
		  .zero_trailing = 1 },
		{ .type = UVERBS_ATTR_TYPE_PTR_IN, .u.ptr = { .len = 64, .min_len = 1 },
		  .alloc_and_copy = 1 },
	};
	u32 i;

	for (i = 0; i < METHODS; i++) {
		methods[i].handler = use_everything;
		methods[i].method_id = i;
		methods[i].destroy_bkey = UVERBS_API_ATTR_BKEY_LEN;
		uapi.methods[0][i] = &methods[i];
	}
	add_attr(0, 0, IDR(1, UVERBS_ACCESS_NEW, .mandatory = 1));
	add_attr(0, 1, PTR(PTR_IN, 4, 4, .mandatory = 1));
	add_attr(0, 2, PTR(PTR_IN, 1, 64, .zero_trailing = 1));
	add_attr(0, 3, PTR(PTR_OUT, 4, 32, .zero_trailing = 1));
	add_attr(0, UVERBS_ATTR_UHW_IN, PTR(PTR_IN, 0, USHRT_MAX, .is_udata = 1));
	add_attr(0, UVERBS_ATTR_UHW_OUT, PTR(PTR_OUT, 0, USHRT_MAX, .is_udata = 1));
	add_attr(1, 0, IDR(2, UVERBS_ACCESS_DESTROY, .mandatory = 1));
	add_attr(1, 1, PTR(PTR_OUT, 8, 8));
	add_attr(2, 0, IDR(UVERBS_IDR_ANY_OBJECT, UVERBS_ACCESS_WRITE));
	add_attr(2, 1, ((struct uverbs_attr_spec){ .type = UVERBS_ATTR_TYPE_IDRS_ARRAY,
		.u2.objs_arr = { .obj_type = 1, .min_len = 1, .max_len = 6,
				 .access = UVERBS_ACCESS_READ } }));
	add_attr(2, 2, PTR(PTR_IN, 1, 1024, .alloc_and_copy = 1));
	add_attr(3, 0, ((struct uverbs_attr_spec){ .type = UVERBS_ATTR_TYPE_ENUM_IN,
		.u.enum_def = { .num_elems = 3 }, .u2.enum_def = { .ids = choices } }));
	add_attr(3, 1, ((struct uverbs_attr_spec){ .type = UVERBS_ATTR_TYPE_RAW_FD }));
	add_attr(3, 2, ((struct uverbs_attr_spec){ .type = UVERBS_ATTR_TYPE_NA }));
	add_attr(3, 3, PTR(PTR_IN, 9, 20, .alloc_and_copy = 1, .zero_trailing = 1));
	add_attr(4, UVERBS_ATTR_CORE_IN, PTR(PTR_IN, 0, USHRT_MAX, .alloc_and_copy = 0));
	add_attr(4, UVERBS_ATTR_CORE_OUT, PTR(PTR_OUT, 0, USHRT_MAX));
	add_attr(4, UVERBS_ATTR_WRITE_CMD, PTR(PTR_IN, 4, 8, .mandatory = 1));
	add_attr(4, UVERBS_ATTR_UHW_IN, PTR(PTR_IN, 0, USHRT_MAX, .is_udata = 1));
	add_attr(4, UVERBS_ATTR_UHW_OUT, PTR(PTR_OUT, 0, USHRT_MAX, .is_udata = 1));
	methods[4].handler = uverbs_ioctl_invoke_write;
}

static void make_writes(void)
{
	u32 i;

	for (i = 0; i < 8; i++) {
		writes[i] = (struct uverbs_api_method){
			.handler = serve_write,
			.method_id = i,
			.destroy_bkey = UVERBS_API_ATTR_BKEY_LEN,
			.is_ex = i >= 4,
			.has_resp = i & 1,
			.has_udata = i >> 1 & 1,
			.req_size = 24,
			.resp_size = i & 1 ? 16 : 0,
			.disabled = i == 7,
		};
		if (i < 4)
			uapi.write[i] = &writes[i];
		else
			uapi.write_ex[i - 4] = &writes[i];
	}
}

static void make_tables(void)
{
	u32 i;

	make_methods();
	make_writes();
	uapi.driver_id = 7;
	device.uapi = &uapi;
	device.ib_dev = &ibdev;
	ufile.device = &device;
	for (i = 0; i < OBJECTS; i++) {
		object_kinds[i].type_attrs = &object_type;
		object_kinds[i].type_class = &class;
		object_kinds[i].disabled = i == OBJECTS - 1;
		uapi.objects[i] = &object_kinds[i];
		objects[i].id = (int)i;
	}
}

/* ---- from an input to a command ---- */

struct input {
	const u8 *at;
	size_t left;
};

static u32 take(struct input *in)
{
	if (!in->left)
		return 0;
	in->left--;
	return *in->at++;
}

static struct ib_uverbs_attr any_attr(struct input *in)
{
	static const u16 ids[] = {
		0, 1, 2, 3, UVERBS_ATTR_UHW_IN, UVERBS_ATTR_UHW_OUT, UVERBS_ATTR_CORE_IN,
		UVERBS_ATTR_CORE_OUT, UVERBS_ATTR_WRITE_CMD, 77, 0x1001,
	};
	struct ib_uverbs_attr attr = { .attr_id = ids[take(in) % 11] };
	u32 how = take(in);

	attr.flags = how & 1 ? UVERBS_ATTR_F_MANDATORY : 0;
	attr.len = (u16)(how & 2 ? take(in) : how >> 2 & 15);
	if (how & 0x40)
		attr.len = (u16)(attr.len << 8 | take(in));
	if (how & 0x80)		/* in user memory, or just beside it */
		attr.data = USERMEM_BASE + take(in) * 8;
	else
		attr.data = take(in) | (u64)take(in) << 32;
	if (take(in) == 255)
		attr.attr_data.reserved = 1;
	return attr;
}

static void ioctl_door(struct input *in, u8 changes)
{
	static u8 memory[LONGEST];
	struct ib_uverbs_ioctl_hdr hdr = {
		.method_id = (u16)take(in) % (METHODS + 1),
		.num_attrs = (u16)take(in) % 12,
		.driver_id = 7,
	};
	size_t length = sizeof(hdr);
	u32 i, how = take(in);

	hdr.length = (u16)(sizeof(hdr) + hdr.num_attrs * sizeof(struct ib_uverbs_attr));
	if (how > 250)
		hdr.length = (u16)(how * 17);
	if (how == 249)
		hdr.num_attrs = 60000;
	memcpy(memory, &hdr, sizeof(hdr));
	for (i = 0; i < hdr.num_attrs && i < 12; i++) {
		struct ib_uverbs_attr attr = any_attr(in);

		memcpy(memory + length, &attr, sizeof(attr));
		length += sizeof(attr);
	}
	for (; in->left && length < LONGEST; length++)
		memory[length] = (u8)take(in);
	usermem_set(memory, length, changes);
	uverbs_ioctl_decode(&ufile, RDMA_VERBS_IOCTL, USERMEM_BASE);
}

static void write_door(struct input *in, u8 changes)
{
	static u8 memory[LONGEST];
	u32 number = take(in), words = take(in) % 40, core = take(in) % 40;
	bool ex = number & 4;
	struct ib_uverbs_cmd_hdr hdr = {
		.command = (number & 3) | (ex ? IB_USER_VERBS_CMD_FLAG_EXTENDED : 0),
		.in_words = (u16)words,
		.out_words = (u16)core,
	};
	struct ib_uverbs_ex_cmd_hdr ex_hdr = {
		.response = USERMEM_BASE + take(in) * 8,
		.provider_in_words = (u16)take(in) % 8,
		.provider_out_words = (u16)take(in) % 8,
	};
	size_t length = sizeof(hdr), count = words * 4ul;
	u64 response = ex_hdr.response;

	if (number > 240)
		hdr.command = number * 0x01010101u;
	if (ex)
		count = sizeof(hdr) + sizeof(ex_hdr) + (words + ex_hdr.provider_in_words) * 8ul;
	memcpy(memory, &hdr, sizeof(hdr));
	if (ex) {
		memcpy(memory + length, &ex_hdr, sizeof(ex_hdr));
		length += sizeof(ex_hdr);
	} else {
		memcpy(memory + length, &response, sizeof(response));
		length += sizeof(response);
	}
	for (; length < count && length < LONGEST; length++)
		memory[length] = (u8)take(in);
	if (number > 230)
		count = take(in);
	usermem_set(memory, length, changes);
	uverbs_write_decode(&ufile, (const char *)USERMEM_BASE, count);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct input in = { data, size };
	u8 how;

	if (!device.uapi)
		make_tables();
	outcome = (u8)take(&in);
	how = (u8)take(&in);
	memset(&balance, 0, sizeof(balance));
	if (how & 1)
		ioctl_door(&in, how & 2 ? how : 0);
	else
		write_door(&in, how & 2 ? how : 0);
	if (balance.held || balance.begun != balance.ended)
		abort();
	return 0;
}
