#!/usr/bin/env python3
"""How long `harness mcp` takes: to its first answer, and to answer a recorded `evaluate`.

usage: bench/mcp_time.py [HARNESS]   (default: build/release/harness; works on the cpu device)
"""
import json, os, subprocess, sys, tempfile, time

program = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build/release/harness")


class Server:
    def __init__(self, store):
        self.begun = time.perf_counter()
        self.process = subprocess.Popen([program, "mcp", "--session", "bench", "--device", "cpu", "--db", store],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.number = 0

    def ask(self, method, params):
        self.number += 1
        line = json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        begun = time.perf_counter()
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        return answer["result"], (time.perf_counter() - begun) * 1e3

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def median(values):
    return sorted(values)[len(values) // 2]


INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
with tempfile.TemporaryDirectory() as folder:
    store = os.path.join(folder, "x.db")
    starts = []
    for _ in range(11):
        server = Server(store)
        server.ask("initialize", INITIALIZE)
        starts.append((time.perf_counter() - server.begun) * 1e3)
        server.end()
    server = Server(store)
    question = {"name": "evaluate", "arguments": {"kernel": "vector_scale", "workload": "odd_n1003_f32", "wait_s": 45}}
    first = server.ask("tools/call", question)[0]["structuredContent"]
    while first.get("state") in ("waiting", "running"):
        first = server.ask("tools/call", {"name": "job", "arguments": {"job": first["job"], "wait_s": 45}})[0]
        first = first["structuredContent"]
    times = [server.ask("tools/call", question) for _ in range(101)]
    assert all(answer["structuredContent"]["recorded"] for answer, _ in times)
    server.end()
print(f"start to first answer        {median(starts):6.1f} ms (median of {len(starts)}, worst {max(starts):.1f})")
print(f"recorded evaluate, round trip {median([t for _, t in times]):5.2f} ms (median of {len(times)})")
