#!/usr/bin/env python3
"""A proposer whose replies were written before: command:bench/prepared_replies.py FOLDER.

Request number N of a campaign over KERNEL is answered from FOLDER/KERNEL/N_*.cu, a whole source whose first comment
holds the rest of the reply: lines "key: value", a value going on where the next line is indented. N counts from 01.
A request that has no reply yet is written to the folder that the environment variable UNANSWERED names, and the
program ends with status 3. So one call of a GPU server answers all that was prepared, and brings back the next request
of every kernel.
"""
import json
import os
import pathlib
import re
import sys

PARTS = ("params", "start")  # JSON; other parts of a manifest are Lua text
FUNCTIONS = ("steps", "valid", "workspaces")


def fields_of(source):
    """The keys of the first comment, `/* ... */`."""
    comment = re.match(r"\s*/\*(.*?)\*/", source, re.S)
    if not comment:
        raise SystemExit("the reply has no first comment that says what it is")
    fields = {}
    for key, value in re.findall(r"^(\w+):(.*?)(?=^\w+:|\Z)", comment.group(1), re.M | re.S):
        fields[key] = " ".join(value.split())
    return fields


def reply_of(path, request):
    source = path.read_text(encoding="utf-8")
    fields = fields_of(source)
    manifest = {name: json.loads(fields[name]) for name in PARTS if name in fields}
    manifest |= {name: fields[name] for name in FUNCTIONS if name in fields}
    reply = {"id": request["id"], "label": path.stem, "source": source, "manifest": manifest,
             "hypothesis": fields["hypothesis"], "usage": {"model": fields.get("model", "prepared replies")}}
    if "speedup" in fields:
        reply["predict"] = {"speedup": json.loads(fields["speedup"])}
    return reply


def main():
    folder = pathlib.Path(sys.argv[1])
    request = json.load(sys.stdin)
    kernel, number = request["kernel"], int(request["id"].split("-")[-1])
    for path in sorted(folder.glob(f"{kernel}/{number:02}_*.cu")):
        print(json.dumps(reply_of(path, request)))
        return
    if os.environ.get("UNANSWERED"):
        unanswered = pathlib.Path(os.environ["UNANSWERED"])
        unanswered.mkdir(parents=True, exist_ok=True)
        (unanswered / f"{kernel}_{number:02}.json").write_text(json.dumps(request, indent=1), encoding="utf-8")
    print(f"no reply is prepared for request {number} of {kernel}", file=sys.stderr)
    sys.exit(3)


if __name__ == "__main__":
    main()
