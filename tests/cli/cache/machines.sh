# docs/machines.md has every preset; nonsense is refused with the word and the reason.
memlamp sim --list-machines | sed '1d; s/ .*//' | while read -r name; do
	test "$name" = host || grep -q "^\*\*$name\*\*: " "$SRC/docs/machines.md" ||
		echo "docs/machines.md has no $name"
done

echo 'r0 r64' >a.txt
memlamp import a.txt 2>/dev/null
for machine in 'zenn4' 'L1 32K lruu' 'L1 96 5w 16B' 'L1 1K | L2 4K opt inclusive'; do
	memlamp sim -m "$machine" a.mlt
	echo "(status $?)"
done

# 640 lines in order, 64 of them a page: the stream prefetcher of L2 misses three a page.
memlamp import --model 'sweep 0 640 64' -o s.mlt 2>/dev/null
machine='L1 64 1w 4c | L2 8K full prefetch=stream*4 14c | memory 100c | TLB 1e 1w 512 | walk 30c'
for without in '' --no-prefetch --no-tlb '--no-prefetch --no-tlb'; do
	# shellcheck disable=SC2086
	memlamp sim --no-cache -m "$machine" $without --json s.mlt >sim.json
	# shellcheck disable=SC2086
	memlamp ensemble -m "$machine" $without --json s.mlt >ensemble.json
	python3 - "$without" <<'END'
import json, sys
sim, ensemble = json.load(open("sim.json")), json.load(open("ensemble.json"))
time = sim["cycles_per_reference"]
assert abs(ensemble["members"][0]["time"] - time) < 1e-9
print(f"without [{sys.argv[1]}]: {sim['served_by_memory']} from memory, "
      f"{sum(t['misses'] for t in sim['tlbs'])} walks, {time:.3f} cycles")
END
done
