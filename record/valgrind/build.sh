#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# build.sh OUTDIR: builds memlamp's Valgrind tool into OUTDIR, which can then be
# used as VALGRIND_LIB:
#
#   VALGRIND_LIB=OUTDIR valgrind --tool=memlamp --ring=PATH PROGRAM
#   VALGRIND_LIB=OUTDIR valgrind --tool=memlamp-noheap --ring=PATH PROGRAM
#
# The second is the same tool without the preloaded wrappers of allocators: Valgrind
# looks for a preload library by the name of the tool and finds none.
#
# CC is honoured; VALGRIND_INCLUDE, VALGRIND_ARCHIVES and VALGRIND_TOOLS name the
# directories of pub_tool_basics.h, libcoregrind and the other tools where they are
# not found by themselves.
set -eu

fail() {
	echo "record/valgrind/build.sh: $*" >&2
	exit 1
}

# find_dir FILE DIR...: the first directory that has the file
find_dir() {
	file=$1
	shift
	for dir; do
		if [ -n "$dir" ] && [ -e "$dir/$file" ]; then
			echo "$dir"
			return
		fi
	done
	fail "$file not found in: $*; is Valgrind installed, with its headers?"
}

[ $# = 1 ] || fail "usage: build.sh OUTDIR"
cc=${CC:-cc}
out=$1
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)

include=$(find_dir pub_tool_basics.h "${VALGRIND_INCLUDE:-}" /usr/include/valgrind \
	/usr/local/include/valgrind)
archives=$(find_dir libcoregrind-amd64-linux.a "${VALGRIND_ARCHIVES:-}" \
	/usr/lib/x86_64-linux-gnu/valgrind /usr/lib64/valgrind /usr/lib/valgrind \
	/usr/local/lib/valgrind)
tools=$(find_dir vgpreload_core-amd64-linux.so "${VALGRIND_TOOLS:-}" \
	/usr/libexec/valgrind "$archives" /usr/local/libexec/valgrind)

mkdir -p "$out"
out=$(cd "$out" && pwd)
for f in "$tools"/*; do
	ln -sf "$f" "$out/"
done

platform="-m64 -DVGA_amd64=1 -DVGO_linux=1 -DVGP_amd64_linux=1 -DVGPV_amd64_linux_vanilla=1"
warnings="-Wall -Wextra -Wshadow -Wconversion -Wno-unused-parameter -Werror"

# -fno-builtin and friends: there is no libc inside of Valgrind.
# --wrap: see main.c
# shellcheck disable=SC2086
"$cc" -std=gnu11 -O2 -g $platform $warnings \
	-fno-pie -fno-stack-protector -fno-strict-aliasing -fno-builtin \
	-I"$root" -isystem "$include" \
	-Wno-unused-command-line-argument -static -no-pie -nodefaultlibs -nostartfiles -u _start \
	-Wl,--build-id=none -Wl,-Ttext-segment=0x58000000 \
	-Wl,--wrap=vgPlain_kill_self,--wrap=vgModuleLocal_read_debuginfo_dwarf3 \
	-Wl,--wrap=vgPlain_should_we_trace_this_child \
	-o "$out/memlamp-amd64-linux.new" \
	"$here/main.c" "$here/out.c" "$here/shape.c" "$here/code.c" "$here/instrument.c" \
	"$here/threads.c" "$here/maps.c" "$here/heap.c" "$here/requests.c" "$here/load.c" \
	"$here/system.c" "$here/has_hooks.c" "$here/values.c" "$here/strings.c" "$here/streaming.c" \
	"$archives/libcoregrind-amd64-linux.a" "$archives/libvex-amd64-linux.a" -lgcc

# shellcheck disable=SC2086
"$cc" -std=gnu11 -O -g $platform $warnings -Wno-missing-prototypes \
	-fPIC -fno-builtin -fno-stack-protector -fno-omit-frame-pointer \
	-I"$root" -isystem "$include" \
	-shared -nodefaultlibs -Wl,-z,interpose,-z,initfirst \
	-o "$out/vgpreload_memlamp-amd64-linux.so.new" "$here/preload.c"

# A running recording keeps the old files.
mv -f "$out/memlamp-amd64-linux.new" "$out/memlamp-amd64-linux"
mv -f "$out/vgpreload_memlamp-amd64-linux.so.new" "$out/vgpreload_memlamp-amd64-linux.so"
ln -sf memlamp-amd64-linux "$out/memlamp-noheap-amd64-linux"
