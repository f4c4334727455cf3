#!/usr/bin/env python3
"""Stands in for `harness mcp` where a test needs a fault, or no time of the program's own. $SCRIPT says which one.

Every evaluation is a job that runs until it is asked for; `busy` first refuses twice, `crash` ends at the first
evaluation, `hang` lets jobs run until they are cancelled, `garbage` ends its answer in the middle.
"""
import json, os, sys

script = os.environ.get("SCRIPT", "")
jobs, open_now, most_open, refused = {}, 0, 0, 0
waiting = {}  # job -> id of the request that waits for it
cancelled = set()


def say(number, result):
    print(json.dumps({"jsonrpc": "2.0", "id": number, "result": result}), flush=True)


def tell(number, answer):
    say(number, {"content": [], "structuredContent": answer, "isError": not answer["ok"]})


def verdict(job):
    global open_now
    open_now -= 1
    arguments = jobs[job]
    return {"ok": True, "state": "done", "job": job, "outcome": "passed", "kernel": arguments["kernel"], "speedup": 1.5,
            "time_ns": 20.0, "time_ci95_ns": [19.0, 21.0], "baseline_ns": 30.0, "iteration": job, "most_open": most_open,
            "words": sys.argv[1:]}


def refuse(number, kind, message):
    tell(number, {"ok": False, "error": {"kind": kind, "message": message}, "next": "do something else"})


def call(number, name, arguments):
    global open_now, most_open, refused
    if name == "evaluate":
        if script == "crash":
            sys.stderr.write("harness: this machine has no memory left for it\n")
            sys.exit(3)
        if script == "garbage":
            sys.stdout.write('{"jsonrpc": "2.0", "id"')
            sys.exit(0)
        if script == "spent":
            return refuse(number, "budget", "the budget of session 'x' is spent: nothing more is evaluated")
        if script == "busy" and refused < 2:
            refused += 1
            return refuse(number, "busy", "8 jobs have not ended")
        job = len(jobs) + 1
        jobs[job] = arguments
        open_now += 1
        most_open = max(most_open, open_now)
        return tell(number, {"ok": True, "state": "waiting", "job": job})
    if name == "job":
        if arguments["job"] in cancelled:
            return refuse(number, "interrupted", "this job was stopped before it had an answer")
        if script == "hang":
            waiting[arguments["job"]] = number
            return None
        return tell(number, verdict(arguments["job"]))
    if name == "cancel":
        tell(number, {"ok": True})
        cancelled.add(arguments["job"])
        if arguments["job"] in waiting:
            refuse(waiting.pop(arguments["job"]), "interrupted", "this job was stopped before it had an answer")
        return None
    return tell(number, {"ok": True, "tool": name, "arguments": arguments})


for line in sys.stdin:
    message = json.loads(line)
    if message["method"] == "initialize":
        say(message["id"], {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {}})
    elif message["method"] == "tools/call":
        call(message["id"], message["params"]["name"], message["params"]["arguments"])
