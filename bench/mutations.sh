#!/bin/bash
# How many wrong kernels pass the gates: COUNT random mutations of each of five shipped kernels, on the cpu device.
#   bench/mutations.sh [COUNT [SEED [OUT.jsonl]]]
# Prints the sums, and every mutant that passed and is not the same as its original; the lines go to OUT.
set -eu
cd "$(dirname "$0")/.."
count=${1:-20} seed=${2:-1} out=${3:-$(mktemp --suffix=.jsonl)}
ninja -C build/release harness mutation_bench >&2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
build/release/mutation_bench build/release/harness "$count" "$seed" "$folder" > "$out"
bench/mutations.py "$out"
echo "all mutants: $out" >&2
