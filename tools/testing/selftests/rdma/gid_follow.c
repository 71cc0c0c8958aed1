// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The GID table follows the netdev: addresses added and removed, MAC change, down and up, rename,
 * VLAN and macvlan on top, flushes in a loop, removal of the netdev. On a netdev and an RDMA link
 * of its own, of the type of the device under test. Reads what user space reads: sysfs.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tap.h"

#define LINK "gidtest0"
#define PORT "/sys/class/infiniband/" LINK "/ports/1/"
#define MAX_INDEX 32		/* as far up as the test looks */
#define WAIT_MS 3000		/* a change shows at the latest then */
#define STEP_MS 10
#define FLUSH_ROUNDS 20

#define MAC_A "02:00:00:00:88:01"
#define MAC_B "02:00:00:00:88:77"
#define DEFAULT_A "fe80:0000:0000:0000:0000:00ff:fe00:8801"
#define DEFAULT_B "fe80:0000:0000:0000:0000:00ff:fe00:8877"
#define MAPPED(hex) "0000:0000:0000:0000:0000:ffff:" hex
#define NO_GID "0000:0000:0000:0000:0000:0000:0000:0000"

static const char *netdev = "gidnet0";

__attribute__((format(printf, 1, 2)))
static int run(const char *format, ...)
{
	char command[512];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	return system(command);
}

/* The first line of a port's file without the newline; empty when it cannot be read. */
static void read_port(const char *dir, int index, char *line, size_t len)
{
	char path[256];
	FILE *file;

	line[0] = 0;
	snprintf(path, sizeof(path), PORT "%s/%d", dir, index);
	file = fopen(path, "r");
	if (!file)
		return;
	if (!fgets(line, len, file))
		line[0] = 0;
	fclose(file);
	line[strcspn(line, "\n")] = 0;
}

/* Where the GID is on a netdev, or -1. */
static int find_gid(const char *gid, const char *on)
{
	char line[64], ndev[64];
	int i;

	for (i = 0; i < MAX_INDEX; i++) {
		read_port("gids", i, line, sizeof(line));
		if (strcmp(line, gid))
			continue;
		read_port("gid_attrs/ndevs", i, ndev, sizeof(ndev));
		if (!strcmp(ndev, on))
			return i;
	}
	return -1;
}

/* Waits until the GID is there (or is not), and reports. Returns its index. */
static int expect(const char *gid, const char *on, bool there, const char *what)
{
	int waited, index = -1;

	for (waited = 0; waited <= WAIT_MS; waited += STEP_MS) {
		index = find_gid(gid, on);
		if ((index >= 0) == there)
			break;
		usleep(STEP_MS * 1000);
	}
	tap_ok((index >= 0) == there, "%s: %s is %s", what, gid, there ? "there" : "gone");
	return index;
}

static void set_up(void)
{
	const char *type = getenv("KV_DRIVER");

	if (!type || !strcmp(type, "both"))
		type = "rxe";
	run("ip link del gidnet0 2>/dev/null");
	/* Without link-local addresses of its own: the default GID does not need them (F47). */
	if (run("ip link add gidnet0 address " MAC_A " type dummy && "
		"ip link set gidnet0 addrgenmode none up") ||
	    run("rdma link add " LINK " type %s netdev gidnet0", type))
		tap_bail("a netdev with an RDMA link of type %s", type);
}

static void test_addresses(void)
{
	char line[64];
	int index;

	index = expect(DEFAULT_A, netdev, true, "at the start");
	tap_is(index, 0, "the default GID is at index 0");
	read_port("gid_attrs/types", 0, line, sizeof(line));
	tap_ok(!strcmp(line, "RoCE v2"), "it is of type RoCE v2");

	run("ip addr add 10.88.0.1/24 dev gidnet0");
	index = expect(MAPPED("0a58:0001"), netdev, true, "IPv4 address added");
	tap_is(index, 1, "it takes the first free index");

	run("ip addr add fd88::1/64 dev gidnet0 nodad");
	index = expect("fd88:0000:0000:0000:0000:0000:0000:0001", netdev, true,
		       "IPv6 address added");
	tap_is(index, 2, "it takes the next index");

	run("ip addr del 10.88.0.1/24 dev gidnet0");
	expect(MAPPED("0a58:0001"), netdev, false, "IPv4 address removed");
	read_port("gids", 1, line, sizeof(line));
	tap_ok(!strcmp(line, NO_GID), "an empty index reads as zeros");
	read_port("gid_attrs/ndevs", 1, line, sizeof(line));
	tap_ok(!line[0], "and has no netdev");

	run("ip addr add 10.88.0.2/24 dev gidnet0");
	index = expect(MAPPED("0a58:0002"), netdev, true, "another IPv4 address");
	tap_is(index, 1, "it takes the index that became free");
	run("ip addr del fd88::1/64 dev gidnet0");
	expect("fd88:0000:0000:0000:0000:0000:0000:0001", netdev, false, "IPv6 address removed");
}

static void test_mac_and_state(void)
{
	run("ip link set gidnet0 address " MAC_B);
	tap_is(expect(DEFAULT_B, netdev, true, "MAC changed"), 0, "the new default GID is at 0");
	expect(MAPPED("0a58:0002"), netdev, true, "MAC changed");

	run("ip link set gidnet0 down");
	expect(MAPPED("0a58:0002"), netdev, true, "down: the address stays, and so does its GID");
	run("ip link set gidnet0 up");
	expect(DEFAULT_B, netdev, true, "up again");

	run("ip link set gidnet0 down && ip link set gidnet0 name gidnet1 && "
	    "ip link set gidnet1 up");
	netdev = "gidnet1";
	expect(DEFAULT_B, netdev, true, "renamed");
	run("ip link set gidnet1 address " MAC_A);
	expect(DEFAULT_A, netdev, true, "MAC changed back");
	expect(DEFAULT_B, netdev, false, "MAC changed back");
}

static void test_uppers(void)
{
	run("ip link add link gidnet1 name gidvlan type vlan id 5 && "
	    "ip addr add 10.88.5.1/24 dev gidvlan && ip link set gidvlan up");
	expect(MAPPED("0a58:0501"), "gidvlan", true, "address on a VLAN");
	run("ip link add link gidnet1 name gidmac type macvlan mode bridge && "
	    "ip addr add 10.88.6.1/24 dev gidmac && ip link set gidmac up");
	expect(MAPPED("0a58:0601"), "gidmac", true, "address on a macvlan");
	run("ip link del gidvlan");
	expect(MAPPED("0a58:0501"), "gidvlan", false, "VLAN removed");
	run("ip link del gidmac");
	expect(MAPPED("0a58:0601"), "gidmac", false, "macvlan removed");

	run("ip link add gidother type dummy && ip addr add 10.88.7.1/24 dev gidother && "
	    "ip link set gidother up");
	usleep(200000);
	tap_is(find_gid(MAPPED("0a58:0701"), "gidother"), -1,
	       "addresses of other netdevs stay out");
	run("ip link del gidother");
}

/* In an active-backup bond the port speaks for the bond only while it is the active slave. */
static void test_bond(void)
{
	if (run("ip link add gidbond type bond mode active-backup miimon 100 2>/dev/null")) {
		tap_skip("bonding is not there");
		return;
	}
	run("ip link set gidbond addrgenmode none && ip link add gidother type dummy && "
	    "ip link set gidnet1 down && ip link set gidnet1 master gidbond && "
	    "ip link set gidother master gidbond && ip addr add 10.88.8.1/24 dev gidbond && "
	    "ip link set gidbond up && ip link set gidbond type bond active_slave gidnet1");
	expect(MAPPED("0a58:0801"), "gidbond", true, "active slave: the bond's address");
	expect(DEFAULT_A, netdev, false, "a slave's own default GID");
	tap_is(expect(DEFAULT_A, "gidbond", true, "the bond's default GID"), 0,
	       "it has taken index 0");

	run("ip link set gidbond type bond active_slave gidother");
	expect(MAPPED("0a58:0801"), "gidbond", false, "backup slave: the bond's address");
	run("ip link set gidbond type bond active_slave gidnet1");
	expect(MAPPED("0a58:0801"), "gidbond", true, "active again: the bond's address");

	run("ip link set gidnet1 nomaster && ip link set gidnet1 address " MAC_A " up");
	expect(MAPPED("0a58:0801"), "gidbond", false, "no slave any more: the bond's address");
	tap_is(expect(DEFAULT_A, netdev, true, "its own default GID"), 0, "it is at 0 again");
	run("ip link del gidbond; ip link del gidother");
}

/* As fast as one `ip` can, so that changes pile up behind the work item. */
static void test_flush_loop(void)
{
	FILE *ip = popen("ip -batch -", "w");
	int i;

	if (!ip)
		tap_bail("ip -batch");
	for (i = 1; i <= FLUSH_ROUNDS; i++)
		fprintf(ip, "addr flush dev gidnet1 scope global\n"
			"addr add 10.88.9.%d/24 dev gidnet1\n"
			"addr add 10.88.10.%d/24 dev gidnet1\n", i, i);
	tap_is(pclose(ip), 0, "addresses flushed and set %d times", FLUSH_ROUNDS);
	expect(MAPPED("0a58:0914"), netdev, true, "after the loop");
	expect(MAPPED("0a58:0a14"), netdev, true, "after the loop");
	expect(MAPPED("0a58:0913"), netdev, false, "after the loop");
	tap_ok(find_gid(MAPPED("0a58:0914"), netdev) < 8, "indices were used again");
}

static void test_removal(void)
{
	struct stat st;
	int waited;

	/* Returns only when nobody holds the netdev any more. */
	tap_is(run("timeout 5 ip link del gidnet1"), 0, "the netdev can be removed under the link");
	for (waited = 0; waited <= WAIT_MS; waited += STEP_MS) {
		if (stat(PORT, &st) || find_gid(MAPPED("0a58:0914"), netdev) < 0)
			break;
		usleep(STEP_MS * 1000);
	}
	tap_ok(stat(PORT, &st) || find_gid(MAPPED("0a58:0914"), netdev) < 0,
	       "its GIDs are gone with it");
	if (!stat(PORT, &st))
		run("rdma link delete " LINK);
}

int main(void)
{
	set_up();
	test_addresses();
	test_mac_and_state();
	test_uppers();
	test_bond();
	test_flush_loop();
	test_removal();
	return tap_end();
}
