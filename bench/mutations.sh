#!/bin/bash
# How many wrong kernels pass the gates: COUNT random mutations of each of eight kernels, on the cpu device.
#   bench/mutations.sh [people|conditions [COUNT [SEED [OUT.jsonl [JOBS]]]]]
# JOBS programs run at once, each with mutants of its own (seeds SEED, SEED + 1, ...): COUNT is of each. One mutant is a
# chain of processes that wait for each other, so that a program uses less than a core.
# Prints the sums, and every mutant that passed and is not the same as its original; the lines go to OUT as they come.
# BUILD (build/release) is where the programs are.
set -eu
cd "$(dirname "$0")/.."
of=${1:-people} count=${2:-20} seed=${3:-1} out=${4:-$(mktemp --suffix=.jsonl)} jobs=${5:-1}
build=${BUILD:-build/release}
ninja -C "$build" harness mutation_bench >&2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for ((job = 0; job < jobs; ++job)); do
  mkdir "$folder/$job"
  "$build/mutation_bench" "$build/harness" "$count" $((seed + job)) "$folder/$job" "$of" > "$out.$job" &
done
wait
cat "$out".* > "$out"
rm -f "$out".[0-9]*
bench/mutations.py "$out"
echo "all mutants: $out" >&2
