#!/usr/bin/env bash
# The tests of release/.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
exec tests/python/unittests.sh tests/release
