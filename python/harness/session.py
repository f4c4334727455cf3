"""A session with the program: a budget, evaluations, campaigns, and questions to the record."""
# A session and its evaluations are one thing in two classes.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import asyncio
import collections
import os
import threading
import time
from concurrent import futures
from concurrent.futures import Future
from typing import (Any, AsyncIterator, Callable, Deque, Dict, Iterable, List, Mapping, Optional, Sequence, Set,
                    TypeVar, Union)

from . import errors
from .program import Commands, Events, Server, find_program
from .verdict import Gate, Rows, Verdict, verdict_of

Texts = Union[str, Sequence[str], None]
T = TypeVar("T")

_MOST_OPEN = 8  # the program takes no more jobs of a session at a time
_WAIT_S = 45  # the longest that it lets one call wait for a job
_BUSY_S = 0.25  # before the next try, where other clients of the session have all of its places


def _commas(value: Texts) -> str:
    return value if isinstance(value, str) else ",".join(value or ())


def _list(value: Texts) -> List[str]:
    return [value] if isinstance(value, str) else list(value or ())


class Evaluation:
    """An evaluation under way. `result()` waits for the verdict; so does `await`."""

    def __init__(self, session: Session, question: Mapping[str, Any]) -> None:
        self._session = session
        self._question = question
        self._future: Future[Verdict] = Future()
        self._job: Optional[int] = None
        self._cancelled = False

    def result(self, timeout: Optional[float] = None) -> Verdict:
        """The verdict. Raises TimeoutError after `timeout` seconds: the evaluation goes on."""
        try:
            return self._future.result(timeout)
        except futures.TimeoutError as error:  # before Python 3.11 this is no TimeoutError of the language's own
            raise TimeoutError(f"the evaluation has no verdict after {timeout} s, and goes on") from error
        except KeyboardInterrupt:
            self.cancel()
            raise

    def done(self) -> bool:
        return self._future.done()

    def cancel(self) -> None:
        """Stops it, whether it waits or runs; `result()` then raises Cancelled. What it spent stays spent."""
        self._session._cancel(self)

    def __await__(self) -> Any:
        return self._wait().__await__()

    async def _wait(self) -> Verdict:
        try:
            return await asyncio.wrap_future(self._future)
        except asyncio.CancelledError:
            self.cancel()
            raise

    def _settle(self, verdict: Optional[Verdict], error: Optional[BaseException] = None) -> None:
        if not self._future.set_running_or_notify_cancel():
            return  # whoever awaited it was cancelled
        if error is not None:
            self._future.set_exception(error)
        else:
            assert verdict is not None
            self._future.set_result(verdict)


class Session:
    """One budget and its evaluations. All sessions with the same `name` on the same store share the budget.

    budget and max_cost ("30m", 2.5) are of the whole session, `max_cost` needs `usd_per_hour`. `gpu` names the GPU that
    times are predicted for on the device cpu. `folder` is where the project is looked for (default: here).
    """

    def __init__(self, name: Optional[str] = None, *, budget: Optional[str] = None, max_cost: Optional[float] = None,
                 usd_per_hour: Optional[float] = None, device: str = "auto", gpu: Optional[str] = None,
                 emulated: bool = False, db: Optional[str] = None, kernels: Texts = None, folder: Optional[str] = None,
                 program: Optional[str] = None, environment: Optional[Mapping[str, str]] = None) -> None:
        self.name = name or f"python-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}-{id(self):x}"
        self._commands = Commands(find_program(program), folder, environment)
        self._plugins = [word for each in _list(kernels) for word in ("--kernels", os.path.abspath(each))]
        self._store = ["--db", os.path.abspath(db)] if db else []
        self._device = ["--device", device] + (["--for", gpu] if gpu else []) + (["--emulated"] if emulated else [])
        self._price = ["--usd-per-hour", str(usd_per_hour)] if usd_per_hour is not None else []
        self._limits = (["--budget", budget] if budget else []) + (
            ["--max-cost", str(max_cost)] if max_cost is not None else [])
        self._server: Optional[Server] = None
        self._lock = threading.RLock()
        self._queue: Deque[Evaluation] = collections.deque()
        self._open: Set[Evaluation] = set()

    # Evaluations

    def evaluate(self, kernel: str, *, variant: Optional[str] = None, source: Optional[str] = None,
                 edits: Optional[Iterable[Mapping[str, str]]] = None, manifest: Optional[Mapping[str, Any]] = None,
                 parameters: Optional[Mapping[str, Any]] = None, workload: Optional[str] = None,
                 label: Optional[str] = None) -> Verdict:
        """Judges and times one candidate, and waits for the verdict. A candidate that fails is a verdict, too."""
        return self.submit(kernel, variant=variant, source=source, edits=edits, manifest=manifest,
                           parameters=parameters, workload=workload, label=label).result()

    def submit(self, kernel: str, *, variant: Optional[str] = None, source: Optional[str] = None,
               edits: Optional[Iterable[Mapping[str, str]]] = None, manifest: Optional[Mapping[str, Any]] = None,
               parameters: Optional[Mapping[str, Any]] = None, workload: Optional[str] = None,
               label: Optional[str] = None) -> Evaluation:
        """The same without waiting. Any number may be under way; the program takes eight at a time."""
        given = {"variant": variant, "source": source, "edits": list(edits) if edits is not None else None,
                 "manifest": manifest, "parameters": parameters, "workload": workload, "label": label}
        question = {"kernel": kernel, **{key: value for key, value in given.items() if value is not None}, "wait_s": 0}
        evaluation = Evaluation(self, question)
        with self._lock:
            self._queue.append(evaluation)
        self._begin()
        return evaluation

    def _begin(self) -> None:
        """Starts what waits, as far as there is room."""
        while True:
            with self._lock:
                if not self._queue or len(self._open) >= _MOST_OPEN:
                    return
                evaluation = self._queue.popleft()
                self._open.add(evaluation)
            self._step(evaluation, "evaluate", evaluation._question)

    def _step(self, evaluation: Evaluation, tool: str, arguments: Mapping[str, Any]) -> None:
        """One call for an evaluation; its answer decides on the next. Runs in the reader's thread."""
        try:
            self._running().call(tool, arguments).add_done_callback(lambda answer: self._heard(evaluation, answer))
        except errors.HarnessError as error:
            self._end(evaluation, None, error)

    def _heard(self, evaluation: Evaluation, answered: Future[Dict[str, Any]]) -> None:
        try:
            answer = answered.result()
        except errors.HarnessError as error:
            self._end(evaluation, None, error)
            return
        if answer.get("state") in ("waiting", "running"):
            evaluation._job = answer["job"]
            if evaluation._cancelled:
                self._ask_to_cancel(evaluation)
            self._step(evaluation, "job", {"job": evaluation._job, "wait_s": _WAIT_S})
        elif not answer.get("ok") and errors.fields_of(answer.get("error")).get("kind") == "busy":
            if evaluation._cancelled:
                self._end(evaluation, None, errors.Cancelled("it was cancelled before it began"))
                return
            again = threading.Timer(_BUSY_S, self._step, (evaluation, "evaluate", evaluation._question))
            again.daemon = True
            again.start()
        elif not answer.get("ok"):
            self._end(evaluation, None, errors.of_answer(answer))
        elif answer.get("outcome") == "interrupted":
            failed = errors.fields_of(answer.get("error_of_candidate"))
            self._end(evaluation, None, errors.Cancelled(failed.get("message", "it was stopped"), answer.get("next")))
        else:
            self._end(evaluation, verdict_of(answer))

    def _end(self, evaluation: Evaluation, verdict: Optional[Verdict],
             error: Optional[errors.HarnessError] = None) -> None:
        with self._lock:
            self._open.discard(evaluation)
        evaluation._settle(verdict, error)
        self._begin()

    def _cancel(self, evaluation: Evaluation) -> None:
        with self._lock:
            evaluation._cancelled = True
            waits = evaluation in self._queue
            if waits:
                self._queue.remove(evaluation)
        if waits:
            evaluation._settle(None, errors.Cancelled("it was cancelled before it began"))
        elif evaluation._job is not None:
            self._ask_to_cancel(evaluation)

    def _ask_to_cancel(self, evaluation: Evaluation) -> None:
        try:
            self._running().call("cancel", {"job": evaluation._job})
        except errors.HarnessError:
            pass  # the program ended, and the evaluation with it

    # What there is

    def kernels(self) -> List[Dict[str, Any]]:
        """Each kernel with its workloads and variants."""
        return list(self._commands.answer(["kernels", "--json", *self._plugins]))

    def variants(self, kernel: str) -> List[Dict[str, Any]]:
        return list(self._commands.answer(["variants", kernel, "--json", *self._plugins]))

    def devices(self) -> List[Dict[str, Any]]:
        return list(self._commands.answer(["devices", "--json"]))

    def describe(self, kernel: str, workload: Optional[str] = None) -> Dict[str, Any]:
        """What a kernel must compute: arguments, sizes, work, and the reference's source, as much as fits 8 kB."""
        return self.tool("describe", kernel=kernel, workload=workload)

    def source(self, kernel: str, variant: Optional[str] = None) -> str:
        """The CUDA source of a variant (default: the kernel's baseline)."""
        name = variant or self.variants(kernel)[0]["name"]
        text, offset = "", 0
        while True:
            page = self.tool("read_variant", kernel=kernel, variant=name, offset=offset)
            text += page["source"]
            if page.get("next_offset") is None:
                return text
            offset = page["next_offset"]

    def budget(self) -> Dict[str, Any]:
        """budget_s, spent_s, left_s, left_usd and the newest jobs."""
        answer = self.tool("budget")
        left = answer.pop("budget", {})
        return {**answer, **left}

    def tool(self, tool: str, /, **arguments: Any) -> Dict[str, Any]:
        """Any tool of docs/mcp.md by its name; arguments that are None are left out."""
        given = {key: value for key, value in arguments.items() if value is not None}
        answer = self._running().call(tool, given).result()
        if not answer.get("ok"):
            raise errors.of_answer(answer)
        return answer

    # The record

    def query(self, sql: str) -> Rows:
        """Rows of one SELECT over the views (`harness query --schema` lists them)."""
        return Rows(self._commands.answer(["query", sql, "--format", "json", *self._store]))

    def show(self, iteration: int) -> Dict[str, Any]:
        """All that is recorded of an iteration, seeds and tolerances among it: not for whoever writes candidates."""
        return dict(self._commands.answer(["show", str(iteration), "--json", *self._store]))

    def gates(self, verdict: Union[Verdict, int]) -> List[Gate]:
        """Every gate of an evaluation, with its evidence: not for whoever writes candidates."""
        number = verdict if isinstance(verdict, int) else verdict.iteration
        if number is None:
            raise errors.BadInput("this verdict is not in the record")
        return [Gate(each["name"], each["passed"], each["detail"]) for each in self.show(number)["gates"]]

    def diagnose(self, verdict: Union[Verdict, int]) -> Dict[str, Any]:
        """What bounds an iteration, counted on the cpu device. It costs budget, once."""
        number = verdict if isinstance(verdict, int) else verdict.iteration
        answer = self.tool("profile", iteration=number, wait_s=_WAIT_S)
        while answer.get("state") in ("waiting", "running"):
            answer = self.tool("job", job=answer["job"], wait_s=_WAIT_S)
        return answer

    def best(self, kernel: Optional[str] = None) -> Rows:
        """The fastest candidate of every workload."""
        return Rows(self._commands.answer(["best", *([kernel] if kernel else []), "--json", *self._store]))

    def campaigns(self) -> Rows:
        """The campaigns, newest first: score, cost, device, why each ended."""
        return Rows(self._commands.answer(["campaigns", "--json", *self._store]))

    # Campaigns, and files

    def run(self, *kernels: str, budget: Optional[str] = None, workload: Texts = None, variant: Texts = None,
            options: Sequence[str] = ()) -> Events:
        """Lets the program search by itself, and iterates over its events. `options` are further words of `harness run`.

        It is a campaign of its own, with a budget of its own.
        """
        words = ["run", *kernels, "--json", *self._device, *self._price, *self._store, *self._plugins]
        for option, value in (("--budget", budget), ("--workload", _commas(workload)), ("--variant", _commas(variant))):
            words += [option, value] if value else []
        return Events(self._commands, [*words, *options])

    def adopt(self, what: Union[str, int, Verdict], *entries: str, name: Optional[str] = None,
              options: Sequence[str] = ()) -> Dict[str, Any]:
        """Makes a kernel plugin of an ordinary CUDA source (a path), or variant files of an iteration that passed.

        `options` are further words of `harness adopt`, such as "--size", "N=8192". Nothing is asked: where an answer is
        missing, the exception says which option gives it.
        """
        if not isinstance(what, str):
            number = what if isinstance(what, int) else what.iteration
            return self.tool("adopt", iteration=number, name=name)
        words = ["adopt", os.path.abspath(what), *entries, *(["--name", name] if name else []), "--yes", "--json"]
        adopted = dict(self._commands.answer([*words, *self._store, *self._plugins, *options]))
        self._restart()  # the server knows the kernels that it began with
        return adopted

    def package(self, kernel: str, folder: str, *, workload: Texts = None, options: Sequence[str] = ()) -> Dict[str, Any]:
        """Writes the winners of a kernel as a folder that stands alone."""
        words = ["package", kernel, "-o", os.path.abspath(folder), "--json", *self._store, *self._plugins]
        words += ["--workload", _commas(workload)] if workload else []
        return dict(self._commands.answer([*words, *options]))

    # Its process

    def _running(self) -> Server:
        with self._lock:
            if self._server is None or not self._server.alive:
                self._server = Server(self._commands, ["mcp", "--session", self.name, *self._limits, *self._price,
                                                       *self._device, *self._store, *self._plugins])
            return self._server

    def _restart(self) -> None:
        with self._lock:
            server = None if self._open else self._server
            if server is not None:
                self._server = None
        if server is not None:
            server.close()

    def close(self) -> None:
        """Cancels what is under way, and ends the program. The record and the rest of the budget stay."""
        with self._lock:
            under_way = [*self._queue, *self._open]
        for evaluation in under_way:
            evaluation.cancel()
        for evaluation in under_way:
            try:
                evaluation.result()
            except errors.HarnessError:
                pass
        with self._lock:
            server, self._server = self._server, None
        if server is not None:
            server.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncSession:
    """A Session for asyncio: the same methods, awaited. A task that is cancelled cancels its evaluation."""

    def __init__(self, name: Optional[str] = None, **arguments: Any) -> None:
        self.session = Session(name, **arguments)

    async def evaluate(self, kernel: str, **arguments: Any) -> Verdict:
        verdict: Verdict = await (await self.submit(kernel, **arguments))
        return verdict

    async def submit(self, kernel: str, **arguments: Any) -> Evaluation:
        """An evaluation under way, to be awaited later."""
        return await self._apart(lambda: self.session.submit(kernel, **arguments))

    async def query(self, sql: str) -> Rows:
        return await self._apart(lambda: self.session.query(sql))

    async def source(self, kernel: str, variant: Optional[str] = None) -> str:
        return await self._apart(lambda: self.session.source(kernel, variant))

    async def budget(self) -> Dict[str, Any]:
        return await self._apart(self.session.budget)

    async def kernels(self) -> List[Dict[str, Any]]:
        return await self._apart(self.session.kernels)

    async def variants(self, kernel: str) -> List[Dict[str, Any]]:
        return await self._apart(lambda: self.session.variants(kernel))

    async def devices(self) -> List[Dict[str, Any]]:
        return await self._apart(self.session.devices)

    async def describe(self, kernel: str, workload: Optional[str] = None) -> Dict[str, Any]:
        return await self._apart(lambda: self.session.describe(kernel, workload))

    async def tool(self, tool: str, /, **arguments: Any) -> Dict[str, Any]:
        return await self._apart(lambda: self.session.tool(tool, **arguments))

    async def show(self, iteration: int) -> Dict[str, Any]:
        return await self._apart(lambda: self.session.show(iteration))

    async def gates(self, verdict: Union[Verdict, int]) -> List[Gate]:
        return await self._apart(lambda: self.session.gates(verdict))

    async def diagnose(self, verdict: Union[Verdict, int]) -> Dict[str, Any]:
        return await self._apart(lambda: self.session.diagnose(verdict))

    async def best(self, kernel: Optional[str] = None) -> Rows:
        return await self._apart(lambda: self.session.best(kernel))

    async def campaigns(self) -> Rows:
        return await self._apart(self.session.campaigns)

    async def adopt(self, what: Union[str, int, Verdict], *entries: str, **arguments: Any) -> Dict[str, Any]:
        return await self._apart(lambda: self.session.adopt(what, *entries, **arguments))

    async def package(self, kernel: str, folder: str, **arguments: Any) -> Dict[str, Any]:
        return await self._apart(lambda: self.session.package(kernel, folder, **arguments))

    async def run(self, *kernels: str, **arguments: Any) -> AsyncIterator[Dict[str, Any]]:
        """The events of a campaign. Leaving the loop, or cancelling its task, stops the campaign."""
        events = await self._apart(lambda: self.session.run(*kernels, **arguments))
        try:
            while (event := await self._apart(lambda: next(events, None))) is not None:
                yield event
        finally:
            events.cancel()
            await asyncio.shield(self._apart(lambda: collections.deque(events, maxlen=0)))

    async def close(self) -> None:
        await self._apart(self.session.close)

    async def __aenter__(self) -> AsyncSession:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @staticmethod
    async def _apart(work: Callable[[], T]) -> T:
        """In a thread: the loop never waits for the program."""
        return await asyncio.get_running_loop().run_in_executor(None, work)
