#!/bin/sh
# make bench: what recording costs programs built by memlamp cc, against the same program
# alone, built but not recorded, and recorded under Valgrind.
#
#	bench/cc.sh BUILD [PROGRAM...]     programs: gzip hash matmul
#
# gzip is built from Debian's source package, which is fetched; without it that row is left out.
set -eu
build=$(cd "$1" && pwd)
src=$(cd "$(dirname "$0")/.." && pwd)
shift
[ $# -gt 0 ] || set -- gzip hash matmul
dir=$(mktemp -d)
chmod 755 "$dir" # apt-get fetches as a user of its own
trap 'rm -rf "$dir"' EXIT INT TERM
cd "$dir"
PATH=$build:$PATH
unset CC MEMLAMP MEMLAMP_RING

for w in hash matmul; do
	cc -O1 -g -o $w "$src/bench/work/$w.c"
	memlamp cc -O1 -o cc-$w "$src/bench/work/$w.c"
done

# gzip as it comes, only the compiler is another; GZIP_SOURCE may name an unpacked one
fetch_gzip() {
	[ -n "${GZIP_SOURCE:-}" ] && { cp -a "$GZIP_SOURCE" gzip-source; return; }
	mkdir -p apt/lists/partial
	echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian bookworm main" >apt/sources.list
	set -- -qq -o Dir::Etc::sourcelist="$dir/apt/sources.list" -o Dir::Etc::sourceparts=- \
		-o Dir::State::lists="$dir/apt/lists" -o Dir::Cache="$dir/apt"
	apt-get "$@" update && apt-get "$@" source --download-only gzip || return 1
	mkdir gzip-source && tar xf gzip_*.orig.tar.[gx]z -C gzip-source --strip-components 1
}

build_gzip() {
	fetch_gzip >fetched 2>&1 || return 1
	mkdir plain told
	(cd plain && ../gzip-source/configure CFLAGS="-O2 -g" && make) >built 2>&1
	(cd told && ../gzip-source/configure CC="memlamp cc" CFLAGS="-O2 -g" && make) >built 2>&1
	cp plain/gzip gzip && cp told/gzip cc-gzip
	find /usr/include -name '*.h' | LC_ALL=C sort | xargs cat 2>/dev/null | head -c 40000000 >text
}

arguments() {
	case $1 in
	gzip) echo -c text ;;
	hash) echo 40000000 ;;
	matmul) echo 700 ;;
	*) echo "bench: no program '$1'" >&2; exit 2 ;;
	esac
}

# seconds COMMAND...: the fastest of three runs
seconds() {
	best=
	for _ in 1 2 3; do
		start=$(date +%s%N)
		"$@" >/dev/null 2>"$dir/said"
		took=$(($(date +%s%N) - start))
		if [ -z "$best" ] || [ $took -lt $best ]; then best=$took; fi
	done
	awk "BEGIN { printf \"%.3f\", $best / 1e9 }"
}

printf '%-8s %8s %8s %8s %8s %10s %10s %12s %10s %10s\n' program native unrec. record valgrind \
	'rec/native' 'vg/rec' references 'M refs/s' 'bytes/ref'
for w; do
	if [ "$w" = gzip ] && ! build_gzip; then
		echo "gzip: its source cannot be had here"
		continue
	fi
	args=$(arguments "$w")
	native=$(seconds ./$w $args)
	off=$(seconds ./cc-$w $args)
	record=$(seconds memlamp record -q -o cc.mlt ./cc-$w $args)
	valgrind=$(seconds memlamp record -q -o vg.mlt ./$w $args)
	refs=$(memlamp info --json cc.mlt | awk -F'[:, ]+' '/"references"/ { print $3; exit }')
	awk -v w="$w" -v native="$native" -v off="$off" -v record="$record" -v vg="$valgrind" \
		-v refs="$refs" -v bytes="$(wc -c <cc.mlt)" 'BEGIN {
		printf "%-8s %8.2f %8.2f %8.2f %8.2f %10.1f %10.1f %12.0f %10.0f %10.4f\n", w, native, off,
			record, vg, record / native, vg / record, refs, refs / record / 1e6, bytes / refs }'
	rm -f cc.mlt vg.mlt
done
