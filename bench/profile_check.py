#!/usr/bin/env python3
"""What profiles on a GPU are worth, in one short run (bench/h200.sh profile): which way works, what attention's variants
and others are limited by, what a profile costs, whether CUPTI and ncu agree, and whether timing is as it was afterwards.

    bench/profile_check.py HARNESS OUT [SECONDS] [DEVICE]

Everything is written into OUT/profile.json, and what the programs say on stderr into OUT/profile.stderr. No later step
is begun once SECONDS (default 38) are over. Exit status 1: CUPTI does not work, costs more than 100 ms a profile, or
disagrees with ncu."""
import json
import subprocess
import sys
import time

CANDIDATES = [  # kernel, variant, workload
    ("vector_scale", "00_naive", None),
    ("softmax", "00_naive", None),
    ("attention", "40_mma", "seed_b1h1s128_f16"),
    ("attention", "20_split_kv", "seed_b1h1s128_f16"),  # several launches: ranges of one session
    ("attention", "75_persistent", "long_b8h16s2048d128_bf16"),
]
COUNTED_TWICE = 3  # of them also by ncu
COMPARED = {  # numbers that do not depend on which run was counted, and how far they may lie apart
    "instructions": 0.001, "global_load_requests": 0.001, "global_load_sectors": 0.001, "global_store_sectors": 0.001,
    "shared_wavefronts": 0.02, "shared_conflicts": 0.02, "tensor_instructions": 0.001,
}
LEAN_S = 0.1
SHOWN = ("time_ns", "dram_share", "tensor_share", "issue_share", "occupancy_share", "waves", "spill_bytes")


class Run:
    def __init__(self, harness, out, seconds, device):
        self.harness, self.device, self.end = harness, device, time.monotonic() + seconds
        self.out, self.log = out, open(f"{out}/profile.stderr", "w")
        self.found = {"profiles": [], "ncu": [], "agreement": [], "skipped": []}

    def left(self):
        return self.end - time.monotonic()

    def call(self, *words):
        """The JSON lines that the program prints; None where it fails or no time is left."""
        if self.left() <= 0:
            self.found["skipped"].append(" ".join(words))
            return None
        self.log.write(f"$ harness {' '.join(words)}\n")
        self.log.flush()
        begin = time.monotonic()
        try:
            done = subprocess.run([self.harness, *words], stdout=subprocess.PIPE, stderr=self.log, text=True,
                                  timeout=min(15, max(5, self.left() + 5)), check=False)
        except subprocess.TimeoutExpired:
            self.log.write("it did not end in time\n")
            return None
        self.log.write(f"exit status {done.returncode} after {time.monotonic() - begin:.2f} s\n")
        lines = []
        for line in done.stdout.splitlines():
            try:
                lines.append(json.loads(line))
            except ValueError:
                self.log.write(line + "\n")
        return lines

    def profile(self, kernel, variant, workload, source=None):
        words = ["profile", kernel, variant, "--device", self.device, "--json", "--alone", "--no-lines"]
        words += ["--workload", workload] if workload else []
        words += ["--through", source] if source else []
        begin = time.monotonic()
        lines = self.call(*words)
        if not lines:
            return None
        profile = lines[0]
        profile["command_s"] = time.monotonic() - begin
        return profile

    def attention_variants(self):
        rows = self.call("variants", "attention", "--json") or [[]]
        return [row["name"] for row in rows[0] if not row.get("rival")]

    def timed(self):
        """The time of one candidate, as eval sees it."""
        lines = self.call("eval", "vector_scale", "10_vector", "--device", self.device, "--db", f"{self.out}/profile.db",
                          "--json")
        return lines[0].get("time_ns") if lines else None


def number(profile, name):
    return dict(profile["numbers"]).get(name)


def show(profile):
    shown = [f"{name} {number(profile, name):.4g}" for name in SHOWN if number(profile, name) is not None]
    said = profile.get("diagnosis")
    print(f"{profile['kernel']} {profile['variant']} {profile['workload']}: {profile['source']} in "
          f"{1e3 * profile['wall_s']:.0f} ms (command {profile['command_s']:.1f} s): {', '.join(shown)}")
    print(f"    {said['text'] if said else 'no diagnosis'}{'; ' + profile['why'] if profile['why'] else ''}", flush=True)


def agreement(ours, theirs):
    rows = []
    for name, allowed in COMPARED.items():
        a, b = number(ours, name), number(theirs, name)
        if a is None or b is None:
            continue
        apart = abs(a - b) / max(abs(b), 1)
        rows.append({"kernel": ours["kernel"], "number": name, "cupti": a, "ncu": b, "apart": apart, "ok": apart <= allowed})
    return rows


def main():
    harness, out = sys.argv[1], sys.argv[2]
    run = Run(harness, out, float(sys.argv[3]) if len(sys.argv) > 3 else 38, sys.argv[4] if len(sys.argv) > 4 else "cuda")
    devices = run.call("devices", "--json") or [[]]
    run.found["ways"] = [device.get("profiles") for device in devices[0] if device.get("profiles")]
    print(f"ways: {run.found['ways']}")
    for candidate in CANDIDATES:
        profile = run.profile(*candidate)
        if profile:
            run.found["profiles"].append(profile)
            show(profile)
    for candidate, ours in zip(CANDIDATES[:COUNTED_TWICE], run.found["profiles"]):
        theirs = run.profile(*candidate, source="ncu")
        if theirs:
            run.found["ncu"].append(theirs)
            run.found["agreement"] += agreement(ours, theirs)
    for row in run.found["agreement"]:
        print(f"{'ok   ' if row['ok'] else 'APART'} {row['kernel']} {row['number']}: cupti {row['cupti']:.6g}, ncu {row['ncu']:.6g}")
    run.found["timed_before_ns"] = run.timed()  # the first also tries the kernel's gates
    run.profile("vector_scale", "10_vector", None)
    run.found["timed_after_ns"] = run.timed()
    print(f"vector_scale 10_vector: {run.found['timed_before_ns']} ns before, {run.found['timed_after_ns']} ns after", flush=True)
    for variant in run.attention_variants():
        profile = run.profile("attention", variant, "seed_b1h1s128_f16")
        if profile:
            run.found["profiles"].append(profile)
            show(profile)
    counted = [profile for profile in run.found["profiles"] if profile["source"] == "cupti"]
    dearest = max((profile["wall_s"] for profile in counted), default=None)
    run.found["dearest_s"] = dearest
    with open(f"{out}/profile.json", "w") as file:
        json.dump(run.found, file, indent=1)
    good = dearest is not None and dearest <= LEAN_S and all(row["ok"] for row in run.found["agreement"])
    print(f"{len(counted)} of {len(run.found['profiles'])} by CUPTI, the dearest {dearest} s; {len(run.found['agreement'])} numbers "
          f"compared with ncu; skipped for time: {len(run.found['skipped'])}; {'GOOD' if good else 'NOT GOOD, see ' + out + '/profile.stderr'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
