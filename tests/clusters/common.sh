# What the tests of clusters share. Each is called with the harness program; it makes a folder of its own, starts what
# it needs there, and ends all of it by id.
set -u
program=$(readlink -f "$1")
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
scratch=$(mktemp -d /tmp/harness_cluster_XXXXXX)
chmod 711 "$scratch"
PATH=$PATH:/usr/sbin:/sbin
started=()   # ids, in the order in which they were started

skip() {
  echo "skipped: $1"
  exit 77
}

fail() {
  echo "FAILED: $1"
  exit 1
}

# Starts a program in the background, with what it says in a file of its name.
begin() {
  local name=$1
  shift
  "$@" > "$scratch/$name.said" 2>&1 < /dev/null &
  started+=($!)
}

# Ends processes by their ids: first politely, then not.
end_processes() {
  local id
  for id in "$@"; do kill "$id" 2> /dev/null; done
  for _ in $(seq 30); do
    local left=0
    for id in "$@"; do kill -0 "$id" 2> /dev/null && left=1; done
    [ $left = 0 ] && return
    sleep 0.1
  done
  for id in "$@"; do kill -9 "$id" 2> /dev/null; done
}

# Processes that were started below this test and left their parents: they carry its folder in their environment.
own_processes() {
  local entry
  for entry in /proc/[0-9]*; do
    [ "${entry#/proc/}" = $$ ] && continue
    grep -qs "HARNESS_CLUSTER=$scratch" "$entry/environ" && echo "${entry#/proc/}"
  done
}
export HARNESS_CLUSTER=$scratch

clean_up() {
  local status=$?
  trap - EXIT
  type end_cluster > /dev/null 2>&1 && end_cluster
  [ ${#started[@]} -gt 0 ] && end_processes "${started[@]}"
  local left
  left=$(own_processes)
  # shellcheck disable=SC2086 — a list of numbers
  [ -n "$left" ] && end_processes $left
  if [ -n "${HARNESS_TEST_COUNTS:-}" ]; then
    mkdir -p "$(dirname "$HARNESS_TEST_COUNTS")"
    case $status in 0) echo "1 0 0" ;; 77) echo "0 0 1" ;; *) echo "0 1 0" ;; esac > "$HARNESS_TEST_COUNTS"
  fi
  if [ $status = 0 ] || [ $status = 77 ]; then rm -rf "$scratch"; else echo "what was said lies in $scratch"; fi
  exit $status
}
trap clean_up EXIT
trap 'exit 130' INT TERM
[ -n "${HARNESS_TEST_ALL:-}" ] || skip "a cluster takes a minute; HARNESS_TEST_ALL=1 starts it"

# wait_until SECONDS COMMAND...: whether it held in time.
wait_until() {
  local until=$((SECONDS + $1))
  shift
  while ! "$@"; do
    [ $SECONDS -ge $until ] && return 1
    sleep 0.2
  done
}

store=$scratch/campaign.db
answer() { (cd "$project" && "$program" query "$1" --format csv --db "$store" 2> /dev/null | tail -n +2 | tr -d '\r'); }
at_least() { [ "$(answer "SELECT count(*) FROM iteration" || echo 0)" -ge "$1" ] 2> /dev/null; }
harness() { (cd "$project" && "$program" "$@"); }

# Of nodes below this test: the commands that a fleet started, the ones that evaluate, not the ssh or srun before them.
nodes_below() {
  local id
  for id in $(own_processes); do
    [ "$(readlink "/proc/$id/exe")" = "$program" ] && tr '\0' ' ' < "/proc/$id/cmdline" | grep -q "node --stdio" && echo "$id"
  done
}

# A campaign on the fleet file: one node is killed on the way, then the orchestrator, and it goes on. Afterwards every
# row must add up. $2: called after the first kill.
campaign_with_kills() {
  local fleet=$1 meanwhile=$2
  harness run vector_scale --fleet "$fleet" --emulated --budget 10m --db "$store" --quiet > "$scratch/run.said" 2>&1 < /dev/null &
  wait_until 150 at_least 2 || fail "no evaluation was recorded; $(tail -n 3 "$scratch/run.said")"
  local node
  node=$(nodes_below | head -n 1)
  [ -n "$node" ] || fail "no node was found to be killed"
  kill -9 "$node"
  "$meanwhile"
  wait_until 120 at_least 4 || fail "nothing went on after a node was killed; $(tail -n 3 "$scratch/run.said")"
  local id
  for id in $(own_processes); do
    [ "$(readlink "/proc/$id/exe")" = "$program" ] && tr '\0' ' ' < "/proc/$id/cmdline" | grep -q " run vector_scale" && kill -9 "$id"
  done
  wait_until 20 no_nodes || fail "nodes outlived their orchestrator: $(nodes_below | tr '\n' ' ')"
  harness run --resume --fleet "$fleet" --budget 40s --db "$store" --quiet > "$scratch/resume.said" 2>&1 < /dev/null
  local status=$?
  [ $status = 0 ] || [ $status = 1 ] || fail "the resume ended with $status: $(tail -n 3 "$scratch/resume.said")"
  adds_up
}
no_nodes() { [ -z "$(nodes_below)" ]; }

adds_up() {
  local twice orphans nodes
  twice=$(answer "SELECT count(*) FROM (SELECT 1 FROM iteration i JOIN attempt a ON a.id = i.attempt
    WHERE a.ask > 0 AND i.outcome NOT IN ('lost', 'interrupted') GROUP BY i.candidate, i.workload, a.ask HAVING count(*) > 1)")
  [ "$twice" = 0 ] || fail "$twice evaluations were counted twice"
  orphans=$(answer "SELECT count(*) FROM attempt a WHERE a.ask > 0 AND NOT EXISTS (SELECT 1 FROM iteration i WHERE i.attempt = a.id)
    AND NOT EXISTS (SELECT 1 FROM attempt b JOIN iteration i ON i.attempt = b.id
                    WHERE b.candidate = a.candidate AND b.workload = a.workload AND b.ask = a.ask)")
  [ "$orphans" = 0 ] || fail "$orphans evaluations were begun and never told of"
  nodes=$(answer "SELECT count(DISTINCT a.device_uuid) FROM attempt a JOIN iteration i ON i.attempt = a.id WHERE i.outcome = 'passed'")
  [ "$nodes" -ge 2 ] || fail "only $nodes of the nodes have evaluated anything"
  [ "$(answer "SELECT count(*) FROM card_check")" -ge 2 ] || fail "no card was calibrated"
  harness doctor --verify --db "$store" > "$scratch/doctor.said" 2>&1 ||
    fail "something is wrong with the store: $(grep '^WRONG' "$scratch/doctor.said")"
}
