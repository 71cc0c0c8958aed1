# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Functions for scripts that run inside a guest: loading the chosen core and
# drivers, making network devices and RDMA links, finding a GID. guest-init
# sources it; a script may do so too (". $KV_TREE/tools/testing/qemu/guest-lib.sh").
#
# Set by the host: KV_TREE KV_BUILD KV_KREL KV_CORE KV_DRIVER KV_LIB KV_IMAGE.
# KV_SLOW=N: the kernel is N times slower than stock; KV_LEAKS=1: its kmemleak watches;
# KV_LEAKS_KNOWN: the kernel's own functions that leak; KV_COVERAGE=1: it counts lines.
# Set here: KV_DEV, the first RDMA device; LD_LIBRARY_PATH for the shim.

KV_STOCK=$KV_IMAGE/lib/modules/$KV_KREL/kernel/drivers/infiniband
KV_OURS=$KV_BUILD/$KV_KREL
KV_SHIM=$KV_BUILD/lib
KV_RDMA_MODULES='ib_core ib_uverbs rdma_rxe siw rdma_cm ib_cm iw_cm ib_umad rdma_ucm ib_ipoib'

# The stock module tree is visible, but nothing may load stock RDMA modules
# behind our back (rdma link add asks the kernel to).
kv_modules_chosen() {
	printf 'install %s /bin/false\n' $KV_RDMA_MODULES >/etc/modprobe.d/kverbs.conf
}

# kv_insmod FILE [PARAMETERS]: loads a module after what it depends on. What is there already, or
# was chosen by the caller, in order, is not asked for: programs start slowly here.
kv_insmod() {
	local file=$1 depends dep needed=()
	shift
	depends=$(modinfo -F depends "$file")
	for dep in ${depends//,/ }; do
		case " $KV_RDMA_MODULES " in
		*" $dep "*) ;;
		*) [ -d "/sys/module/${dep//-/_}" ] || needed+=("$dep") ;;
		esac
	done
	[ ${#needed[@]} = 0 ] || modprobe -a "${needed[@]}" || return
	insmod "$file" "$@"
}

kv_load_core() {
	case $KV_CORE in
	ours) kv_insmod "$KV_OURS/ib_core.ko" && kv_insmod "$KV_OURS/ib_uverbs.ko" ;;
	stock) kv_insmod "$KV_STOCK/core/ib_core.ko" && kv_insmod "$KV_STOCK/core/ib_uverbs.ko" ;;
	none) ;;
	esac
}

kv_load_driver() {
	case $1 in
	# shellcheck disable=SC2086
	shca) kv_insmod "$KV_OURS/shca.ko" ${KV_SHCA_PARAMETERS:-} ;;
	rxe) kv_insmod "$KV_STOCK/sw/rxe/rdma_rxe.ko" ;;
	esac
}

# kv_netdev NAME NUMBER: a dummy interface with an IPv4 and an IPv6 address.
kv_netdev() {
	ip -batch - <<-END
		link add $1 address 02:00:00:00:77:0$2 type dummy
		addr add 10.77.$2.1/24 dev $1
		addr add fd77:$2::1/64 dev $1 nodad
		link set $1 mtu 4200 up
	END
}

# kv_link DRIVER NETDEV: the RDMA device DRIVER0 on NETDEV.
kv_link() {
	rdma link add "${1}0" type "$1" netdev "$2" || return
	kv_device_node "${1}0"
}

# devtmpfs makes /dev/infiniband/*; where a core does not name them, sysfs helps.
kv_device_node() {
	local dir node name
	for dir in /sys/class/infiniband_verbs/uverbs*; do
		{ read -r name <"$dir/ibdev"; } 2>/dev/null && [ "$name" = "$1" ] || continue
		node=/dev/infiniband/${dir##*/}
		[ -e "$node" ] && return 0
		mkdir -p /dev/infiniband
		tr ':' ' ' <"$dir/dev" | { read -r major minor && mknod -m 666 "$node" c "$major" "$minor"; }
		return
	done
	echo "guest: no uverbs device for $1"
	return 1
}

# kv_gid DEV: index of the RoCE v2 GID that maps an IPv4 address.
kv_gid() {
	local port=/sys/class/infiniband/$1/ports/1 gid n
	for gid in $(cd "$port/gids" && printf '%s\n' * | sort -n); do
		n=$gid
		grep -q '^0000:0000:0000:0000:0000:ffff:' "$port/gids/$n" || continue
		grep -q 'RoCE v2' "$port/gid_attrs/types/$n" 2>/dev/null || continue
		echo "$n"
		return 0
	done
	return 1
}

# kv_use_lib shim|stock: which libibverbs.so.1 programs start with.
kv_use_lib() {
	case $1 in
	shim) export LD_LIBRARY_PATH=$KV_SHIM ;;
	stock) unset LD_LIBRARY_PATH ;;
	esac
}

# What boot leaves behind is not ours: kmemleak forgets it.
kv_leaks_forget() {
	[ -n "${KV_LEAKS:-}" ] || return 0
	echo scan=off >/sys/kernel/debug/kmemleak && echo clear >/sys/kernel/debug/kmemleak
}

# Of what kmemleak tells, what did not go through a function of KV_LEAKS_KNOWN.
kv_leaks_unknown() {
	awk -v known="${KV_LEAKS_KNOWN:-^$}" '
		function end() { if (!skip) printf "%s", block; block = ""; skip = 0 }
		/^unreferenced object/ { end() }
		{ block = block $0 "\n" }
		$0 ~ known { skip = 1 }
		END { end() }' /sys/kernel/debug/kmemleak
}

# kv_leaks WHEN: what nobody points to any more. kmemleak believes in a leak only when it is
# five seconds old and unchanged since the scan before.
kv_leaks() {
	local found=/results/leaks-$1
	[ -n "${KV_LEAKS:-}" ] || return 0
	sleep 6
	echo scan >/sys/kernel/debug/kmemleak && echo scan >/sys/kernel/debug/kmemleak &&
		kv_leaks_unknown >"$found" || return
	[ -s "$found" ] || return 0
	echo "guest: kmemleak, $1:"
	head -n 60 "$found"
	return 1
}

# What gcov counted in our modules, also in those that were unloaded.
kv_coverage() {
	local from=/sys/kernel/debug/gcov file
	[ -n "${KV_COVERAGE:-}" ] || return 0
	(cd "$from" && find . -name '*.gcda') | while read -r file; do
		mkdir -p "/results/gcov/$(dirname "$file")" && cat "$from/$file" >"/results/gcov/$file"
	done
}

kv_setup() {
	local driver number=0
	kv_leaks_forget || return
	kv_modules_chosen || return
	echo 0 2>/dev/null >/proc/sys/net/ipv6/conf/default/accept_dad
	echo $((30 * ${KV_SLOW:-1})) >/proc/sys/kernel/hung_task_timeout_secs
	ip link set lo up
	kv_load_core || return
	modprobe dummy numdummies=0 || return
	case $KV_DRIVER in
	both) set -- rxe shca ;;
	none) set -- ;;
	*) set -- "$KV_DRIVER" ;;
	esac
	for driver in "$@"; do
		kv_load_driver "$driver" && kv_netdev "dummy$number" "$number" &&
			kv_link "$driver" "dummy$number" || return
		[ "$number" != 0 ] || KV_DEV=${driver}0
		number=$((number + 1))
	done
	export KV_DEV
	kv_use_lib "$KV_LIB"
}

# Everything that was loaded must go again: a leaked reference shows here.
kv_teardown() {
	local dev module tries leaks=0 loaded
	[ -z "${KV_KEEP:-}" ] || return 0
	for dev in /sys/class/infiniband/*; do
		[ -e "$dev" ] || continue
		timeout 20 rdma link delete "${dev##*/}" || return
	done
	kv_leaks loaded || leaks=1
	for tries in 1 2 3 4 5 6; do
		loaded=
		for module in shca rdma_rxe ib_uverbs ib_core; do
			[ ! -d "/sys/module/$module" ] || loaded+=" $module"
		done
		# shellcheck disable=SC2086
		[ -z "$loaded" ] || timeout 40 rmmod $loaded 2>/tmp/rmmod && break
		[ "$tries" != 6 ] || { cat /tmp/rmmod; return 1; }
		sleep 0.5
	done
	kv_coverage
	kv_leaks unloaded && [ "$leaks" = 0 ]
}
