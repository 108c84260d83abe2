# One HTML file: well-formed, whole, escaped, and without anything from elsewhere.
show() {
	echo "\$ $*"
	"$@" 2>&1
	status=$?
	test $status = 0 || echo "(status $status)"
}
M='L1 64 1w 64B 1c | L2 128 2w 3c | memory 11c'
cat >a.txt <<END
region "<script>A</script>" 0x1000 512 8 8 8
begin "<b>load"
r 0x1000 8 1 "a&b.c":12 f<int>
r 0x1040 8 1 "a&b.c":12 f<int>
r 0x1000 8 1 "a&b.c":13 f<int>
end "<b>load"
w 0x1080 8 1 "a&b.c":14 f<int>
w 0x1080 8 1 "a&b.c":14 f<int>
gap 7 sampling
r 0x10c0 8 1 "a&b.c":14 f<int>
END
memlamp import a.txt 2>/dev/null

cat >look.py <<END
import re, sys
from html.parser import HTMLParser
VOID = {"meta"}
class Look(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.text, self.ids, self.row = [], "", [], None
    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag == "script" or any(k.startswith("on") or k == "src" for k in attrs):
            print("SCRIPT", tag, attrs)
        if attrs.get("href", "#")[0] != "#":
            print("LINK", attrs)
        if "id" in attrs:
            self.ids.append(attrs["id"])
        if tag == "tr":
            self.row = []
        if tag not in VOID:
            self.open.append(tag)
    def handle_startendtag(self, tag, attrs):
        pass
    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            print("NOT CLOSED", tag)
        if tag == "tr":
            print("|".join(self.row))
            self.row = None
    def handle_data(self, data):
        if self.open and self.open[-1] == "style":
            if "url(" in data or "@import" in data:
                print("STYLE from elsewhere")
            return
        data = data.strip()
        if data and self.row is not None:
            self.row.append(data)
        elif data and "svg" not in self.open:
            print(" ", data)
look = Look()
text = open(sys.argv[1], encoding="utf-8").read()
look.feed(text)
look.close()
print("open:", look.open, "ids:", look.ids)
END
show memlamp report -m "$M" a.mlt
python3 look.py a.html | sed 's/recorded .*/recorded DATE/'

# The same trace and machine make the same file.
memlamp report -m "$M" a.mlt -o - | cmp - a.html && echo same

# A window, told by a phase.
memlamp report -m "$M" --phase '<b>load' --top 1 a.mlt -o - >b.html
python3 look.py b.html | sed -n '/^  Window/,/^  Findings/p; /^open/p'

# Nothing but what was asked for is left behind, and what fails leaves nothing.
show ls
show memlamp report -m "$M" a.mlt -o missing/a.html
show memlamp report -m "$M" a.mlt -o /dev/full
show memlamp report -m "$M" a.mlt -o /
show memlamp report a.mlt --mode colour
show memlamp report -m "$M" a.mlt --phase store
show memlamp report
show memlamp report missing.mlt

# Ctrl-C, at whatever moment: the file is the old one or whole, and none is left beside.
memlamp import --model 'random 0 1000000 3000000 8' -o big.mlt 2>/dev/null
echo old >big.html
timeout -s INT 0.3 memlamp report -m "$M" big.mlt 2>/dev/null
tail -n 1 big.html | grep -qx -e old -e '</html>' && echo whole
ls big.*
