// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * fuzz - a coverage-guided fuzzer of the doors of ib_uverbs, of mmap and of the user rings.
 *
 *	fuzz [--seconds N] [--programs N] [--seed N] [--results FOLDER]
 *	fuzz --tape HEX		plays one program again
 *
 * Each program is a tape of bytes that is played by a process of its own, on a context of its own.
 * A tape that reached a place in our modules which none had reached before is kept, and new tapes
 * are made from kept ones. Each tape goes to the kernel log before it is played, so that what
 * stands above a splat there is what caused it. Ends in TAP: a program that cannot be killed is
 * red; what the kernel says is the guest's to judge.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../selftests/rdma/tap.h"
#include "cover.h"
#include "grammar.h"
#include "mutate.h"
#include "tape.h"

#define CORPUS		2048
#define LEAST		40	/* programs, however slow the machine */
#define PROGRAM_SECONDS	20	/* then it is killed */
#define DEATH_SECONDS	120	/* then it should be dead, on any machine */

struct tape tape;

static struct shared {
	unsigned int fresh;		/* places the last program was the first to reach */
	struct mutate_counts counts;
} *shared;

static struct tape corpus[CORPUS];
static unsigned int corpus_used;
static struct ibv_device *device;
static uint64_t rnd_state;
static int kmsg;

static uint64_t rnd(void)
{
	rnd_state ^= rnd_state << 13;
	rnd_state ^= rnd_state >> 7;
	rnd_state ^= rnd_state << 17;
	return rnd_state;
}

/* ---- new tapes from old ---- */

static void tape_random(struct tape *t)
{
	unsigned int i;

	t->bytes = 32 + rnd() % (TAPE_BYTES - 32);
	for (i = 0; i < t->bytes; i++)
		t->data[i] = rnd();
}

static void tape_insert(struct tape *t)
{
	unsigned int at = rnd() % (t->bytes + 1), n = 1 + rnd() % 8, i;

	if (t->bytes + n > TAPE_BYTES)
		return;
	memmove(t->data + at + n, t->data + at, t->bytes - at);
	for (i = 0; i < n; i++)
		t->data[at + i] = rnd();
	t->bytes += n;
}

static void tape_delete(struct tape *t)
{
	unsigned int at, n = 1 + rnd() % 8;

	if (t->bytes < n + 16)
		return;
	at = rnd() % (t->bytes - n);
	memmove(t->data + at, t->data + at + n, t->bytes - at - n);
	t->bytes -= n;
}

/* The end of another one behind our beginning. */
static void tape_splice(struct tape *t)
{
	const struct tape *other = &corpus[rnd() % corpus_used];
	unsigned int at = rnd() % t->bytes, from = rnd() % other->bytes;
	unsigned int n = other->bytes - from;

	if (at + n > TAPE_BYTES)
		n = TAPE_BYTES - at;
	memcpy(t->data + at, other->data + from, n);
	t->bytes = at + n;
}

static void tape_next(struct tape *t)
{
	unsigned int n;

	t->at = 0;
	if (!corpus_used || rnd() % 8 == 0) {
		tape_random(t);
		return;
	}
	*t = corpus[rnd() % corpus_used];
	t->at = 0;
	for (n = 1 + rnd() % 4; n; n--) {
		switch (rnd() % 5) {
		case 0:
		case 1:
			t->data[rnd() % t->bytes] = rnd();
			break;
		case 2:
			tape_insert(t);
			break;
		case 3:
			tape_delete(t);
			break;
		case 4:
			tape_splice(t);
			break;
		}
	}
}

static void tape_log(const struct tape *t)
{
	char text[2 * TAPE_BYTES + 32];
	unsigned int i, used = sprintf(text, "<6>fuzz: tape ");

	for (i = 0; i < t->bytes; i++)
		used += sprintf(text + used, "%02x", t->data[i]);
	text[used++] = '\n';
	/* A log that is full is no reason to stop. */
	if (kmsg >= 0 && write(kmsg, text, used) < 0)
		return;
}

/* ---- one program ---- */

static void collect(void)
{
	shared->fresh += cover_collect();
}

static void child(void)
{
	struct rlimit cpu = { PROGRAM_SECONDS, PROGRAM_SECONDS };
	struct rlimit core = { 0, 0 };

	setrlimit(RLIMIT_CPU, &cpu);
	setrlimit(RLIMIT_CORE, &core);
	/* The library may say that its own numbers do not fit: no news. */
	close(STDERR_FILENO);
	close(STDOUT_FILENO);
	if (!cover_begin() || !mutate_begin())
		_exit(2);
	grammar_play(device, collect);
	_exit(0);
}

/* False: it does not die. */
static bool play(const struct tape *t)
{
	struct timespec nap = { .tv_nsec = 2000000 };
	time_t start = time(NULL);
	bool killed = false;
	pid_t pid;

	tape = *t;
	shared->fresh = 0;
	tape_log(t);
	pid = fork();
	if (!pid)
		child();
	if (pid < 0)
		tap_bail("fork");
	while (!waitpid(pid, NULL, WNOHANG)) {
		nanosleep(&nap, NULL);
		if (!killed && time(NULL) - start > PROGRAM_SECONDS)
			killed = !kill(pid, SIGKILL);
		if (time(NULL) - start > PROGRAM_SECONDS + DEATH_SECONDS)
			return false;
	}
	return true;
}

static void find_device(void)
{
	const char *wanted = getenv("KV_DEV");
	struct ibv_device **list = ibv_get_device_list(NULL);
	int i;

	for (i = 0; list && list[i]; i++)
		if (!wanted || !strcmp(ibv_get_device_name(list[i]), wanted))
			device = list[i];
	if (!device)
		tap_bail("no device");
}

static int replay(const char *hex)
{
	struct tape t = { };
	unsigned int byte;

	while (t.bytes < TAPE_BYTES && sscanf(hex + 2 * t.bytes, "%2x", &byte) == 1)
		t.data[t.bytes++] = byte;
	tap_ok(play(&t), "a tape of %u bytes ends", t.bytes);
	return tap_end();
}

/* Keeps what found something new; true while there is time. */
static void fuzz(long seconds, unsigned long programs, const char *results)
{
	time_t end = time(NULL) + seconds;
	unsigned long n;
	unsigned int places;
	bool alive = true;
	struct tape t;

	for (n = 0; n < programs && (n < LEAST || time(NULL) < end) && alive; n++) {
		tape_next(&t);
		alive = play(&t);
		if (shared->fresh && corpus_used < CORPUS)
			corpus[corpus_used++] = t;
	}
	places = cover_save(results);
	tap_note("%lu programs, %lu calls (%lu changed, %lu failed), %u tapes kept, %u places reached",
		 n, shared->counts.calls, shared->counts.changed, shared->counts.failed,
		 corpus_used, places);
	tap_ok(alive, "every program ends");
	tap_ok(shared->counts.changed && shared->counts.failed &&
	       shared->counts.failed < shared->counts.calls, "calls were made, good and bad ones");
	tap_ok(corpus_used > 10, "coverage guides");
}

int main(int argc, char **argv)
{
	const char *results = "/tmp", *hex = NULL;
	unsigned long programs = 1000000;
	long seconds = 30;
	int i;

	rnd_state = time(NULL) * 2654435761u | 1;
	for (i = 1; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--seconds"))
			seconds = atol(argv[i + 1]);
		else if (!strcmp(argv[i], "--programs"))
			programs = atol(argv[i + 1]);
		else if (!strcmp(argv[i], "--seed"))
			rnd_state = strtoull(argv[i + 1], NULL, 0) | 1;
		else if (!strcmp(argv[i], "--results"))
			results = argv[i + 1];
		else if (!strcmp(argv[i], "--tape"))
			hex = argv[i + 1];
		else
			tap_bail("unknown option %s", argv[i]);
	}
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED)
		tap_bail("memory");
	mutate_counts = &shared->counts;
	if (!cover_find_modules()) {
		printf("1..0 # SKIP this kernel has no KCOV, or none of our modules\n");
		return 4;
	}
	kmsg = open("/dev/kmsg", O_WRONLY);
	find_device();
	if (hex)
		return replay(hex);
	tap_note("seed %llu", (unsigned long long)rnd_state);
	fuzz(seconds, programs, results);
	return tap_end();
}
