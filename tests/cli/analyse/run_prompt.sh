# A program that asks its user in a terminal: no line of memlamp is drawn over its prompt.
. "$SRC/tests/cli/record.inc"
command -v python3 >/dev/null || { echo "no python3"; exit 77; }

cat >ask.c <<'END'
#include <stdio.h>
int main(void)
{
	static volatile int work[1000000];
	char name[100] = "";
	for (int k = 0; k < 20; k++)
		for (int i = 0; i < 1000000; i++)
			work[i] = i;
	printf("name? ");
	fflush(stdout);
	if (!fgets(name, sizeof(name), stdin))
		return 1;
	printf("hello %s", name);
	return 0;
}
END
cc -O1 ask.c -o ask
cat >talk.py <<'END'
import os, pty, select, sys, time
pid, fd = pty.fork()
if not pid:
    os.environ["TERM"] = "xterm"
    os.execvp(sys.argv[1], sys.argv[1:])
said, quiet = b"", 0
while b"name? " not in said or quiet < 6:  # then 0.6 s in which nothing more may come
    if select.select([fd], [], [], 0.1)[0]:
        said += os.read(fd, 4096)
        quiet = 0
    else:
        quiet += 1
behind = said[said.rindex(b"name? ") + 6:].replace(b"\033[K", b"")
print("behind the prompt:", behind)
os.write(fd, b"memlamp\n")
rest = b""
try:
    while True:
        data = os.read(fd, 4096)
        if not data:
            break
        rest += data
except OSError:
    pass
print("the answer came through:", b"hello memlamp" in rest)
print("status", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
END
python3 talk.py memlamp record -q -o t.mlt ./ask
