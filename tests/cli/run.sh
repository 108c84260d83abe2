#!/bin/sh
# run.sh SRC BUILD NAME: runs tests/cli/ROOM/NAME.sh in a scratch folder, with the built
# memlamp in PATH, and compares what it prints (stdout and stderr together) with
# NAME.out beside it, or $OUT.out. UPDATE=1 rewrites that file. A script that ends with 77 is skipped; any other
# status but 0 is a failure.
set -u
SRC=$1 BUILD=$2 name=$3
export SRC BUILD

set -- "$SRC"/tests/cli/*/"$name.sh"
script=$1
expected=${script%/*}/${OUT:-$name}.out

scratch=$(mktemp -d "${TMPDIR:-/tmp}/memlamp-$name.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/home" "$scratch/cwd"

cd "$scratch/cwd" || exit 1
PATH=$BUILD:$PATH HOME=$scratch/home LC_ALL=C TZ=UTC XDG_CACHE_HOME=$scratch/home/cache \
	sh "$script" >"$scratch/out" 2>&1 </dev/null
status=$?

test $status = 77 && { cat "$scratch/out"; exit 77; }
if [ $status != 0 ]; then
	cat "$scratch/out"
	echo "$name.sh ended with status $status"
	exit 1
fi
if [ "${UPDATE:-}" = 1 ]; then
	cp "$scratch/out" "$expected"
fi
diff -u "$expected" "$scratch/out"
