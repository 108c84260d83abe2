# A trace that is cut off, or copied over, while the page is open: requests end with an
# error, and the server goes on.
cat >ask.py <<'END'
import os, re, shutil, subprocess, sys, time, urllib.error, urllib.request

how = sys.argv[1]
shutil.copy("whole.mlt", "t.mlt")
view = subprocess.Popen(["memlamp", "view", "t.mlt"],
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
ask("api/sims?machine=L1+4K+2w", "POST")
for i in range(400):
    if b'"ready"' in ask("api/sims/0")[1]:
        break
    time.sleep(0.05)
print(how, "before:", ask("api/sims/0/refs?from=0&count=10")[0])
if how == "truncated":
    os.truncate("t.mlt", 100)
else:
    with open("t.mlt", "r+b") as f:
        f.truncate(0)
        f.write(os.urandom(200000))
codes = [ask("api/sims/0/refs?from=%d&count=10" % at)[0] for at in range(0, 2000000, 250000)]
print(how, "after: an error at least once:", any(c >= 400 for c in codes))
print(how, "the server goes on:", ask("api/open")[0] in (200, 500), view.poll() is None)
view.terminate()
view.wait()
END
export MEMLAMP_CACHE_SIZE=0
memlamp import -m 'random 0 8M 2000000 8 seed 3' -o whole.mlt >/dev/null 2>&1
python3 ask.py truncated
python3 ask.py overwritten
