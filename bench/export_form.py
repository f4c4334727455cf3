"""The outer form of an exported text (harness/core/export_form.h): counts in the first line, a digest in the last."""
import collections
import hashlib
import json


def lines(rows, schema, **style):
    """The lines of a whole export, without line ends; `style` is for json.dumps."""
    counts = dict(sorted(collections.Counter(row["type"] for row in rows).items()))
    digest, written = hashlib.sha256(), 0
    for row in [{"counts": counts, "harness_export": 2, "schema": schema}, *rows]:
        line = json.dumps(row, separators=(",", ":"), **style)
        digest.update(line.encode() + b"\n")
        written += 1
        yield line
    yield json.dumps({"lines": written, "sha256": digest.hexdigest(), "type": "end"}, separators=(",", ":"))
