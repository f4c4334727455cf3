#!/usr/bin/env python3
"""The tables of docs/reports/agents.md from the campaigns that bench/h200.sh agents recorded: agents_table.py FOLDER prints them;
with --write DOC they replace what stands between the marks <!-- table --> and <!-- end --> there. FOLDER holds
agent_KERNEL.jsonl and, where PyTorch was there, torch_ordinary.json.
"""
import json
import pathlib
import statistics
import sys


def read(path):
    """The campaign's proposals, and its iterations with the attempts that they ended."""
    rows = {"attempt": [], "iteration": [], "proposal": [], "campaign": []}
    for line in path.open(encoding="utf-8"):
        row = json.loads(line)
        if row.get("type") in rows:
            rows[row["type"]].append(row)
    for iteration in rows["iteration"]:
        iteration |= {"of": rows["attempt"][iteration["attempt"] - 1]}
    return rows


def best_of(iterations):
    """What was confirmed, else the fastest that passed; None: nothing did."""
    passed = [i for i in iterations if i["outcome"] == "passed" and i["of"]["purpose"] != "rival"]
    confirmed = [i for i in passed if i["confirmed"]]
    return min(confirmed or passed, key=lambda i: i["time_ns"], default=None)


def torch_times(folder):
    file = folder / "torch_ordinary.json"
    if not file.exists():
        return {}
    results = json.loads(file.read_text(encoding="utf-8"))["results"]
    return {(r["kernel"], r["how"]): r["time_us"] for r in results if r.get("time_us")}


def number(value, digits=3):
    return "-" if value is None else f"{value:.{digits}g}"


def summary(campaigns, torch):
    lines = ["| kernel | original | best | speedup | of floor | proposal | PyTorch | torch.compile | of its speed |",
             "|---|---|---|---|---|---|---|---|---|"]
    speedups, ratios = [], []
    for kernel, rows in campaigns.items():
        best = best_of(rows["iteration"])
        if best is None:
            lines.append(f"| {kernel} | - | nothing passed | | | | | | |")
            continue
        speedups.append(best["speedup"])
        label = next((p["label"] for p in rows["proposal"] if p["variant"] == best["of"]["variant"]), "the original")
        floor = best.get("floor_ns")
        of_floor = f"{100 * floor / best['time_ns']:.0f} %" if floor else "-"
        eager, compiled = torch.get((kernel, "eager")), torch.get((kernel, "torch.compile"))
        ratio = compiled and 1e3 * compiled / best["time_ns"]
        ratios += [ratio] if ratio else []
        lines.append(f"| {kernel} | {number(best['baseline_ns'] / 1e3, 4)} | {number(best['time_ns'] / 1e3, 4)} | "
                     f"{best['speedup']:.2f}x | {of_floor} | "
                     f"{label} | {number(eager, 4)} | {number(compiled, 4)} | {f'{ratio:.2f}x' if ratio else '-'} |"
                     .replace("\n", " "))
    if speedups:
        lines.append("")
        lines.append(f"Times are microseconds of one call. The median speedup is {statistics.median(speedups):.2f}x. "
                     f"{sum(r >= 1 for r in ratios)} of {len(ratios)} reach torch.compile's speed.")
    return lines


def became(rows, proposal):
    """The best of its evaluations, in words."""
    own = [i for i in rows["iteration"] if proposal["variant"] and i["of"]["variant"] == proposal["variant"]]
    if not own:
        return proposal["outcome"], "-", 0
    best = min(own, key=lambda i: (i["outcome"] != "passed", i["outcome"] != "screened", i["time_ns"] or 0))
    return best["outcome"], f"{best['speedup']:.2f}x" if best["speedup"] else "-", len(own)


def proposals(campaigns):
    lines = ["| kernel | proposal | predicted | came out | best | evaluations | seconds |", "|---|---|---|---|---|---|---|"]
    held = []
    for kernel, rows in campaigns.items():
        for each in rows["proposal"]:
            outcome, speedup, count = became(rows, each)
            predicted = f"{each['predict_lo']:g} to {each['predict_hi']:g}x" if each["predict_lo"] else "-"
            lines.append(f"| {kernel} | {each['label'] or 'request ' + str(each['number'])} | {predicted} | {outcome} | "
                         f"{speedup} | {count} | {each['latency_s']:.1f} |")
            if each["predict_lo"] and speedup != "-":
                held.append(each["predict_lo"] <= float(speedup[:-1]) <= each["predict_hi"])
    if held:
        lines += ["", f"Of {len(held)} proposals that were timed, {sum(held)} came out within the predicted range."]
    return lines


def main():
    folder = pathlib.Path(sys.argv[1])
    campaigns = {path.stem.removeprefix("agent_"): read(path) for path in sorted(folder.glob("agent_*.jsonl"))}
    text = "\n".join(summary(campaigns, torch_times(folder)) + [""] + proposals(campaigns))
    if "--write" not in sys.argv:
        print(text)
        return
    doc = pathlib.Path(sys.argv[sys.argv.index("--write") + 1])
    before, rest = doc.read_text(encoding="utf-8").split("<!-- table -->\n", 1)
    after = rest.split("<!-- end -->", 1)[1]
    doc.write_text(f"{before}<!-- table -->\n{text}\n<!-- end -->{after}", encoding="utf-8")


main()
