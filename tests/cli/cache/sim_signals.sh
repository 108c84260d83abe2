# memlamp sim ends when it is asked to, and prints what is known until then.
memlamp import -m 'sweep 0 30000000 64' -o long.mlt >/dev/null 2>&1

# stop OPTION...: stops a simulation that has begun; waits longer if it had not.
stop() {
	for seconds in 0.3 1 3 9; do
		memlamp sim --no-cache -m 'L1 32K 8w | L2 1M 16w | L3 32M 16w' "$@" long.mlt >out 2>err &
		memlamp=$!
		sleep $seconds
		kill -TERM $memlamp
		wait $memlamp
		echo $? >status
		test -s out && break
	done
	echo "status $(cat status)"
}

stop
grep -o '^PARTIAL: stopped after' out
grep -o 'of 30,000,000 references; the counts below are of these' out
grep -c '^Which data are waited for' out

stop --json
grep '"stopped"' out
python3 -c '
import json
s = json.load(open("out"))
levels = s["levels"]
print("all missed" if levels[0]["misses"] == s["references"] > 0 else "miscounted")
print("a part" if s["references"] < 30000000 else "all")
'

echo "a part crosses no threshold:"
stop --fail-if 'L1.miss_ratio > 0.5'
