#!/usr/bin/env python3
"""page_load.py HARNESS STORE [--seconds N] [--rate N] [--write FILE]: what the live page bears.

Beside 16 streams, 400 half-open connections and 50 clients that send a byte a second, requests are offered at RATE a second
(10,000) for N seconds (10) over 32 connections, several in one packet. Meanwhile one client asks for pages, ten times a second, and its waits are told.
Then: long queries in a crowd, answers of many megabytes, addresses that leave the folder, and a store that is locked, replaced,
gone, damaged, and of a newer schema. Nothing may end the server, and each page must say what is wrong in a sentence. Prints JSON;
with --write the same goes into FILE. Ends with status 1 where something did not hold. STORE is copied for what changes it.
"""
import argparse
import datetime
import json
import os
import re
import selectors
import shutil
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from urllib.parse import quote

BATCH = 16   # requests in one packet


class Served:
    def __init__(self, harness, store, *more):
        self.process = subprocess.Popen([harness, "serve", "--db", store, "--port", "0", *more], stderr=subprocess.PIPE, text=True)
        self.port = int(re.search(r"http://127\.0\.0\.1:(\d+)/", self.process.stderr.readline()).group(1))

    def connect(self, timeout=20):
        wire = socket.create_connection(("127.0.0.1", self.port), timeout)
        wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return wire

    def ask(self, path, headers="", timeout=20):
        """Status and body; a connection of its own."""
        with self.connect(timeout) as wire:
            wire.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}\r\n".encode())
            text = b""
            while part := wire.recv(1 << 16):
                text += part
        head, _, body = text.partition(b"\r\n\r\n")
        return int(head.split(b" ", 2)[1]), body

    def memory(self, name):
        return int(re.search(name + r":\s+(\d+)", open(f"/proc/{self.process.pid}/status").read()).group(1)) // 1000

    def cpu_s(self):
        fields = open(f"/proc/{self.process.pid}/stat").read().split(") ")[1].split(" ")
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def alive(self):
        return self.process.poll() is None

    def stop(self):
        self.process.terminate()
        self.process.wait()


def flood(served, path, rate, seconds):
    """Offers requests at a rate over 32 connections; how many were offered, answered, and answered with another status."""
    asked = f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    with served.connect() as wire:   # all answers are alike: their length is known
        wire.sendall(asked)
        text = wire.recv(1 << 16)
        head = text.index(b"\r\n\r\n") + 4
        length = head + int(re.search(rb"(?i)content-length: (\d+)", text).group(1))
        while len(text) < length:
            text += wire.recv(1 << 16)
        good = text[:15]
    chooser, wires = selectors.DefaultSelector(), []
    for _ in range(32):
        wire = served.connect()
        wire.setblocking(False)
        left = {"bytes": 0, "wire": wire}
        chooser.register(wire, selectors.EVENT_READ, left)
        wires.append(left)
    offered = received = refused = 0
    begun = time.monotonic()
    while (now := time.monotonic()) < begun + seconds + 2:
        due = int(min(now - begun, seconds) * rate)
        for left in wires:
            if offered >= due:
                break
            if left["bytes"] == 0:
                left["wire"].send(asked * BATCH)
                left["bytes"] = length * BATCH
                offered += BATCH
        if now > begun + seconds and not any(left["bytes"] for left in wires):
            break
        for key, _ in chooser.select(0.001):
            try:
                text = key.fileobj.recv(1 << 18)
            except BlockingIOError:
                continue
            refused += not text or (key.data["bytes"] % length == 0 and text[:15] != good)
            key.data["bytes"] -= len(text)
            received += len(text)
            if not text:
                chooser.unregister(key.fileobj)
                key.data["bytes"] = 1 << 60
    took = min(time.monotonic() - begun, seconds + 2)
    for left in wires:
        left["wire"].close()
    return {"path": path, "offered_per_s": round(offered / seconds), "answered_per_s": round(received / length / took), "refused": refused}


class Watching(threading.Thread):
    """Asks for pages in turn, ten times a second."""

    def __init__(self, served, paths):
        super().__init__()
        self.served, self.paths, self.waits, self.wrong, self.over = served, paths, [], [], False
        self.start()

    def run(self):
        at = 0
        while not self.over:
            path, begun = self.paths[at % len(self.paths)], time.monotonic()
            at += 1
            try:
                status, _ = self.served.ask(path)
                if status != 200:
                    self.wrong.append(f"{path}: {status}")
            except OSError as error:
                self.wrong.append(f"{path}: {error}")
            self.waits.append(time.monotonic() - begun)
            time.sleep(0.1)

    def end(self):
        self.over = True
        self.join()
        waits = sorted(self.waits)
        return {"asked": len(waits), "median_s": round(statistics.median(waits), 3), "longest_s": round(waits[-1], 3), "wrong": sorted(set(self.wrong))[:5]}


def crowd(served, count, path, timeout=40):
    """`count` at once: statuses and how often, and the longest wait."""
    statuses, longest = {}, [0.0]

    def one():
        begun = time.monotonic()
        try:
            status, _ = served.ask(path, timeout=timeout)
        except OSError as error:
            status = str(error)
        statuses[status] = statuses.get(status, 0) + 1
        longest[0] = max(longest[0], time.monotonic() - begun)
    threads = [threading.Thread(target=one) for _ in range(count)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    return {"statuses": statuses, "longest_s": round(longest[0], 2)}


def changed_stores(served, store):
    """What pages say while the store is not what it was."""
    said = {}

    def told(name):
        begun = time.monotonic()
        status, body = served.ask("/campaigns.json")
        try:
            sentence = json.loads(body).get("error", "")
        except ValueError:
            sentence = body[:80].decode(errors="replace")
        said[name] = {"status": status, "says": sentence.replace(os.path.dirname(store), "FOLDER"), "s": round(time.monotonic() - begun, 2),
                      "page": served.ask("/campaigns")[0]}
    told("as it was")
    writer = sqlite3.connect(store)
    writer.execute("BEGIN EXCLUSIVE")
    writer.execute("CREATE TABLE IF NOT EXISTS page_load (x)")
    told("a writer holds it")
    writer.rollback()
    version = writer.execute("PRAGMA user_version").fetchone()[0]
    writer.execute(f"PRAGMA user_version = {version + 1}")
    writer.commit()
    told("of a newer schema")
    writer.execute(f"PRAGMA user_version = {version}")
    writer.commit()
    writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    writer.close()
    told("of this schema again")
    shutil.copy(store, store + ".new")
    os.replace(store + ".new", store)
    told("replaced")
    os.rename(store, store + ".away")
    told("gone")
    with open(store, "wb") as file:
        file.write(b"no store at all" * 1000)
    told("damaged")
    os.replace(store + ".away", store)
    told("there again")
    return said


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("harness")
    words.add_argument("store")
    words.add_argument("--seconds", type=float, default=10)
    words.add_argument("--rate", type=int, default=10_000)
    words.add_argument("--write")
    asked = words.parse_args()
    folder = tempfile.mkdtemp(prefix="page_load_")
    store = shutil.copy(asked.store, os.path.join(folder, "copy.db"))
    served, found, faults = Served(asked.harness, store), {}, []

    def check(holds, what):
        if not holds:
            faults.append(what)
    newest = json.loads(served.ask("/campaigns.json")[1])["tables"]["campaigns"]["rows"][0][0]
    pages = ["/campaigns.json", f"/campaign/{newest}.json", "/attempts.json", "/campaigns", "/live.json"]
    for page in pages:
        served.ask(page)
    found["memory_at_rest_mb"] = served.memory("VmRSS")
    idle = [served.connect() for _ in range(16)]
    for wire in idle:
        wire.sendall(b"GET /live HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
    check(all(wire.recv(64).startswith(b"HTTP/1.1 200") for wire in idle), "a stream was refused")
    half = [served.connect() for _ in range(400)]
    slow = [served.connect() for _ in range(50)]
    for wire in half[:200]:
        wire.sendall(b"GET /campaigns.json HTTP/1.1\r\nHost: loc")

    def dribble():
        for byte in b"GET /campaigns.json HT":
            for wire in slow:
                try:
                    wire.send(bytes([byte]))
                except OSError:
                    pass
            time.sleep(1)
    threading.Thread(target=dribble, daemon=True).start()
    watching = Watching(served, pages)
    found["flood"] = []
    for path in ["/assets/icon.svg", "/campaigns.json"]:
        before = served.cpu_s()
        one = flood(served, path, asked.rate, asked.seconds)
        found["flood"].append(one | {"cpu_us_each": round((served.cpu_s() - before) / max(one["answered_per_s"] * asked.seconds, 1) * 1e6)})
        check(served.alive(), f"{path} at {asked.rate} a second ended the server")
        check(one["refused"] == 0, f"{path}: {one['refused']} connections were not answered as before")
    found["pages_beside_the_flood"] = watching.end()
    check(not found["pages_beside_the_flood"]["wrong"], "a page beside the flood was not answered")
    for wire in idle + half + slow:
        wire.close()

    endless = "/answer.json?sql=" + quote("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n")
    watching = Watching(served, pages)
    found["long_queries_200_at_once"] = crowd(served, 200, endless)
    found["pages_beside_them"] = watching.end()
    check(not found["pages_beside_them"]["wrong"] and set(found["long_queries_200_at_once"]["statuses"]) <= {400, 503}, "long queries in a crowd")
    watching = Watching(served, pages)
    found["large_answers_20_at_once"] = crowd(served, 20, "/answer.csv?sql=" + quote("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000) SELECT i, hex(randomblob(100)) FROM n"))
    found["pages_beside_these"] = watching.end()
    found["memory_most_mb"], found["memory_after_mb"] = served.memory("VmHWM"), served.memory("VmRSS")
    check(found["memory_after_mb"] <= found["memory_at_rest_mb"] + 30, "the memory of large answers is kept")

    tricks = ["/../../etc/passwd", "/assets/../../../etc/passwd", "/assets/%2e%2e%2f%2e%2e%2fetc/passwd", "//etc/passwd", "/assets/..%5c..%5cx", "/campaign/..%2f1.json", "/campaign/1%00.json",
              "/assets/" + "a" * 9000, "/attempt/-1.json", "/attempt/99999999999999999999.json", "/campaign/1/report.html/..", "/%ff%fe", "/kernel/%3Cscript%3E.json"]
    found["tricks"] = {trick[:60]: served.ask(trick)[0] for trick in tricks}
    check(all(b"root:" not in served.ask(trick)[1] for trick in tricks), "a file of the machine was served")
    found["other_names"] = {header.split(":")[0] + header[header.index(":"):][:40]: served.ask("/campaigns.json", header + "\r\n")[0] for header in ["Origin: http://evil.example", "Sec-Fetch-Site: cross-site", "X-Forwarded-Host: evil.example"]}
    with served.connect() as wire:
        wire.sendall(b"GET /campaigns.json HTTP/1.1\r\nHost: evil.example\r\n\r\n")
        found["other_names"]["Host: evil.example"] = int(wire.recv(64).split(b" ")[1])
    check(found["other_names"]["Host: evil.example"] == 421 and found["other_names"]["Origin: http://evil.example"] == 403, "another name was answered")

    found["changed_stores"] = changed_stores(served, store)
    for name in ["as it was", "a writer holds it", "of this schema again", "replaced", "there again"]:
        check(found["changed_stores"][name]["status"] == 200, f"{name}: {found['changed_stores'][name]}")
    for name in ["of a newer schema", "gone", "damaged"]:
        check(found["changed_stores"][name]["status"] == 503 and found["changed_stores"][name]["says"], f"{name}: {found['changed_stores'][name]}")
    check(served.alive(), "the server ended")
    served.stop()
    shutil.rmtree(folder)
    revision = subprocess.run(["git", "rev-parse", "--short=8", "HEAD"], capture_output=True, text=True, cwd=os.path.dirname(os.path.abspath(__file__)), check=False).stdout.strip()
    found = {"revision": revision, "date": datetime.date.today().isoformat(), "cores": os.cpu_count(), "load": round(os.getloadavg()[0], 1), "store_mb": os.path.getsize(asked.store) // 1_000_000} | found | {"faults": faults}
    text = json.dumps(found, indent=1)
    print(text)
    if asked.write:
        with open(asked.write, "w", encoding="utf-8") as file:
            file.write(text + "\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
