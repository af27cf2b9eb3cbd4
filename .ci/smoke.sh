#!/usr/bin/env bash
# Starts the host as the README says, waits for its last line, and looks at what it promises.
set -euo pipefail
# Jobs get process groups of their own: npm is ended together with the host that it started.
set -m
data="$(mktemp -d)"
log="$data/start.log"
PORT="${PORT:-4749}" MYTHOS_DATA="$data/mythos" npm start >"$log" 2>&1 &
pid=$!
# npm ends before the host that it started: the folder is cleared when the last of the group is gone, or after ten seconds.
clear_up() {
  kill -- -"$pid" 2>/dev/null || true
  wait "$pid" 2>/dev/null || true
  for _ in $(seq 1 100); do
    kill -0 -- -"$pid" 2>/dev/null || break
    sleep 0.1
  done
  rm -rf "$data" || echo "left behind: $data"
}
trap clear_up EXIT
for _ in $(seq 1 120); do
  grep -q '^ready http://127.0.0.1:' "$log" && break
  kill -0 "$pid" 2>/dev/null || { cat "$log"; echo "the host ended before it was ready"; exit 1; }
  sleep 0.5
done
grep -q '^ready http://127.0.0.1:' "$log" || { cat "$log"; echo "no ready line within a minute"; exit 1; }
url="$(sed -n 's/^ready //p' "$log" | tail -1)"
key="$(node -p 'JSON.parse(require("fs").readFileSync(process.argv[1], "utf8")).agentKey' "$data/mythos/keys.json")"
curl -fsS "$url/healthz"
curl -fsS -H "authorization: Bearer $key" "$url/api/holds" | node -e '
  let text = ""; process.stdin.on("data", (d) => (text += d)).on("end", () => {
    const { items } = JSON.parse(text);
    if (items.length !== 1) { console.error(`expected one draft to wait, found ${items.length}`); process.exit(1); }
    console.log(`\nstart-up smoke: a draft waits: ${items[0].title}`);
  });'
