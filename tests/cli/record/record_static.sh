# A statically linked program has heap blocks by name too, unless it is stripped; and then it
# is recorded all the same.
. "$SRC/tests/cli/record.inc"
echo 'int main(void) { return 0; }' >empty.c
cc -static empty.c -o empty 2>/dev/null || { echo "no static libc"; exit 77; }

build heap -static -fno-builtin
./heap where >native
memlamp record -q -o where.mlt ./heap where >recorded
cmp native recorded && cat native

named() {
	memlamp info --csv regions "$1" | tr -d '\r' | awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["kind"] == "heap" && $at["file"] ~ /heap.c$/ {
			print $at["region"], $at["type"], $at["bytes"], $at["blocks"] }' | sort
}
record ./heap
named heap.mlt >names
cat names
cp heap stripped
strip stripped
record ./stripped
echo "stripped:"
within "references" "$(number stripped.mlt references)" 1000 1000000
echo "position independent:"
build heap -static-pie -fno-builtin
record ./heap
named heap.mlt | cmp - names && echo "the same"

echo "fork:"
build fork -static
record -o f.mlt ./fork
memlamp dump --region heap f.[0-9]*.mlt | sed -n 's/.*# //p'
