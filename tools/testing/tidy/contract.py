# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""The table Documentation/contract-tests.md against the tests: each assertion of the contract
has one, and each test in the table names the assertion itself.  Those of manual pages (C296 to
C299) are checked here."""
import os
import re

TABLE = "Documentation/contract-tests.md"
TESTS = "tools/testing/"
ASSERTIONS = [f"C{n:03}" for n in range(1, 300)]
# C101, or C101..C105 for all between.
NAME = re.compile(r"\bC(\d{3})(?:\.\.C?(\d{3}))?\b")
ROW = re.compile(r"\| (C\d{3}) \|([^|]*)\|([^|]*)\|$")

PAGES_3 = """alloc_dm alloc_pd alloc_td attach_mcast bind_mw create_ah create_ah_from_wc
    create_comp_channel create_cq create_qp create_srq create_wq create_xrc_rcv_qp event_type_str
    flow_action_esp fork_init get_async_event get_cq_event get_device_guid get_device_list
    get_device_name get_srq_num inc_rkey modify_cq modify_qp modify_qp_rate_limit modify_srq
    modify_wq modify_xrc_rcv_qp open_device open_qp open_xrc_domain open_xrcd poll_cq post_recv
    post_send post_srq_ops post_srq_recv query_device query_device_ex query_gid query_pkey
    query_port query_qp query_rt_values_ex query_srq query_xrc_rcv_qp rate_to_mbps rate_to_mult
    reg_mr reg_xrc_rcv_qp req_notify_cq rereg_mr resize_cq"""
ALIASES = """ack_async_event ack_cq_events close_device dealloc_pd dereg_mr destroy_ah
    destroy_comp_channel destroy_cq destroy_qp destroy_srq detach_mcast free_device_list
    init_ah_from_wc"""
COMMANDS = """ibv_asyncwatch ibv_devices ibv_devinfo ibv_rc_pingpong ibv_uc_pingpong
    ibv_ud_pingpong ibv_srq_pingpong"""


def rows(text):
    """{assertion: (what it says, [tests])} of the table."""
    found = (ROW.match(line) for line in text.split("\n"))
    return {m.group(1): (m.group(2).strip(), re.findall(r"`([^`]+)`", m.group(3)))
            for m in found if m}


def named(text):
    """The assertions that a test file names."""
    found = set()
    for first, last in NAME.findall(text):
        found |= {f"C{n:03}" for n in range(int(first), int(last or first) + 1)}
    return found


def check_pages(tap, names):
    pages = {n[len("man/"):] for n in names if n.startswith("man/")}
    wanted = {
        "C296: each function of the contract has its page in section 3":
            [f"ibv_{n}.3" for n in (PAGES_3 + " " + ALIASES).split()] + ["mult_to_ibv_rate.3"],
        "C297: each command has its page in section 1": [f"{n}.1" for n in COMMANDS.split()],
        "C298: verbs(7) is there": ["verbs.7"],
    }
    for what, files in wanted.items():
        tap.result(what, [f for f in files if f not in pages])


def check_aliases(tap, read):
    pages = {"ibv_free_device_list.3": "ibv_get_device_list.3",
             "ibv_close_device.3": "ibv_open_device.3"}
    tap.result("C299: two names lead to the page of another", [
        page for page, target in pages.items()
        if not os.path.basename(read(f"man/{page}").strip().split()[-1]) == target])


def check(tap, names, read):
    table = rows(read(TABLE))
    tests = {n[len(TESTS):]: named(read(n)) for n in names
             if n.startswith(TESTS) and re.search(r"\.(c|sh|py)$", n)}
    missing = [f"{c}: no row" for c in ASSERTIONS if c not in table]
    missing += [f"{c}: says nothing" for c in table if not table[c][0]]
    missing += [f"{c}: no test" for c in table if not table[c][1]]
    tap.result(f"each of {len(ASSERTIONS)} assertions of the contract has a test", missing)
    wrong = [f"{c}: {test} {'does not name it' if test in tests else 'is no test'}"
             for c, (_, listed) in table.items() for test in listed
             if c not in tests.get(test, ())]
    tap.result("the table of the contract and the tests agree", wrong)
    check_pages(tap, names)
    check_aliases(tap, read)
