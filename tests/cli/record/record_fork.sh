# Each process has a trace of its own: after fork, after exec, in a pipeline.
. "$SRC/tests/cli/record.inc"

build fork
echo "fork:"
record -o f.mlt ./fork
is traces "$(ls f*.mlt | wc -l)" 2
child=$(ls f.*.mlt)
for array in before parent child; do
	echo "$array: $(refs f.mlt --region $array) by the parent," \
		"$(refs "$child" --region $array) by the child"
done
memlamp dump --region heap f.mlt | sed -n 's/.*# //p'
memlamp dump --region heap "$child" | sed -n 's/.*# //p'
memlamp info --json f.mlt | grep '"exit status"'
memlamp info --json "$child" | grep '"exit status"'
rm ./*.mlt

echo "exec:"
cat >script <<END
#!/bin/sh
/bin/echo one
./fork
exec /bin/echo two
END
chmod +x script
memlamp record -o s.mlt ./script 2>summary
# the shell, its fork that became echo (two programs), the one that became ./fork with its
# child, and the exec of the shell itself
is traces "$(ls s*.mlt | wc -l)" 7
sed -n 's/.*references.*, of //p' summary | sort | uniq -c | sed 's/^ *//'
for trace in s*.mlt; do
	memlamp info "$trace" >/dev/null || echo "$trace cannot be read"
done
rm ./*.mlt

echo "pipeline:"
memlamp record -o p.mlt sh -c 'seq 1000 | gzip -c | gzip -dc | tail -n 1' 2>summary
sed -n 's/.*references.*, of //p' summary | sort -u
is "all readable" "$(for t in p*.mlt; do memlamp info "$t" >/dev/null && echo ok; done | wc -l)" \
	"$(ls p*.mlt | wc -l)"
