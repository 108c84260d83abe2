#!/bin/sh
# tools/deps.sh build|test|package...: installs, by apt-get, what is missing for that.
# Looks for the thing itself, not for the package, so that one's own builds count and
# the usual case costs milliseconds.
set -eu

missing=

need() { # package, then a command that succeeds when it is there
	package=$1
	shift
	"$@" >/dev/null 2>&1 || missing="$missing $package"
}

have() {
	command -v "$1"
}

have_valgrind() {
	have valgrind && test -e "${VALGRIND_INCLUDE:-/usr/include/valgrind}/pub_tool_basics.h"
}

node_is_new() {
	have node && node -e 'process.exit(parseInt(process.versions.node) < 18 ? 1 : 0)'
}

# python3-minimal has no json
python_is_whole() {
	have python3 && python3 -c 'import json, statistics, xml.dom.minidom'
}

has_isl() { # flow proves dependences by it; gcc brings it along
	PATH=$PATH:/sbin:/usr/sbin ldconfig -p | grep -q 'libisl\.so'
}
clang_fuzzes() {
	for runtime in "$(clang -print-resource-dir)"/lib/*/libclang_rt.fuzzer*.a; do
		test -e "$runtime"
		return
	done
}

for group; do
	case $group in
	build)
		need gcc have gcc
		need libc6-dev test -e /usr/include/stdio.h
		need cmake have cmake
		need ninja-build have ninja
		if ! have pkg-config >/dev/null; then
			missing="$missing pkg-config libzstd-dev libdw-dev libelf-dev libhwloc-dev libcmocka-dev libjansson-dev zlib1g-dev"
		elif ! pkg-config --exists libzstd libdw libelf hwloc cmocka jansson zlib; then
			need libzstd-dev pkg-config --exists libzstd
			need libdw-dev pkg-config --exists libdw
			need libelf-dev pkg-config --exists libelf
			need libhwloc-dev pkg-config --exists hwloc
			need libcmocka-dev pkg-config --exists cmocka
			need libjansson-dev pkg-config --exists jansson
			need zlib1g-dev pkg-config --exists zlib
		fi
		need libmicrohttpd-dev pkg-config --exists libmicrohttpd
		need nodejs node_is_new
		need npm have npm
		need libiberty-dev test -e /usr/include/libiberty/demangle.h
		need valgrind have_valgrind
		need libclang-19-dev test -e /usr/lib/llvm-19/include/clang-c/Index.h
		;;
	test)
		need clang have clang
		need clang-format have clang-format
		need libclang-rt-14-dev clang_fuzzes
		need libisl23 has_isl
		need g++ have g++
		need gfortran have gfortran
		need sqlite3 have sqlite3
		need gzip have gzip
		need python3 python_is_whole
		need zstd have zstd
		need chromium have chromium
		need libopenmpi-dev have mpicc
		need openmpi-bin have mpirun
		need ripser have ripser-coeff
		;;
	package)
		need dpkg-dev have dpkg-shlibdeps
		need file have file
		;;
	*)
		echo "tools/deps.sh: no group '$group'" >&2
		exit 2
		;;
	esac
done

test -n "$missing" || exit 0

if ! have apt-get >/dev/null; then
	echo "Please install what Debian calls:$missing" >&2
	exit 1
fi
sudo=
test "$(id -u)" = 0 || sudo=sudo
echo "Installing:$missing"
$sudo apt-get -qq update
# shellcheck disable=SC2086
$sudo env DEBIAN_FRONTEND=noninteractive \
	apt-get -qq -y --no-install-recommends install $missing >/dev/null
