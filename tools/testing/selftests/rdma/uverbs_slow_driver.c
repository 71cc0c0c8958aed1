// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shows that nobody waits for a call that stays long in the driver: no lock is held across a
 * driver's create or destroy that would serialize two processes, or two threads of one.
 *
 * A create is made to last: the page into which the driver answers is one whose faults this
 * program serves (userfaultfd). While it does not, the caller sleeps inside the driver's function,
 * which the kernel's own back trace confirms; meanwhile another process and another thread on the
 * same file make and end objects of each kind. Regions last by themselves when they are large:
 * others must get objects made and ended within the time of one registration, and of one
 * deregistration.
 */
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "uverbs_raw.h"

#define PAGE		4096ul
#define LARGE_BYTES	(128ul << 20)
#define LIMIT_S		20	/* for what takes milliseconds, times KV_SLOW */
#define ROUNDS		20	/* of registering: one that shows it is enough */
#define WANTED		2	/* rounds of objects within the time of one call */
#define TIMES		4096
#define DRIVER_OUT	64

struct objects {
	int fd;
	uint32_t pd, cq;
};

static unsigned int limit_s = LIMIT_S;

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- calls, whose driver part of the answer goes to a place of choice ---- */

static uint8_t scratch[256];

static void start_cq(struct uverbs_raw *raw, const struct objects *o, void *driver_answer)
{
	(void)o;
	uverbs_raw_start(raw, UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_CQ_HANDLE, 0, 0);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_CQ_CQE, 4, 16);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_CQ_USER_HANDLE, 8, 1);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_CQ_COMP_VECTOR, 4, 0);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_CQ_RESP_CQE, 4, (uintptr_t)scratch);
	uverbs_raw_add(raw, UVERBS_ATTR_UHW_OUT, DRIVER_OUT, (uintptr_t)driver_answer);
}

static void start_qp(struct uverbs_raw *raw, const struct objects *o, void *driver_answer)
{
	static const struct ib_uverbs_qp_cap cap = {
		.max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1,
	};

	uverbs_raw_start(raw, UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_QP_HANDLE, 0, 0);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_QP_PD_HANDLE, 0, o->pd);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE, 0, o->cq);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE, 0, o->cq);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_QP_USER_HANDLE, 8, 1);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_QP_CAP, sizeof(cap), (uintptr_t)&cap);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_QP_TYPE, 8, IB_UVERBS_QPT_RC);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_QP_RESP_CAP, sizeof(cap), (uintptr_t)scratch);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, 4, (uintptr_t)scratch + 64);
	uverbs_raw_add(raw, UVERBS_ATTR_UHW_OUT, DRIVER_OUT, (uintptr_t)driver_answer);
}

static void start_srq(struct uverbs_raw *raw, const struct objects *o, void *driver_answer)
{
	uverbs_raw_start(raw, UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_CREATE);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_SRQ_HANDLE, 0, 0);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_SRQ_PD_HANDLE, 0, o->pd);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_SRQ_USER_HANDLE, 8, 1);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_SRQ_MAX_WR, 4, 16);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_SRQ_MAX_SGE, 4, 1);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_SRQ_LIMIT, 4, 0);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_SRQ_TYPE, 8, IB_UVERBS_SRQT_BASIC);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_WR, 4, (uintptr_t)scratch);
	uverbs_raw_add(raw, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_SGE, 4, (uintptr_t)scratch + 8);
	uverbs_raw_add(raw, UVERBS_ATTR_UHW_OUT, DRIVER_OUT, (uintptr_t)driver_answer);
}

static int reg_mr(const struct objects *o, void *at, size_t bytes, uint32_t *handle)
{
	struct ib_uverbs_reg_mr req = {
		.start = (uintptr_t)at, .hca_va = (uintptr_t)at, .length = bytes,
		.pd_handle = o->pd, .access_flags = 1,
	};
	struct ib_uverbs_reg_mr_resp resp = { 0 };
	int ret = uverbs_raw_invoke(o->fd, IB_USER_VERBS_CMD_REG_MR, &req, sizeof(req), &resp,
				    sizeof(resp));

	*handle = resp.mr_handle;
	return ret;
}

static const struct kind {
	const char *name;
	/* NULL: a memory region, of which the driver tells nothing */
	void (*start)(struct uverbs_raw *raw, const struct objects *o, void *driver_answer);
	uint16_t object, destroy, counts;	/* counts: bytes of what destroying answers */
} kinds[] = {
	{ "CQ", start_cq, UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_DESTROY,
	  sizeof(struct ib_uverbs_destroy_cq_resp) },
	{ "QP", start_qp, UVERBS_OBJECT_QP, UVERBS_METHOD_QP_DESTROY,
	  sizeof(struct ib_uverbs_destroy_qp_resp) },
	{ "SRQ", start_srq, UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_DESTROY,
	  sizeof(struct ib_uverbs_destroy_srq_resp) },
	{ "MR", NULL, UVERBS_OBJECT_MR, UVERBS_METHOD_MR_DESTROY, 0 },
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static int make(const struct kind *kind, const struct objects *o, void *at, uint32_t *handle)
{
	struct uverbs_raw raw;
	int ret;

	if (!kind->start)
		return reg_mr(o, at, PAGE, handle);
	kind->start(&raw, o, at);
	ret = uverbs_raw_go(o->fd, &raw);
	*handle = raw.attrs[0].data;
	return ret;
}

static int end(const struct kind *kind, const struct objects *o, uint32_t handle)
{
	struct uverbs_raw raw;

	uverbs_raw_start(&raw, kind->object, kind->destroy);
	uverbs_raw_add(&raw, 0, 0, handle);
	if (kind->counts)
		uverbs_raw_add(&raw, 1, kind->counts, (uintptr_t)scratch);
	return uverbs_raw_go(o->fd, &raw);
}

/* What others do meanwhile: a PD and one object of each kind. The first errno, or 0. */
static int one_of_each(const struct objects *o)
{
	static uint8_t page[2 * PAGE];
	uint32_t handle, pd;
	size_t i;
	int ret;

	ret = uverbs_raw_alloc_pd(o->fd, &pd);
	if (!ret)
		ret = uverbs_raw_destroy(o->fd, UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY, pd);
	for (i = 0; !ret && i < KINDS; i++) {
		ret = make(&kinds[i], o, page, &handle);
		if (!ret)
			ret = end(&kinds[i], o, handle);
	}
	return ret;
}

static void open_objects(struct objects *o)
{
	o->fd = uverbs_raw_begin(&o->pd);
	errno = make(&kinds[0], o, scratch, &o->cq);
	if (errno)
		tap_bail("CQ");
}

/* ---- a create that lasts ---- */

struct slow {
	const struct kind *kind;
	const struct objects *objects;
	void *page;
	pid_t tid;
	int ret;
	uint32_t handle;
};

static void *run_slow(void *arg)
{
	struct slow *s = arg;

	__atomic_store_n(&s->tid, syscall(SYS_gettid), __ATOMIC_RELEASE);
	s->ret = make(s->kind, s->objects, s->page, &s->handle);
	return NULL;
}

struct other {
	const struct objects *objects;
	int ret;
};

static void *run_other(void *arg)
{
	struct other *other = arg;

	other->ret = one_of_each(other->objects);
	return NULL;
}

/* A page that is there when this program says so. */
static int open_faults(void *page)
{
	struct uffdio_register range = {
		.range = { (uintptr_t)page, PAGE }, .mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	struct uffdio_api api = { .api = UFFD_API };
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);

	if (fd >= 0 && (ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &range)))
		tap_bail("userfaultfd");
	return fd;
}

static void serve_fault(int faults, void *page)
{
	struct uffdio_zeropage zero = { .range = { (uintptr_t)page, PAGE } };

	if (ioctl(faults, UFFDIO_ZEROPAGE, &zero))
		tap_bail("UFFDIO_ZEROPAGE");
}

static bool driver_on_stack(pid_t tid)
{
	char path[64], line[256];
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stack", tid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		found |= strstr(line, "[rdma_rxe]") || strstr(line, "[shca]");
	if (f)
		fclose(f);
	return found;
}

/* Whether a thread sleeps in a function of the driver; it may be on its way to sleep. */
static bool in_driver(pid_t tid)
{
	double until = now_s() + limit_s;

	while (!driver_on_stack(tid)) {
		if (now_s() > until)
			return false;
		usleep(1000);
	}
	return true;
}

static pid_t start_process(void)
{
	struct objects o;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child)
		return child;
	open_objects(&o);
	_exit(one_of_each(&o));
}

/* Its status, -1 when it does not end in time. */
static int wait_process(pid_t child)
{
	double until = now_s() + limit_s;
	int status = 0;

	while (!waitpid(child, &status, WNOHANG)) {
		if (now_s() > until)
			return -1;
		usleep(2000);
	}
	return status;
}

static bool wait_thread(pthread_t thread)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += limit_s;
	return !pthread_timedjoin_np(thread, NULL, &until);
}

static void test_create(const struct kind *kind, const struct objects *o)
{
	void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct slow slow = { .kind = kind, .objects = o, .page = page };
	struct other other = { .objects = o, .ret = -1 };
	struct pollfd fault = { .events = POLLIN };
	pthread_t thread, beside;
	bool joined;
	pid_t child;

	fault.fd = open_faults(page);
	if (fault.fd < 0) {
		tap_skip("no userfaultfd in this kernel");
		return;
	}
	if (page == MAP_FAILED || pthread_create(&thread, NULL, run_slow, &slow))
		tap_bail("thread");
	if (poll(&fault, 1, limit_s * 1000) != 1 || fault.revents != POLLIN)
		tap_bail("creating a %s does not touch the page", kind->name);
	tap_ok(in_driver(__atomic_load_n(&slow.tid, __ATOMIC_ACQUIRE)),
	       "%s: the driver's create lasts", kind->name);
	child = start_process();
	tap_is(wait_process(child), 0, "%s: another process makes and ends objects meanwhile",
	       kind->name);
	if (pthread_create(&beside, NULL, run_other, &other))
		tap_bail("thread");
	joined = wait_thread(beside);
	tap_ok(joined && !other.ret, "%s: so does another thread on the same file", kind->name);
	serve_fault(fault.fd, page);
	pthread_join(thread, NULL);
	if (!joined)
		pthread_join(beside, NULL);
	tap_is(slow.ret, 0, "%s: then the create succeeds", kind->name);
	tap_is(end(kind, o, slow.handle), 0, "%s: and it is a good one", kind->name);
	close(fault.fd);
	munmap(page, PAGE);
}

/* ---- calls that last by themselves ---- */

/* Shared with a process that makes and ends objects without a pause. */
struct times {
	bool stop;
	unsigned int count;
	struct { double from, to; } of[TIMES];
};

static pid_t start_busy(struct times *times)
{
	struct objects o;
	unsigned int n;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child)
		return child;
	open_objects(&o);
	for (n = 0; !__atomic_load_n(&times->stop, __ATOMIC_RELAXED); n++) {
		times->of[n % TIMES].from = now_s();
		if (one_of_each(&o))
			_exit(1);
		times->of[n % TIMES].to = now_s();
		__atomic_store_n(&times->count, n + 1, __ATOMIC_RELEASE);
	}
	_exit(0);
}

/* Rounds that began and ended in the middle half of a time. */
static unsigned int within(const struct times *times, double from, double to)
{
	double quarter = (to - from) / 4;
	unsigned int count = __atomic_load_n(&times->count, __ATOMIC_ACQUIRE), found = 0, n;

	for (n = count < TIMES ? 0 : count - TIMES + 1; n < count; n++)
		found += times->of[n % TIMES].from > from + quarter &&
			 times->of[n % TIMES].to < to - quarter;
	return found;
}

static void test_regions(const struct objects *o)
{
	struct times *times = mmap(NULL, sizeof(*times), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint8_t *large = mmap(NULL, LARGE_BYTES, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned int round, created = 0, destroyed = 0, found;
	double start, between, stop;
	uint32_t handle;
	pid_t child;
	int status;

	if (times == MAP_FAILED || large == MAP_FAILED)
		tap_bail("mmap");
	madvise(large, LARGE_BYTES, MADV_NOHUGEPAGE);
	memset(large, 1, LARGE_BYTES);
	child = start_busy(times);
	for (round = 0; round < ROUNDS; round++) {
		if (created >= WANTED && destroyed >= WANTED)
			break;
		start = now_s();
		errno = reg_mr(o, large, LARGE_BYTES, &handle);
		between = now_s();
		if (!errno)
			errno = end(&kinds[KINDS - 1], o, handle);
		stop = now_s();
		if (errno)
			tap_bail("large region");
		found = within(times, start, between);
		created = found > created ? found : created;
		found = within(times, between, stop);
		destroyed = found > destroyed ? found : destroyed;
		tap_note("create %.1f ms, destroy %.1f ms", (between - start) * 1e3,
			 (stop - between) * 1e3);
	}
	times->stop = true;
	waitpid(child, &status, 0);
	tap_is(status, 0, "another process made and ended objects all the time");
	tap_ok(created >= WANTED, "MR: %u rounds of them within one create", created);
	tap_ok(destroyed >= WANTED, "MR: %u rounds of them within one destroy", destroyed);
	munmap(large, LARGE_BYTES);
}

int main(void)
{
	const char *slow = getenv("KV_SLOW");
	struct objects o;
	size_t i;

	if (slow && atoi(slow) > 1)
		limit_s *= atoi(slow);
	open_objects(&o);
	for (i = 0; i < KINDS; i++)
		if (kinds[i].start)
			test_create(&kinds[i], &o);
	test_regions(&o);
	close(o.fd);
	return tap_end();
}
