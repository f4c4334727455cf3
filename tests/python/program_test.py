"""The client beside the real program: one small kernel on the cpu device."""
import asyncio, os, shutil, tempfile, unittest

import harness

KERNEL, WORKLOAD = "vector_scale", "odd_n1003_f32"
EXAMPLES = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../examples/ordinary"))
ALL = bool(os.environ.get("HARNESS_TEST_ALL"))


class Program(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.db = os.path.join(cls.folder, "x.db")
        cls.h = harness.Session("t", budget="10m", device="cpu", db=cls.db)
        cls.naive = cls.h.source(KERNEL)

    @classmethod
    def tearDownClass(cls):
        cls.h.close()
        shutil.rmtree(cls.folder)

    def judged(self, source, **arguments):
        return self.h.evaluate(KERNEL, source=source, workload=WORKLOAD, **arguments)

    @unittest.skipUnless(ALL, "two evaluations with all gates: HARNESS_TEST_ALL=1")
    def test_a_right_source_has_a_speedup_and_an_iteration_in_the_record(self):
        verdict = self.h.evaluate(KERNEL, variant="10_vector", workload=WORKLOAD, label="vectors")
        self.assertTrue(verdict.passed, verdict.raw)
        self.assertEqual(verdict.time_kind, "predicted")
        self.assertAlmostEqual(verdict.speedup, verdict.baseline_ns / verdict.time_ns, delta=0.01 * verdict.speedup)
        rows = self.h.query(f"SELECT label, outcome FROM v_iterations WHERE iteration = {verdict.iteration}")
        self.assertEqual(rows, [{"label": "vectors", "outcome": "passed"}])
        gates = self.h.gates(verdict)
        self.assertEqual(sum(each.passed is True for each in gates), verdict.gates_passed)
        again = self.h.evaluate(KERNEL, variant="10_vector", workload=WORKLOAD)
        self.assertTrue(again.recorded)
        self.assertEqual(again.iteration, verdict.iteration)

    def test_a_wrong_source_is_a_verdict_with_its_first_wrong_element(self):
        verdict = self.judged(self.naive.replace("a * ", "2.f * "))
        self.assertEqual(verdict.outcome, "wrong_answer")
        self.assertEqual(verdict.score, 0)
        self.assertEqual(verdict.failure.first_bad.argument, "y")
        self.assertIn("relative-l2:y", verdict.feedback())

    def test_a_source_that_does_not_compile_says_the_compilers_line(self):
        verdict = self.judged(self.naive.replace("if (i", "if (nowhere"))
        self.assertEqual(verdict.outcome, "compile_error")
        self.assertIn("nowhere", verdict.failure.message)

    def test_names_that_do_not_exist_are_bad_input_with_the_programs_sentence(self):
        with self.assertRaises(harness.BadInput) as raised:
            self.h.evaluate("vectorscale")
        self.assertIn("there is no kernel 'vectorscale'; did you mean 'vector_scale'?", str(raised.exception))
        with self.assertRaises(harness.BadInput) as raised:
            self.h.query("SELECT nowhere FROM v_iterations")
        self.assertIn("no such column: nowhere", str(raised.exception))
        with self.assertRaises(harness.BadInput):
            self.h.adopt(os.path.join(self.folder, "none.cu"))

    @unittest.skipUnless(ALL, "it takes a campaign: HARNESS_TEST_ALL=1")
    def test_a_campaign_is_an_iterator_of_events(self):
        kinds = []
        with self.h.run(KERNEL, budget="10m", workload=WORKLOAD) as events:
            for event in events:
                kinds.append(event["event"])
                if kinds.count("iteration") == 2:
                    events.cancel()
        self.assertEqual((kinds[0], kinds[-1]), ("campaign_started", "campaign_finished"))
        self.assertIn("iteration", kinds)
        self.assertEqual(events.summary["best"][0]["kernel"], KERNEL)
        packaged = self.h.package(KERNEL, os.path.join(self.folder, "winner"), options=["--allow", "emulated,unconfirmed"])
        self.assertEqual(packaged["kernel"], KERNEL)

    @unittest.skipUnless(ALL, "it adopts a source: HARNESS_TEST_ALL=1")
    def test_an_adopted_source_is_a_kernel_of_the_session(self):
        project = tempfile.mkdtemp(dir=self.folder)
        source = os.path.join(EXAMPLES, "row_softmax.cu")
        kernels = os.path.join(project, "kernels")
        os.mkdir(kernels)
        with harness.Session("adopts", device="cpu", db=os.path.join(project, "x.db"), kernels=kernels, budget="5m") as h:
            self.assertEqual(h.adopt(source, name="mine")["kernel"], "mine")
            self.assertIn("mine", [each["name"] for each in h.kernels()])
            self.assertIn("mine", h.describe("mine")["kernel"])

    def test_rows_become_a_frame_where_pandas_is(self):
        rows = self.h.query("SELECT 1 AS a, 'x' AS b UNION SELECT 2, 'y'")
        try:
            frame = rows.frame()
        except ImportError:
            self.skipTest("there is no pandas")
        self.assertEqual(list(frame.columns), ["a", "b"])
        self.assertEqual(frame["a"].sum(), 3)

    @unittest.skipUnless(ALL, "it takes a campaign: HARNESS_TEST_ALL=1")
    def test_a_loop_that_is_left_stops_the_campaign(self):
        async def main():
            async with harness.AsyncSession(device="cpu", db=self.db) as h:
                async for event in h.run(KERNEL, budget="5m", workload=WORKLOAD):
                    if event["event"] == "iteration":
                        return event["campaign"]
        campaign = asyncio.run(main())
        reasons = {each["campaign"]: each["reason"] for each in self.h.campaigns()}
        self.assertEqual(reasons[campaign], "interrupted")


if __name__ == "__main__":
    unittest.main()
