#!/bin/bash
# sshd.sh PROGRAM: a campaign over ssh between two network namespaces: the orchestrator in one, a real sshd in the
# other, and no way between them but a pair of virtual cards. A node is killed on the way, then the orchestrator.
# Skipped where there is no sshd, or where namespaces may not be made.
. "$(dirname "$0")/common.sh"
for word in sshd ssh ssh-keygen ip; do
  command -v $word > /dev/null || skip "this machine has no $word (Debian: openssh-server, openssh-client, iproute2)"
done
[ "$(id -u)" = 0 ] || skip "network namespaces and an sshd of its own need root"
here=harness_a_$$ there=harness_b_$$
ip netns add $here 2> /dev/null && ip netns add $there 2> /dev/null || {
  ip netns del $here 2> /dev/null
  skip "this machine makes no network namespaces"
}
# What runs behind the sshd has an environment of its own: the namespaces tell whose it is.
own_processes() { { ip netns pids $here; ip netns pids $there; } 2> /dev/null | grep -vx $$; }
end_cluster() {
  [ ${#started[@]} -gt 0 ] && end_processes "${started[@]}"
  ip netns del $here 2> /dev/null
  ip netns del $there 2> /dev/null
}
ip link add "ha$$" netns $here type veth peer name "hb$$" netns $there 2> /dev/null ||
  skip "this machine makes no pairs of virtual network cards"
ip -n $here addr add 10.199.0.1/24 dev "ha$$" && ip -n $there addr add 10.199.0.2/24 dev "hb$$"
for where in "$here ha$$" "$there hb$$"; do
  set -- $where
  ip -n "$1" link set "$2" up && ip -n "$1" link set lo up
done
ssh-keygen -q -t ed25519 -N "" -f "$scratch/host_key" && ssh-keygen -q -t ed25519 -N "" -f "$scratch/key"
cp "$scratch/key.pub" "$scratch/authorized"
cat > "$scratch/sshd_config" << CONF
Port 2222
ListenAddress 10.199.0.2
HostKey $scratch/host_key
AuthorizedKeysFile $scratch/authorized
PidFile $scratch/sshd.pid
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin prohibit-password
CONF
mkdir -p /run/sshd
begin sshd ip netns exec $there "$(command -v sshd)" -D -e -f "$scratch/sshd_config"
mkdir "$scratch/bin"
cat > "$scratch/ssh_config" << CONF
Host box
  HostName 10.199.0.2
  Port 2222
  User $(id -un)
  IdentityFile $scratch/key
  IdentitiesOnly yes
  UserKnownHostsFile $scratch/known
  StrictHostKeyChecking accept-new
  LogLevel ERROR
CONF
printf '#!/bin/sh\nexec %s -F %s/ssh_config "$@"\n' "$(command -v ssh)" "$scratch" > "$scratch/bin/ssh"
chmod 755 "$scratch/bin/ssh"
PATH=$scratch/bin:$PATH
harness() { (cd "$project" && ip netns exec $here "$program" "$@"); }
reached() { ip netns exec $here ssh -o BatchMode=yes -o ConnectTimeout=2 box true 2> "$scratch/ssh.said"; }
wait_until 15 reached || skip "no ssh between the namespaces: $(tail -n 1 "$scratch/ssh.said") $(tail -n 1 "$scratch/sshd.said")"

fleet=$scratch/fleet.lua
harness fleet ssh box --device cpu --program "$program" --folder "$project" > "$scratch/written.lua" ||
  fail "harness fleet ssh wrote no file"
# Two nodes on the machine that is reached, as a file for a machine with two cards would have.
sed 's/devices = { "cpu" },/devices = { "cpu" }, count = 2,/' "$scratch/written.lua" > "$fleet"
harness devices --fleet "$fleet" --json > "$scratch/devices.json" 2> "$scratch/devices.said" ||
  fail "the nodes did not start: $(tail -n 3 "$scratch/devices.said")"
usable=$(grep -o '"usable":true' "$scratch/devices.json" | wc -l)
[ "$usable" = 2 ] || fail "$usable of two nodes can be used: $(tail -n 3 "$scratch/devices.said")"
campaign_with_kills "$fleet" true
echo "two nodes behind an sshd in another network namespace, one killed, the orchestrator killed: all rows add up"
