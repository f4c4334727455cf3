"""harness.tune on plain Python functions: arrays without PyTorch, and tensors where PyTorch is installed."""
import array, os, shutil, tempfile, time, unittest

import harness

ALL = bool(os.environ.get("HARNESS_TEST_ALL"))


def scaled(x):
    """The slow and plain way."""
    y = array.array("f", x)
    for _ in range(6):
        for i in range(len(x)):
            y[i] = 2.0 * x[i]
    return y


def of_way(config):
    """Ways to double an array: right ones, and one of each kind that is not."""
    way, answers = config["WAY"], {}
    if way == "does not compile":
        raise SyntaxError("no such way")

    def function(x):
        if way == "raises":
            raise ZeroDivisionError("inside")
        while way == "hangs":
            pass
        if way == "writes its input":
            x[0] = 1.0
        if way == "remembers":
            key = len(x)
            answers.setdefault(key, array.array("f", [2.0 * each for each in x]))
            return array.array("f", answers[key])
        y = array.array("f", [2.0 * each for each in x])
        if way == "misses the last":
            y[-1] = 0.0
        if way == "another length":
            y.pop()
        if way == "differs":
            y[0] += (time.perf_counter_ns() % 1000 - 500) * 1e-9 * abs(y[0] or 1)
        return y

    return function


class Tune(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.db = os.path.join(self.folder, "x.db")
        self.events = []

    def tearDown(self):
        shutil.rmtree(self.folder)

    def tune(self, ways, **more):
        x = array.array("f", [0.25 * i - 7 for i in range(300)])
        options = {"space": {"WAY": ways}, "budget": "5m", "db": self.db, "on_event": self.events.append, **more}
        return harness.tune(of_way, scaled, [x], **options)

    def rows(self, sql):
        return harness.Session(db=self.db).query(sql)

    def test_the_fastest_right_way_wins_and_every_attempt_is_in_the_record(self):
        wrong = {"writes its input": "wrong_answer", "remembers": "wrong_answer", "does not compile": "compile_error"}
        if ALL:
            wrong.update({"misses the last": "wrong_answer", "raises": "launch_error", "another length": "wrong_answer",
                          "hangs": "timed_out", "differs": "wrong_answer"})
        best = self.tune(["at once", *wrong])
        self.assertIn(best.config, ({"WAY": "at once"}, None))  # a machine that others use may hide what is faster
        self.assertGreaterEqual(best.speedup, 1.0)
        self.assertEqual(list(best(array.array("f", [1, 2]))), [2.0, 4.0])
        rows = self.rows("SELECT json_extract(config, '$.WAY') AS way, outcome, count(*) AS n FROM v_iterations "
                         "WHERE variant = '10_compiled' GROUP BY way, outcome")
        outcomes = {row["way"]: row["outcome"] for row in rows if row["outcome"] not in ("passed", "screened")}
        self.assertEqual(outcomes, wrong)
        self.assertEqual({row["way"] for row in rows} - set(wrong), {"at once"})
        claims = self.rows("SELECT DISTINCT device_name FROM v_iterations")
        self.assertEqual(len(claims), 1)
        self.assertIn("(in the caller's process)", claims[0]["device_name"])
        kinds = [event["event"] for event in self.events]
        self.assertEqual((kinds[0], kinds[-1]), ("campaign_started", "campaign_finished"))

    def test_a_space_that_cannot_be_is_refused_with_the_programs_sentence(self):
        for space, sentence in (({}, "the space has no parameter"), ({"A": []}, "'A' has no value"),
                                ({"A": [object()]}, "numbers, texts and truth values are allowed"),
                                ({"A": [float("nan")]}, "numbers, texts and truth values are allowed"),
                                ({"A": [1, 1]}, "'A' has the value 1 twice"),
                                ({"A": range(4000), "B": range(4000)}, "are the most")):
            with self.assertRaises(harness.BadInput) as raised:
                self.tune([], space=space)
            self.assertIn(sentence, str(raised.exception))
        with self.assertRaises(harness.BadInput) as raised:
            self.tune(["at once"], constraint=lambda config: False)
        self.assertIn("its constraint leaves no configuration", str(raised.exception))
        self.assertFalse(os.path.exists(self.db))

    def test_a_baseline_that_nothing_can_be_compared_with_is_refused(self):
        with self.assertRaises(harness.BadInput) as raised:
            harness.tune(of_way, lambda x: None, [array.array("f", [1, 2])], space={"WAY": ["a"]}, db=self.db)
        self.assertIn("returns and writes nothing", str(raised.exception))

    @unittest.skipUnless(ALL, "a campaign: HARNESS_TEST_ALL=1")
    def test_an_interrupt_keeps_what_had_ended(self):
        def stop(event):
            if event["event"] == "iteration":
                raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            self.tune(["at once", "raises"], on_event=stop)
        outcomes = [row["outcome"] for row in self.rows("SELECT outcome FROM v_iterations ORDER BY iteration")]
        self.assertEqual(outcomes, ["passed", "interrupted"])


try:
    import torch
except ImportError:
    torch = None


def softmax(x):
    return torch.softmax(x, -1)


def by_blocks(config):
    rows, way = config["ROWS"], config["WAY"]

    def function(x):
        out = torch.empty_like(x)
        for first in range(0, x.shape[0], rows):
            part = x[first:first + rows]
            shifted = part if way == "unshifted" else part - part.amax(-1, keepdim=True)
            grown = shifted.exp()
            out[first:first + rows] = grown / grown.sum(-1, keepdim=True)
        if way == "unwritten":
            return torch.empty_like(x)
        return out

    return function


@unittest.skipUnless(torch is not None and ALL, "it needs PyTorch and HARNESS_TEST_ALL=1")
class TuneTensors(unittest.TestCase):
    def setUp(self):
        torch.set_num_threads(1)
        self.folder = tempfile.mkdtemp()
        self.db = os.path.join(self.folder, "x.db")

    def tearDown(self):
        shutil.rmtree(self.folder)

    def test_a_softmax_that_overflows_is_refused_by_a_form_of_the_inputs(self):
        x = torch.randn(256, 128)
        best = harness.tune(by_blocks, softmax, [x], db=self.db, budget="60s",
                            space={"ROWS": harness.powers_of_two(4, 256), "WAY": ["shifted", "unshifted", "unwritten"]})
        rows = harness.Session(db=self.db).query(
            "SELECT json_extract(config, '$.WAY') AS way, outcome FROM v_iterations WHERE variant = '10_compiled'")
        seen = {(row["way"], row["outcome"]) for row in rows}
        self.assertNotIn(("unwritten", "passed"), seen)
        self.assertNotIn(("unshifted", "passed"), seen)
        self.assertTrue(best.config is None or best.config["WAY"] == "shifted", best)

    def test_what_is_written_in_place_is_an_output_and_what_is_returned_beside_it_too(self):
        def plain(x, out):
            out.copy_(x * 3)
            return x.sum()

        def made(config):
            def function(x, out):
                torch.mul(x, 3 if config["RIGHT"] else 2, out=out)
                return x.sum()
            return function

        best = harness.tune(made, plain, [torch.randn(4096, dtype=torch.float64), torch.zeros(4096, dtype=torch.float64)],
                            space={"RIGHT": [False, True]}, db=self.db, budget="30s")
        rows = harness.Session(db=self.db).query(
            "SELECT json_extract(config, '$.RIGHT') AS fine, outcome FROM v_iterations WHERE variant = '10_compiled'")
        self.assertTrue(all(row["outcome"] == "wrong_answer" for row in rows if not row["fine"]), rows)
        self.assertTrue(any(row["fine"] and row["outcome"] in ("passed", "screened") for row in rows), rows)
        self.assertIsNotNone(best.time_ns)


if __name__ == "__main__":
    unittest.main()
