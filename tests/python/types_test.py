"""python/harness by strict types, where pyright is on PATH (npm install -g pyright): a test of the night."""

import os
import shutil
import subprocess
import tempfile
import unittest

_HERE = os.path.dirname(os.path.abspath(__file__))
_PACKAGE = os.path.join(os.path.dirname(os.path.dirname(_HERE)), "python", "harness")
_SETTINGS = '{"include": ["harness"], "typeCheckingMode": "strict", "pythonVersion": "3.9"}'


class Types(unittest.TestCase):
    @unittest.skipUnless(os.environ.get("HARNESS_TEST_ALL"), "a long case: ./bootstrap nightly takes it")
    def test_the_package_has_no_finding_and_a_fault_is_found(self) -> None:
        pyright = shutil.which("pyright")
        if pyright is None:
            self.skipTest("pyright is not installed")
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(_PACKAGE, os.path.join(folder, "harness"))
            with open(os.path.join(folder, "pyrightconfig.json"), "w") as file:
                file.write(_SETTINGS)
            run = subprocess.run([pyright], cwd=folder, stdout=subprocess.PIPE, text=True)
            self.assertEqual(run.returncode, 0, run.stdout)
            with open(os.path.join(folder, "harness", "faulty.py"), "w") as file:
                file.write("from .verdict import Verdict\n\n\ndef f(of: Verdict) -> int:\n    return of.kernel\n")
            run = subprocess.run([pyright], cwd=folder, stdout=subprocess.PIPE, text=True)
            self.assertIn("faulty.py", run.stdout)


if __name__ == "__main__":
    unittest.main()
