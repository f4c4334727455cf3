"""The program of a release: installed from a built tree and linked anew, against an old C library and with all else in it."""
import os, pathlib, re, shlex, shutil, subprocess, sys
from dataclasses import dataclass

HERE = pathlib.Path(__file__).resolve().parent
FLOOR = "2.27"  # of glibc: Ubuntu 18.04, Debian 10, RHEL 8 and later
STATIC = ["libssl.a", "libcrypto.a", "libz.a", "liblua5.4.a", "libSQLiteCpp.a", "libsqlite3.a", "libboost_context.a",
          "libbrotlienc.a", "libbrotlidec.a", "libbrotlicommon.a"]
BESIDE = ["libZydis.so.4.0"]  # Debian has no static one


@dataclass(frozen=True)
class Machine:
    name: str  # of its processor, as uname says it
    debian: str
    tools: str  # before the names of the compiler's programs
    packages: str  # below which the libraries lie, in the folder build/

    @property
    def triple(self):
        return self.name + "-linux-gnu"


X86_64 = Machine("x86_64", "amd64", "", "/")
AARCH64 = Machine("aarch64", "arm64", "aarch64-linux-gnu-", "aarch64_packages/root")


def run(*words, **arguments):
    return subprocess.run([str(each) for each in words], check=True, **arguments)


def output(*words):
    return run(*words, stdout=subprocess.PIPE, text=True, cwd=HERE.parent).stdout.strip()


class Program:
    """Puts it and all that lies beside it into `stage`. `work` is for what is made on the way."""

    def __init__(self, machine, build, stage, work):
        self.machine, self.build, self.stage, self.work = machine, pathlib.Path(build).resolve(), stage, work
        self.libraries = self.build.parent / machine.packages / "usr/lib" / machine.triple
        work.mkdir(parents=True)

    def make(self):
        run("cmake", "--install", self.build, "--prefix", self.stage, stdout=subprocess.DEVNULL)
        (self.stage / "lib/harness").mkdir(parents=True, exist_ok=True)
        self.link()
        for each in [self.stage / "bin/harness", *(self.stage / "lib/harness").iterdir()]:
            self.check_floor(each)

    def tool(self, name, *words):
        run(self.machine.tools + name, *words)

    def compile(self, name, source, *options):
        made = self.work / f"{name}.o"
        self.tool("g++" if source.suffix != ".c" else "gcc", "-O2", *options, "-c", source, "-o", made)
        return made

    def server(self):
        """cpp-httplib as Debian compiles it, for the same header; what nobody calls is left out by the linker."""
        sources = self.build.parent / "release_httplib"
        run(HERE / "httplib.sh", sources)
        defines = shlex.split(output("pkg-config", "--cflags-only-other", "cpp-httplib"))
        return self.compile("httplib", sources / "httplib.cc", "-std=c++17", "-ffunction-sections", "-fdata-sections", *defines,
                            "-DCPPHTTPLIB_USE_POLL", "-idirafter", self.libraries.parents[1] / "include", "-idirafter",
                            self.libraries.parents[1] / "include" / self.machine.triple)

    def link(self):
        sysroot = self.build.parent / ("release_sysroot_" + self.machine.name)
        run(HERE / "sysroot.sh", sysroot, self.machine.debian)
        old, triple = sysroot / "root", self.machine.triple
        older = self.compile("older_glibc", HERE / "older_glibc.c", "-fno-builtin")
        packages = ["-idirafter", self.libraries.parents[1] / "include"]
        own = [older, self.compile("fmt", HERE / "fmt.cpp", "-std=c++20", *packages), self.server()]
        flags = [f"--sysroot={old}", f"-B{old}/usr/lib/{triple}", f"-L{old}/lib/{triple}", f"-L{old}/usr/lib/{triple}", "-s",
                 "-static-libstdc++", "-static-libgcc", "-Wl,-z,now", "-Wl,--build-id=none", "-Wl,--gc-sections"]
        hidden = ":".join(["libstdc++.a", "libgcc.a", "libgcc_eh.a", *STATIC])
        rooms = sorted(each for each in self.build.glob("libharness_*.a"))
        self.tool("g++", "-o", self.stage / "bin/harness", *flags, "-rdynamic", f"-Wl,--exclude-libs,{hidden}",
                  "-Wl,-rpath,$ORIGIN/../lib/harness", self.build / "CMakeFiles/harness.dir/harness/main.cpp.o",
                  "-Wl,--start-group", *rooms, *own, *(self.libraries / each for each in STATIC), "-Wl,--end-group",
                  *(self.libraries / each for each in BESIDE), "-lpthread", "-ldl", "-lm")
        injected = sorted((self.build / "CMakeFiles/harness_injected.dir").rglob("*.o"))
        self.tool("g++", "-shared", "-o", self.stage / "lib/harness/libharness_capture.so", *flags,
                  "-Wl,--exclude-libs,ALL", *injected, older, "-lpthread", "-ldl", "-lm")
        for each in BESIDE:
            shutil.copy(self.libraries / each, self.stage / "lib/harness" / each)

    def check_floor(self, file):
        needed = set(re.findall(r"GLIBC_([0-9.]+)", output(self.machine.tools + "objdump", "-T", file)))
        newest = max(needed, key=lambda text: [int(each) for each in text.split(".")])
        if [int(each) for each in newest.split(".")] > [int(each) for each in FLOOR.split(".")]:
            sys.exit(f"release: {file.name} needs glibc {newest}: mend release/older_glibc.c")
