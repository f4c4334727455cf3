#!/usr/bin/env python3
"""A hostile proposer: sends one after the other the variants that it is given (their files without .lua), with their
launches, workspaces and options, each at a cost of a cent. It fails when it has none left."""
import json
import re
import sys

PART = r"^  {} *= (function\(.*?^  end),"
request = json.load(sys.stdin)
number = int(request["id"].split("-")[1])
if number >= len(sys.argv):
    sys.exit("no attack is left")
attack = sys.argv[number]
manifest = open(attack + ".lua", encoding="utf-8").read()
parts = {}
for name in ("steps", "workspaces", "valid"):
    found = re.search(PART.format(name), manifest, re.M | re.S)
    if found:
        parts[name] = found.group(1)
options = re.search(r"^  options *= \{(.*?)\}", manifest, re.M | re.S)
if options:
    parts["options"] = re.findall(r'"(.*?)"', options.group(1))
parameters = {name: {"values": [json.loads(v) for v in values.split(",")], "bind": bind} for name, values, bind in
              re.findall(r'(\w+) *= \{ values = \{([\d ,]*)\}, bind = "(\w+)"', manifest)}
if parameters:
    parts["params"] = parameters
print(json.dumps({"id": request["id"], "source": open(attack + ".cu", encoding="utf-8").read(), "manifest": parts,
                  "label": attack.rsplit("/", 1)[1], "hypothesis": "nobody will notice",
                  "predict": {"speedup": [100, 1000]}, "usage": {"usd": 0.01}}))
