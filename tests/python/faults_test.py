"""What the client does when the program refuses, is busy, hangs or ends. A scripted program plays each of them."""
import asyncio, os, sys, threading, time, unittest

import harness

SCRIPTED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "scripted_program.py")


def session(script="", **arguments):
    return harness.Session("x", program=SCRIPTED, environment={"SCRIPT": script, "PYTHON": sys.executable}, **arguments)


def until(holds):
    for _ in range(1000):
        if holds():
            return
        time.sleep(0.01)
    raise AssertionError("it never came to hold")


class Faults(unittest.TestCase):
    def test_the_end_of_the_program_is_an_exception_with_its_sentence(self):
        with session("crash") as h, self.assertRaises(harness.EnvironmentLacks) as raised:
            h.evaluate("k")
        self.assertEqual(raised.exception.sentence, "this machine has no memory left for it")

    def test_an_answer_that_breaks_off_is_an_exception(self):
        with session("garbage") as h, self.assertRaises(harness.ProgramEnded):
            h.evaluate("k")

    def test_after_its_end_the_program_is_started_anew(self):
        with session("crash") as h:
            for _ in range(2):
                with self.assertRaises(harness.EnvironmentLacks):
                    h.evaluate("k")

    def test_a_spent_budget_has_an_exception_of_its_own(self):
        with session("spent") as h, self.assertRaises(harness.BudgetSpent) as raised:
            h.evaluate("k")
        self.assertEqual(raised.exception.next, "do something else")

    def test_a_busy_program_is_asked_again(self):
        with session("busy") as h:
            self.assertEqual(h.evaluate("k").iteration, 1)

    def test_a_hundred_under_way_are_eight_at_a_time_for_the_program(self):
        with session() as h:
            verdicts = [each.result(30) for each in [h.submit("k") for _ in range(100)]]
        self.assertEqual(sorted(each.iteration for each in verdicts), list(range(1, 101)))
        self.assertEqual(verdicts[-1].raw["most_open"], 8)

    def test_cancel_stops_what_runs_and_what_waits(self):
        with session("hang") as h:
            under_way = [h.submit("k") for _ in range(10)]
            until(lambda: all(each._job for each in under_way[:8]))
            for each in (under_way[0], under_way[9]):
                each.cancel()
                with self.assertRaises(harness.Cancelled):
                    each.result(30)
            self.assertFalse(under_way[1].done())
        self.assertTrue(all(each.done() for each in under_way))  # closing cancelled the others

    def test_a_result_that_is_waited_for_too_long_goes_on(self):
        with session("hang") as h:
            evaluation = h.submit("k")
            with self.assertRaises(TimeoutError):
                evaluation.result(0.05)
            self.assertFalse(evaluation.done())

    def test_cancelling_a_task_cancels_its_evaluation(self):
        async def main():
            async with harness.AsyncSession("x", program=SCRIPTED, environment={"SCRIPT": "hang"}) as h:
                task = asyncio.ensure_future(h.evaluate("k"))
                while not any(each._job for each in h.session._open):
                    await asyncio.sleep(0.01)
                task.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await task
                while h.session._open:
                    await asyncio.sleep(0.01)
        asyncio.run(asyncio.wait_for(main(), 30))

    def test_many_tasks_wait_at_once(self):
        async def main():
            async with harness.AsyncSession("x", program=SCRIPTED) as h:
                return await asyncio.gather(*(h.evaluate("k", label=str(each)) for each in range(50)))
        self.assertEqual(len({each.iteration for each in asyncio.run(main())}), 50)

    def test_what_a_session_has_an_asynchronous_one_has(self):
        named = {name for name in vars(harness.Session) if not name.startswith("_")}
        self.assertEqual(named - {name for name in vars(harness.AsyncSession)}, set())

    def test_an_asynchronous_session_asks_any_tool(self):
        async def main():
            async with harness.AsyncSession("x", program=SCRIPTED) as h:
                under_way = await h.submit("k")
                return await h.tool("hints", kernel="k"), (await under_way).iteration
        self.assertEqual(asyncio.run(main())[0]["arguments"], {"kernel": "k"})

    def test_threads_share_a_session(self):
        with session() as h:
            found = []
            threads = [threading.Thread(target=lambda: found.append(h.evaluate("k").iteration)) for _ in range(20)]
            for each in threads:
                each.start()
            for each in threads:
                each.join()
        self.assertEqual(sorted(found), list(range(1, 21)))

    def test_what_was_asked_reaches_the_program(self):
        with session(budget="30m", max_cost=2.5, usd_per_hour=3.5, device="cpu", gpu="A100", db="x.db") as h:
            words = h.evaluate("k").raw["words"]
        self.assertEqual(words, ["mcp", "--session", "x", "--budget", "30m", "--max-cost", "2.5", "--usd-per-hour", "3.5",
                                 "--device", "cpu", "--for", "A100", "--db", os.path.abspath("x.db")])

    def test_a_program_that_is_not_there(self):
        with self.assertRaises(harness.EnvironmentLacks) as raised:
            harness.Session(program="/no/such/program")
        self.assertEqual(str(raised.exception), "'/no/such/program' is no program that can be run")

    def test_times_are_named_by_their_kind(self):
        from harness.verdict import verdict_of
        told = {"ok": True, "outcome": "passed", "predicted_ns": 5.0, "predicted_ci95_ns": [4, 6],
                "predicted_baseline_ns": 10.0, "speedup": 2.0, "digest": "memory-bound"}
        verdict = verdict_of(told)
        self.assertEqual((verdict.time_kind, verdict.time_ns, verdict.time_ci95_ns, verdict.baseline_ns),
                         ("predicted", 5.0, (4.0, 6.0), 10.0))
        self.assertEqual((verdict.score, verdict.diagnosis), (2.0, "memory-bound"))
        self.assertEqual(verdict_of({**told, "outcome": "wrong_answer"}).score, 0.0)

    def test_own_time_of_a_call_is_below_two_milliseconds(self):
        """Processor time of this process, all threads: what a busy machine does not change."""
        with session() as h:
            h.evaluate("k")
            begun = time.process_time()
            for _ in range(200):
                h.evaluate("k", source="x" * 4000)
            spent = (time.process_time() - begun) / 200
        self.assertLess(spent, 0.002)


if __name__ == "__main__":
    unittest.main()
