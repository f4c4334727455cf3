#!/bin/bash
# slurm.sh PROGRAM: a campaign over a Slurm of our own: three slurmd under one slurmctld on this machine, with a munge
# of its own. A node and then the controller are killed on the way. Skipped where there is no Slurm, or none may run.
. "$(dirname "$0")/common.sh"
for word in slurmctld slurmd srun sinfo scancel squeue munged mungekey; do
  command -v $word > /dev/null || skip "this machine has no $word (Debian: slurmctld, slurmd, slurm-client, munge)"
done
host=$(hostname -s)
port=$((20000 + $$ % 20000))
mkdir -p "$scratch"/{state,spool,munge}
chmod 711 "$scratch/munge"
export SLURM_CONF=$scratch/slurm.conf
mungekey --create --keyfile="$scratch/munge/key" || skip "munge makes no key here"
chmod 400 "$scratch/munge/key"
begin munged munged --foreground --force --key-file="$scratch/munge/key" --socket="$scratch/munge/socket" \
  --pid-file="$scratch/munge/pid" --log-file="$scratch/munge/log" --seed-file="$scratch/munge/seed"
wait_until 10 test -S "$scratch/munge/socket" || skip "munged does not start here: $(tail -n 1 "$scratch/munged.said")"
cat > "$SLURM_CONF" << CONF
ClusterName=trial
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$scratch/munge/socket
StateSaveLocation=$scratch/state
SlurmctldPidFile=$scratch/slurmctld.pid
SlurmctldLogFile=$scratch/slurmctld.log
SlurmdSpoolDir=$scratch/spool/%n
SlurmdPidFile=$scratch/slurmd.%n.pid
SlurmdLogFile=$scratch/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
ReturnToService=2
KillWait=2
NodeName=n[1-3] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + 3))] CPUs=1
PartitionName=trial Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
begin slurmctld slurmctld -D -f "$SLURM_CONF"
controller=${started[-1]}
for node in n1 n2 n3; do begin slurmd.$node slurmd -D -N $node -f "$SLURM_CONF"; done
all_idle() { [ "$(timeout 5 sinfo -h -t idle -o %D 2> /dev/null)" = 3 ]; }
wait_until 40 all_idle || skip "slurmctld and three slurmd do not come up here: $(tail -n 1 "$scratch"/slurmctld.said)"

# Steps and tasks outlive their controller: they end by their jobs, or by their ids.
end_cluster() {
  kill -0 "$controller" 2> /dev/null && timeout 5 scancel -u "$(id -un)" 2> /dev/null
  sleep 0.3
}

fleet=$scratch/fleet.lua
harness fleet slurm --device cpu --partition trial --nodes 3 --gpus 1 --time 00:10:00 --program "$program" \
  --folder "$project" > "$fleet" || fail "harness fleet slurm wrote no file"
harness devices --fleet "$fleet" --json > "$scratch/devices.json" 2> "$scratch/devices.said" ||
  fail "the nodes did not start: $(tail -n 3 "$scratch/devices.said")"
usable=$(grep -o '"usable":true' "$scratch/devices.json" | wc -l)
[ "$usable" = 3 ] || fail "$usable of three nodes can be used: $(tail -n 3 "$scratch/devices.said")"
grep -q '"bytes_per_s"' "$scratch/devices.json" || fail "no calibration is told"

# What runs goes on without its controller; a new one finds the steps again. It knows the jobs that were saved: one
# that is killed before would leave the cards of the others' jobs allocated.
lose_controller() {
  touch "$scratch/node_lost"
  wait_until 60 test "$scratch/state/job_state" -nt "$scratch/node_lost" || fail "slurmctld saves no jobs"
  kill -9 "$controller"
  sleep 1
  begin slurmctld.again slurmctld -D -f "$SLURM_CONF"
  controller=${started[-1]}
}
campaign_with_kills "$fleet" lose_controller
echo "three nodes of a Slurm, one of them and the controller killed: all rows add up"
