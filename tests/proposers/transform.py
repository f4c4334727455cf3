#!/usr/bin/env python3
"""A proposer that edits sources by rule: one JSON request on standard input, one reply on standard output.

It knows no kernel. Each rule looks for a form of code in the first parent's source and rewrites it; it answers with
the first rule that changes something and whose name is not among what was tried already.
"""
import json
import re
import sys

IDENTIFIER = r"[A-Za-z_]\w*"


def function_of(manifest, name):
    """The text of `name = function(...) ... end,` in a manifest of the usual layout; None if it is not there."""
    found = re.findall(r"^(?:  |made\.)" + name + r" = (function\(.*?^\s*end)", manifest, re.M | re.S)
    return found[-1] if found else None


def warp_per_row(source, manifest):
    """A thread that walks a row alone becomes a warp: lanes take every 32nd element and meet in shuffles."""
    own = re.search(r"const int (" + IDENTIFIER + r") = blockIdx\.x \* blockDim\.x \+ threadIdx\.x;", source)
    steps = function_of(manifest, "steps")
    if not own or not steps or not re.search(r"cdiv\([^()]+, p\.BLOCK\)", steps):
        return None
    loop = r"for \(int (\w+) = 0; \1 < (\w+); (?:\+\+\1|\1\+\+)\)"
    if not re.search(loop, source):
        return None
    row = own.group(1)
    source = source.replace(own.group(0), "const int lane = threadIdx.x % 32;\n  const int " + row +
                            " = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;")
    source = re.sub(loop, r"for (int \1 = lane; \1 < \2; \1 += 32)", source)
    largest = re.compile(r"(\n\s*for \([^\n]*\) (\w+) = fmaxf\(\2, [^\n]*;)")
    total = re.compile(r"(\n\s*for \([^\n]*\) (\w+) \+= [^\n]*;)")
    source = largest.sub(r"\1\n  \2 = harness::warp_max(\2);", source)
    source = total.sub(r"\1\n  \2 = harness::warp_sum(\2);", source)
    return ("#include <harness/warp.cuh>\n" + source,
            {"steps": re.sub(r"cdiv\(([^()]+), p\.BLOCK\)", r"cdiv(\1, p.BLOCK // 32)", steps)})


def reuse(source, _):
    """An expression that two loops compute is kept in the output between them, where its type holds all of it."""
    first = re.search(r"\n(\s*)(for \(int (\w+) =[^\n]*\)) (\w+) \+= (expf\([^\n]*\));", source)
    if not first:
        return None
    indent, head, index, total, expression = first.groups()
    last = re.search(r"\b(\w+)\[" + index + r"\] = harness::from_float<T>\(" + re.escape(expression) +
                     r" (/|\*) (\w+)\);", source)
    if not last:
        return None
    out, operation, by = last.groups()
    source = source.replace(last.group(0), f"{out}[{index}] = harness::from_float<T>(harness::to_float({out}[{index}]) "
                            f"{operation} {by});")
    source = source.replace(first.group(0), f"\n{indent}{head} {{\n{indent}  const float kept = {expression};\n"
                            f"{indent}  {total} += kept;\n{indent}  {out}[{index}] = harness::from_float<T>(kept);\n"
                            f"{indent}}}")
    return source, {"valid": "function(p, w, device) return w.dtype == 'f32' end"}


def reciprocal(source, _):
    """A division by what does not change in a loop becomes a product with its reciprocal."""
    found = re.search(r"\n(\s*)(for \(int (\w+) =[^\n]*\)) ([^\n]*) / (\w+)(\);)", source)
    if not found or found.group(5) == found.group(3):
        return None
    indent, head, _, body, divisor, end = found.groups()
    return (source.replace(found.group(0), f"\n{indent}const float inverse = 1.0f / {divisor};\n{indent}{head} {body} * "
                           f"inverse{end}"), {})


def unroll(source, _):
    """Loops over elements are unrolled by four."""
    changed = re.sub(r"\n(\s*)(for \(int \w+ = (?:0|lane); )", r"\n#pragma unroll 4\n\1\2", source)
    return None if changed == source or "#pragma unroll" in source else (changed, {})


def four_elements(source, manifest):
    """A thread that does one element of a vector does four that lie a grid apart."""
    own = re.search(r"const int (\w+) = blockIdx\.x \* blockDim\.x \+ threadIdx\.x;\s*if \(\1 < (\w+)\) ([^\n]*;)", source)
    steps = function_of(manifest, "steps")
    if not own or not steps or not re.search(r"cdiv\([^()]+, p\.BLOCK\)", steps):
        return None
    index, count, body = own.groups()
    return (source.replace(own.group(0), f"for (int {index} = blockIdx.x * blockDim.x + threadIdx.x; {index} < {count};\n"
                           f"       {index} += gridDim.x * blockDim.x)\n    {body}"),
            {"steps": re.sub(r"cdiv\(([^()]+), p\.BLOCK\)", r"cdiv(\1, p.BLOCK * 4)", steps)})


def threads_as_parameter(source, manifest):
    """The constant that says how many threads a block has becomes a parameter."""
    found = re.search(r"constexpr int (\w+) = (\d+);", source)
    steps = function_of(manifest, "steps")
    if not found or not steps or f"block = {{ {found.group(2)} }}" not in steps:
        return None
    name, value = found.groups()
    return (source.replace(found.group(0), f"constexpr int {name} = THREADS;"),
            {"params": {"THREADS": {"values": [32, 64, 128, int(value)], "bind": "define"}},
             "steps": steps.replace(f"block = {{ {value} }}", "block = { p.THREADS }")})


def grid_as_parameter(source, manifest):
    """A grid of a fixed number of blocks, which walk over all elements together, becomes a parameter."""
    steps = function_of(manifest, "steps")
    found = steps and re.search(r"grid = \{ (\d+) \}", steps)
    if not found or "gridDim.x" not in source:
        return None
    blocks = int(found.group(1))
    values = sorted({max(1, blocks // 16), max(1, blocks // 4), blocks, 4 * blocks})
    return None, {"params": {"BLOCKS": {"values": values, "bind": "launch"}},
                  "steps": steps.replace(found.group(0), "grid = { p.BLOCKS }")}


def more_blocks(_, manifest):
    """Other block sizes: nothing of the source changes."""
    found = re.search(r"BLOCK\s*=\s*\{ values = \{([^}]*)\}, bind = \"(\w+)\"", manifest)
    if not found:
        return None
    known = {int(value) for value in found.group(1).split(",")}
    values = sorted(known | {64, 512})
    return None if set(values) == known else (None, {"params": {"BLOCK": {"values": values, "bind": found.group(2)}}})


RULES = [warp_per_row, four_elements, threads_as_parameter, grid_as_parameter, reuse, reciprocal, unroll, more_blocks]


def main():
    request = json.load(sys.stdin)
    parent = request["parents"][0]
    tried = " ".join(each.get("hypothesis", "") for each in request["tried"])
    reply = {"id": request["id"], "usage": {"model": "rules", "tokens_in": 0, "tokens_out": 0, "usd": 0}}
    for rule in RULES:
        label = rule.__name__ + " of " + parent["variant"]
        if label in tried:
            continue
        made = rule(parent["source"], parent["manifest"])
        if made is None:
            continue
        source, manifest = made
        if source is not None:
            reply["source"] = source
        if manifest:
            reply["manifest"] = manifest
        reply.update(hypothesis=label + ": " + rule.__doc__, label=rule.__name__.replace("_", " "),
                     predict={"speedup": [1, 4]})
        print(json.dumps(reply))
        print("applied", label, file=sys.stderr)
        return
    reply["refusal"] = "no rule changes " + parent["variant"]
    print(json.dumps(reply))


main()
