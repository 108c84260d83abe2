# Where -o leads to standard output, to a link or nowhere.
memlamp import --model 'sweep 0 1000 64' -o a.mlt 2>/dev/null

echo "a link to standard output, as /dev/stdout is one"
ln -s /proc/self/fd/1 stdout
{
	echo first
	memlamp plot -m plain -o stdout a.mlt timeline
	echo last
} >out
head -n 1 out
grep -c '</svg>' out
tail -n 1 out
test -L stdout && echo "the link is there"

echo "a link to a file"
mkdir folder
echo old >folder/file
ln -s folder/file link
memlamp plot -m plain -o link a.mlt timeline
grep -c '</svg>' folder/file
test -L link && echo "the link is there"
