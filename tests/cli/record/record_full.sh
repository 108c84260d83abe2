# The disk is full before the recording ends: that is said, the program goes on, and what was
# written can be read. Needs the right to mount.
. "$SRC/tests/cli/record.inc"
mkdir small
if ! unshare -m mount -t tmpfs none small 2>/dev/null; then
	echo "cannot mount"
	exit 77
fi
build random
cat >inside <<'END'
mount -t tmpfs -o size=1m none small
memlamp record -o small/x.mlt ./random 8000000 2>err
echo "(status $?)"
sed 's/x.mlt: [0-9].* references.*/x.mlt: .../; s/byte [0-9]*/byte N/' err
memlamp info small/x.mlt >info || echo "cannot be read"
grep -o 'CUT OFF' info
END
unshare -m sh inside
