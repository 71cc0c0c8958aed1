// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * cable.c - the wire of the engine's unit tests.
 *
 * host.c's operations and the tests call in; packets go to the engine by eng_wire_receive().
 */
#include "cable.h"

enum { HOSTS = 4, QPS = 16, HEAD = 64 };

/* A packet in the hands of the engine.  Odd ones lie in two pieces, as pages of a buffer do. */
struct arrived {
	struct eng_packet eng;
	u8 net[40];
	u8 *head, *rest;
};

static struct {
	struct host *hosts[HOSTS];
	u8 gids[HOSTS][16];
	u32 host_count;
	struct host_qp *qps[QPS];
	u8 dgids[QPS][16];
	u32 qp_count;
	struct cable_packet *queue[CABLE_QUEUE];
	u32 first, count;
	struct cable_packet *late;
	u32 sent, series, held;
	u32 room;
	struct host_qp *refused[QPS];
	u32 refused_count;
	struct cable_script script;
	bool hold, no_keep;
} cable;

static u32 alive;		/* arrived, and not given back by the engine */

/* Guards queue, first, count, sent, held and refused while threads send and one delivers. */
static pthread_mutex_t cable_lock = PTHREAD_MUTEX_INITIALIZER;

void cable_init(void)
{
	while (cable.count)
		cable_drop();
	free(cable.late);
	memset(&cable, 0, sizeof(cable));
	cable.room = ~0u;
	cable.script.number = ~0u;
}

void cable_host(struct host *host, u8 id, bool ipv4)
{
	u8 *gid = cable.gids[cable.host_count];

	memset(gid, 0, 16);
	if (ipv4) {
		gid[10] = gid[11] = 0xff;
		gid[12] = 10;
	} else {
		gid[0] = 0xfd;
	}
	gid[15] = id;
	cable.hosts[cable.host_count++] = host;
}

static u32 host_index(const struct host *host)
{
	u32 i;

	for (i = 0; i < cable.host_count; i++)
		if (cable.hosts[i] == host)
			return i;
	abort();
}

void cable_gid(const struct host *host, u8 gid[16])
{
	memcpy(gid, cable.gids[host_index(host)], 16);
}

static struct host *host_of(const u8 gid[16])
{
	u32 i;

	for (i = 0; i < cable.host_count; i++)
		if (!memcmp(cable.gids[i], gid, 16))
			return cable.hosts[i];
	return NULL;
}

static u32 qp_index(struct host_qp *qp)
{
	u32 i;

	for (i = 0; i < cable.qp_count; i++)
		if (cable.qps[i] == qp)
			return i;
	assert(cable.qp_count < QPS);
	cable.qps[cable.qp_count] = qp;
	return cable.qp_count++;
}

static void connect_one(struct host_qp *qp, struct host_qp *peer)
{
	struct eng_qp_attr attr;

	host_qp_attr(qp, peer, &attr);
	attr.peer = NULL;
	attr.wire = true;
	cable_gid(qp->host, attr.sgid);
	cable_gid(peer->host, attr.dgid);
	memcpy(cable.dgids[qp_index(qp)], attr.dgid, 16);
	host_state(qp, ENG_QPS_INIT);
	attr.state = ENG_QPS_RTR;
	eng_qp_modify(qp->eng, &attr, ENG_QP_STATE | HOST_ALL_ATTRS);
}

void cable_connect(struct host_qp *a, struct host_qp *b)
{
	connect_one(a, b);
	connect_one(b, a);
	host_state(a, ENG_QPS_RTS);
	host_state(b, ENG_QPS_RTS);
}

void cable_ah(struct host *from, struct host *to, struct eng_ah *ah, u32 ahn)
{
	memset(ah, 0, sizeof(*ah));
	ah->dev = &from->dev;
	ah->wire = true;
	ah->pd = from->pd;
	ah->ahn = ahn;
	ah->grh[0] = 0x60;
	cable_gid(from, ah->grh + 8);
	cable_gid(to, ah->grh + 24);
	if (eng_ah_publish(ah))
		abort();
}

bool cable_transmit(struct eng_tx *tx)
{
	struct host_qp *qp = eng_qp_host(tx->qp);
	struct cable_packet *p;
	const u8 *at;
	u32 n, left;

	pthread_mutex_lock(&cable_lock);
	if (cable.held >= cable.room || cable.count == CABLE_QUEUE) {
		if (!tx->control)
			cable.refused[cable.refused_count++ % QPS] = qp;
		pthread_mutex_unlock(&cable_lock);
		return false;
	}
	cable.held++;
	p = calloc(1, sizeof(*p));
	p->number = cable.sent++;
	cable_gid(qp->host, p->src);
	memcpy(p->dst, tx->ah ? tx->ah->grh + 24 : cable.dgids[qp_index(qp)], 16);
	memcpy(p->bytes, tx->head, tx->head_bytes);
	p->length = tx->head_bytes;
	for (left = tx->payload_bytes; left; left -= n) {
		n = eng_tx_next(tx, &at, left);
		assert(n && p->length + n <= sizeof(p->bytes));
		memcpy(p->bytes + p->length, at, n);
		p->length += n;
	}
	p->length += tx->pad;
	assert(!(p->length & 3));
	cable.queue[(cable.first + cable.count++) % CABLE_QUEUE] = p;
	pthread_mutex_unlock(&cable_lock);
	return true;
}

void cable_transmit_end(struct eng_qp *qp, struct eng_runq *rq)
{
	(void)qp;
	(void)rq;
	__atomic_fetch_add(&cable.series, 1, __ATOMIC_RELAXED);
}

void cable_transmit_alone(struct eng_tx *tx, struct eng_runq *rq)
{
	if (cable_transmit(tx))
		cable_transmit_end(tx->qp, rq);
}

u32 cable_span(struct eng_packet *packet, u32 offset, const u8 **at)
{
	struct arrived *a = env_container(packet, struct arrived, eng);

	assert(offset >= packet->head_bytes && offset < packet->length);
	*at = a->rest + offset - packet->head_bytes;
	return packet->length - offset;
}

bool cable_packet_keep(struct eng_packet *packet)
{
	(void)packet;
	return !cable.no_keep;
}

void cable_keep(bool keep)
{
	cable.no_keep = !keep;
}

void cable_packet_done(struct eng_packet *packet)
{
	struct arrived *a = env_container(packet, struct arrived, eng);

	free(a->head);
	free(a->rest);
	free(a);
	__atomic_fetch_sub(&alive, 1, __ATOMIC_RELAXED);
}

u32 cable_alive(void)
{
	return __atomic_load_n(&alive, __ATOMIC_RELAXED);
}

static void make_net(u8 *net, const struct cable_packet *p)
{
	if (p->dst[0] || p->dst[10] != 0xff) {
		net[0] = 0x60;
		memcpy(net + 8, p->src, 16);
		memcpy(net + 24, p->dst, 16);
		return;
	}
	net[0] = 0x45;
	memcpy(net + 12, p->src + 12, 4);
	memcpy(net + 16, p->dst + 12, 4);
}

static bool is_group(const u8 gid[16])
{
	return gid[0] == 0xff || (gid[10] == 0xff && (gid[12] & 0xf0) == 0xe0);
}

void cable_give(struct host *host, const struct cable_packet *p)
{
	struct arrived *a = calloc(1, sizeof(*a));
	struct eng_runq rq;
	u32 head = p->number & 1 && p->length > HEAD ? HEAD : p->length;

	__atomic_fetch_add(&alive, 1, __ATOMIC_RELAXED);
	make_net(a->net, p);
	a->head = malloc(head ? head : 1);
	memcpy(a->head, p->bytes, head);
	a->rest = malloc(p->length - head + 1);
	memcpy(a->rest, p->bytes + head, p->length - head);
	a->eng.net = a->net;
	a->eng.head = a->head;
	a->eng.head_bytes = head;
	a->eng.length = p->length;
	if (cable.hold) {
		eng_wire_receive(&host->dev, NULL, &a->eng);
		return;
	}
	eng_runq_init(&rq);
	eng_wire_receive(&host->dev, &rq, &a->eng);
	eng_run(&rq);
	host_work();
}

void cable_inject(const struct cable_packet *p)
{
	struct host *host = host_of(p->dst);
	u32 i;

	if (host)
		cable_give(host, p);
	for (i = 0; is_group(p->dst) && i < cable.host_count; i++)
		if (memcmp(cable.gids[i], p->src, 16))
			cable_give(cable.hosts[i], p);
}

static struct cable_packet *take_oldest(void)
{
	struct cable_packet *p;

	pthread_mutex_lock(&cable_lock);
	p = cable.queue[cable.first];
	assert(cable.count);
	cable.first = (cable.first + 1) % CABLE_QUEUE;
	cable.count--;
	pthread_mutex_unlock(&cable_lock);
	return p;
}

u32 cable_waiting(void)
{
	u32 count;

	pthread_mutex_lock(&cable_lock);
	count = cable.count;
	pthread_mutex_unlock(&cable_lock);
	return count;
}

const struct cable_packet *cable_peek(u32 index)
{
	return index < cable.count ? cable.queue[(cable.first + index) % CABLE_QUEUE] : NULL;
}

void cable_deliver(void)
{
	struct cable_packet *p = take_oldest();

	cable_inject(p);
	free(p);
}

void cable_drop(void)
{
	free(take_oldest());
}

void cable_hold(bool hold)
{
	cable.hold = hold;
	if (!hold)
		host_work();
}

void cable_set_script(struct cable_script script)
{
	cable.script = script;
}

static void run_one(void)
{
	struct cable_packet *p = take_oldest();
	enum cable_fate fate = p->number == cable.script.number ? cable.script.fate : CABLE_GOOD;

	if (fate == CABLE_LATE) {
		cable.late = p;
		return;
	}
	if (fate != CABLE_LOST)
		cable_inject(p);
	if (fate == CABLE_TWICE)
		cable_inject(p);
	free(p);
	/* The late one comes behind the third that was sent after it. */
	if (cable.late && cable.sent > cable.script.number + 3) {
		p = cable.late;
		cable.late = NULL;
		cable_inject(p);
		free(p);
	}
}

u32 cable_run(void)
{
	u32 n = 0;

	for (; cable.count; n++)
		run_one();
	/* If nothing overtakes it, it is late only. */
	if (cable.late) {
		struct cable_packet *p = cable.late;

		cable.late = NULL;
		cable_inject(p);
		free(p);
		n += 1 + cable_run();
	}
	return n;
}

bool cable_tick(void)
{
	u64 first = ENG_NO_DEADLINE;
	u32 i;

	for (i = 0; i < cable.qp_count; i++)
		if (env_read(cable.qps[i]->deadline) < first)
			first = env_read(cable.qps[i]->deadline);
	if (first == ENG_NO_DEADLINE)
		return false;
	for (i = 0; i < cable.qp_count; i++)
		if (env_read(cable.qps[i]->deadline) == first)
			host_tick(cable.qps[i]);
	return true;
}

bool cable_wait(struct host_cq *cq, struct shca_cqe *wc)
{
	u32 round;

	for (round = 0; round < 10000; round++) {
		cable_run();
		if (host_poll(cq, wc))
			return true;
		if (!cable_tick())
			break;
	}
	cable_run();
	return host_poll(cq, wc);
}

void cable_limit(u32 room)
{
	cable.room = room;
	cable.held = 0;
}

void cable_make_room(void)
{
	struct host_qp *again[QPS];
	u32 n = cable.refused_count < QPS ? cable.refused_count : QPS, i;

	cable.held = 0;
	cable.refused_count = 0;
	memcpy(again, cable.refused, sizeof(again));
	for (i = 0; i < n; i++)
		eng_kick(NULL, again[i]->eng);
	host_work();
}

u32 cable_sent(void)
{
	return cable.sent;
}

u32 cable_series(void)
{
	return cable.series;
}

u64 cable_count(struct host *host, enum eng_counter which)
{
	return eng_dev_counter(&host->dev, which);
}

u32 cable_be(const u8 *at, u32 bytes)
{
	u32 v = 0;

	for (; bytes; bytes--)
		v = v << 8 | *at++;
	return v;
}

u32 cable_psn(const struct cable_packet *p)
{
	return cable_be(p->bytes + 9, 3);
}

u32 cable_qpn(const struct cable_packet *p)
{
	return cable_be(p->bytes + 5, 3);
}

bool cable_ack_req(const struct cable_packet *p)
{
	return p->bytes[8] >> 7;
}
