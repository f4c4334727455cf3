#!/usr/bin/env python3
"""From a definition to a fast kernel through the tools for agents alone.

    bench/agent_problems.py --work /tmp/ten                 # all problems, every step
    bench/agent_problems.py --work /tmp/ten --only softmax_causal --steps 02

Each folder of bench/agent_problems holds a problem (problem.py or definition.json) and, in the order in which an agent
wrote them, its sources: 00_naive.cu, 01_WORDS.cu, ... A file .json beside a source has the other arguments of its call
(technique, parameters, parameter_sets, manifest, variant, workload). What each call asked for and answered is kept in
WORK/calls.jsonl; the table at the end is made of it. --write FILE puts the table into a page.
"""

import argparse
import json
import pathlib
import select
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
PROBLEMS = HERE / "agent_problems"
LONGEST_WAIT_S = 40


class Server:
    """`harness mcp` over its standard input and output, in the handshake's form."""

    def __init__(self, program, folder, arguments, log):
        self.process = subprocess.Popen(
            [program, "mcp", *arguments], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.log, self.number = log, 0
        self.tokens_of_list = 0
        self.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                                "clientInfo": {"name": "agent_problems", "version": "1"}})

    def ask(self, method, parameters):
        self.number += 1
        line = json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": parameters})
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        while True:
            answer = self.process.stdout.readline()
            if not answer:
                raise SystemExit("harness mcp ended")
            read = json.loads(answer)
            if read.get("id") == self.number:
                return read

    def call(self, problem, step, tool, arguments):
        began = time.time()
        read = self.ask("tools/call", {"name": tool, "arguments": arguments})
        if "error" in read:
            answer = {"ok": False, "error": read["error"]}
            size = len(json.dumps(read["error"]))
        else:
            text = read["result"]["content"][0]["text"]
            answer, size = json.loads(text), len(text.encode())
        row = {"problem": problem, "step": step, "tool": tool, "asked_bytes": len(json.dumps(arguments).encode()),
               "answer_bytes": size, "wall_s": round(time.time() - began, 3), "arguments": arguments, "answer": answer}
        self.log.write(json.dumps(row) + "\n")
        self.log.flush()
        return answer

    def until_ended(self, problem, step, tool, arguments):
        """The call, and as many calls of `job` as its answer takes."""
        answer = self.call(problem, step, tool, {**arguments, "wait_s": LONGEST_WAIT_S})
        while answer.get("state") in ("waiting", "running"):
            answer = self.call(problem, step, "job", {"job": answer["job"], "wait_s": LONGEST_WAIT_S})
        return answer

    def end(self):
        self.process.stdin.close()
        self.process.wait(60)


def steps_of(folder):
    for source in sorted(folder.glob("*.cu")):
        arguments = {"source": source.read_text(), "label": source.stem[3:].replace("_", " "), "variant": "00_naive"}
        beside = source.with_suffix(".json")
        if beside.exists():
            arguments.update(json.loads(beside.read_text()))
        yield source.stem, arguments


def make_problem(program, project, folder):
    """The definition becomes a plugin; how long that took, and what the command said."""
    given = next(p for p in (folder / "problem.py", folder / "definition.json") if p.exists())
    if (project / "kernels" / folder.name).exists():
        return
    extra = (folder / "new.txt").read_text().split() if (folder / "new.txt").exists() else []
    made = subprocess.run([program, "new", "kernel", folder.name, "--from", str(given), *extra], cwd=project,
                          capture_output=True, text=True)
    if made.returncode != 0:
        raise SystemExit(f"{folder.name}: {made.stderr}")


def shown(answer):
    brief = {key: value for key, value in answer.items() if key not in ("budget", "profile", "log")}
    for key, value in brief.items():
        print(f"   {key}: {value if isinstance(value, str) else json.dumps(value)[:600]}")


def solve(server, folder, only_steps, quiet):
    name = folder.name
    if not only_steps:
        server.call(name, "", "describe", {"kernel": name})
    for step, arguments in steps_of(folder):
        if only_steps and not any(step.startswith(each) for each in only_steps):
            continue
        predicted_at = arguments.pop("predict_at", None)
        answers = [server.until_ended(name, step, "evaluate", {"kernel": name, **arguments})]
        if predicted_at and answers[0].get("passed"):
            asked = {key: value for key, value in arguments.items() if key not in ("label", "technique", "workload")}
            answers.append(server.until_ended(name, step, "predict",
                                              {"kernel": name, **asked, "workload": predicted_at}))
        if not quiet:
            for answer in answers:
                print(f"== {name} {step}")
                shown(answer)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--harness", default=str(HERE.parent / "build/release/harness"))
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--steps", nargs="*", default=[])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--session", default="ten")
    parser.add_argument("--quiet", action="store_true")
    parser.add_argument("--trust-source", action="store_true")
    asked = parser.parse_args()
    asked.work.mkdir(parents=True, exist_ok=True)
    project = asked.work / "project"
    if not project.exists():
        subprocess.run([asked.harness, "init", str(project)], check=True, stdout=subprocess.DEVNULL)
    with open(asked.work / "calls.jsonl", "a") as log:
        folders = [f for f in sorted(PROBLEMS.iterdir()) if f.is_dir() and (not asked.only or f.name in asked.only)]
        for folder in folders:
            make_problem(asked.harness, project, folder)
        server = Server(asked.harness, project, ["--session", asked.session, "--device", asked.device, "--budget", "2h"]
                        + ["--trust-source"] * asked.trust_source, log)
        for folder in folders:
            solve(server, folder, asked.steps, asked.quiet)
        server.end()


if __name__ == "__main__":
    main()
