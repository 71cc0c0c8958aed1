# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# What a guest boots: Debian's stock kernel image of the same release as the
# headers or a kernel that was built from source, and an initramfs that mounts the
# host's file system. All live in a cache outside the tree. Sourced by guest; needs
# lib.sh of tools/build.

CACHE=${KVERBS_CACHE:-$HOME/.cache/kverbs}
PVH_ENTRY='(0x00000012)'	# the ELF note's type, as readelf shows it
INITRAMFS_MODULES="virtio_pci 9pnet_virtio 9p overlay"

image_download() {
	(cd "$IMAGE.tmp" && apt-get -qq download "linux-image-$KREL" 2>/dev/null)
}

# Unpacks linux-image-$KREL into the cache, once, without installing it.
image_fetch() {
	IMAGE=$CACHE/image-$KREL
	[ ! -f "$IMAGE/.complete" ] || return 0
	say IMAGE "fetching linux-image-$KREL (once)"
	rm -rf "$IMAGE.tmp"
	mkdir -p "$IMAGE.tmp"
	image_download || { [ "$(id -u)" = 0 ] && apt-get -qq update && image_download; } ||
		die "cannot download linux-image-$KREL (are the headers of an older release?)"
	dpkg -x "$IMAGE.tmp/linux-image-$KREL"_*.deb "$IMAGE.tmp" && depmod -b "$IMAGE.tmp" "$KREL" ||
		die "cannot unpack linux-image-$KREL"
	rm -f "$IMAGE.tmp"/linux-image-*.deb
	[ -f "$IMAGE.tmp/boot/vmlinuz-$KREL" ] || die "linux-image-$KREL has no kernel"
	touch "$IMAGE.tmp/.complete"
	rm -rf "$IMAGE"
	mv "$IMAGE.tmp" "$IMAGE"
}

# number_at OFFSET BYTES FILE
number_at() {
	od -An -v -t "u$2" -j "$1" -N "$2" "$3" | tr -d ' '
}

# Sets KERNEL: what is booted. Emulated, a kernel takes as long to unpack itself as to boot, so it is
# unpacked here, once; one that has no PVH entry can only be started packed. (Where the payload
# stands, and its length, are fields of the boot protocol's header.)
image_unpack() {
	local packed=$IMAGE/boot/vmlinuz-$KREL start length
	KERNEL=$IMAGE/boot/vmlinux-$KREL
	if [ ! -e "$KERNEL" ] || [ "$packed" -nt "$KERNEL" ]; then
		start=$((($(number_at $((0x1f1)) 1 "$packed") + 1) * 512 + $(number_at $((0x248)) 4 "$packed")))
		length=$(number_at $((0x24c)) 4 "$packed")
		tail -c "+$((start + 1))" "$packed" | head -c "$length" |
			xz -dc --single-stream >"$KERNEL.$$" 2>/dev/null || true
		readelf -n "$KERNEL.$$" 2>/dev/null | grep -q "$PVH_ENTRY" || : >"$KERNEL.$$"
		mv "$KERNEL.$$" "$KERNEL"
	fi
	[ -s "$KERNEL" ] || KERNEL=$packed
}

# The build folder of a kernel ($KDIR), laid out like an unpacked image of Debian's: its
# infiniband modules are the stock ones there.
image_link() {
	IMAGE=$KDIR/image
	[ ! -f "$IMAGE/.complete" ] || return 0
	rm -rf "$IMAGE"
	mkdir -p "$IMAGE/boot"
	ln -s "$KDIR/arch/x86/boot/bzImage" "$IMAGE/boot/vmlinuz-$KREL"
	make -s -C "$KDIR" modules_install INSTALL_MOD_PATH="$IMAGE" >"$KDIR/install.log" 2>&1 ||
		die "cannot install the modules of $KDIR: install.log there"
	[ -f "$KDIR/arch/x86/boot/bzImage" ] || die "no kernel in $KDIR"
	touch "$IMAGE/.complete"
}

# Module files that the initramfs needs, in the order of loading; none where all is built in.
initramfs_modules() {
	local name
	for name in $INITRAMFS_MODULES; do
		modprobe -d "$IMAGE" -S "$KREL" --show-depends "$name"
	done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }'
}

# Builds $INITRD from busybox, those modules and the init script.
initramfs_build() {
	local init=$QEMU_DIR/initramfs-init stage path
	INITRD=$CACHE/initrd-$KREL-$(cksum <"$init" | cut -d' ' -f1)${kernel:+-built-in}.gz
	[ ! -f "$INITRD" ] || return 0
	stage=$(mktemp -d)
	mkdir -p "$stage"/{bin,dev,proc,sys,modules,lower,rw,newroot}
	cp "$(command -v busybox)" "$stage/bin/busybox"
	install -m 0755 "$init" "$stage/init"
	: >"$stage/modules/order"
	for path in $(initramfs_modules); do
		cp "$path" "$stage/modules/"
		basename "$path" >>"$stage/modules/order"
	done
	[ -s "$stage/modules/order" ] || [ -n "${kernel:-}" ] || die "no modules for the initramfs in $IMAGE"
	(cd "$stage" && find . | cpio --quiet -o -H newc | gzip -1) >"$INITRD.$$"
	mv "$INITRD.$$" "$INITRD"
	rm -rf "$stage"
}

# Sets ACCEL: KVM where a guest really boots with it, else software emulation, and EMULATED: kernel
# parameters that an emulated one is better off with. Without them its clock is a device (HPET, as time
# stamp counters of unknown make may not agree), and each indirect call a detour.
# Some machines offer a /dev/kvm whose guests hang, hence the probe.
accel_choose() {
	local mark=$CACHE/kvm-$KREL
	ACCEL=tcg,thread=multi
	EMULATED='tsc=reliable mitigations=off'
	[ -w /dev/kvm ] && [ -z "${KVERBS_NO_KVM:-}" ] || return 0
	if [ ! -f "$mark" ]; then
		echo no >"$mark.$$"
		if timeout -k 1 10 qemu-system-x86_64 -accel kvm -cpu host -m 512M -nodefaults \
			-no-reboot -display none -serial stdio -kernel "$IMAGE/boot/vmlinuz-$KREL" \
			-initrd "$INITRD" -append "console=ttyS0 panic=-1 kverbs.probe" \
			</dev/null 2>/dev/null | grep -q 'kverbs probe: alive'; then
			echo yes >"$mark.$$"
		fi
		mv "$mark.$$" "$mark"
	fi
	[ "$(cat "$mark")" = no ] || ACCEL=kvm EMULATED=
}
