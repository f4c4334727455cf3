#!/usr/bin/env python3
"""kill -9 at random moments over all processes of a campaign, and resume it each time: are rows lost, does a candidate
suffer, do the costs say what it took?

    bench/kills.py --kills 1000 [--harness build/release/harness] [--device cpu] [--fleet FILE] [--seed 1] KERNEL...

With --fleet the campaign is on these nodes, which are killed as well. A candidate that was unlucky twice ends as lost with
its second node, which is no blame here; nothing may be counted twice.

One line of JSON: kills by kind of process, rows told and not in the store, candidates closed, wall seconds, costs.
Exit status 1 if a row is lost, an honest candidate is blamed or the costs are more than 1 % off: besides 0.1 s a leg,
for a process's memory is taken down after its end, and 0.2 s one that ended by itself, which is what leaving takes."""
import argparse
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

BLAME = ("crashed", "timed_out", "out_of_memory", "launch_error", "compile_error", "wrong_answer", "rejected")


def tree(root):
    """Numbers of a process and of all that it has started."""
    parents = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as stat:
                fields = stat.read().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[0] != "Z":
            parents[int(name)] = int(fields[1])
    found = [root]
    for process in found:
        found += [child for child, parent in parents.items() if parent == process]
    return found


def kind(process, root):
    if process == root:
        return "supervisor"
    try:
        with open(f"/proc/{process}/cmdline", "rb") as file:
            words = file.read().split(b"\0")
    except OSError:
        return "gone"
    if len(words) > 1 and words[1] == b"node":
        return "node"
    if len(words) > 2 and words[1] == b"worker":
        return words[2].decode()
    return "compiler"


def begun(path):
    with open(path, encoding="utf-8") as out:
        return any('"event":"campaign_started"' in line for line in out)


def wait_for(process, seconds):
    """So long, or until it ends: what comes after its end is no time of a campaign."""
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        pass


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("kernels", nargs="+")
    arguments.add_argument("--harness", default="build/release/harness")
    arguments.add_argument("--device", default="cpu")
    arguments.add_argument("--fleet", help="a fleet file, in the place of the device")
    arguments.add_argument("--kills", type=int, default=1000)
    arguments.add_argument("--pause", type=float, default=1.0, help="seconds between two kills, on average")
    arguments.add_argument("--longest", type=float, default=86400, help="seconds after which no more are tried")
    arguments.add_argument("--seed", type=int, default=1)
    given = arguments.parse_args()
    dice = random.Random(given.seed)
    folder = tempfile.mkdtemp(prefix="harness-kills-")
    store = os.path.join(folder, "x.db")
    environment = dict(os.environ, HARNESS_CACHE=os.path.join(folder, "cache"))
    told, killed, wall, legs, ended_itself, campaigns, statuses = [], {}, 0.0, 0, 0, 0, []
    where = ["--fleet", given.fleet] if given.fleet else ["--device", given.device]
    again = ["--fleet", given.fleet] if given.fleet else []
    begin = time.monotonic()
    resumes = False
    while sum(killed.values()) < given.kills and time.monotonic() - begin < given.longest:
        words = ["run", "--resume", *again] if resumes else ["run", *given.kernels, *where, "--strategy", "exhaustive",
                                                             "--search", "exhaustive", "--budget", "24h"]
        campaigns += not resumes
        legs += 1
        leg = time.monotonic()
        with open(os.path.join(folder, "out"), "wb") as out, open(os.path.join(folder, "err"), "ab") as err:
            process = subprocess.Popen([given.harness, *words, "--json", "--db", store], stdout=out, stderr=err,
                                       env=environment)
        # Before it says so there is no campaign to resume or to charge, however slow the machine is.
        while process.poll() is None and time.monotonic() - leg < 60 and not begun(os.path.join(folder, "out")):
            time.sleep(0.02)
        while True:
            wait_for(process, dice.expovariate(1 / given.pause))
            if process.poll() is not None or sum(killed.values()) >= given.kills:
                break
            victim = dice.choice(tree(process.pid))
            what = kind(victim, process.pid)
            try:
                os.kill(victim, signal.SIGKILL)
            except ProcessLookupError:
                continue
            killed[what] = killed.get(what, 0) + 1
            if what == "supervisor":
                break
        if process.poll() is None and sum(killed.values()) >= given.kills:
            process.kill()
        status = process.wait()
        wall += time.monotonic() - leg
        if status != -signal.SIGKILL:
            ended_itself += 1
            statuses.append(status)
        with open(os.path.join(folder, "out"), encoding="utf-8") as out:
            for line in out:
                if line.endswith("\n") and line.startswith("{"):
                    event = json.loads(line)
                    if event["event"] == "iteration":
                        told.append((event["iteration"], event["outcome"]))
        resumes = status in (-signal.SIGKILL, 3, 130)  # else it is done, and another begins
    subprocess.run([given.harness, "eval", given.kernels[0], "00_none", "--device", given.device, "--db", store],
                   capture_output=True, env=environment, check=False)
    # Time of the last leg is settled by whatever writes next.
    subprocess.run([given.harness, "run", "--resume", *again, "--budget", "1s", "--db", store, "--quiet"],
                   capture_output=True, env=environment, check=False) if not resumes else None
    last = 0.0
    if resumes:
        leg = time.monotonic()
        subprocess.run([given.harness, "run", "--resume", *again, "--budget", "1s", "--db", store, "--quiet"],
                       capture_output=True, env=environment, check=False)
        last = time.monotonic() - leg
        wall += last
        ended_itself += 1
    database = sqlite3.connect(store)
    rows = dict(database.execute("SELECT id, outcome FROM iteration"))
    spent = database.execute("SELECT sum(spent_s) FROM campaign").fetchone()[0]
    blamed = database.execute(
        f"SELECT outcome, error, kernel, workload FROM iteration WHERE outcome IN {BLAME} AND coalesce(error_class, '') <> 'node_lost'").fetchall()
    twice = database.execute("""SELECT a.campaign, a.workload, a.candidate, a.ask, count(*) FROM iteration i JOIN attempt a ON a.id = i.attempt
                                WHERE i.purpose = 'search' AND a.ask > 0 AND i.outcome NOT IN ('lost', 'interrupted')
                                GROUP BY 1, 2, 3, 4 HAVING count(*) > 1""").fetchall()
    nodes = database.execute("""SELECT sum(outcome = 'lost'), sum(coalesce(error_class, '') = 'node_lost' AND outcome = 'crashed')
                                FROM iteration""").fetchone()
    refused = database.execute("SELECT kernel, problems FROM admission WHERE passed = 0").fetchall()
    lost = [row for row in told if rows.get(row[0]) != row[1]]
    whole = database.execute("PRAGMA integrity_check").fetchone()[0]
    off = abs(spent - wall)
    good = not lost and not twice and not blamed and not refused and whole == "ok" and off <= 0.01 * wall + 0.1 * legs + 0.2 * ended_itself
    print(json.dumps({"kills": sum(killed.values()), "by_process": killed, "campaigns": campaigns,
                      "ended_themselves": statuses, "rows": len(rows), "rows_lost": len(lost), "integrity": whole,
                      "twice": len(twice), "lost_with_a_node": nodes[0],
                      "closed_after_two_nodes": nodes[1], "blamed": blamed, "refused": refused, "wall_s": round(wall, 2), "spent_s": round(spent, 2),
                      "off_percent": round(100 * (spent - wall) / wall, 2), "good": good, "folder": folder}))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
