# A trace that is cut off, or copied over, while the page is open: its requests end with an
# error from then on, those of another trace do not, and the server goes on.
cat >ask.py <<'END'
import os, re, shutil, subprocess, sys, time, urllib.error, urllib.request

how = sys.argv[1]
shutil.copy("whole.mlt", "t.mlt")
view = subprocess.Popen(["memlamp", "view", "t.mlt", "other.mlt"],
                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
for line in view.stdout:
    found = re.search(r"http://[^ \n]*", line)
    if found:
        break
base, token = found.group(0).split("?")
def ask(path, method="GET"):
    address = base + path + ("&" if "?" in path else "?") + token
    try:
        with urllib.request.urlopen(urllib.request.Request(address, method=method), timeout=20) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as e:
        return e.code, e.read()
for number in range(2):
    ask("api/sims?machine=L1+4K+2w&trace=%d" % number, "POST")
    while b'"ready"' not in ask("api/sims/%d" % number)[1]:
        time.sleep(0.05)
print(how, "before:", [ask("api/sims/%d/refs?from=0&count=10" % n)[0] for n in range(2)])
if how == "truncated":
    os.truncate("t.mlt", 100)
else:
    with open("t.mlt", "r+b") as f:
        f.truncate(0)
        f.write(os.urandom(200000))
codes = [[ask("api/sims/%d/refs?from=%d&count=10" % (n, at))[0] for at in range(0, 2000000, 250000)]
         for n in range(2)]
print(how, "after: an error at least once:", 500 in codes[0], "of the other trace:", set(codes[1]))
print(how, "the server goes on:", ask("api/open")[0], view.poll() is None)
view.terminate()
view.wait()
END
export MEMLAMP_CACHE_SIZE=0
memlamp import -m 'random 0 8M 2000000 8 seed 3' -o whole.mlt >/dev/null 2>&1
memlamp import -m 'random 0 8M 2000000 8 seed 4' -o other.mlt >/dev/null 2>&1
python3 ask.py truncated
python3 ask.py overwritten
