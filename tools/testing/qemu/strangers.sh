#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Runs in a guest: programs and libraries of others start with our library and find the
# device $KV_DEV: ibverbs-utils, pyverbs, librdmacm and its programs, UCX, libfabric,
# Open MPI. Where rdma_cm is not there (our core does not hold it yet), what needs it is
# a skip. Prints TAP.
#
# The big ones take their time to start, and are the library's guests more than the core's: what asks
# for rdma_cm starts on the stock core, the others on ours, and with KV_WHOLE=1 all of them on both.

. "${KV_TREE:?}/tools/testing/qemu/guest-lib.sh"
. "$KV_TREE/tools/testing/tap.sh"
dev=${KV_DEV:?}
LIMIT=$((60 * ${KV_SLOW:-1}))
out=$(mktemp)

# run PROGRAM...: its output in $out; fails when it fails or cannot bind a name.
run() {
	timeout -k 5 "$LIMIT" "$@" >"$out" 2>&1 </dev/null && ! unbound
}

unbound() {
	grep -E 'symbol lookup error|undefined symbol|version .* not (found|defined)' "$out"
}

# found PATTERN WHAT: one result; what was printed follows when it is not there.
found() {
	grep -qE "$1" "$out"
	local status=$?
	tap_result "$status" "$2"
	[ "$status" = 0 ] || tail -n 12 "$out" | sed 's/^/# /'
}

have() {
	command -v "$1" >/dev/null && return
	echo "ok - $1 # SKIP not installed"
	return 1
}

# The connection manager of the stock kernel, where a core carries it.
load_cm() {
	local module
	[ -e /dev/infiniband/rdma_cm ] && return
	for module in ib_cm iw_cm rdma_cm ib_umad rdma_ucm; do
		kv_insmod "$KV_STOCK/core/$module.ko" 2>/dev/null || return
	done
	[ -e /dev/infiniband/rdma_cm ]
}

unload_cm() {
	rmmod rdma_ucm rdma_cm iw_cm ib_cm 2>/dev/null
	rmmod ib_umad 2>/dev/null
	true
}

verbs_utils() {
	run ibv_devices
	found "^ *$dev[[:space:]]+[0-9a-f]{16}" "ibv_devices lists $dev"
	run ibv_devinfo -v -d "$dev"
	found 'PORT_ACTIVE' "ibv_devinfo tells of its port"
	timeout 2 ibv_asyncwatch -d "$dev" >"$out" 2>&1
	found "$dev: async event FD" "ibv_asyncwatch waits for its events"
	run /usr/bin/python3 -c "
import pyverbs.device as d
names = [x.name.decode() for x in d.get_device_list()]
print(names, d.Context(name='$dev').query_device().max_qp > 0)"
	found "'$dev'.*True" "pyverbs opens it"
}

ucx() {
	have ucx_info || return
	run ucx_info -d
	found "Device: $dev:1" "ucx_info -d lists $dev:1"
	found 'Transport: rc_verbs' "with RC"
	found 'Transport: ud_verbs' "and with UD"
}

libfabric() {
	have fi_info || return
	run fi_info -l
	found '^verbs:' "fi_info has the verbs provider"
	if load_cm; then
		run fi_info -p verbs
		found "domain: $dev" "fi_info -p verbs lists $dev"
	else
		echo "ok - fi_info -p verbs # SKIP no rdma_cm in this kernel"
	fi
}

rdmacm() {
	have rping || return
	timeout 5 rping -h >"$out" 2>&1
	! unbound
	tap_result $? "rping binds its names"
}

# mpi VARIABLE=VALUE... -- OPTION...: two processes that exchange messages by Open MPI's library.
mpi() {
	local variables=()
	while [ "$1" != -- ]; do
		variables+=(-x "$1")
		shift
	done
	shift
	run mpirun --allow-run-as-root --oversubscribe -np 2 -x LD_LIBRARY_PATH "${variables[@]}" "$@" \
		/usr/bin/python3 "$KV_TREE/tools/testing/qemu/mpi-pair.py" 262144 4
}

# openmpi COMPONENT TEST: it binds its names; then the test of what it does with them.
openmpi() {
	local file=/usr/lib/x86_64-linux-gnu/openmpi/lib/openmpi3/$1.so
	have mpirun || return
	if [ -e "$file" ]; then
		ldd -r "$file" >"$out" 2>&1
		! grep -E 'undefined symbol|not found' "$out"
		tap_result $? "Open MPI: $1 binds its names with our library"
	fi
	# It refuses a machine without a name.
	[ "$(</proc/sys/kernel/hostname)" != "(none)" ] || hostname guest
	"$2"
}

# UCX is told to take devices of any make.
mpi_by_ucx() {
	mpi UCX_NET_DEVICES="$dev:1" UCX_TLS=rc_verbs,ud_verbs,self UCX_LOG_LEVEL=info \
		-- --mca pml ucx --mca pml_ucx_tls any --mca pml_ucx_devices any
	found "tag\(rc_verbs/$dev:1" "Open MPI: its UCX component chooses $dev"
}

# Verbs connect by rdma_cm, or not at all where it is missing.
mpi_by_verbs() {
	mpi UCX_LOG_LEVEL=error -- --mca pml ob1 --mca btl openib,self --mca btl_base_verbose 100 \
		--mca btl_openib_allow_ib 1
	found "device=$dev" "Open MPI: its verbs component finds $dev"
}

# at_home CORE: what is shown there is to be shown here.
at_home() {
	[ "$KV_CORE" = "$1" ] || [ -n "${KV_WHOLE:-}" ]
}

verbs_utils
rdmacm
if at_home ours; then
	ucx
	openmpi mca_pml_ucx mpi_by_ucx
fi
if at_home stock; then
	libfabric
	openmpi mca_btl_openib mpi_by_verbs
fi
unload_cm
rm -f "$out"
