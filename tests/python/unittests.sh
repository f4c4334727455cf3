#!/usr/bin/env bash
# Runs the tests of a folder that are Python's: unittests.sh FOLDER. Writes "passed failed skipped" to $HARNESS_TEST_COUNTS,
# as support/main.cpp does.
set -uo pipefail
command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }
export PYTHONDONTWRITEBYTECODE=1
exec python3 - "$1" <<'PYTHON'
import faulthandler, os, sys, unittest

faulthandler.dump_traceback_later(300, exit=True)  # a test that hangs says where

found = unittest.defaultTestLoader.discover(sys.argv[1], pattern="*_test.py")
result = unittest.TextTestRunner(verbosity=1, stream=sys.stdout).run(found)
failed, skipped = len(result.failures) + len(result.errors), len(result.skipped)
counts = os.environ.get("HARNESS_TEST_COUNTS")
if counts:
    os.makedirs(os.path.dirname(counts), exist_ok=True)
    with open(counts, "w") as file:
        file.write(f"{result.testsRun - failed - skipped} {failed} {skipped}\n")
sys.exit(failed > 0)
PYTHON
