#!/usr/bin/env python3
"""One table of how strategies did on many made campaigns, from the tables of strategies_bench on stdin.

  strategies_bench table ... | bench/strategies_made.py
"""
import statistics
import sys


def campaigns(lines):
    """By campaign, by strategy: { area, seconds, reached } of strategies_bench's tables; and the campaign's budget."""
    found, name = {}, None
    for line in lines:
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if ": " in line and " evaluations in " in line:
            name = line.split(":")[0]
            found[name] = {"budget": float(line.split(" evaluations in ")[1].split()[0]), "of": {}}
        elif len(cells) == 8 and cells[0] not in ("strategy", "---"):
            found[name]["of"][cells[0]] = {"seconds": float(cells[1]), "reached": [int(n) for n in cells[3].split(" of ")],
                                           "area": float(cells[4])}
    return found


def main():
    found = campaigns(sys.stdin)
    strategies = list(next(iter(found.values()))["of"])
    found = {name: campaign for name, campaign in found.items() if len(campaign["of"]) == len(strategies)}  # an end that is cut off
    print(f"{len(found)} campaigns\n")
    print("| strategy | mean ln(score) | behind the best, mean | most | campaigns first | share of the budget to 95 %, median | reached |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for strategy in strategies:
        rows = [(campaign["of"][strategy], max(each["area"] for each in campaign["of"].values()), campaign["budget"])
                for campaign in found.values()]
        behind = [best - row["area"] for row, best, _ in rows]
        first = sum(gap == 0 for gap in behind)
        reached = [sum(row["reached"][i] for row, _, _ in rows) for i in (0, 1)]
        share = statistics.median(row["seconds"] / budget for row, _, budget in rows)
        print(f"| {strategy} | {statistics.mean(row['area'] for row, _, _ in rows):.3f} | {statistics.mean(behind):.3f} | "
              f"{max(behind):.3f} | {first} | {100 * share:.0f} % | {reached[0]} of {reached[1]} |")


main()
