# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Small facts that the build scripts share: where the tree is, which kernel
# headers are in use and what their release is called. Sourced, never run.

TREE=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
BUILD=${BUILD:-$TREE/build}

# say WHAT...: one progress line, in the form that kbuild uses.
say() {
	printf '  %-8s %s\n' "$1" "${*:2}"
}

die() {
	printf 'error: %s\n' "$*" >&2
	exit 1
}

# Sets KDIR (when empty) and KREL.
kernel_headers() {
	if [ -z "${KDIR:-}" ]; then
		KDIR=/lib/modules/$(uname -r)/build
		[ -d "$KDIR" ] || KDIR=$(printf '%s\n' /lib/modules/*/build | sort -V | tail -n 1)
	fi
	[ -f "$KDIR/Makefile" ] || die "no kernel headers at '$KDIR' (make deps, or KDIR=)"
	KREL=$(sed -n 's/^#define UTS_RELEASE "\(.*\)"/\1/p' \
		"$KDIR/include/generated/utsrelease.h")
	[ -n "$KREL" ] || die "the headers at '$KDIR' do not say their release"
}
