# The program says what it can do, and what was wrong with what it was told.
show() {
	echo "\$ $*"
	"$@"
	status=$?
	test $status = 0 || echo "(status $status)"
}

show memlamp --help
show memlamp
show memlamp dupm
show memlamp whatever
show memlamp --whatever
show memlamp help dmup
show memlamp dump --form=csv x.mlt
show memlamp dump
show memlamp dump a b
show memlamp dump nowhere.mlt

# help CMD and CMD --help agree for every command, and go to stdout.
for name in $(memlamp --help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
	memlamp help "$name" >a 2>/dev/null
	memlamp "$name" --help >b 2>/dev/null
	cmp a b && grep -c "^Usage: memlamp $name " a
done

# Every option of a command's help is in its completion.
memlamp --completion >completion.bash && bash -n completion.bash
for name in $(memlamp --help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
	grep "^	$name) " completion.bash >line
	memlamp "$name" --help | grep -o -- '^ .*' | grep -o -- '--[a-z-]*' | sort -u |
		while read -r option; do
			grep -q -- "$option" line || echo "$name: $option is not completed"
		done
done

echo "what cannot be printed is a failure:"
for words in --version --help "help sim" "sim --list-machines"; do
	memlamp $words >/dev/full
	echo "(status $?)"
done
