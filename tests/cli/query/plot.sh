# Pictures as SVG: what they show, how they are chosen, and what goes wrong.
show() {
	echo "\$ $*"
	"$@" 2>&1
	status=$?
	test $status = 0 || echo "(status $status)"
}
# One line of cache: a reference hits when it goes where the last one went.
M='L1 64 1w 64B 1c | memory 11c'
cat >a.txt <<END
region "A & B" 0x1000 512 8 8 8
region few 0x2000 64 8
begin first
r0x1000+64*8
end first
r0x2000*8
END
memlamp import a.txt 2>/dev/null

# Elements by what they are, and paths by what they cover, in cells.
cat >look.py <<END
import re, sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
print(root.tag.split("}")[1], root.get("width"), root.get("height"), root.get("aria-label"))
for g in root.iter("{http://www.w3.org/2000/svg}g"):
    print({k[5:]: v for k, v in g.attrib.items() if k.startswith("data-")})
    for p in g:
        cells = sum(int(n) for n in re.findall(r"[hv](\d+)[vh]1[HV]", p.get("d")))
        data = {k[5:]: v for k, v in p.attrib.items() if k.startswith("data-")}
        print("  ", p.get("fill"), data or cells)
END
look() {
	echo "\$ memlamp plot a.mlt $*"
	memlamp plot -m "$M" a.mlt "$@" >out.svg && python3 look.py out.svg
}
look timeline
look timeline --phase first --width 400 --height 200 --dark
look heat
look heat --region few --mode count
look heat --region 'A & B' --mode last --from 4 --to 8
look heat --region 'A & B' --mode first
look heat --region 'A & B' --mode reuse
look plane --region few
look temperature

# Into a file that appears whole.
show memlamp plot -m "$M" a.mlt heat -o heat.svg
show ls
show memlamp plot -m "$M" a.mlt heat -o missing/heat.svg
show memlamp plot -m "$M" a.mlt heat -o /dev/full
memlamp plot -m "$M" a.mlt heat >/dev/full || echo "(status $?)"

# Misuse.
show memlamp plot a.mlt
show memlamp plot a.mlt pie
show memlamp plot a.mlt heat --mode colour
show memlamp plot -m "$M" a.mlt heat --region fews
show memlamp plot -m "$M" a.mlt plane --region elsewhere
show memlamp plot -m "$M" a.mlt timeline --phase last
show memlamp plot -m "$M" a.mlt timeline --from 16
show memlamp plot -m "$M" a.mlt timeline --from 3 --to 3
show memlamp plot -m "$M" a.mlt timeline --phase first --to 3
show memlamp plot a.mlt timeline --width 3
show memlamp plot a.mlt timeline --region few
show memlamp plot missing.mlt timeline
