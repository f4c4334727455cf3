#!/usr/bin/env python3
"""page_stores.py FROM.db FOLDER [NAME...]: stores to look at the live page with, made of a campaign of FROM.

none: nothing; one: a campaign with one attempt; fifty: with 50; many: with 100,000 among others; failed: all of its attempts
failed, in every way; long: names of 120 characters, messages of thousands, and texts that would be scripts; rich: a fleet
with proposals, decisions, profiles and samples, another campaign that has not ended, and sources. Nothing of it was measured.
"""
import hashlib
import json
import os
import random
import sqlite3
import sys

from page_store import FAILURES, SKIPPED

SOURCE = """// Row softmax, one block a row.
#include "harness/vector.cuh"
template <int BLOCK>
__global__ void k(const float* __restrict__ x, float* y, int n) {  // </script><script>alert(1)</script>
  __shared__ float partial[BLOCK / 32];
  float best = -INFINITY;
  for (int at = threadIdx.x; at < n; at += BLOCK) best = fmaxf(best, x[at]);
  /* the sum over the block */
  y[blockIdx.x * n + threadIdx.x] = best == 0x1p-3f ? 'a' : partial[threadIdx.x / 32];
}
""" + "".join(f"// line {n}\n" for n in range(200))
LONG = {"kernel": "attention_with_a_name_that_nobody_shortened_" * 3, "workload": "B4_Sq8192_Sk8192_H32_D128_bf16_causal_paged_" * 3,
        "variant": "<img src=x onerror=alert(2)>" + "split_kv_with_double_buffering_" * 3, "technique": "warp-specialised-" * 7}
HASH = "0" * 64


def text_hash(db, table, text):
    key = hashlib.sha256(text.encode()).hexdigest()
    db.execute(f"INSERT OR IGNORE INTO {table} VALUES (?, ?)", (key, text))
    return key


class Making:
    """A store that begins empty. Its rows are those of campaign 2 of FROM, changed."""

    def __init__(self, source, target):
        if os.path.exists(target):
            os.remove(target)
        old = sqlite3.connect(f"file:{source}?mode=ro", uri=True)
        self.db = sqlite3.connect(target)
        self.db.execute("PRAGMA synchronous = OFF")
        objects = [sql for (sql,) in old.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite%' ORDER BY type <> 'table', rowid")]
        self.db.execute("PRAGMA journal_mode = WAL")
        for sql in objects:
            self.db.execute(sql)
        for pragma in ("application_id", "user_version"):
            self.db.execute(f"PRAGMA {pragma} = {old.execute(f'PRAGMA {pragma}').fetchone()[0]}")
        old.row_factory = sqlite3.Row
        self.old = old
        self.rows = old.execute("SELECT * FROM iteration WHERE campaign = 2 ORDER BY id").fetchall()
        self.columns = [name for name in self.rows[0].keys() if name not in SKIPPED | {"candidate", "workload", "kernel", "binary"}]
        self.candidates = {}
        self.draw = random.Random(1)

    def insert(self, table, **values):
        names = ", ".join(values)
        return self.db.execute(f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(values))})", list(values.values())).lastrowid

    def campaign(self, number, name="nightly", ended=True, **own):
        row = dict(self.old.execute("SELECT * FROM campaign WHERE id = 2").fetchone())
        begun = 1_780_000_000 + number * 7200
        row.update({"uuid": f"page{number}", "name": name, "started_unix": begun, "ended_unix": begun + 1400 if ended else None,
                    "reason": "budget" if ended else None, **own})
        del row["id"]
        made = self.insert("campaign", **row)
        facts = self.old.execute("SELECT facts FROM environment WHERE campaign = 2").fetchone()[0]
        self.insert("environment", campaign=made, facts=facts)
        return made, begun

    def candidate(self, old_id, long):
        if old_id not in self.candidates:
            row = dict(self.old.execute("SELECT * FROM candidate WHERE id = ?", (old_id,)).fetchone())
            del row["id"]
            if long:
                row.update({name: f"{text}{row[name]}" for name, text in LONG.items() if name != "workload"})
                row["config"] = json.dumps({f"A_PARAMETER_WITH_A_LONG_NAME_{n}": 2 ** n for n in range(12)} | json.loads(row["config"]))
            row["source_hash"] = text_hash(self.db, "source", SOURCE)
            self.candidates[old_id] = (self.insert("candidate", **row), row)
        return self.candidates[old_id]

    def decision(self, campaign, row, workload, at, begun):
        return self.insert("decision", campaign=campaign, action="try", kernel=row["kernel"], workload=workload, technique=row["technique"],
                           from_kernel=row["kernel"] if at % 3 == 0 else None, from_workload=workload, from_technique="naive",
                           why=f"{row['technique']} is expected to bring 1.2x to 1.9x for 0.4 minutes, more than what else is left", rule="time-overrun" if at % 6 == 0 else None,
                           predict_speedup_lo=1.1, predict_speedup_hi=2.4, predict_evaluations=4, numbers="[]", script="roi", script_hash=HASH, now_unix=begun + at,
                           decide_s=0.01, predict_probability=0.8)

    def attempts(self, campaign, begun, how_many, failing=0.125, long=False, fleet=False, decide=True):
        made = []
        for at in range(how_many):
            row = self.rows[at % len(self.rows)]
            candidate, own = self.candidate(row["candidate"], long)
            workload = (LONG["workload"] if long else "") + row["workload"]
            fails = self.draw.random() < failing and (row["purpose"] == "search" or failing == 1)
            outcome, kind, message = self.draw.choice(FAILURES) if fails else (row["outcome"], None, None)
            if long and message:
                message = "</pre><script>alert(3)</script> " + message * 200
            decision = self.decision(campaign, own, workload, at, begun) if decide else None
            attempt = self.insert("attempt", campaign=campaign, decision=decision, candidate=candidate, workload=workload, ask=at, purpose=row["purpose"], begun_unix=begun + at,
                                  label="a label <b>of somebody</b> " * 5 if long else None, node=f"node{at % 3}" if fleet else None, device_uuid=f"GPU-{at % 3}f31" if fleet else None)
            values = {name: row[name] for name in self.columns}
            values |= {"attempt": attempt, "campaign": campaign, "candidate": candidate, "kernel": own["kernel"], "workload": workload, "ended_unix": begun + at + 1,
                       "outcome": outcome, "confirmed": row["confirmed"] if not fails else 0, "error_class": kind, "error_message": message, "source": own["source_hash"]}
            factor = self.draw.uniform(1, 1.05)
            for name in ("time_ns", "time_lo_ns", "time_hi_ns"):
                values[name] = None if fails or row[name] is None else row[name] * factor
            values["speedup"] = None if fails or row["speedup"] is None else row["speedup"] / factor
            if fails:
                values["verdict"] = values["speedup_lo"] = values["speedup_hi"] = None
            iteration = self.insert("iteration", **values)
            made.append((iteration, row["id"], own, workload))
        return made

    def evidence(self, made):
        """Gates, errors and samples of the first attempts."""
        for iteration, old_id, own, workload in made[:60]:
            for table in ("gate_result", "argument_error"):
                for row in self.old.execute(f"SELECT * FROM {table} WHERE iteration = ?", (old_id,)).fetchall():
                    self.insert(table, **(dict(row) | {"iteration": iteration}))
            time = self.db.execute("SELECT time_ns FROM iteration WHERE id = ?", (iteration,)).fetchone()[0]
            if time:
                self.insert("sample", iteration=iteration, kind="rotating_ns", series=json.dumps([time * self.draw.gauss(1, 0.01) for _ in range(60)]))
                self.insert("sample", iteration=iteration, kind="cold_ns", series=json.dumps([time * self.draw.gauss(1.3, 0.05) for _ in range(20)]))

    def fleet(self, campaign, begun):
        for at, (node, verdict) in enumerate([("node0", "first"), ("node1", "first"), ("node2", "first"), ("node1", "suspect"), ("node2", "quarantined"), ("node0", "good")]):
            self.insert("card_check", campaign=campaign, node=node, device_uuid=f"GPU-{node[-1]}f31", device_name="NVIDIA H200", driver_release="580.82", occasion="joined" if at < 3 else "due",
                        verdict=verdict, method="copy 1", bytes_per_s=4.1e12, operations_per_s=9e14, drift=None if at < 3 else -0.04 * at, why="" if verdict in ("first", "good") else f"its copy is {at * 4} % slower than when it joined",
                        state=json.dumps({"sm_clock_mhz": 1700 + at, "memory_clock_mhz": 3201, "temperature_celsius": 61, "power_watts": 512, "throttle_reasons": []}), seconds=3.1, checked_unix=begun + at * 10)

    def proposed(self, campaign, base, own, variant, begun):
        """One attempt of a variant that somebody proposed: that of `base`, a little faster."""
        candidate = self.insert("candidate", **(own | {"variant": variant}))
        self.db.row_factory = sqlite3.Row
        row = dict(self.db.execute("SELECT * FROM iteration WHERE id = ?", (base,)).fetchone())
        self.db.row_factory = None
        attempt = self.insert("attempt", campaign=campaign, candidate=candidate, workload=row["workload"], ask=0, purpose="search", begun_unix=begun, parent=HASH, node="node0", device_uuid="GPU-0f31")
        factor = self.draw.uniform(1.05, 1.3)
        faster = {name: row[name] / factor for name in ("time_ns", "time_lo_ns", "time_hi_ns") if row[name]}
        slower = {name: row[name] * factor for name in ("speedup", "speedup_lo", "speedup_hi") if row[name]}
        del row["id"]
        return self.insert("iteration", **(row | faster | slower | {"attempt": attempt, "candidate": candidate, "purpose": "search", "ended_unix": begun + 1, "confirmed": 0}))

    def proposals(self, campaign, made, begun, long=False):
        base, _, own, workload = next(one for one in made if self.db.execute("SELECT outcome = 'passed' AND purpose = 'search' FROM iteration WHERE id = ?", (one[0],)).fetchone()[0])
        newest, at_best = own["variant"], base
        outcomes = ["accepted", "accepted", "unparsable", "accepted", "twin", "unusable", "accepted"]
        for at, outcome in enumerate(outcomes):
            variant = own["variant"][:60] + f"_proposed_{at + 1}" if outcome == "accepted" else ""
            parent = newest if at != 4 else own["variant"]
            if variant:
                at_best, newest = self.proposed(campaign, at_best, own, variant, begun + 40 + at), variant
            self.insert("proposal", campaign=campaign, number=at + 1, second_to=3 if at == 3 else None, kernel=own["kernel"], workload=workload, technique=own["technique"], ask="a new variant of the fastest",
                        parents=json.dumps([parent]), proposer="claude", request=text_hash(self.db, "proposal_text", "Make it faster.\n" * 40), reply=text_hash(self.db, "proposal_text", SOURCE), model="a-model-of-2026",
                        tokens_in=12000 + at, tokens_out=2400, usd=0.04, usd_source="proposer", latency_s=31.5, asked_unix=begun + at, outcome=outcome, message="" if outcome == "accepted" else "no block of source was found in the reply",
                        hypothesis="Fewer barriers, because each warp keeps its own maximum" + (" and a sentence that goes on and on" * 20 if long else ""), predict_lo=1.2, predict_hi=1.6, twin="" if outcome != "twin" else own["variant"], variant=variant,
                        source=text_hash(self.db, "proposal_text", SOURCE), normal_hash=HASH)

    def profile(self, iteration):
        lines = [{"file": "20_x.cu", "line": n, "numbers": [["instructions", 4096 * n], ["global_bytes", 65536 * n]], "notes": []} for n in range(4, 11)]
        numbers = {"predicted_ns": 1000, "dram_bytes": 1.2e9, "shared_conflicts": 90210, "instructions": 8.1e7}
        profile = self.insert("profile", iteration=iteration, source="counted", why="", device="H200", rule="shared-conflicts", diagnosis="each load of shared memory takes 7 turns: 32 threads hit 5 banks", page="31",
                              launches=json.dumps([{"entry": "k", "blocks": 512, "sampled_blocks": 16, "numbers": list(numbers.items()), "lines": lines}]), wall_s=1.2)
        for metric, value in numbers.items():
            self.insert("profile_number", profile=profile, metric=metric, value=value)

    def peak(self):
        """What the device was measured to reach under two drivers, and the clocks of its samples."""
        name = self.db.execute("SELECT device_name FROM campaign LIMIT 1").fetchone()[0]
        theory = {"bytes_per_s": 4.8e12, "flops": {"f16": 1.07e15, "f32": 6.7e13}, "exps_per_s": 4.2e12}
        for at, driver in enumerate(["570.124", "580.82"]):
            measured = {"bytes_per_s": 4.1e12 + at * 1e11, "l2_bytes_per_s": 9.2e12, "flops": {"f16": 7.9e14, "f32": 6.1e13}, "exps_per_s": 3.9e12, "launch_ns": 2100}
            self.insert("device_peak", device_name=name, driver=driver, theoretical=json.dumps(theory), measured=json.dumps(measured), measured_unix=1_780_000_000 + at * 86400)
        for iteration, in self.db.execute("SELECT iteration FROM sample WHERE kind = 'rotating_ns'").fetchall():
            self.insert("sample", iteration=iteration, kind="clock_mhz", series=json.dumps([1980 - self.draw.randrange(4) * 15 for _ in range(60)]))

    def live(self, campaign, begun):
        live = {"campaign": campaign, "told_unix": begun + 60, "doing": "softmax 20_online BLOCK=128 on r4096x1024_bf16", "doing_unix": begun + 50, "phase": "timing", "phase_unix": begun + 52, "phase_deadline_unix": begun + 82, "flights": [],
                "spent_s": 60, "spent_unix": begun + 60, "budget_s": 600, "spent_usd": 0.06, "max_cost_usd": 2, "iterations": 50, "outcomes": {"passed": 40}, "workloads": 5, "best": []}
        self.insert("campaign_live", campaign=campaign, told_unix=begun + 60, live=json.dumps(live))


def make(kind, source, target):
    store = Making(source, target)
    if kind == "one":
        campaign, begun = store.campaign(1)
        store.evidence(store.attempts(campaign, begun, 1))
    elif kind == "fifty":
        campaign, begun = store.campaign(1)
        store.evidence(store.attempts(campaign, begun, 50))
    elif kind == "many":
        campaign, begun = store.campaign(1)
        store.evidence(store.attempts(campaign, begun, 90_000, decide=False))
        for number in range(2, 12):
            campaign, begun = store.campaign(number)
            store.attempts(campaign, begun, 1000)
    elif kind == "failed":
        campaign, begun = store.campaign(1)
        store.evidence(store.attempts(campaign, begun, 40, failing=1))
    elif kind == "long":
        for number in (1, 2):
            campaign, begun = store.campaign(number, name="nightly <script>alert(4)</script> of the branch that fixes everything " * 2, device_name="NVIDIA H200 with a name of the vendor that goes on, 141 GB HBM3e, of the second hand " + "x" * 40,
                                             kernels=json.dumps([LONG["kernel"] + "attention"]))
            made = store.attempts(campaign, begun, 80, long=True, fleet=number == 2)
            store.evidence(made)
            store.proposals(campaign, made, begun, long=True)
    elif kind == "rich":
        for number in (1, 2, 3):
            campaign, begun = store.campaign(number, name=f"night {number}", ended=number < 3)
            made = store.attempts(campaign, begun, 300, fleet=number == 2)
            store.evidence(made)
            if number == 2:
                store.fleet(campaign, begun)
                store.proposals(campaign, made, begun)
            for iteration, *_ in made[:20]:
                store.profile(iteration)
        store.peak()
        store.live(campaign, begun)
    store.db.commit()
    store.db.close()


def main():
    source, folder, *kinds = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    for kind in kinds or ["none", "one", "fifty", "many", "failed", "long", "rich"]:
        make(kind, source, os.path.join(folder, f"{kind}.db"))
        print(os.path.join(folder, f"{kind}.db"))


if __name__ == "__main__":
    main()
