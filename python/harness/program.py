"""Finds the program, runs its commands, and speaks with one process of it."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import signal
import subprocess
import sysconfig
import tempfile
import threading
from concurrent.futures import Future
from typing import IO, Any, Dict, Iterator, List, Mapping, Optional, Sequence

from . import errors

_PROTOCOL = "2025-11-25"


def find_program(given: Optional[str] = None) -> str:
    """The path of `harness`: what was given, $HARNESS_PROGRAM, what this Python's environment has, what PATH has."""
    named = given or os.environ.get("HARNESS_PROGRAM")
    if named:
        found = shutil.which(named)
        if found is None:
            raise errors.EnvironmentLacks(f"'{named}' is no program that can be run")
        return os.path.abspath(found)
    beside = os.path.join(sysconfig.get_path("scripts"), "harness")
    found = beside if os.access(beside, os.X_OK) else shutil.which("harness")
    if found is None:
        raise errors.EnvironmentLacks("the program harness was not found: install it, put it into PATH, or name it in "
                                      "HARNESS_PROGRAM or Session(program=...)")
    return found


class Commands:
    """Runs commands of the program to their end."""

    def __init__(self, program: str, folder: Optional[str], environment: Optional[Mapping[str, str]]) -> None:
        self.program = program
        self.folder = folder
        self.environment = {**os.environ, **environment} if environment else None

    def start(self, words: Sequence[str], **streams: Any) -> subprocess.Popen[str]:
        try:
            return subprocess.Popen([self.program, *words], cwd=self.folder, env=self.environment, text=True,
                                    encoding="utf-8", errors="replace", **streams)
        except OSError as error:
            raise errors.EnvironmentLacks(f"{self.program} cannot be started: {error.strerror}") from error

    def output(self, words: Sequence[str], holds: Sequence[int] = (0, 1)) -> str:
        """What it printed; raises where its status is none of `holds` (1: done, but it does not hold)."""
        process = self.start(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            out, said = process.communicate()
        except BaseException:
            process.send_signal(signal.SIGINT)
            process.wait()
            raise
        if process.returncode not in holds or (process.returncode != 0 and not out.strip()):
            raise errors.of_status(process.returncode, said)
        return out

    def answer(self, words: Sequence[str], holds: Sequence[int] = (0, 1)) -> Any:
        """The JSON that it printed."""
        return json.loads(self.output(words, holds))


class Events(Iterator[Dict[str, Any]]):
    """The events of a running campaign, as docs/campaigns.md has them. Leaving a `with` block stops it."""

    def __init__(self, commands: Commands, words: Sequence[str]) -> None:
        self._said: IO[bytes] = tempfile.TemporaryFile()
        self._process = commands.start(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self._said)
        self._ended = False
        self.summary: Optional[Dict[str, Any]] = None  # the event campaign_finished

    def __next__(self) -> Dict[str, Any]:
        assert self._process.stdout is not None
        line = "" if self._ended else self._process.stdout.readline()
        if line:
            event: Dict[str, Any] = json.loads(line)
            if event.get("event") == "campaign_finished":
                self.summary = event
            return event
        if not self._ended:
            self._end()
        raise StopIteration

    def _end(self) -> None:
        self._ended = True
        status = self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._said.seek(0)
        said = self._said.read().decode("utf-8", "replace")
        self._said.close()
        if status not in (0, 1, 130) or (self.summary is None and status != 130):
            raise errors.of_status(status, said)

    def cancel(self) -> None:
        """Stops it as Ctrl-C does; the events that are left still come, with the campaign's end."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)

    def __enter__(self) -> Events:
        return self

    def __exit__(self, *_: object) -> None:
        self.cancel()
        for _event in self:
            pass


class Server:
    """One process of `harness mcp`. Any thread may call; one thread of its own reads the answers."""

    def __init__(self, commands: Commands, words: Sequence[str]) -> None:
        self._said: IO[bytes] = tempfile.TemporaryFile()
        self._process = commands.start(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._said)
        self._numbers = itertools.count(1)
        self._waiting: Dict[int, Future[Dict[str, Any]]] = {}
        self._lock = threading.Lock()
        self._ended: Optional[errors.HarnessError] = None
        threading.Thread(target=self._read, name="harness answers", daemon=True).start()
        self._ask("initialize", {"protocolVersion": _PROTOCOL, "capabilities": {},
                                 "clientInfo": {"name": "harness-python", "version": "1"}}).result()
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Future[Dict[str, Any]]:
        """The tool's answer to come; an answer whose `ok` is false is an answer, too."""
        return self._ask("tools/call", {"name": tool, "arguments": dict(arguments)})

    @property
    def alive(self) -> bool:
        return self._ended is None

    def close(self) -> None:
        assert self._process.stdin is not None
        with self._lock:
            self._ended = self._ended or errors.Cancelled("this session was closed")
        try:
            self._process.stdin.close()
        except OSError:
            pass
        self._process.wait()

    def _ask(self, method: str, parameters: Mapping[str, Any]) -> Future[Dict[str, Any]]:
        answer: Future[Dict[str, Any]] = Future()
        number = next(self._numbers)
        with self._lock:
            if self._ended is not None:
                raise self._ended
            self._waiting[number] = answer
        self._write({"jsonrpc": "2.0", "id": number, "method": method, "params": parameters})
        return answer

    def _write(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        line = json.dumps(message, separators=(",", ":")) + "\n"
        try:
            with self._lock:
                self._process.stdin.write(line)
                self._process.stdin.flush()
        except (OSError, ValueError):
            pass  # the reader sees the end and says why

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                try:
                    message = json.loads(line)
                except ValueError:  # it ended in the middle of a line
                    break
                with self._lock:
                    answer = self._waiting.pop(message.get("id"), None)
                if answer is not None:
                    self._answer(answer, message)
        self._end()

    @staticmethod
    def _answer(answer: Future[Dict[str, Any]], message: Mapping[str, Any]) -> None:
        result = message.get("result")
        if result is None:
            answer.set_exception(errors.BadInput(str(message.get("error", {}).get("message", "no answer"))))
        else:
            answer.set_result(result.get("structuredContent", result))

    def _end(self) -> None:
        status = self._process.wait()
        self._said.seek(0)
        said = self._said.read().decode("utf-8", "replace")
        self._said.close()
        with self._lock:
            try:
                if self._process.stdin is not None:
                    self._process.stdin.close()
            except OSError:
                pass  # what was still to be written has no reader
            self._ended = self._ended or (errors.of_status(status, said) if status else errors.ProgramEnded(
                "the program ended before it had answered"))
            waiting: List[Future[Dict[str, Any]]] = list(self._waiting.values())
            self._waiting.clear()
        for answer in waiting:
            answer.set_exception(self._ended)
