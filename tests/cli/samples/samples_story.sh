# The LULESH walk of docs/view-samples.md, on every 16th sample: totals by line, variable, level
# and CPU, L and I of each tier, and CPUs along z are those of a script that knows no memlamp.
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
python3 "$SRC/tests/lulesh_story.py" "$SRC/tests/samples/lulesh" "$(command -v memlamp)"
echo "status $?"
