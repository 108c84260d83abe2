# memset, memcpy and memmove of glibc are recorded as vectors, not byte by byte: a real
# processor moves lines. The user's own choice of glibc's thresholds stays.
. "$SRC/tests/cli/record.inc"

build bulk -fno-builtin
record -o bulk.mlt ./bulk
for region in cleared copied moved; do
	within "$region: a reference for each 16 to 64 bytes" "$(refs bulk.mlt --region $region)" \
		1024 13000
done
# every byte all the same
memlamp dump --region cleared bulk.mlt | awk '$2 == "w" { bytes += $4 } END { print bytes, "bytes of cleared are written" }'

echo "glibc's thresholds:"
movsb=glibc.cpu.x86_rep_movsb_threshold stosb=glibc.cpu.x86_rep_stosb_threshold
unset GLIBC_TUNABLES
say='echo "  $GLIBC_TUNABLES" | tr ":" " "'
record -o t.mlt sh -c "$say"
GLIBC_TUNABLES= record -o t.mlt sh -c "$say"
GLIBC_TUNABLES=glibc.malloc.arena_max=1 record -o t.mlt sh -c "$say"
GLIBC_TUNABLES=$stosb=4096 record -o t.mlt sh -c "$say"
GLIBC_TUNABLES=glibc.malloc.arena_max=1:$movsb=4096:$stosb=2048 record -o t.mlt sh -c "$say"
