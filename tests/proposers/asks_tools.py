#!/usr/bin/env python3
"""A session that compiles what it would answer, and mends it, before it answers.

It starts the tools that $HARNESS_TOOLS names. Its first idea of a parent's source lacks a semicolon; what `compile` says
of that and of the mended one stands in its hypothesis.
"""
import json
import os
import subprocess
import sys


class Tools:
    """A server of tools over standard input and output."""

    def __init__(self, command):
        self.server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.number = 0
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                "clientInfo": {"name": "session", "version": "1"}})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.server.stdin.write(json.dumps(message) + "\n")
        self.server.stdin.flush()

    def ask(self, method, parameters):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": parameters})
        for line in self.server.stdout:
            answer = json.loads(line)
            if answer.get("id") == self.number:
                return answer["result"]
        sys.exit("the tools have ended")

    def call(self, tool, **arguments):
        return self.ask("tools/call", {"name": tool, "arguments": arguments})["structuredContent"]

    def compiled(self, kernel, variant, source):
        """Whether it compiles."""
        answer = self.call("compile", kernel=kernel, variant=variant, source=source, wait_s=45)
        while answer.get("state") in ("queued", "running", "waiting"):
            answer = self.call("job", job=answer["job"], wait_s=45)
        return all(each["compiles"] for each in answer["compiled"])


def main():
    tools = Tools(json.loads(os.environ["HARNESS_TOOLS"]))
    for line in sys.stdin:
        request = json.loads(line)
        parent = request["parents"][0]
        source = "constexpr int kAsked = 1;\n" + parent["source"]
        broken = tools.compiled(request["kernel"], parent["variant"], source.replace("= 1;", "= 1", 1))
        right = tools.compiled(request["kernel"], parent["variant"], source)
        said = f"compiles: first {broken}, then {right}"
        print(json.dumps({"id": request["id"], "source": source, "hypothesis": said}), flush=True)


if __name__ == "__main__":
    main()
