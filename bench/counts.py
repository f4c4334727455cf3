#!/usr/bin/env python3
# How well counting on the cpu device tells what a GPU does (docs/profile.md). Prints tables; writes JSON lines to --out.
#   bench/counts.py gpu HARNESS [--device cuda:0] [KERNEL...]    each variant of the kernels in its default configuration:
#                      counted numbers beside the GPU's counters, predicted beside measured times
#   bench/counts.py again HARNESS FILE.json [--number NAME] [KERNEL...]      the same without a GPU: counted now, beside the
#                      counters and times that `gpu` once found (bench/h200/counts.json). A Markdown table of one number
#                      (default: instructions), and the rank correlation of predicted and measured times of each kernel.
#   bench/counts.py recorded HARNESS FILE.jsonl [--each N] [--seed S] [--workload W,...] [--variant V,...] [--minutes M]
#                      [--commit C] [--for GPU]
#                      up to N configurations of each variant of a recorded campaign, or of what `bench/h200.sh sweep`
#                      found (sweep.lines, of attention), drawn at random by the seed:
#                      predicted beside recorded times, and the rank correlation of each family, with the interval that
#                      chance leaves it. After M minutes no further one is begun; the families take turns until then.
#                      A record's times are those of its sources: C names a commit that has them, and the kernels of the
#                      record are counted as they were then. How many sources agree is printed.
#   bench/counts.py prior FILE.jsonl...                          what a prediction is worth before the first measurement: of
#                      each family in files that `recorded` wrote with --out, the evaluations until the first within 5 %
#                      of the family's best, tried in the order of predicted times, and as chance has it.
import argparse, collections, concurrent.futures, hashlib, io, itertools, json, math, os, pathlib, random, shutil, subprocess, sys, tarfile, tempfile, time

# Counted numbers that a GPU's counters know under the same name.
COMPARED = ["global_load_requests", "global_load_sectors", "global_store_requests", "global_store_sectors",
            "shared_wavefronts", "shared_conflicts", "l2_sectors", "dram_bytes"]
# One workload of each kernel that a count takes a moment for, and that fills a GPU.
WORKLOADS = {"attention": "seed_b1h1s512_f16", "softmax": "m4096n1024_f32", "rmsnorm_int8": "prefill_bf16",
             "paged_gather": "b64l2048n128_bf16", "paged_decode": "one_b1h8l16384d128p32_f16"}
FOREIGN = "tests/fixtures/counted"


def profile(harness, device, kernel, variant, workload, config, more=()):
    command = [harness, "profile", kernel, variant, "--device", device, "--json", *more]
    if device.startswith("cpu") and "--for" not in more: command += ["--for", "H200"]
    if workload: command += ["--workload", workload]
    for name, value in config.items(): command += ["-p", f"{name}={str(value).lower() if isinstance(value, bool) else value}"]
    ran = subprocess.run(command, capture_output=True, text=True)
    if ran.returncode != 0: return {"failure": ran.stderr.strip()[:200]}
    return json.loads(ran.stdout.splitlines()[0])


def numbers(found):
    return dict(found.get("numbers", []))


def ranks(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    of = [0.0] * len(values)
    at = 0
    while at < len(order):
        end = at
        while end + 1 < len(order) and values[order[end + 1]] == values[order[at]]: end += 1
        for k in range(at, end + 1): of[order[k]] = (at + end) / 2
        at = end + 1
    return of


def spearman(a, b):
    """Rank correlation; None where one side does not vary."""
    a, b = ranks(a), ranks(b)
    ma, mb = sum(a) / len(a), sum(b) / len(b)
    va, vb = sum((x - ma) ** 2 for x in a), sum((y - mb) ** 2 for y in b)
    if va == 0 or vb == 0: return None
    return sum((x - ma) * (y - mb) for x, y in zip(a, b)) / (va * vb) ** 0.5


def interval(rho, members):
    """95 % of a rank correlation: Fisher's z, with the variance that Bonett and Wright (Psychometrika 65, 2000) give."""
    if rho is None or members < 5: return None
    if abs(rho) == 1: return [rho, rho]
    half = 1.96 * math.sqrt((1 + rho * rho / 2) / (members - 3))
    return [math.tanh(math.atanh(rho) - half), math.tanh(math.atanh(rho) + half)]


def shown(value):
    return "-" if value is None else f"{value:.2f}"


def correlate(rows, key, what):
    """Prints the rank correlation of each family; gives them."""
    families = collections.defaultdict(list)
    for row in rows: families[key(row)].append(row)
    found = []
    for name, members in sorted(families.items()):
        if len(members) < 4: continue
        rho = spearman([m["predicted_ns"] for m in members], [m["measured_ns"] for m in members])
        held = sum(m["lo_ns"] <= m["measured_ns"] <= m["hi_ns"] for m in members)
        ratios = sorted(m["predicted_ns"] / m["measured_ns"] for m in members)
        between = interval(rho, len(members))
        bounds = "" if between is None else f"[{shown(between[0])}, {shown(between[1])}]"
        found.append({"what": what, "family": name, "members": len(members), "rank_correlation": rho, "rank_ci95": between,
                      "predicted_over_measured_median": ratios[len(ratios) // 2], "in_range": held})
        print(f"{what:10} {name:52} {len(members):4}  rank {shown(rho):>5} {bounds:14}  predicted/measured {ratios[len(ratios) // 2]:6.2f}  in range {held}/{len(members)}")
    return found


def timed_row(found, measured, **more):
    of = numbers(found)
    return {**more, "measured_ns": measured, "predicted_ns": of["predicted_ns"], "lo_ns": of["predicted_lo_ns"],
            "hi_ns": of["predicted_hi_ns"], "parts": {k: v for k, v in of.items() if k.startswith("predicted_")}}


def as_at(commit, kernels, texts):
    """A folder for HARNESS_HOME: today's, but with these kernels as they were at a commit. `texts`: sources of the record."""
    home, top = pathlib.Path(tempfile.mkdtemp()), pathlib.Path(__file__).resolve().parent.parent
    for name in ("strategies", "playbook", "proposers"): (home / name).symlink_to(top / name)
    shutil.copytree(top / "kernels", home / "kernels")
    for kernel in kernels:
        shutil.rmtree(home / "kernels" / kernel)
        archive = subprocess.run(["git", "-C", top, "archive", commit, f"kernels/{kernel}"], capture_output=True, check=True).stdout
        tarfile.open(fileobj=io.BytesIO(archive)).extractall(home)
    then = {hashlib.sha256(path.read_bytes()).digest() for path in home.rglob("kernels/*/variants/*.cu")}
    agree = sum(hashlib.sha256(text.encode()).digest() in then for text in texts)
    print(f"of {len(texts)} recorded sources {agree} are those of {commit}", file=sys.stderr)
    return home


def recorded(options):
    attempts, rows, texts = [], [], []
    for line in open(options.file):
        entry = json.loads(line)
        if entry.get("type") == "attempt": attempts.append(entry)
        elif "text" in entry: texts.append(entry["text"])
        elif entry.get("type") == "iteration": rows.append((attempts[entry["attempt"] - 1], entry))
        elif "time_us" in entry: rows.append(({"kernel": "attention", **entry}, {"time_ns": 1000 * entry["time_us"]}))
    wanted = options.workload.split(",") if options.workload else None
    families = collections.defaultdict(dict)
    for attempt, entry in rows:
        if entry.get("time_ns") is None or entry.get("emulation") or attempt["variant"] in options.skip.split(","): continue
        if wanted and attempt["workload"] not in wanted: continue
        if options.variant and attempt["variant"] not in options.variant.split(","): continue
        families[attempt["kernel"], attempt["workload"], attempt["variant"]][json.dumps(attempt["config"], sort_keys=True)] = entry["time_ns"]
    drawn = []
    for (kernel, workload, variant), configs in sorted(families.items()):
        if len(configs) < 4: continue  # too few for a correlation
        chosen = random.Random(f"{options.seed} {kernel} {workload} {variant}").sample(sorted(configs.items()), min(options.each, len(configs)))
        drawn.append([(kernel, variant, workload, json.loads(config), ns) for config, ns in chosen])
    jobs = [job for turn in itertools.zip_longest(*drawn) for job in turn if job]
    home = as_at(options.commit, {job[0] for job in jobs}, texts) if options.commit else None
    if home: os.environ["HARNESS_HOME"] = str(home)
    last = time.time() + options.minutes * 60 if options.minutes else math.inf
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        found = list(pool.map(lambda job: profile(options.harness, "cpu", *job[:4], ("--for", options.gpu)) if time.time() < last else None, jobs))
    if home: shutil.rmtree(home)
    left = sum(one is None for one in found)
    if left: print(f"{left} of {len(jobs)} were not begun: the time is up", file=sys.stderr)
    lines = []
    for (kernel, variant, workload, config, ns), one in zip(jobs, found):
        if one is None: continue
        if "failure" in one or "predicted_ns" not in numbers(one):
            print("not predicted:", kernel, variant, workload, config, one.get("failure", "it does not fit"), file=sys.stderr)
            continue
        lines.append(timed_row(one, ns, kernel=kernel, variant=variant, workload=workload, config=one.get("config", config)))
    lines += correlate(lines, lambda r: f"{r['kernel']} {r['workload']} {r['variant']}", "configs")
    lines += correlate([r for r in lines if "variant" in r], lambda r: f"{r['kernel']} {r['workload']}", "workload")
    return lines


def model_of(device_name):
    """The option that names a device's model; none: the default."""
    return next((["--for", gpu] for gpu in ("H200", "H100", "A100", "RTX4090") if gpu in device_name.replace(" ", "")), [])


def gpu(options):
    kernels = json.loads(subprocess.run([options.harness, "kernels", "--json", "--kernels", FOREIGN], capture_output=True, text=True).stdout)
    jobs = []
    for kernel in kernels:
        if options.kernels and kernel["name"] not in options.kernels: continue
        workload = WORKLOADS.get(kernel["name"]) or next((w["name"] for w in kernel["workloads"] if "default" in w["sets"]), kernel["workloads"][0]["name"])
        jobs += [(kernel["name"], variant, workload) for variant in kernel["variants"]]
    more = ["--kernels", FOREIGN, *options.more]
    devices = json.loads(subprocess.run([options.harness, "devices", "--json"], capture_output=True, text=True).stdout)
    name = next((d["name"] for d in devices if d["device"] == options.device), "")
    model = model_of(name)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        counted = [pool.submit(profile, options.harness, "cpu", *job, {}, [*more, *model]) for job in jobs]
        # One process at a time may read a GPU's counters.
        read = [profile(options.harness, options.device, *job, {}, [*more, "--no-lines"]) for job in jobs]
    lines, timed = [], []
    for job, mine, theirs in zip(jobs, (c.result() for c in counted), read):
        name = " ".join(job)
        if "failure" in mine or "failure" in theirs:
            print(f"{name:52} counted: {mine.get('failure', 'ok')}  read: {theirs.get('failure', 'ok')}")
            continue
        a, b = numbers(mine), numbers(theirs)
        line = {"kernel": job[0], "variant": job[1], "workload": job[2], "source": theirs["source"], "counted": a, "read": b}
        lines.append(line)
        beside = "  ".join(f"{key} {a.get(key, 0):.0f}/{b[key]:.0f}={'-' if not b[key] else format(a.get(key, 0) / b[key], '.3f')}" for key in COMPARED if key in b)
        print(f"{name:52} {theirs['source']}: {beside}")
        if "time_ns" in b and "predicted_ns" in a:
            timed.append(timed_row(mine, b["time_ns"], kernel=job[0], variant=job[1], workload=job[2]))
            print(f"{'':52} predicted {a['predicted_ns'] / 1e3:.2f} us, measured {b['time_ns'] / 1e3:.2f} us")
    return lines + correlate(timed, lambda r: r["kernel"], "variants") + correlate(timed, lambda r: "all", "all")


def again(options):
    file = json.load(open(options.rest[0]))
    found, model = file["results"], model_of(file["device"])
    kernels = options.rest[1:]
    rows = [row for row in found if "read" in row and (not kernels or row["kernel"] in kernels)]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        counted = list(pool.map(lambda row: profile(options.harness, "cpu", row["kernel"], row["variant"], row["workload"], {},
                                                    ["--kernels", FOREIGN, *options.more, *model]), rows))
    print(f"| kernel, variant | counter | counted now | ratio | predicted / measured time |\n|---|--:|--:|--:|--:|")
    lines, timed = [], []
    for row, mine in zip(rows, counted):
        name = f"{row['kernel']} `{row['variant']}`"
        if "failure" in mine:
            print(f"| {name} | not counted: {mine['failure']} | | | |")
            continue
        a, b = numbers(mine), row["read"]
        lines.append({"kernel": row["kernel"], "variant": row["variant"], "workload": row["workload"], "counted": a, "read": b})
        one, other = b.get(options.number), a.get(options.number)
        cells = [f"{value:,.0f}" if value is not None else "-" for value in (one, other)]
        cells.append(f"{other / one:.2f}" if one and other is not None else "-")
        cells.append(f"{a['predicted_ns'] / b['time_ns']:.2f}" if "predicted_ns" in a and "time_ns" in b else "-")
        print(f"| {name} | {' | '.join(cells)} |")
        if "predicted_ns" in a and "time_ns" in b: timed.append(timed_row(mine, b["time_ns"], kernel=row["kernel"], variant=row["variant"], workload=row["workload"]))
    return lines + correlate(timed, lambda r: r["kernel"], "variants") + correlate(timed, lambda r: "all", "all")


def prior(options):
    """Chance finds the first of g good ones among n after (n + 1) / (g + 1) evaluations, on average."""
    families = collections.defaultdict(list)
    for name in options.rest:
        for line in open(name):
            row = json.loads(line)
            if "config" in row and "predicted_ns" in row: families[row["kernel"], row["workload"], row["variant"]].append(row)
    lines = []
    for family, rows in sorted(families.items()):
        if len(rows) < 4: continue
        limit = 1.05 * min(row["measured_ns"] for row in rows)
        good = sum(row["measured_ns"] <= limit for row in rows)
        order = sorted(rows, key=lambda row: row["predicted_ns"])
        first = 1 + next(i for i, row in enumerate(order) if row["measured_ns"] <= limit)
        chance = (len(rows) + 1) / (good + 1)
        first_regret, typical = order[0]["measured_ns"] / limit * 1.05, sorted(row["measured_ns"] for row in rows)[len(rows) // 2] / limit * 1.05
        lines.append({"what": "prior", "family": " ".join(family), "members": len(rows), "good": good, "by_prediction": first,
                      "by_chance": chance, "first_over_best": first_regret, "median_over_best": typical})
        print(f"{' '.join(family):52} {len(rows):4}  within 5 %: {good:3}  found after {first:3} by prediction, {chance:5.1f} by chance"
              f"  the first tried {first_regret:5.2f} x the best, the median {typical:5.2f} x")
    if lines:
        print(f"{'all':52} {sum(l['by_prediction'] for l in lines)} evaluations by prediction, {sum(l['by_chance'] for l in lines):.1f} by chance")
    return lines


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("mode", choices=["gpu", "again", "recorded", "prior"])
    parser.add_argument("harness", help="of prior: the first file")
    parser.add_argument("rest", nargs="*")
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--each", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workload", default="")
    parser.add_argument("--variant", default="")
    parser.add_argument("--commit", default="")
    parser.add_argument("--for", dest="gpu", default="H200")
    parser.add_argument("--minutes", type=float, default=0)
    parser.add_argument("--skip", default="25_cublas_softmax,80_cudnn")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) - 2))
    parser.add_argument("--number", default="instructions", help="of `again`: a name of core/profile.cpp")
    parser.add_argument("--out", default="")
    parser.add_argument("--trust-source", action="store_true")
    options = parser.parse_intermixed_args()
    began = time.time()
    if options.mode == "recorded": options.file = options.rest[0]
    if options.mode == "prior": options.rest = [options.harness, *options.rest]
    options.kernels = options.rest
    options.more = ["--trust-source"] if options.trust_source else []
    lines = {"recorded": recorded, "gpu": gpu, "again": again, "prior": prior}[options.mode](options)
    if options.out: open(options.out, "w").writelines(json.dumps(line) + "\n" for line in lines)
    print(f"{time.time() - began:.0f} s")


main()
