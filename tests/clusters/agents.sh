#!/bin/bash
# agents.sh PROGRAM: the two set-ups that keep an agent away from its judge (docs/mcp.md). First an account of its own,
# which reaches the server through ssh and a forced command; then a container that holds the program and one socket.
# Both accounts, the sshd and the container live in namespaces of this test. The agent evaluates, and then tries to get
# at the store, at a shell and past the list of who may connect.
if [ -z "${HARNESS_INSIDE:-}" ] && [ -n "${HARNESS_TEST_ALL:-}" ] && unshare -m -n true 2> /dev/null; then
  HARNESS_INSIDE=1 exec unshare -m -n --propagation private bash "$0" "$@"
fi
. "$(dirname "$0")/common.sh"
for word in sshd ssh ssh-keygen setpriv chroot ldd cmake; do
  command -v $word > /dev/null || skip "this machine has no $word (Debian: openssh-server, openssh-client, util-linux, cmake)"
done
[ "$(id -u)" = 0 ] && [ -n "${HARNESS_INSIDE:-}" ] || skip "accounts and namespaces of its own need root"
ip link set lo up || skip "the loopback card of the namespace does not come up"
umask 022

# An installed program, which other accounts can read; accounts that this machine has only in here.
cmake --install "$(dirname "$program")" --prefix "$scratch/installed" > "$scratch/install.said" 2>&1 ||
  fail "the program is not installed: $(tail -n 2 "$scratch/install.said")"
tool=$scratch/installed/bin/harness
judge=61001 agent=61002 stranger=61003
for file in passwd shadow group; do cp /etc/$file "$scratch/$file"; done
for account in judge:$judge agent:$agent stranger:$stranger; do
  name=h${account%:*} id=${account#*:}
  echo "$name:x:$id:$id::$scratch/$name:/bin/sh" >> "$scratch/passwd"
  echo "$name:*:19000:0:99999:7:::" >> "$scratch/shadow"
  echo "$name:x:$id:" >> "$scratch/group"
  mkdir -m 700 "$scratch/$name"
done
for file in passwd shadow group; do mount --bind "$scratch/$file" /etc/$file || skip "nothing can be mounted here"; done
as() { (cd / && setpriv --reuid "$1" --regid "$1" --clear-groups env -i PATH=/usr/bin:/bin HOME="$scratch/$2" HARNESS_CLUSTER="$HARNESS_CLUSTER" "${@:3}"); }

# What an agent says to the server, and how long it waits for each answer.
evaluation='{"kernel":"vector_scale","variant":"00_naive","wait_s":45}'
says() {
  echo '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}'
  echo '{"jsonrpc":"2.0","method":"notifications/initialized"}'
  echo "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"evaluate\",\"arguments\":$evaluation}}"
  echo '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"query","arguments":{"sql":"SELECT seeds FROM iteration"}}}'
  wait_until "$1" all_answered "$2"   # a query is answered before an evaluation
}
all_answered() { grep -qs '"id":2' "$1" && grep -qs '"id":3' "$1"; }
# ask FILE COMMAND...: the answers of a server that the command reaches.
ask() {
  local answers=$1
  shift
  : > "$answers"
  says 90 "$answers" | "$@" > "$answers" 2> "$answers.said"
}
answered() {   # FILE WHERE
  grep '"id":2' "$1" | grep -q '"outcome":"passed"' || fail "nothing was evaluated $2: $(grep '"id":2' "$1" | cut -c1-300) $(tail -n 2 "$1.said")"
  grep '"id":3' "$1" | grep -q '"isError":true' || fail "a query of the store's own tables was answered $2"
}
as_judge() { as $judge hjudge "$tool" "$@"; }
evaluations() { as_judge query "SELECT count(*) FROM iteration" --format csv --db "$scratch/hjudge/$1" | tail -n 1 | tr -d '\r'; }
# The agent has one evaluation in the judge's store, the chain of which agrees, and cannot read it.
recorded_once() {   # STORE
  [ "$(evaluations "$1")" = 1 ] || fail "$(evaluations "$1") evaluations are recorded in $1"
  as_judge doctor --verify --db "$scratch/hjudge/$1" > "$scratch/doctor.said" 2>&1 ||
    fail "something is wrong with $1: $(grep '^WRONG' "$scratch/doctor.said")"
  ! as $agent hagent cat "$scratch/hjudge/$1" > /dev/null 2>&1 || fail "the agent reads the judge's store"
}

# ---- an account of its own
mkdir -m 700 "$scratch/hjudge/.ssh" "$scratch/hagent/.ssh"
ssh-keygen -q -t ed25519 -N "" -f "$scratch/host_key" && ssh-keygen -q -t ed25519 -N "" -f "$scratch/hagent/.ssh/key"
printf 'command="%s mcp --session night --budget 5m --device cpu --db %s",restrict %s\n' \
  "$tool" "$scratch/hjudge/night.db" "$(cat "$scratch/hagent/.ssh/key.pub")" > "$scratch/hjudge/.ssh/authorized_keys"
for account in judge:$judge agent:$agent stranger:$stranger; do
  chown -R "${account#*:}:${account#*:}" "$scratch/h${account%:*}"
done
printf '%s\n' "Port 2222" "ListenAddress 127.0.0.1" "HostKey $scratch/host_key" "PidFile none" "UsePAM no" \
  "PasswordAuthentication no" "StrictModes no" "SetEnv HARNESS_CLUSTER=$HARNESS_CLUSTER" > "$scratch/sshd_config"
mkdir -p /run/sshd
begin sshd "$(command -v sshd)" -D -e -f "$scratch/sshd_config"
through_ssh() {
  as $agent hagent ssh -p 2222 -i "$scratch/hagent/.ssh/key" -o BatchMode=yes -o LogLevel=ERROR \
    -o StrictHostKeyChecking=accept-new hjudge@127.0.0.1 "$@"
}
listens() { grep -qs "Server listening" "$scratch/sshd.said"; }
wait_until 15 listens || skip "no sshd starts here: $(tail -n 1 "$scratch/sshd.said")"
ask "$scratch/ssh.answers" through_ssh
answered "$scratch/ssh.answers" "through ssh"
recorded_once night.db
# Another command is not run: the server answers in its place.
through_ssh cat /etc/passwd < /dev/null > "$scratch/other.answers" 2>&1
! grep -q "^root:" "$scratch/other.answers" || fail "the agent runs commands of its own as the judge"
# Nor a larger budget: the command line is the judge's.
[ "$(as_judge query "SELECT budget_s FROM campaign" --format csv --db "$scratch/hjudge/night.db" | tail -n 1 | tr -d '\r')" = 300 ] ||
  fail "the session's budget is not the judge's: $(as_judge query "SELECT budget_s FROM campaign" --format csv --db "$scratch/hjudge/night.db" | tail -n 1)"

# ---- a container with one socket
mkdir -m 755 "$scratch/run" && chown $judge "$scratch/run"
begin server setpriv --reuid $judge --regid $judge --clear-groups env -i PATH=/usr/bin:/bin HOME="$scratch/hjudge" \
  HARNESS_CLUSTER="$HARNESS_CLUSTER" "$tool" mcp --session day --budget 5m --device cpu --db "$scratch/hjudge/day.db" \
  --listen "$scratch/run/agent.sock" --allow hagent
wait_until 20 test -S "$scratch/run/agent.sock" || fail "no socket was made: $(tail -n 2 "$scratch/server.said")"
box=$scratch/box
mkdir -p "$box/bin" "$box/run"
cp "$tool" "$box/bin/"
for library in $(ldd "$tool" | grep -o '/[^ ]*'); do mkdir -p "$box$(dirname "$library")" && cp -L "$library" "$box$library"; done
touch "$box/run/agent.sock"
in_box() {   # ACCOUNT COMMAND...
  unshare -m -n -p -f --propagation private sh -c 'mount --bind "$0" "$1" && id=$2 box=$3 && shift 3 &&
    exec env -i "$(command -v chroot)" --userspec="$id:$id" "$box" "$@"' "$scratch/run/agent.sock" "$box/run/agent.sock" "$1" "$box" "${@:2}" 2>&1
}
ask "$scratch/box.answers" in_box $agent /bin/harness mcp --connect /run/agent.sock
answered "$scratch/box.answers" "in the container"
recorded_once day.db
: > "$scratch/stranger.answers"
says 1 "$scratch/stranger.answers" | in_box $stranger /bin/harness mcp --connect /run/agent.sock > "$scratch/stranger.answers" 2>&1
! grep -q '"serverInfo"' "$scratch/stranger.answers" || fail "a user whom --allow does not name is served"
grep -q "allow" "$scratch/stranger.answers" || fail "who is turned away is not told why: $(head -c 300 "$scratch/stranger.answers")"
echo "an agent evaluated through ssh and from a container, and reached neither the store nor a shell"
