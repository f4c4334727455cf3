#!/usr/bin/env python3
"""Draws how the best time of each workload fell during one campaign, as an SVG.

  bench/best_over_time.py bench/h200/from_nothing.jsonl docs/best_over_time.svg
  bench/best_over_time.py experiments.db out.svg --campaign 2

Reads a store (SQLite) or its text form (`harness export`). One panel a workload: the line is the best so far, a dot is a
candidate that passed, the dashed line is the fastest rival. Both axes are logarithmic.
"""
import argparse
import json
import math
import sqlite3
import sys
from html import escape

COLUMNS = 5
WIDTH, LEFT, RIGHT, GAP = 1000, 58, 18, 16
TOP, HEAD, PLOT, FOOT = 64, 64, 220, 30   # heights: the picture's title; a panel's title, plot and ticks
AXIS = 28                                 # height of the last line, which names the horizontal axis
PAUSE_S = 5                               # a longer gap between two evaluations lies between two legs of a campaign

STYLE = """
  .card { fill: #ffffff; stroke: #d0d7de } .frame { fill: #f6f8fa } .grid { stroke: #d8dee4 }
  text { fill: #57606a; font-family: system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif; font-size: 12px }
  .strong { fill: #1f2328; font-weight: 600 } .title { font-size: 16px } .panel { font-size: 11px }
  .best { stroke: #0969da; stroke-width: 2.5; fill: none; stroke-linejoin: round } .end { fill: #0969da }
  .tried { stroke: #0969da; stroke-opacity: .3; stroke-width: 3.2; stroke-linecap: round; fill: none }
  .rival { stroke: #bc4c00; stroke-width: 1.5; stroke-dasharray: 5 4 } .rivaltext { fill: #bc4c00 }
  .besttext { fill: #0969da } .gain { fill: #0969da; font-weight: 700; font-size: 13px }
"""
DARK = """
  .card { fill: #0d1117; stroke: #30363d } .frame { fill: #161b22 } .grid { stroke: #30363d }
  text { fill: #9198a1 } .strong { fill: #f0f6fc }
  .best, .tried { stroke: #58a6ff } .end, .gain, .besttext { fill: #58a6ff } .rival { stroke: #f0883e } .rivaltext { fill: #f0883e }
"""

QUERY = """
  SELECT i.ended_unix, a.begun_unix, a.purpose, i.workload, c.variant, i.outcome, i.time_ns, i.baseline_ns, i.verdict, i.confirmed
  FROM iteration i JOIN attempt a ON a.id = i.attempt JOIN candidate c ON c.id = i.candidate
  WHERE i.campaign = ? ORDER BY i.id
"""
FIELDS = ("ended_unix", "begun_unix", "purpose", "workload", "variant", "outcome", "time_ns", "baseline_ns", "verdict", "confirmed")


def from_store(path, number):
    store = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    row = store.execute("SELECT started_unix, device_name, kernels FROM campaign WHERE id = ?", (number,)).fetchone()
    if row is None:
        sys.exit(f"best_over_time: {path} has no campaign {number}; see harness query 'SELECT id, name FROM campaign'")
    campaign = {"started_unix": row[0], "device_name": row[1], "kernels": json.loads(row[2])}
    return campaign, [dict(zip(FIELDS, each)) for each in store.execute(QUERY, (number,))]


def from_text(path, number):
    """The export numbers attempts and iterations from 1 within each campaign; a campaign's line comes first."""
    seen, campaign, attempts, rows = 0, None, [], []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            entry = json.loads(line)
            kind = entry.get("type")
            seen += kind == "campaign"
            if seen != number:
                continue
            if kind == "campaign":
                campaign = entry
            elif kind == "attempt":
                attempts.append(entry)
            elif kind == "iteration":
                rows.append({**attempts[entry["attempt"] - 1], **entry})
    if campaign is None:
        sys.exit(f"best_over_time: {path} has no campaign {number}")
    return campaign, rows


def histories(campaign, rows):
    """By workload: the steps of the best so far, all that passed, and the fastest rival. Minutes leave out the pauses between legs."""
    found, paused, previous = {}, 0.0, None
    for row in rows:
        if previous is not None and row["begun_unix"] - previous > PAUSE_S:
            paused += row["begun_unix"] - previous
        previous = row["ended_unix"]
        history = found.setdefault(row["workload"], {"steps": [], "tried": [], "rival": None, "baseline_ns": None})
        if row["outcome"] != "passed":
            continue
        minutes = (row["ended_unix"] - campaign["started_unix"] - paused) / 60
        if row["purpose"] == "rival":
            if history["rival"] is None or row["time_ns"] < history["rival"]["time_ns"]:
                history["rival"] = row
            continue
        if row["purpose"] == "baseline":
            history["baseline_ns"] = row["baseline_ns"] or row["time_ns"]
        speedup = row["baseline_ns"] / row["time_ns"] if row["baseline_ns"] else 1.0
        history["tried"].append((minutes, speedup))
        if row["purpose"] in ("baseline", "confirm") or row["verdict"] == "faster":
            history["steps"].append((minutes, speedup, row))
    for history in found.values():
        baselines = [step[2]["baseline_ns"] for step in history["steps"] if step[2]["baseline_ns"]]
        history["baseline_ns"] = baselines[-1] if baselines else history["baseline_ns"]
    return {name: history for name, history in found.items() if history["steps"]}, previous - campaign["started_unix"] - paused


def spoken(time_ns):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if time_ns >= size:
            return f"{time_ns / size:.2f} {unit}"
    return f"{time_ns:.0f} ns"


def times(speedup):
    return f"{speedup:,.0f}x" if speedup >= 10 else f"{speedup:.2f}x"


class Panel:
    """One workload's plot; x and y turn minutes and speedups into places."""

    def __init__(self, left, top, width, first, last, highest):
        self.left, self.top, self.width = left, top, width
        self.first, self.last, self.highest = first, last, highest

    def x(self, minutes):
        share = math.log(max(minutes, self.first) / self.first) / math.log(self.last / self.first)
        return self.left + self.width * share

    def y(self, speedup):
        share = math.log(max(speedup, 1)) / math.log(self.highest)
        return self.top + PLOT * (1 - share)

    def grid(self, labelled):
        yield f'<rect class="frame" x="{self.left:.1f}" y="{self.top}" width="{self.width:.1f}" height="{PLOT}"/>'
        speedup = 1
        while speedup <= self.highest:
            at = self.y(speedup)
            yield f'<line class="grid" x1="{self.left:.1f}" y1="{at:.1f}" x2="{self.left + self.width:.1f}" y2="{at:.1f}"/>'
            if labelled:
                yield f'<text x="{self.left - 7:.1f}" y="{at + 4:.1f}" text-anchor="end">{speedup:,}x</text>'
            speedup *= 10
        for minutes in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500):
            if self.first <= minutes <= self.last:
                at, low = self.x(minutes), self.top + PLOT
                yield f'<line class="grid" x1="{at:.1f}" y1="{self.top}" x2="{at:.1f}" y2="{low}"/>'
                yield f'<text x="{at:.1f}" y="{low + 17}" text-anchor="middle">{minutes:g}</text>'

    def heading(self, above, look, text):
        return f'<text class="panel {look}" x="{self.left:.1f}" y="{self.top - above}">{escape(text)}</text>'

    def draw(self, name, history, labelled):
        yield from self.grid(labelled)
        steps, end = history["steps"], history["steps"][-1]
        yield self.heading(44, "strong", name)
        yield self.heading(28, "besttext", f"{spoken(end[2]['time_ns'])}, {end[2]['variant']}")
        dots = "".join(f"M{self.x(minutes):.1f} {self.y(speedup):.1f}h0" for minutes, speedup in history["tried"])
        yield f'<path class="tried" d="{dots}"/>'
        if history["rival"]:
            rival_ns = history["rival"]["time_ns"]
            at = self.y(history["baseline_ns"] / rival_ns)
            yield f'<line class="rival" x1="{self.left:.1f}" y1="{at:.1f}" x2="{self.left + self.width:.1f}" y2="{at:.1f}"/>'
            yield self.heading(12, "rivaltext", f"{spoken(rival_ns)}, {history['rival']['variant']}: {times(history['baseline_ns'] / rival_ns)}")
        path = f"M{self.x(steps[0][0]):.1f} {self.y(steps[0][1]):.1f}"
        for minutes, speedup, _ in steps[1:]:
            path += f"H{self.x(minutes):.1f}V{self.y(speedup):.1f}"
        right, at = self.left + self.width, self.y(end[1])
        above = min(self.y(speedup) for _, speedup, _ in steps[-2:]) - 9   # a confirmation may lie below the best
        yield f'<path class="best" d="{path}H{right:.1f}"/><circle class="end" cx="{right:.1f}" cy="{at:.1f}" r="4"/>'
        yield f'<text class="gain" x="{right - 4:.1f}" y="{above:.1f}" text-anchor="end">{times(end[1])}</text>'


def picture(campaign, found, spent_s):
    columns = min(COLUMNS, len(found))
    rows = math.ceil(len(found) / columns)
    panel_width = (WIDTH - LEFT - RIGHT - GAP * (columns - 1)) / columns
    height = TOP + rows * (HEAD + PLOT + FOOT) + AXIS
    last = spent_s / 60
    first = min(history["steps"][0][0] for history in found.values())
    top_speedup = max(speedup for history in found.values() for _, speedup in history["tried"])
    # One to two decades of time, and room above the highest line for its figure.
    first, highest = min(max(first, last / 100), last / 10), max(10.0, 2.2 * top_speedup)
    kernels, device = ", ".join(campaign["kernels"]), campaign["device_name"]
    title = f"harness run {kernels} on one {device}: the best time so far of each workload"
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(title)}">'
    yield f"<style>{STYLE}  @media (prefers-color-scheme: dark) {{{DARK}  }}\n</style>"
    yield f'<rect class="card" x=".5" y=".5" width="{WIDTH - 1}" height="{height - 1}" rx="8"/>'
    yield f'<text class="strong title" x="20" y="29">{escape(title)}</text>'
    yield ('<text x="20" y="50">Speedup over the naive kernel (log scale), one panel a workload. Line: the best so far. Dots: candidates that passed. '
           "Dashed: the fastest rival.</text>")
    for index, (name, history) in enumerate(found.items()):
        row, column = divmod(index, columns)
        left, top = LEFT + column * (panel_width + GAP), TOP + row * (HEAD + PLOT + FOOT) + HEAD
        yield from Panel(left, top, panel_width, first, last, highest).draw(name, history, column == 0)
    yield f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.0f}" y="{height - 16}" text-anchor="middle">minutes since the start (log scale)</text>'
    yield "</svg>"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("record", help="a store, or its text form (.jsonl)")
    parser.add_argument("picture", help="the SVG to write")
    parser.add_argument("--campaign", type=int, default=1, metavar="N", help="its number in the record (default 1)")
    arguments = parser.parse_args()
    read = from_text if arguments.record.endswith(".jsonl") else from_store
    campaign, rows = read(arguments.record, arguments.campaign)
    found, spent_s = histories(campaign, rows) if rows else ({}, 0)
    if not found:
        sys.exit(f"best_over_time: nothing has passed in campaign {arguments.campaign}")
    drawn = "\n".join(picture(campaign, found, spent_s)) + "\n"
    with open(arguments.picture, "w", encoding="utf-8") as file:
        file.write(drawn)


main()
