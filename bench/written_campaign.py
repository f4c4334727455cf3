#!/usr/bin/env python3
"""A campaign that people wrote down, as the text that `harness import` reads.

    bench/written_campaign.py bench/seeds/campaign.json > bench/seeds/campaign.jsonl

docs/replay.md has the fields. A sitting becomes a decision (what was taken up, and what was predicted), an attempt
(the sitting's name is the variant) and an iteration (minutes, dollars and outcome). Other history comes in the same
way: write its evaluations as such lines.
"""
import hashlib
import json
import sys

import export_form

# The fields of an iteration that no written record has.
ABSENT = ("time_ns time_lo_ns time_hi_ns cold_ns warm_ns baseline_ns speedup_lo speedup_hi incumbent_ns floor_ns "
          "verdict calls_per_sample input_sets threshold_ns stopped_ns registers shared_bytes spill_bytes local_bytes "
          "source_key log_key same_as edited method").split()


def span(value):
    """[low, high] of a number, which is a highest one, or of a range; None where nothing was predicted."""
    if value is None:
        return None
    return value if isinstance(value, list) else [0, value]


def dollars(sitting):
    stated = [part for part in sitting["usd"].values() if part is not None]
    return round(sum(stated), 4) if stated else None


def speedup(sitting):
    """As claimed, where it counts: the answer was right, and both times are of one workload."""
    over = sitting.get("over_workload", sitting.get("workload"))
    counts = sitting["outcome"] == "passed" and over == sitting.get("workload")
    return sitting.get("speedup") if counts else None


def decision(campaign, sitting, now):
    minutes, gain = span(sitting.get("predicted_minutes")), span(sitting.get("predicted_speedup"))
    why = [sitting["result"], *sitting.get("notes", []), *sitting.get("flags", []), "source: " + sitting["source"]]
    return {"type": "decision", "action": "try", "kernel": campaign["kernel"], "workload": campaign["workload"],
            "technique": sitting["technique"], "from_kernel": None, "from_workload": None, "from_technique": None,
            "why": "; ".join(why), "rule": None, "reason": None, "rule_numbers": None, "patterns": [], "numbers": [],
            "predict_speedup_lo": gain[0] if gain else 1, "predict_speedup_hi": gain[1] if gain else 1,
            "predict_evaluations": 1, "predict_probability": sitting.get("predicted_probability"),
            "predict_minutes_lo": minutes[0] if minutes else None,
            "predict_minutes_hi": minutes[1] if minutes else None,
            "script": "people", "script_hash": "", "decide_s": 0.0, "now_unix": now}


def attempt(campaign, sitting, number, now):
    contract = hashlib.sha256(campaign["name"].encode()).hexdigest()
    return {"type": "attempt", "ask": 0, "begun_unix": now, "config": {}, "contract_hash": contract,
            "source_hash": contract, "decision": number, "kernel": campaign["kernel"],
            "workload": campaign["workload"], "technique": sitting["technique"], "variant": sitting["iteration"],
            "purpose": "search"}


def iteration(sitting, number, now):
    outcome = "interrupted" if sitting["outcome"] == "unmeasured" else sitting["outcome"]
    seconds = 60.0 * sitting["minutes"]
    row = dict.fromkeys(ABSENT)
    row.update(type="iteration", attempt=number, ended_unix=now + seconds, outcome=outcome, speedup=speedup(sitting),
               confirmed=False, emulation=False, fingerprint="", binary_hash="", compiler="", from_cache=False,
               seeds=[], gates=[], errors=[], samples={},
               cost={"decide_s": 0.0, "prepare_s": 0.0, "build_s": 0.0, "gates_s": 0.0, "timing_s": 0.0, "idle_s": 0.0,
                     "wall_s": seconds, "usd": dollars(sitting)})
    row["error"] = None if outcome == "passed" else {"stage": "run", "class": outcome, "message": sitting["result"],
                                                     "first_bad": None}
    return row


def rows(campaign, text):
    sittings, now = campaign["sittings"], campaign["began_unix"]
    seconds = 60.0 * sum(sitting["minutes"] for sitting in sittings)
    yield {"type": "campaign", "uuid": hashlib.sha256(text.encode()).hexdigest()[:32], "name": campaign["name"],
           "device": "recorded", "device_name": campaign["device"], "strategy": "", "strategy_hash": "",
           "search": "", "seed": 0, "budget_s": None, "max_cost_usd": None, "usd_per_hour": None,
           "kernels": [campaign["kernel"]], "options": {}, "environment": {"recorded_in": campaign["about"]},
           "started_unix": now, "ended_unix": now + seconds, "reason": "strategy", "spent_s": seconds,
           "cost_usd": round(sum(dollars(sitting) or 0 for sitting in sittings), 4)}
    for number, sitting in enumerate(sittings, 1):
        yield decision(campaign, sitting, now)
        yield attempt(campaign, sitting, number, now)
        yield iteration(sitting, number, now)
        now += 60 * sitting["minutes"]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        text = file.read()
    for line in export_form.lines(list(rows(json.loads(text), text)), 4, sort_keys=True):
        print(line)


if __name__ == "__main__":
    main()
