#!/bin/bash
# How many wrong kernels pass the gates: COUNT random mutations of each of eight kernels, on the cpu device.
#   bench/mutations.sh [people|conditions [COUNT [SEED [OUT.jsonl]]]]
# Prints the sums, and every mutant that passed and is not the same as its original; the lines go to OUT.
set -eu
cd "$(dirname "$0")/.."
of=${1:-people} count=${2:-20} seed=${3:-1} out=${4:-$(mktemp --suffix=.jsonl)}
ninja -C build/release harness mutation_bench >&2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
build/release/mutation_bench build/release/harness "$count" "$seed" "$folder" "$of" > "$out"
bench/mutations.py "$out"
echo "all mutants: $out" >&2
