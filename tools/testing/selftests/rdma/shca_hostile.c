// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * shca_hostile.c - packets that no honest peer sends, through the real sockets: each kind is
 * counted under a name of its own in the port's statistics and under no other, the memory that it
 * was aimed at stays as it was, and the connection works on.
 *
 * They are written to a raw socket, as packets of the peer: the host's own address, so that they
 * come back through its loopback.  What each must be answered with is shown packet by packet by
 * the engine's unit test of the same matter.
 */
#include <dirent.h>
#include <netinet/ip.h>
#include <sys/socket.h>

#include "shca_wire.h"

enum {
	ROCE_PORT	= 4791,
	IP_ID		= 0x1234,
	BTH_BYTES	= 12,
	MAX_COUNTERS	= 64,
	NAME_BYTES	= 48,
	MTU_BYTES	= 1024,		/* of the fixture's connections */
	WAIT_TRIES	= 40,		/* of SHCA_WIRE_FRESH_US */
	/* IBTA vol. 1, table of opcodes; services are their top bits. */
	SEND_ONLY = 0x04, WRITE_MIDDLE = 0x07, WRITE_ONLY = 0x0a, RESPONSE_ONLY = 0x10, ACK = 0x11,
	ON_UC = 0x20, ON_UD = 0x60,
};

/* From the BTH on, without ICRC. */
struct packet {
	uint8_t bytes[2048];
	unsigned int length;
	uint32_t source;
	bool options, flip;
};

struct ends {
	struct fixture f;
	struct ibv_cq *cq;
	struct ibv_qp *a, *b;		/* connected with one another, over the wire */
	struct ibv_qp *ud, *ud_init;	/* ready, and not yet */
	int raw;
};

struct counters {
	int n;
	char name[MAX_COUNTERS][NAME_BYTES];
	long value[MAX_COUNTERS];
};

static struct ends e;
static const char *device;

static void put(struct packet *k, uint64_t value, int bytes)
{
	while (bytes--)
		k->bytes[k->length++] = (uint8_t)(value >> 8 * bytes);
}

static void bth(struct packet *k, uint8_t op, uint32_t qpn, uint32_t psn)
{
	k->length = 0;
	put(k, op, 1);
	put(k, 0, 1);
	put(k, 0xffff, 2);
	put(k, qpn, 4);
	put(k, psn, 4);
}

/* A WRITE from a to b's memory that would be right, but for what a row does to it. */
static void good(struct packet *k)
{
	*k = (struct packet) { .source = *(uint32_t *)(e.f.gid.raw + 12) };
	bth(k, WRITE_ONLY, e.b->qp_num, 0);
	put(k, (uintptr_t)e.f.buf, 8);
	put(k, e.f.mr->rkey, 4);
	put(k, 8, 4);
	put(k, ~0ull, 8);
}

static void datagram(struct packet *k, uint32_t qpn, uint32_t qkey)
{
	bth(k, ON_UD | SEND_ONLY, qpn, 0);
	put(k, qkey, 4);
	put(k, e.ud->qp_num, 4);
	put(k, ~0ull, 8);
}

static void short_of_bth(struct packet *k)	{ k->length = 8; }
static void short_of_reth(struct packet *k)	{ k->length = 24; }
static void ip_options(struct packet *k)	{ k->options = true; }
static void flipped_bit(struct packet *k)	{ k->flip = true; }
static void too_much_pad(struct packet *k)	{ k->length -= 8; k->bytes[1] |= 3 << 4; }
static void no_words(struct packet *k)		{ k->length--; }
static void version(struct packet *k)		{ k->bytes[1] |= 1; }
static void reserved_opcode(struct packet *k)	{ k->bytes[0] = 0x15; }
static void other_service(struct packet *k)	{ k->bytes[0] = ON_UC | WRITE_ONLY; }
static void partition(struct packet *k)		{ k->bytes[3] = 0xfe; }
static void unknown_qp(struct packet *k)	{ k->bytes[5] = 0x7f; }
static void other_source(struct packet *k)	{ k->source = htonl(INADDR_LOOPBACK); }
static void far_ahead(struct packet *k)		{ k->bytes[9] = 0x40; }
static void far_behind(struct packet *k)	{ k->bytes[9] = 0xc0; }
static void more_than_reth(struct packet *k)	{ put(k, 0, 4); }
static void less_than_reth(struct packet *k)	{ k->length -= 4; }
static void queue_key(struct packet *k)		{ datagram(k, e.ud->qp_num, FIXTURE_QKEY + 1); }
static void no_receive(struct packet *k)	{ datagram(k, e.ud->qp_num, FIXTURE_QKEY); }
static void no_state(struct packet *k)		{ datagram(k, e.ud_init->qp_num, FIXTURE_QKEY); }

static void middle_of_nothing(struct packet *k)
{
	bth(k, WRITE_MIDDLE, e.b->qp_num, 0);
	k->length += 256;
}

static void more_than_mtu(struct packet *k)
{
	k->length = BTH_BYTES + 12;
	put(k, MTU_BYTES + 4, 4);
	k->length += MTU_BYTES + 4;
}

static void unasked_response(struct packet *k)
{
	bth(k, RESPONSE_ONLY, e.b->qp_num, 0);
	put(k, 31u << 24 | 1, 4);
	put(k, 0, 8);
}

static void ack_of_the_future(struct packet *k)
{
	bth(k, ACK, e.b->qp_num, 5);
	put(k, 31u << 24 | 1, 4);
}

static const struct {
	const char *what;
	void (*spoil)(struct packet *k);
	const char *counter;
	bool nak;			/* is answered, which the other end did not ask for */
} rows[] = {
	{ "shorter than a BTH", short_of_bth, "rx_malformed", false },
	{ "IP options", ip_options, "rx_malformed", false },
	{ "a flipped bit", flipped_bit, "rx_icrc_errors", false },
	{ "shorter than its RETH", short_of_reth, "rx_short", false },
	{ "more pad than payload", too_much_pad, "rx_bad_pad", false },
	{ "no whole words", no_words, "rx_bad_pad", false },
	{ "transport version", version, "rx_bad_version", false },
	{ "reserved opcode", reserved_opcode, "rx_bad_opcode", false },
	{ "opcode of UC to RC", other_service, "rx_wrong_service", false },
	{ "P_Key", partition, "rx_bad_pkey", false },
	{ "Q_Key", queue_key, "rx_bad_qkey", false },
	{ "unknown QP", unknown_qp, "rx_no_qp", false },
	{ "not from the peer", other_source, "rx_wrong_address", false },
	{ "a QP in INIT", no_state, "rx_qp_not_receiving", false },
	{ "a datagram without a receive", no_receive, "rx_no_receive", false },
	{ "PSN far ahead", far_ahead, "rx_out_of_sequence", true },
	{ "PSN far behind", far_behind, "rx_duplicates", true },
	{ "response that nobody asked for", unasked_response, "rx_unasked_response", false },
	{ "acknowledge of the future", ack_of_the_future, "rx_future_ack", false },
	{ "more than the path MTU", more_than_mtu, "rx_bad_payload_size", true },
	{ "more than the RETH says", more_than_reth, "rx_bad_length", true },
	{ "less than the RETH says", less_than_reth, "rx_bad_length", true },
	{ "a middle without a first", middle_of_nothing, "rx_bad_opcode_order", true },
};

static uint32_t crc32_le(uint32_t crc, const uint8_t *p, unsigned int n)
{
	int bit;

	while (n--)
		for (crc ^= *p++, bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	return crc;
}

/* IBTA annex A17.3.3: ones for what changes under way. */
static uint32_t icrc(const struct iphdr *ip, const uint8_t *udp, const struct packet *k)
{
	static const uint8_t ones[8] = { [0 ... 7] = 0xff };
	uint8_t head[8 + BTH_BYTES], *masked = head + 8;
	struct iphdr net = *ip;
	uint32_t crc;

	net.tos = 0xff;
	net.ttl = 0xff;
	net.check = 0xffff;
	memcpy(head, udp, 8);
	head[6] = head[7] = 0xff;
	memcpy(masked, k->bytes, BTH_BYTES);
	masked[4] = 0xff;
	crc = crc32_le(~0u, ones, sizeof(ones));
	crc = crc32_le(crc, (uint8_t *)&net, sizeof(net));
	crc = crc32_le(crc, head, sizeof(head));
	if (k->length > BTH_BYTES)
		crc = crc32_le(crc, k->bytes + BTH_BYTES, k->length - BTH_BYTES);
	return ~crc;
}

static void inject(const struct packet *k)
{
	static const uint8_t nops[4] = { 1, 1, 1, 1 };
	struct sockaddr_in to = { .sin_family = AF_INET };
	unsigned int options = k->options ? sizeof(nops) : 0;
	unsigned int udp_bytes = 8 + k->length + 4;
	uint8_t bytes[sizeof(struct iphdr) + sizeof(nops) + 8 + sizeof(k->bytes) + 4], *at;
	struct iphdr ip = {
		.version = 4, .ihl = (sizeof(ip) + options) / 4, .ttl = 64, .protocol = IPPROTO_UDP,
		.id = htons(IP_ID), .frag_off = htons(IP_DF), .saddr = k->source,
	};
	uint8_t udp[8] = { 0xc0, 0, ROCE_PORT >> 8, ROCE_PORT & 0xff, udp_bytes >> 8, udp_bytes };
	uint32_t crc;

	memcpy(&ip.daddr, e.f.gid.raw + 12, 4);
	memcpy(&to.sin_addr, e.f.gid.raw + 12, 4);
	ip.tot_len = htons(sizeof(ip) + options + udp_bytes);
	crc = icrc(&ip, udp, k) ^ k->flip;
	at = mempcpy(bytes, &ip, sizeof(ip));
	at = mempcpy(at, nops, options);
	at = mempcpy(at, udp, sizeof(udp));
	at = mempcpy(at, k->bytes, k->length);
	/* Least significant byte first, as this machine has it. */
	at = mempcpy(at, &crc, sizeof(crc));
	if (sendto(e.raw, bytes, at - bytes, 0, (struct sockaddr *)&to, sizeof(to)) < 0)
		tap_bail("send a raw packet");
}

/* Everything that a packet may be dropped, or refused, for. */
static void read_counters(struct counters *c)
{
	char path[128];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/hw_counters", device);
	usleep(SHCA_WIRE_FRESH_US);
	dir = opendir(path);
	if (!dir)
		tap_bail("no counters");
	c->n = 0;
	while ((entry = readdir(dir)) && c->n < MAX_COUNTERS) {
		if (strncmp(entry->d_name, "rx_", 3) || !strcmp(entry->d_name, "rx_packets") ||
		    !strcmp(entry->d_name, "rx_series"))
			continue;
		snprintf(c->name[c->n], NAME_BYTES, "%.47s", entry->d_name);
		c->value[c->n++] = shca_wire_counter(device, entry->d_name);
	}
	closedir(dir);
}

/* @name has moved by one, and what else has moved is but the echo of an answer. */
static bool counted(const struct counters *before, const struct counters *now, const char *name,
		    bool nak)
{
	bool found = false;
	int i;

	for (i = 0; i < now->n; i++) {
		long moved = now->value[i] - before->value[i];

		if (!strcmp(now->name[i], name)) {
			found = moved == 1;
		} else if (moved && !(nak && (!strcmp(now->name[i], "rx_future_ack") ||
					      !strcmp(now->name[i], "rx_unasked_response")))) {
			printf("# %s moved by %ld\n", now->name[i], moved);
			return false;
		}
	}
	return found;
}

static bool is_counted(const struct packet *k, const char *name, bool nak)
{
	struct counters before, now;
	int tries;

	read_counters(&before);
	inject(k);
	for (tries = 0; tries < WAIT_TRIES; tries++) {
		read_counters(&now);
		if (memcmp(before.value, now.value, now.n * sizeof(now.value[0])))
			break;
	}
	return counted(&before, &now, name, nak);
}

static void connect_pair(void)
{
	e.a = fixture_qp(&e.f, e.cq, NULL, IBV_QPT_RC);
	e.b = fixture_qp(&e.f, e.cq, NULL, IBV_QPT_RC);
	fixture_connect(&e.f, e.a, e.b->qp_num);
	fixture_connect(&e.f, e.b, e.a->qp_num);
}

static bool still_works(void)
{
	struct ibv_wc wc;

	memset(e.f.buf + 8192, 0x5a, 64);
	return !fixture_post_recv(&e.f, e.b, 1) &&
	       !fixture_post_send(&e.f, e.a, 2, IBV_SEND_SIGNALED) &&
	       fixture_wait_wc(e.cq, &wc) && wc.status == IBV_WC_SUCCESS &&
	       fixture_wait_wc(e.cq, &wc) && wc.status == IBV_WC_SUCCESS && e.f.buf[0] == 0x5a;
}

static void open_all(void)
{
	fixture_open(&e.f);
	e.cq = ibv_create_cq(e.f.ctx, 64, NULL, NULL, 0);
	e.raw = socket(AF_INET, SOCK_RAW, IPPROTO_RAW);
	if (!e.cq || e.raw < 0)
		tap_bail("a CQ and a raw socket");
	e.ud = fixture_qp(&e.f, e.cq, NULL, IBV_QPT_UD);
	fixture_connect(&e.f, e.ud, 0);
	e.ud_init = fixture_qp(&e.f, e.cq, NULL, IBV_QPT_UD);
	fixture_qp_to_init(e.ud_init);
}

static void try_all(void)
{
	struct packet k;
	unsigned int i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		memset(e.f.buf, 0, 64);
		connect_pair();
		good(&k);
		rows[i].spoil(&k);
		tap_ok(is_counted(&k, rows[i].counter, rows[i].nak), "%s: %s", rows[i].what,
		       rows[i].counter);
		tap_ok(!e.f.buf[0], "%s: nothing was written", rows[i].what);
		/* What broke the rules of its message has ended the connection: 9.9.3. */
		if (!rows[i].nak)
			tap_ok(still_works(), "%s: the connection works on", rows[i].what);
		ibv_destroy_qp(e.a);
		ibv_destroy_qp(e.b);
	}
}

int main(void)
{
	char before = shca_wire_forced();

	device = getenv("KV_DEV");
	if (!before || !device || shca_wire_counter(device, "wire_up") < 1) {
		tap_skip("no wire here");
		return tap_end();
	}
	shca_wire_force('Y');
	open_all();
	try_all();
	ibv_destroy_qp(e.ud);
	ibv_destroy_qp(e.ud_init);
	ibv_destroy_cq(e.cq);
	fixture_close(&e.f);
	close(e.raw);
	shca_wire_force(before);
	return tap_end();
}
