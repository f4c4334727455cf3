#!/usr/bin/env bash
# The tests of python/harness, with the program that is named: run.sh HARNESS. Writes "passed failed skipped" to
# $HARNESS_TEST_COUNTS, as support/main.cpp does.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
command -v python3 >/dev/null || { echo "python: skipped: there is no python3"; exit 77; }
export HARNESS_PROGRAM=$1 PYTHONPATH=$PWD/python PYTHONDONTWRITEBYTECODE=1
python3 - <<'PYTHON'
import faulthandler, os, sys, unittest

faulthandler.dump_traceback_later(300, exit=True)  # a test that hangs says where

found = unittest.defaultTestLoader.discover("tests/python", pattern="*_test.py")
result = unittest.TextTestRunner(verbosity=1, stream=sys.stdout).run(found)
failed, skipped = len(result.failures) + len(result.errors), len(result.skipped)
counts = os.environ.get("HARNESS_TEST_COUNTS")
if counts:
    os.makedirs(os.path.dirname(counts), exist_ok=True)
    with open(counts, "w") as file:
        file.write(f"{result.testsRun - failed - skipped} {failed} {skipped}\n")
sys.exit(failed > 0)
PYTHON
