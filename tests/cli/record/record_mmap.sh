# Memory that the program maps itself is a region, named like what it allocates.
. "$SRC/tests/cli/record.inc"
build mapped
record ./mapped
is "written to the pages" "$(refs mapped.mlt --region own_pages --kind w)" $((512 + 256))
memlamp info --csv regions mapped.mlt | awk -F, '$5 == "own_pages" { print $5, $6, $9 " bytes", $10 " blocks" }'
