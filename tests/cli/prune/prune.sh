# Search spaces on the command line.
show() {
	echo "\$ $*"
	"$@" 2>&1
	status=$?
	test $status = 0 || echo "(status $status)"
}
cp "$SRC/examples/spaces/gemm.txt" "$SRC/examples/spaces/tiled.txt" .
gemm=gemm.txt tiled=tiled.txt

# Table I of the paper: 86,731,224 variants, 1,223 survivors, and what each constraint
# eliminates. Figure 12: low_occupancy_regs makes two others redundant. (Figure 9 has 57.28
# for over_max_shmem_per_block behind over_max_threads; here it is 57.26.)
echo '$ memlamp prune gemm.txt --order ...'
memlamp prune "$gemm" --order over_max_threads,over_max_shmem_per_block --combinations 2 \
	--list 2 --nearest 2

# The table of combinations says the same, and both engines do.
memlamp prune "$gemm" --csv combinations >gemm.csv
wc -l <gemm.csv
memlamp prune gemm.csv --csv constraints >again
memlamp prune "$gemm" --engine interpreter --csv constraints | cmp - again && echo same
memlamp prune "$gemm" --engine interpreter --csv variants | sort >interpreted
memlamp prune "$gemm" --engine native --csv variants | sort | cmp - interpreted && echo same

show memlamp prune "$tiled" --pairs --sample 3
show memlamp prune "$tiled" --where 'partial_tiles,!odd_tile,!k_inside_out' --list 2
show memlamp prune "$tiled" --csv constraints --order over_cache,partial_lines
show memlamp prune "$tiled" --histograms --bins 8
show memlamp prune "$tiled" --json --list 1 --histograms --bins 2

# Why nothing passes.
cat >none.txt <<'END'
space none
a in 1..10
b in 1..10
hard small: a + b < 12
hard large: a + b > 8
soft odd: a mod 2 != 0
END
show memlamp prune none.txt

# What goes wrong.
printf 'space x\na in 1..b\n' >bad.txt
show memlamp prune bad.txt
printf 'hard:a,count\n2,1\n' >bad.csv
show memlamp prune bad.csv
show memlamp prune gemm.csv --list 3
show memlamp prune "$tiled" --order nothing
show memlamp prune "$tiled" --where odd_tile,odd_tile
show memlamp prune "$tiled" --csv x
show memlamp prune "$tiled" --engine x
show memlamp prune "$tiled" --engine native --cc /nonexistent/cc
show memlamp prune missing.txt
