#!/usr/bin/env python3
"""Measures what a release promises in figures: release/figures.py FOLDER|ARCHIVE.tar.zst [--device cuda] [--write PAGE] [--json].

FOLDER is what ./bootstrap release made; with an archive alone only its own figures are taken, which needs nothing but this
file and Python 3.9. The archive is unpacked into a fresh home, so nothing is known there. --write puts the table into a page
between the lines <!-- numbers --> and <!-- end of numbers -->. With --json the last line is all of it as JSON. On a GPU
with --budget 25s it takes less than two minutes. Ends with 1 where a goal is missed.
"""
import argparse, ctypes, datetime, json, os, pathlib, platform, re, shutil, statistics, subprocess, sys, tarfile, tempfile, time

TURNS = 40  # of the shortest measurements
FIRST = "vector_scale"  # the kernel of the first answer in docs/install.md


def unpacked_tar(archive, into):
    """Writes the tar of ARCHIVE.tar.zst, by the program zstd, or by the library that every dpkg and rpm brings."""
    if shutil.which("zstd"):
        subprocess.run(["zstd", "-q", "-d", "-f", "-o", into, archive], check=True)
        return
    zstd = ctypes.CDLL("libzstd.so.1")
    for name in "ZSTD_createDStream", "ZSTD_decompressStream":
        getattr(zstd, name).restype = ctypes.c_void_p if name == "ZSTD_createDStream" else ctypes.c_size_t

    class Buffer(ctypes.Structure):  # ZSTD_inBuffer, ZSTD_outBuffer
        _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t), ("at", ctypes.c_size_t)]

    content, room = archive.read_bytes(), ctypes.create_string_buffer(1 << 20)
    given = Buffer(ctypes.cast(ctypes.c_char_p(content), ctypes.c_void_p), len(content), 0)
    stream = ctypes.c_void_p(zstd.ZSTD_createDStream())
    with open(into, "wb") as file:
        full = True  # the room, so that more may wait than what was given says
        while full or given.at < given.size:
            taken = Buffer(ctypes.cast(room, ctypes.c_void_p), len(room), 0)
            left = zstd.ZSTD_decompressStream(stream, ctypes.byref(taken), ctypes.byref(given))
            if zstd.ZSTD_isError(ctypes.c_size_t(left)):
                sys.exit(f"{archive} is no archive of zstd")
            file.write(room.raw[:taken.at])
            full = taken.at == len(room)
    if left:
        sys.exit(f"{archive} is damaged")


class Figures:
    def __init__(self):
        self.rows, self.missed, self.values = [], [], []

    def add(self, what, value, unit, goal=None):
        holds = goal is None or value < goal
        self.values.append({"what": what, "value": None if value == float("inf") else value, "unit": unit, "below": goal, "holds": holds})
        self.rows.append((what, (f"{value:.3g} {unit}" if value < 1000 else f"{value:.0f} {unit}").strip(),
                          "" if goal is None else f"below {goal} {unit}".strip()))
        print(f"{'' if holds else 'MISSED: '}{what}: {self.rows[-1][1]}{', goal ' + self.rows[-1][2] if goal else ''}", flush=True)
        if not holds:
            self.missed.append(what)

    def table(self, said):
        return "\n".join([f"{said}", "", "| figure | measured | goal |", "|---|---|---|",
                          *(f"| {what} | {value} | {goal} |" for what, value, goal in self.rows)])


class Program:
    """The archive, unpacked into a fresh home."""

    def __init__(self, archive, home):
        begun = time.monotonic()
        unpacked_tar(archive, home / "x.tar")
        with tarfile.open(home / "x.tar") as tar:
            tar.extractall(home)
        (home / "x.tar").unlink()
        self.unpacking_s = time.monotonic() - begun
        self.home = home
        self.folder = next(each for each in home.iterdir() if each.is_dir())
        self.path = self.folder / "bin/harness"
        kept = ("PATH", "LD_LIBRARY_PATH", "CUDA_HOME", "CUDA_PATH", "VIRTUAL_ENV", "CONDA_PREFIX", "CUDA_VISIBLE_DEVICES")
        self.environment = {**{name: os.environ[name] for name in kept if name in os.environ}, "HOME": str(home), "COLUMNS": "100"}

    def said(self, *words):
        return subprocess.run([self.path, *words], cwd=self.home, env=self.environment, stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)

    def version_ms(self):
        """Processor time of a start in the middle, and the shortest time by the clock."""
        processor, wall = [], []
        for _ in range(TURNS):
            begun = time.monotonic()
            child = subprocess.Popen([self.path, "--version"], stdout=subprocess.DEVNULL, env=self.environment)
            used = os.wait4(child.pid, 0)[2]
            child.returncode = 0
            wall.append((time.monotonic() - begun) * 1e3)
            processor.append((used.ru_utime + used.ru_stime) * 1e3)
        return statistics.median(processor), min(wall), statistics.median(wall)

    def newest_glibc_symbol(self):
        """The largest x of a symbol GLIBC_2.x that a file of the archive asks the C library for."""
        files = [self.path, *(self.folder / "lib/harness").iterdir()]
        return max(int(x) for each in files for x in re.findall(rb"\0GLIBC_2\.(\d+)", each.read_bytes()))

    def first_best_s(self, device, budget):
        """Begins a campaign and waits for its first `new best`; shows each line with its second. Then it goes on to its end."""
        words = ["run", FIRST, "--device", device, "--budget", budget]
        print("$ harness", *words, flush=True)
        begun = time.monotonic()
        run = subprocess.Popen([self.path, *words], cwd=self.home, env=self.environment, stdin=subprocess.DEVNULL, text=True,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        first = None
        for line in run.stderr:
            print(f"{time.monotonic() - begun:6.1f} s  {line.rstrip()}", flush=True)
            if first is None and line.startswith("new best"):
                first = time.monotonic() - begun
        run.wait()
        took = time.monotonic() - begun
        print(self.said("best", FIRST).stdout, flush=True)
        return first, took, run.returncode

    def python_ms(self, device):
        """Python's own time of a call whose answer the record has: processor time of the client, all its threads."""
        code = f"""
import harness, time
with harness.Session("numbers", device={device!r}, program={str(self.path)!r}, budget="10m") as h:
    ask = lambda: h.evaluate({FIRST!r}, workload="odd_n1003_f32")
    ask(), ask()
    own, wall = time.process_time(), time.monotonic()
    for _ in range({TURNS}): ask()
    print((time.process_time() - own) / {TURNS} * 1e3, (time.monotonic() - wall) / {TURNS} * 1e3)"""
        environment = {**self.environment, "PYTHONPATH": str(self.folder / "share/harness/python"), "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run([sys.executable, "-c", code], cwd=self.home, env=environment, stdout=subprocess.PIPE, text=True)
        return [float(each) for each in done.stdout.split()] if done.returncode == 0 else None


def sizes(figures, folder):
    for pattern, what, goal in (("*-linux-x86_64.tar.zst", "archive", 25), ("*_amd64.deb", "Debian package", None),
                                ("*x86_64.whl", "wheel", None), ("*-oci.tar", "image, packed", 120),
                                ("*-source.tar.zst", "sources", None), ("*-linux-aarch64.tar.zst", "archive for aarch64", None)):
        for file in folder.glob(pattern):
            figures.add(what, file.stat().st_size / 1e6, "MB", goal)


def machine(program, device):
    listed = program.said("devices").stdout
    name = next((line for line in listed.splitlines() if line.startswith(device) and " yes " in line), "no such device")
    distribution = re.search(r'PRETTY_NAME="?([^"\n]+)', pathlib.Path("/etc/os-release").read_text())[1]
    return " ".join(name.split()), f"{distribution}, Python {platform.python_version()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("release", type=pathlib.Path)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--budget", default="60s")
    parser.add_argument("--write", type=pathlib.Path)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    figures = Figures()
    archive = asked.release
    if asked.release.is_dir():
        archive = next(asked.release.glob("*-linux-x86_64.tar.zst"))
        sizes(figures, asked.release)
    else:
        figures.add("archive", archive.stat().st_size / 1e6, "MB", 25)
    with tempfile.TemporaryDirectory(prefix="harness-numbers-") as home:
        program = Program(archive.resolve(), pathlib.Path(home))
        device, here = machine(program, asked.device)
        print(program.said("--version").stdout, device, "\n", here, "\n", program.said().stdout, sep="", flush=True)
        processor, least, middle = program.version_ms()
        figures.add("`harness --version`, processor time in the middle", processor, "ms", 15)
        figures.add("`harness --version`, by the clock at best", least, "ms", 15)
        figures.add("`harness --version`, by the clock in the middle", middle, "ms")
        figures.add("unpacking", program.unpacking_s, "s")
        figures.add("newest symbol of glibc 2 that is needed (RHEL 8 has 2.28)", program.newest_glibc_symbol(), "", 29)
        first, took, status = program.first_best_s("auto" if asked.device == "cuda" else "cpu", asked.budget)
        goal = 60 if asked.device == "cuda" else 90
        figures.add("unpacked to the first `new best`", float("inf") if first is None else first, "s", goal)
        figures.add(f"that campaign of {asked.budget}, all of it (status {status})", took, "s")
        begun = time.monotonic()
        demo = program.said("demo")
        print("$ harness demo\n", demo.stdout, sep="", flush=True)
        figures.add(f"`harness demo` (status {demo.returncode})", time.monotonic() - begun, "s")
        own = program.python_ms(asked.device)
        figures.add("Python's own time of a call", own[0] if own else float("inf"), "ms", 2)
        if own:
            figures.add("a call whose answer is recorded", own[1], "ms")
        revision = re.search(r"\((\S+)\)", program.said("--version").stdout)[1]
    if asked.write:
        page = asked.write.read_text(encoding="utf-8")
        begin, end = "<!-- numbers -->\n", "<!-- end of numbers -->"
        before, rest = page.split(begin)
        said = (f"Measured by `release/figures.py` on {datetime.date.today():%-d %B %Y}, revision {revision[:8]}, on\n"
                f"{device.split(' ')[0]}: {here}.")
        asked.write.write_text(before + begin + figures.table(said) + "\n" + end + rest.split(end)[1], encoding="utf-8")
    if asked.json:
        print(json.dumps({"revision": revision, "date": datetime.date.today().isoformat(), "device": device, "machine": here,
                          "figures": figures.values, "demo": demo.stdout}))
    if figures.missed:
        sys.exit("missed: " + ", ".join(figures.missed))


if __name__ == "__main__":
    main()
