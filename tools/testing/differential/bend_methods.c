// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Each native ioctl method: as it should be, with each attribute missing, too short, too long,
 * unknown, repeated, optional, with other values; and with each word of the header wrong.
 */
#include "doors.h"

static struct world now;
static bool fresh;

static void start(const struct method *m, struct uverbs_raw *raw)
{
	if (!fresh) {
		world_close();
		world_open(&now);
		report_changed(&now);
		fresh = true;
	}
	doors_start(raw, m->object, m->method);
	m->fill(&now, raw);
	answer_clear();
}

static bool is_output(const struct ib_uverbs_attr *attr)
{
	return attr->data >= (uintptr_t)answer && attr->data < (uintptr_t)answer + ANSWER_BYTES;
}

/* What the kernel wrote into the attributes themselves: new handles and flags. */
static void note_attrs(const struct uverbs_raw *raw)
{
	size_t used = 0;
	int i;

	for (i = 0; i < raw->hdr.num_attrs && i < UVERBS_RAW_ATTRS; i++)
		if (raw->attrs[i].flags & UVERBS_ATTR_F_VALID_OUTPUT && used < sizeof(report_note))
			used += snprintf(report_note + used, sizeof(report_note) - used,
					 " attr%u=%llx/%x", raw->attrs[i].attr_id,
					 is_output(&raw->attrs[i]) ? 0ULL : raw->attrs[i].data,
					 raw->attrs[i].flags);
}

static void run(const struct method *m, struct uverbs_raw *raw, const char *how, int attr)
{
	int fd = m->context ? uverbs_raw_fd_of(getenv("KV_DEV")) : now.fd, error;
	bool changed;

	if (!raw->hdr.length)
		raw->hdr.length = sizeof(raw->hdr) + raw->hdr.num_attrs * sizeof(raw->attrs[0]);
	error = ioctl(fd, RDMA_VERBS_IOCTL, &raw->hdr) ? errno : 0;
	if (m->context)
		close(fd);
	note_attrs(raw);
	changed = report_changed(&now);
	if (attr >= 0)
		report(&now, error, m->masks, "method %s attr%d %s", m->name, attr, how);
	else
		report(&now, error, m->masks, "method %s %s", m->name, how);
	if (changed || m->context || (!error && !m->query))
		fresh = false;
}

enum bend {
	MISSING, SHORT, SHORTER, LONG, LONG_DIRTY, LONGER, EMPTY, OPTIONAL, FLAGS, RESERVED,
	REPEATED,
	DATA_0, DATA_1, DATA_PLUS_1, DATA_PLUS_2, DATA_ONES, DATA_KERNEL, DATA_HIGH, INLINE_9,
	BENDS,
};

static const char *const bend_names[BENDS] = {
	"missing", "len-1", "len-4", "len+8", "len+8 dirty", "len+64", "len=0", "optional",
	"flags=fffc", "reserved", "repeated", "data=0", "data=1", "data+1", "data+2", "data=ones",
	"data=kernel", "data^high", "len=9",
};

/* An input grows: what is behind it lies in a copy of its own, zero or not. */
static void grow(struct ib_uverbs_attr *attr, uint16_t by, bool dirty)
{
	uint8_t *copy = buffer + BUFFER_BYTES / 2;

	if (!is_output(attr)) {
		memset(copy, 0, 512);
		memset(copy + attr->len, dirty ? 0x11 : 0, by);
		if (attr->len <= 8)
			memcpy(copy, &attr->data, attr->len);
		else
			memcpy(copy, (void *)(uintptr_t)attr->data, attr->len);
		attr->data = (uintptr_t)copy;
		if (attr->len + by <= 8)
			memcpy(&attr->data, copy, 8);
	}
	attr->len += by;
}

static void bend_attr(struct uverbs_raw *raw, int i, enum bend how)
{
	struct ib_uverbs_attr *attr = &raw->attrs[i];

	switch (how) {
	case MISSING:
		memmove(attr, attr + 1, (raw->hdr.num_attrs - i) * sizeof(*attr));
		raw->hdr.num_attrs--;
		break;
	case REPEATED:
		raw->attrs[raw->hdr.num_attrs++] = *attr;
		break;
	case SHORT: attr->len -= attr->len ? 1 : 0; break;
	case SHORTER: attr->len -= attr->len > 4 ? 4 : 0; break;
	case LONG: grow(attr, 8, false); break;
	case LONG_DIRTY: grow(attr, 8, true); break;
	case LONGER: grow(attr, 64, false); break;
	case INLINE_9: grow(attr, 9 - (attr->len < 9 ? attr->len : 0), false); break;
	case EMPTY: attr->len = 0; break;
	case OPTIONAL: attr->flags = 0; break;
	case FLAGS: attr->flags |= 0xfffc; break;
	case RESERVED: attr->attr_data.reserved = 1; break;
	case DATA_0: attr->data = 0; break;
	case DATA_1: attr->data = 1; break;
	case DATA_PLUS_1: attr->data += 1; break;
	case DATA_PLUS_2: attr->data += 2; break;
	case DATA_ONES: attr->data = ~0ULL; break;
	case DATA_KERNEL: attr->data = 0xffff888000000000; break;
	case DATA_HIGH: attr->data ^= 1ULL << 32; break;
	case BENDS: break;
	}
}

static void bend_attrs(const struct method *m)
{
	struct uverbs_raw raw;
	int i, how, count;

	start(m, &raw);
	count = raw.hdr.num_attrs;
	for (i = 0; i < count; i++)
		for (how = 0; how < BENDS; how++) {
			start(m, &raw);
			bend_attr(&raw, i, how);
			run(m, &raw, bend_names[how], i);
		}
}

/* Attributes that the method does not have. */
static void add_unknown(const struct method *m)
{
	static const uint16_t ids[] = { 17, 63, 0x0fff, 0x1002, 0x1fff, 0x2000, 0xffff };
	char how[64];
	unsigned int i, mandatory;
	struct uverbs_raw raw;

	for (i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		for (mandatory = 0; mandatory < 2; mandatory++) {
			start(m, &raw);
			uverbs_raw_add(&raw, ids[i], 8, 0)->flags = mandatory;
			snprintf(how, sizeof(how), "unknown %x mandatory=%u", ids[i], mandatory);
			run(m, &raw, how, -1);
		}
}

static void bend_header(const struct method *m)
{
	struct uverbs_raw raw;
	size_t full;

#define HEADER(_how, _statement) \
	do { \
		start(m, &raw); \
		full = sizeof(raw.hdr) + raw.hdr.num_attrs * sizeof(raw.attrs[0]); \
		_statement; \
		run(m, &raw, _how, -1); \
	} while (0)
	HEADER("good", (void)full);
	HEADER("length+8", raw.hdr.length = full + 8);
	HEADER("length-8", raw.hdr.length = full - 8);
	HEADER("length=1", raw.hdr.length = 1);
	HEADER("length=ffff", raw.hdr.length = 0xffff);
	HEADER("length=23", raw.hdr.length = 23);
	HEADER("num_attrs+1", raw.hdr.length = full; raw.hdr.num_attrs++);
	HEADER("num_attrs-1", raw.hdr.length = full; raw.hdr.num_attrs--);
	HEADER("reserved1", raw.hdr.reserved1 = 1);
	HEADER("reserved2", raw.hdr.reserved2 = 1);
	HEADER("driver+1", raw.hdr.driver_id++);
	HEADER("object|100", raw.hdr.object_id |= 0x100);
	HEADER("object|1000", raw.hdr.object_id |= 0x1000);
	HEADER("method|20", raw.hdr.method_id |= 0x20);
	HEADER("method|1000", raw.hdr.method_id |= 0x1000);
	HEADER("UHW_IN", uverbs_raw_add(&raw, UVERBS_ATTR_UHW_IN, 8, 0));
	HEADER("UHW_IN dirty", uverbs_raw_add(&raw, UVERBS_ATTR_UHW_IN, 8, ~0ULL));
#undef HEADER
}

void bend_methods(void)
{
	unsigned int i;

	fresh = false;
	for (i = 0; i < method_count; i++) {
		bend_header(&methods[i]);
		bend_attrs(&methods[i]);
		add_unknown(&methods[i]);
	}
	world_close();
}
