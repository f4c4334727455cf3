#!/usr/bin/env bash
# The tests of python/harness, with the program that is named: run.sh HARNESS.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
export HARNESS_PROGRAM=$1 PYTHONPATH=$PWD/python
exec tests/python/unittests.sh tests/python
