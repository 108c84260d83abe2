#!/bin/sh
# flow.sh BUILD: how long flows take, in seconds of processor time (a busy machine says little
# by the clock), of the best of three runs: horizontal diffusion at 256 x 256 x 160 as
# formulas, by stack distances and on a machine; the local view at 100,000 accesses; cloudsc
# (DATASETS has it), if it is there. The peer is memlamp sim over a trace of as many
# references: what the simulator does in a second when it need not make the accesses.
set -eu
build=$(cd "${1:-build}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
datasets=${DATASETS:-$here/../../shared/datasets/sdfg}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export XDG_CACHE_HOME="$scratch/cache" # results are simulated anew
hdiff=$here/work/hdiff_flow.c
machine='L1 32K 8w 64B | L2 1M 16w | L3 32M 16w'

seconds() { # COMMAND...: user time of the best of three
	for _ in 1 2 3; do
		bash -c 'TIMEFORMAT=%U; time "$@" >/dev/null' - "$@" 2>&1 | tail -n 1
	done | sort -n | head -n 1
}
show() { # LABEL MILLIONS SECONDS
	awk -v l="$1" -v m="$2" -v s="$3" 'BEGIN {
		printf "%-46s %7.3f s", l, s
		if (m) printf "  %6.0f million accesses a second", m / (s > 0 ? s : 0.001)
		printf "\n"
	}'
}
echo "load $(cut -d ' ' -f 1-3 /proc/loadavg), $(nproc) processors; processor time"
show "hdiff as formulas" 0 "$(seconds "$build/memlamp" flow "$hdiff" -f hdiff)"
# 15 accesses at each of 256 x 256 x 160 points
sizes=I=256,J=256,K=160
show "hdiff 256x256x160, stack distances" 157.3 \
	"$(seconds "$build/memlamp" flow "$hdiff" -f hdiff -s $sizes)"
show "  and three levels of cache" 157.3 \
	"$(seconds "$build/memlamp" flow "$hdiff" -f hdiff -s $sizes -m "$machine" --no-causes)"
show "  loops k, j, i (no two iterations alike)" 157.3 \
	"$(seconds "$build/memlamp" flow "$hdiff" -f kji -s $sizes)"
# 15 x 24 x 24 x 12 accesses, with everything that the page shows of them
show "local view, 103,680 accesses" 0.10368 \
	"$(seconds "$build/memlamp" query "$hdiff" "/api/flows/0/local?set=I=24,J=24,K=12")"
show "  opened only" 0 "$(seconds "$build/memlamp" query "$hdiff" /api/flows/0)"
if [ -e "$datasets/cloudsc_simplified.sdfgz" ]; then
	show "cloudsc_simplified.sdfgz, opened and counted" 0 \
		"$(seconds "$build/memlamp" flow "$datasets/cloudsc_simplified.sdfgz")"
fi
cat >"$scratch/model.c" <<'C'
static double a[1 << 16];
int main(void)
{
	double s = 0;
	for (int r = 0; r < 300; r++)
		for (int i = 0; i < 1 << 16; i++)
			s += a[i];
	return s > 1;
}
C
if [ -e "$build/runtime/libmemlamp.so" ] &&
	"$build/memlamp" cc -g -O1 "$scratch/model.c" -o "$scratch/model" 2>/dev/null; then
	MEMLAMP="$scratch/model.mlt" "$scratch/model"
	show "peer: memlamp sim of a trace" 19.7 \
		"$(seconds sh -c 'rm -rf "$XDG_CACHE_HOME"; "$@"' - \
			"$build/memlamp" sim "$scratch/model.mlt" -m "$machine")"
fi
