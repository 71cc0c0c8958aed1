// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shows XRC in its legacy form: domains by inode (C247..C259), SRQs and traffic (C260, C263, C276),
 * receive QPs that live until the last registered process lets go (C261..C281); and what the
 * modern calls say to the same (C282..C284, G131, G138).
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api_pair_io.h"

static struct fixture f;
static char file[] = "/tmp/c_xrc.XXXXXX";

/* A child does it and says how it went: 0 is well. */
static int in_child(int (*what)(void *), void *arg)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(what(arg));
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -2;
}

static int open_fd(void)
{
	int fd = open(file, O_RDWR);

	if (fd < 0)
		tap_bail("open %s", file);
	return fd;
}

/* ---- domains ---- */

static int exclusive_fails(void *arg)
{
	struct ibv_context *ctx = fixture_open_device();
	int fd = open(file, O_RDONLY);

	(void)arg;
	return ibv_open_xrc_domain(ctx, fd, O_CREAT | O_EXCL) ? 1 : 0;
}

/* Two processes try at once to be the first; the pipe holds them until both stand there. */
static int race(void)
{
	int go[2], done[2], fd, i, winners = 0;
	char c;

	if (pipe(go) || pipe(done))
		tap_bail("pipe");
	for (i = 0; i < 2; i++) {
		if (fork())
			continue;
		close(go[1]);
		fd = open(file, O_RDWR);
		c = read(go[0], &c, 1) >= 0 &&
		    ibv_open_xrc_domain(fixture_open_device(), fd, O_CREAT | O_EXCL) ? '1' : '0';
		if (write(done[1], &c, 1) != 1)
			_exit(1);
		/* The domain stays until both have tried. */
		while (read(go[0], &c, 1) > 0 || errno == EINTR)
			;
		pause();
		_exit(0);
	}
	close(go[0]);
	close(go[1]);
	for (i = 0; i < 2; i++)
		winners += read(done[0], &c, 1) == 1 && c == '1';
	signal(SIGTERM, SIG_IGN);
	kill(0, SIGTERM);
	while (wait(NULL) > 0)
		;
	signal(SIGTERM, SIG_DFL);
	close(done[0]);
	close(done[1]);
	return winners;
}

static void refuse(int fd, int oflag, int want, const char *what)
{
	struct ibv_xrc_domain *d;

	errno = 0;
	d = ibv_open_xrc_domain(f.ctx, fd, oflag);
	tap_ok(!d && (!want || errno == want), "%s: %s", what, strerror(errno));
	if (d)
		ibv_close_xrc_domain(d);
}

static void test_domains(void)
{
	int fd = open_fd(), again = open_fd();
	struct ibv_xrc_domain *first, *second, *private, *other;

	tap_ok(f.attr.device_cap_flags & IBV_DEVICE_XRC, "C044, C259: XRC is advertised");
	refuse(fd, 0, 0, "C253: no domain, no O_CREAT");
	refuse(-1, 0, EINVAL, "C255: without an inode, without O_CREAT");
	refuse(-1, O_CREAT | O_EXCL, EINVAL, "C255: without an inode, with O_EXCL");
	refuse(fd, O_CREAT | O_TRUNC, EINVAL, "C248: other flags");
	refuse(9999, O_CREAT, EBADF, "C248: a descriptor that is none");
	first = ibv_open_xrc_domain(f.ctx, fd, O_CREAT);
	tap_ok(first && first->context == f.ctx, "C247, C249: O_CREAT makes one");
	second = ibv_open_xrc_domain(f.ctx, again, O_CREAT);
	tap_ok(second != NULL, "C250: and then finds it");
	tap_is(ibv_close_xrc_domain(second), 0, "C256: one reference less");
	refuse(again, O_CREAT | O_EXCL, EINVAL, "C251: O_EXCL, and there is one");
	tap_is(in_child(exclusive_fails, NULL), 0, "C251, C254: in another process too");
	second = ibv_open_xrc_domain(f.ctx, again, 0);
	tap_ok(second != NULL, "C248: without flags it is found");
	private = ibv_open_xrc_domain(f.ctx, -1, O_CREAT);
	other = ibv_open_xrc_domain(f.ctx, -1, O_CREAT);
	tap_ok(private && other && private != other, "C255: private ones");
	tap_ok(!ibv_close_xrc_domain(private) && !ibv_close_xrc_domain(other), "C256: closed");
	tap_is(ibv_close_xrc_domain(first), 0, "C256: the maker's reference");
	tap_is(ibv_close_xrc_domain(second), 0, "C256: the last");
	refuse(fd, 0, 0, "C256: then it is gone");
	close(fd);
	close(again);
	tap_is(race(), 1, "C252: of two that race, one makes it");
}

/* ---- receive QPs ---- */

static int to_init(struct ibv_xrc_domain *d, uint32_t qpn, int leave_out)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = FIXTURE_PORT,
				    .qp_access_flags = FIXTURE_ALL_ACCESS };

	return ibv_modify_xrc_rcv_qp(d, qpn, &attr,
				     (IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				      IBV_QP_ACCESS_FLAGS) & ~leave_out);
}

static int to_rtr(struct ibv_xrc_domain *d, uint32_t qpn, uint32_t dest, int leave_out)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024, .dest_qp_num = dest,
		.rq_psn = 77, .max_dest_rd_atomic = 4, .min_rnr_timer = 1,
		.ah_attr = { .is_global = 1, .port_num = FIXTURE_PORT,
			     .grh = { .dgid = f.gid, .sgid_index = f.gid_index,
				      .hop_limit = 64 } },
	};

	return ibv_modify_xrc_rcv_qp(d, qpn, &attr,
				     (IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
				      IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				      IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER) &
				     ~leave_out);
}

static int state_of(struct ibv_xrc_domain *d, uint32_t qpn)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	return ibv_query_xrc_rcv_qp(d, qpn, &attr, IBV_QP_STATE, &init) ? -1 : (int)attr.qp_state;
}

static void test_modify(struct ibv_xrc_domain *d, uint32_t qpn, uint32_t dest)
{
	static const int init_flags[] = { IBV_QP_PKEY_INDEX, IBV_QP_PORT, IBV_QP_ACCESS_FLAGS };
	static const int rtr_flags[] = { IBV_QP_AV, IBV_QP_PATH_MTU, IBV_QP_DEST_QPN,
					 IBV_QP_RQ_PSN, IBV_QP_MAX_DEST_RD_ATOMIC,
					 IBV_QP_MIN_RNR_TIMER };
	struct ibv_qp_attr attr, alt = { .qp_state = IBV_QPS_INIT };
	struct ibv_qp_init_attr init;
	unsigned int i, wrong = 0;

	for (i = 0; i < 3; i++)
		wrong += to_init(d, qpn, init_flags[i]) != EINVAL || state_of(d, qpn) != 0;
	tap_is(wrong, 0, "C273, C277: each is needed for INIT, and nothing changes without");
	tap_is(to_init(d, qpn, 0), 0, "C272, C273: to INIT");
	for (i = wrong = 0; i < 6; i++)
		wrong += to_rtr(d, qpn, dest, rtr_flags[i]) != EINVAL ||
			 state_of(d, qpn) != IBV_QPS_INIT;
	tap_is(wrong, 0, "C274, C277: each is needed for RTR");
	tap_is(ibv_modify_xrc_rcv_qp(d, qpn, &alt, IBV_QP_ALT_PATH), EINVAL,
	       "C278: no alternate path without IBV_DEVICE_AUTO_PATH_MIG");
	tap_is(to_init(d, qpn, 0), 0, "C275: more than the least set: INIT again");
	tap_is(to_rtr(d, qpn, dest, 0), 0, "C274: to RTR");
	tap_ok(!ibv_query_xrc_rcv_qp(d, qpn, &attr, 0, &init) && attr.qp_state == IBV_QPS_RTR &&
	       attr.dest_qp_num == dest && attr.rq_psn == 77 && attr.path_mtu == IBV_MTU_1024 &&
	       attr.min_rnr_timer == 1, "C279, C280: and reads back, whatever is asked for");
}

struct other {
	uint32_t qpn;
	int ready, go;		/* pipes */
	uint32_t srqn;
};

/* Registers, outlives the creator's interest, receives through the QP, lets go. */
static int receiver(void *arg)
{
	struct other *o = arg;
	struct fixture mine;
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 4, .max_sge = 1 } };
	struct ibv_xrc_domain *d;
	struct ibv_srq *srq;
	struct ibv_recv_wr recv = { .wr_id = 99, .num_sge = 1 }, *bad;
	struct ibv_sge sge;
	struct ibv_cq *cq;
	struct ibv_wc wc;
	char c;

	fixture_open(&mine);
	d = ibv_open_xrc_domain(mine.ctx, open_fd(), 0);
	if (!d || state_of(d, o->qpn) != -1)
		return 2;
	if (ibv_reg_xrc_rcv_qp(d, o->qpn) || ibv_reg_xrc_rcv_qp(d, o->qpn))
		return 3;
	if (state_of(d, o->qpn) != IBV_QPS_RTR)
		return 4;
	cq = ibv_create_cq(mine.ctx, 8, NULL, NULL, 0);
	srq = ibv_create_xrc_srq(mine.pd, d, cq, &init);
	if (!srq || ibv_get_srq_num(srq, &o->srqn))
		return 5;
	sge = (struct ibv_sge){ (uintptr_t)mine.buf, 64, mine.mr->lkey };
	recv.sg_list = &sge;
	if (ibv_post_srq_recv(srq, &recv, &bad) ||
	    write(o->ready, &o->srqn, sizeof(o->srqn)) != sizeof(o->srqn))
		return 6;
	if (!fixture_wait_wc(cq, &wc) || wc.status || wc.wr_id != 99 || wc.qp_num != o->qpn ||
	    memcmp(mine.buf, "to an XRC SRQ", 13))
		return 7;
	if (ibv_close_xrc_domain(d) != EBUSY)
		return 8;
	if (read(o->go, &c, 1) != 1 || state_of(d, o->qpn) != IBV_QPS_RTR)
		return 9;
	if (ibv_unreg_xrc_rcv_qp(d, o->qpn) || ibv_unreg_xrc_rcv_qp(d, o->qpn) != EINVAL)
		return 10;
	if (ibv_reg_xrc_rcv_qp(d, o->qpn) != EINVAL)
		return 11;
	if (ibv_close_xrc_domain(d) != EBUSY || ibv_destroy_srq(srq) || ibv_close_xrc_domain(d))
		return 12;
	return 0;
}

static struct ibv_qp *make_sender(struct ibv_cq *cq)
{
	struct ibv_qp_init_attr init = {
		.send_cq = cq, .qp_type = IBV_QPT_XRC_SEND,
		.cap = { .max_send_wr = 4, .max_send_sge = 1 },
	};
	struct ibv_qp *qp = ibv_create_qp(f.pd, &init);

	if (!qp || fixture_qp_to_init(qp))
		tap_bail("make a sender");
	return qp;
}

static void connect_sender(struct ibv_qp *qp, uint32_t dest)
{
	struct ibv_qp_attr rtr = {
		.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024, .dest_qp_num = dest,
		.ah_attr = { .is_global = 1, .port_num = FIXTURE_PORT,
			     .grh = { .dgid = f.gid, .sgid_index = f.gid_index,
				      .hop_limit = 64 } },
	}, rts = {
		.qp_state = IBV_QPS_RTS, .sq_psn = 77, .timeout = 14, .retry_cnt = 7,
		.rnr_retry = 7, .max_rd_atomic = 1,
	};

	if (ibv_modify_qp(qp, &rtr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			  IBV_QP_DEST_QPN | IBV_QP_RQ_PSN) ||
	    ibv_modify_qp(qp, &rts, IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT |
			  IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC))
		tap_bail("connect a sender");
}

static void send_to_srq(struct ibv_qp *qp, struct ibv_cq *cq, uint32_t srqn)
{
	struct ibv_sge sge = { (uintptr_t)f.buf, 16, f.mr->lkey };
	struct ibv_send_wr wr = {
		.wr_id = 1, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED, .qp_type.xrc.remote_srqn = srqn,
	}, *bad;
	struct ibv_wc wc;

	memcpy(f.buf, "to an XRC SRQ", 14);
	tap_is(ibv_post_send(qp, &wr, &bad), 0, "C263: sent to an SRQ by its number");
	tap_ok(fixture_wait_wc(cq, &wc) && !wc.status && wc.wr_id == 1, "C263: acknowledged");
}

static void test_receive_qp(void)
{
	struct ibv_xrc_qp_init_attr init = { .base = { .qp_type = 77, .sq_sig_all = -1,
						       .cap = { ~0u, ~0u, ~0u, ~0u, ~0u } } };
	struct ibv_cq *cq = ibv_create_cq(f.ctx, 8, NULL, NULL, 0);
	struct ibv_qp *sender = make_sender(cq);
	int fd = open_fd(), ready[2], go[2], status = -1;
	struct ibv_xrc_domain *d = ibv_open_xrc_domain(f.ctx, fd, O_CREAT);
	struct other o = { .qpn = 0 };
	pid_t pid;

	if (!d || pipe(ready) || pipe(go))
		tap_bail("domain and pipes");
	init.xrc_domain = NULL;
	tap_is(ibv_create_xrc_rcv_qp(&init.base, &o.qpn), EINVAL, "C261: no domain");
	init.xrc_domain = d;
	tap_is(ibv_create_xrc_rcv_qp(&init.base, &o.qpn), 0, "C261, C262: only the domain counts");
	tap_ok(o.qpn > 1 && !(o.qpn >> 24), "C261: number %u", o.qpn);
	tap_is(state_of(d, o.qpn), IBV_QPS_RESET, "C265: the creator is registered");
	tap_is(ibv_close_xrc_domain(d), EBUSY, "C258: and cannot close the domain");
	tap_is(ibv_reg_xrc_rcv_qp(d, 0xfffff0), EINVAL, "C271: no such number");
	tap_is(ibv_reg_xrc_rcv_qp(d, sender->qp_num), EINVAL, "C271: no receive QP");
	tap_is(ibv_unreg_xrc_rcv_qp(d, 0xfffff0), EINVAL, "C271: not registered");
	test_modify(d, o.qpn, sender->qp_num);
	connect_sender(sender, o.qpn);
	o.ready = ready[1];
	o.go = go[0];
	pid = fork();
	if (!pid)
		_exit(receiver(&o));
	close(ready[1]);
	if (read(ready[0], &o.srqn, sizeof(o.srqn)) == sizeof(o.srqn)) {
		send_to_srq(sender, cq, o.srqn);
		tap_is(ibv_unreg_xrc_rcv_qp(d, o.qpn), 0, "C268, C270: the creator lets go");
		tap_is(state_of(d, o.qpn), -1, "C268: and has it no more");
		tap_is(ibv_close_xrc_domain(d), 0, "C257, C258: now he may close");
	}
	tap_ok(write(go[1], "g", 1) == 1 && waitpid(pid, &status, 0) == pid &&
	       WIFEXITED(status) && !WEXITSTATUS(status),
	       "C260, C264, C266, C267, C269, C270, C276, C281: the other process receives (%d)",
	       WIFEXITED(status) ? WEXITSTATUS(status) : -1);
	ibv_destroy_qp(sender);
	ibv_destroy_cq(cq);
	close(fd);
}

static int register_and_end(void *arg)
{
	struct ibv_context *ctx = fixture_open_device();
	struct ibv_xrc_domain *d = ibv_open_xrc_domain(ctx, open(file, O_RDWR), 0);

	return d && !ibv_reg_xrc_rcv_qp(d, *(uint32_t *)arg) ? 0 : 1;
}

/* A process that just ends is as good as one that unregisters (G136). */
static void test_exit(void)
{
	int fd = open_fd();
	struct ibv_xrc_domain *d = ibv_open_xrc_domain(f.ctx, fd, O_CREAT);
	struct ibv_xrc_qp_init_attr init = { .xrc_domain = d };
	uint32_t qpn;

	tap_is(ibv_create_xrc_rcv_qp(&init.base, &qpn), 0, "G136: a QP");
	tap_is(in_child(register_and_end, &qpn), 0, "G136: another process registers and ends");
	tap_is(state_of(d, qpn), IBV_QPS_RESET, "G136: the creator still has it");
	tap_is(ibv_unreg_xrc_rcv_qp(d, qpn), 0, "C269: with the last it goes");
	tap_is(ibv_reg_xrc_rcv_qp(d, qpn), EINVAL, "C269: and is not found");
	tap_is(ibv_close_xrc_domain(d), 0, "C256: the domain too");
	close(fd);
}

/* The calls of today on the same objects (C282..C284). */
static void test_modern(void)
{
	struct ibv_xrcd_init_attr attr = { .fd = -1, .oflags = O_CREAT };
	struct ibv_qp_init_attr_ex init = { .qp_type = IBV_QPT_XRC_RECV };
	struct ibv_qp_open_attr open_attr = { .qp_type = IBV_QPT_XRC_RECV };
	struct ibv_xrcd *xrcd;
	struct ibv_qp *qp, *again;

	errno = 0;
	tap_ok(!ibv_open_xrcd(f.ctx, &attr) && errno == EINVAL, "C282: both fields are needed");
	attr.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS |
			 IBV_XRCD_INIT_ATTR_RESERVED;
	errno = 0;
	tap_ok(!ibv_open_xrcd(f.ctx, &attr) && errno == EOPNOTSUPP, "C282: others are unknown");
	attr.comp_mask &= ~IBV_XRCD_INIT_ATTR_RESERVED;
	xrcd = ibv_open_xrcd(f.ctx, &attr);
	if (!tap_ok(xrcd && xrcd->context == f.ctx, "C282: a domain"))
		return;
	errno = 0;
	tap_ok(!ibv_create_qp_ex(f.ctx, &init) && errno == EINVAL, "C284: a QP needs the domain");
	init.comp_mask = IBV_QP_INIT_ATTR_XRCD;
	init.xrcd = xrcd;
	qp = ibv_create_qp_ex(f.ctx, &init);
	tap_ok(qp != NULL, "C284: a receive QP");
	tap_is(ibv_close_xrcd(xrcd), EBUSY, "C283: a domain with a QP is busy");
	errno = 0;
	tap_ok(!ibv_open_qp(f.ctx, &open_attr) && errno == EINVAL, "C284: nothing said");
	open_attr.comp_mask = IBV_QP_OPEN_ATTR_NUM | IBV_QP_OPEN_ATTR_XRCD |
			      IBV_QP_OPEN_ATTR_TYPE | IBV_QP_OPEN_ATTR_CONTEXT;
	open_attr.qp_num = qp->qp_num;
	open_attr.xrcd = xrcd;
	open_attr.qp_context = &f;
	again = ibv_open_qp(f.ctx, &open_attr);
	tap_ok(again && again != qp && again->qp_num == qp->qp_num && again->qp_context == &f,
	       "C284: opened a second time");
	tap_is(ibv_destroy_qp(qp), 0, "G145: the first reference goes");
	tap_is(fixture_qp_to_init(again), 0, "G145: the QP does not");
	tap_is(ibv_destroy_qp(again), 0, "G145: with the last it does");
	errno = 0;
	tap_ok(!ibv_open_qp(f.ctx, &open_attr) && errno == EINVAL, "G138: and is not found");
	tap_is(ibv_close_xrcd(xrcd), 0, "C283: closed");
}

int main(void)
{
	int fd = mkstemp(file);

	if (fd < 0)
		tap_bail("mkstemp");
	close(fd);
	setpgid(0, 0);
	fixture_open(&f);
	if (f.attr.device_cap_flags & IBV_DEVICE_XRC) {
		test_domains();
		test_receive_qp();
		test_exit();
		test_modern();
	} else {
		tap_ok(!ibv_open_xrc_domain(f.ctx, -1, O_CREAT) && errno == EOPNOTSUPP,
		       "C259: not advertised, not supported");
	}
	fixture_close(&f);
	unlink(file);
	return tap_end();
}
