#!/usr/bin/env python3
"""Makes a release from a built tree: release/make.py BUILD OUT [--base ROOT] (./bootstrap release calls it).

OUT gets an archive, a Debian package, a wheel, an OCI image where a root is given, the sources, an SBOM and SHA256SUMS.
The same commit and the same packages of this machine give the same bytes: every time in them is that of the commit.
"""
import argparse, gzip, hashlib, io, json, os, pathlib, re, shutil, subprocess, sys, tarfile, uuid, zipfile
from base64 import urlsafe_b64encode

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
FLOOR = "2.28"  # of glibc: RHEL 8, Debian 10, Ubuntu 18.10 and later
TRIPLE = "x86_64-linux-gnu"
STATIC = ["libcrypto.a", "libz.a", "liblua5.4.a", "libSQLiteCpp.a", "libsqlite3.a", "libboost_context.a"]
BESIDE = ["libZydis.so.4.0"]  # Debian has no static one
# What is in the program, by Debian package: for the SBOM.
PARTS = {"libssl-dev": "Apache-2.0", "zlib1g-dev": "Zlib", "liblua5.4-dev": "MIT", "libsqlitecpp-dev": "MIT",
         "libsqlite3-dev": "blessing", "libboost-context-dev": "BSL-1.0", "libzydis-dev": "MIT", "libfmt-dev": "MIT",
         "nlohmann-json3-dev": "MIT", "libcli11-dev": "BSD-3-Clause", "libstdc++-12-dev": "GPL-3.0 WITH GCC-exception-3.1"}


def run(*words, **arguments):
    return subprocess.run([str(each) for each in words], check=True, **arguments)


def output(*words):
    return run(*words, stdout=subprocess.PIPE, text=True, cwd=ROOT).stdout.strip()


class Release:
    def __init__(self, build, out):
        self.build, self.out = pathlib.Path(build).resolve(), pathlib.Path(out).resolve()
        self.version = re.search(r"project\(harness VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
        self.epoch = int(os.environ.get("SOURCE_DATE_EPOCH") or output("git", "log", "-1", "--format=%ct"))
        self.name = f"harness-{self.version}-linux-x86_64"
        self.work = self.build / "release"
        self.stage = self.work / self.name
        os.environ["SOURCE_DATE_EPOCH"] = str(self.epoch)
        shutil.rmtree(self.work, ignore_errors=True)
        shutil.rmtree(self.out, ignore_errors=True)
        self.work.mkdir(parents=True)
        self.out.mkdir(parents=True)

    # The program, linked against an old C library, with all other libraries in it

    def link(self):
        sysroot = self.build.parent / "release_sysroot"
        run(HERE / "sysroot.sh", sysroot)
        old = sysroot / "root"
        run("g++", "-std=c++20", "-O2", "-c", HERE / "fmt.cpp", "-o", self.work / "fmt.o")
        run("gcc", "-O2", "-fno-builtin", "-c", HERE / "older_glibc.c", "-o", self.work / "older_glibc.o")
        flags = [f"--sysroot={old}", f"-B{old}/usr/lib/{TRIPLE}", f"-L{old}/lib/{TRIPLE}", f"-L{old}/usr/lib/{TRIPLE}", "-s",
                 "-static-libstdc++", "-static-libgcc", "-Wl,-z,now", "-Wl,--build-id=none"]
        hidden = ":".join(["libstdc++.a", "libgcc.a", "libgcc_eh.a", *STATIC])
        rooms = sorted(each for each in self.build.glob("libharness_*.a"))
        libraries = [pathlib.Path("/usr/lib", TRIPLE, each) for each in STATIC]
        run("g++", "-o", self.stage / "bin/harness", *flags, "-rdynamic", f"-Wl,--exclude-libs,{hidden}",
            "-Wl,-rpath,$ORIGIN/../lib/harness", self.build / "CMakeFiles/harness.dir/harness/main.cpp.o",
            self.work / "older_glibc.o", "-Wl,--start-group", *rooms, self.work / "fmt.o", *libraries, "-Wl,--end-group",
            *(pathlib.Path("/usr/lib", TRIPLE, each) for each in BESIDE), "-lpthread", "-ldl", "-lm")
        injected = sorted((self.build / "CMakeFiles/harness_injected.dir").rglob("*.o"))
        run("g++", "-shared", "-o", self.stage / "lib/harness/libharness_capture.so", *flags,
            "-Wl,--exclude-libs,ALL", *injected, self.work / "older_glibc.o", "-lpthread", "-ldl", "-lm")
        for each in BESIDE:
            shutil.copy(pathlib.Path("/usr/lib", TRIPLE, each), self.stage / "lib/harness" / each)
        for each in [self.stage / "bin/harness", *(self.stage / "lib/harness").iterdir()]:
            self.check_floor(each)

    @staticmethod
    def check_floor(file):
        needed = set(re.findall(r"GLIBC_([0-9.]+)", output("objdump", "-T", file)))
        newest = max(needed, key=lambda text: [int(each) for each in text.split(".")])
        if [int(each) for each in newest.split(".")] > [int(each) for each in FLOOR.split(".")]:
            sys.exit(f"release: {file.name} needs glibc {newest}: mend release/older_glibc.c")

    def install(self):
        run("cmake", "--install", self.build, "--prefix", self.stage, stdout=subprocess.DEVNULL)
        (self.stage / "lib/harness").mkdir(parents=True, exist_ok=True)

    # The forms of it

    def members(self, folder, prefix):
        """All below a folder with their names in an archive, in an order that does not depend on the file system."""
        for path in sorted(folder.rglob("*"), key=lambda each: each.relative_to(folder).parts):
            yield path, f"{prefix}{path.relative_to(folder)}"

    def tar(self, folder, prefix, keep_owner=False):
        """A tar of a folder as bytes, all of it of the commit's time."""
        bytes_ = io.BytesIO()
        with tarfile.open(fileobj=bytes_, mode="w", format=tarfile.GNU_FORMAT) as tar:
            for path, name in self.members(folder, prefix):
                entry = tar.gettarinfo(path, name)
                if entry is None:
                    continue  # a socket
                entry.mtime = self.epoch
                if entry.type == tarfile.LNKTYPE:  # which of the names comes first depends on the walk: a file each
                    entry.type, entry.linkname, entry.size = tarfile.REGTYPE, "", path.stat().st_size
                if not keep_owner:
                    entry.uid = entry.gid = 0
                    entry.mode = 0o777 if entry.issym() else 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
                entry.uname = entry.gname = ""
                if entry.isreg():
                    with open(path, "rb") as file:
                        tar.addfile(entry, file)
                else:
                    tar.addfile(entry)
        return bytes_.getvalue()

    def archive(self):
        self.compress(self.tar(self.stage, self.name + "/"), self.out / f"{self.name}.tar.zst")

    def sources(self):
        name = f"harness-{self.version}"
        self.compress(run("git", "archive", "--format=tar", f"--prefix={name}/", "HEAD", cwd=ROOT,
                          stdout=subprocess.PIPE).stdout, self.out / f"{name}-source.tar.zst")

    @staticmethod
    def compress(content, path):
        run("zstd", "-q", "-19", "-T1", "-f", "-o", path, input=content)

    def deb(self):
        config = self.work / "deb.cmake"
        config.write_text(f"""set(CPACK_GENERATOR DEB)
set(CPACK_INSTALLED_DIRECTORIES "{self.stage};usr")
set(CPACK_PACKAGE_DIRECTORY "{self.out}")
set(CPACK_PACKAGE_NAME harness)
set(CPACK_PACKAGE_VERSION {self.version})
set(CPACK_PACKAGE_FILE_NAME harness_{self.version}_amd64)
set(CPACK_PACKAGE_CONTACT "the authors of harness <harness@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "makes CUDA kernels faster within a budget, and keeps the record")
set(CPACK_PACKAGE_DESCRIPTION "harness compiles variants of a CUDA kernel, checks each for correctness, times each beside
the best so far, and chooses what to try next. One SQLite file records every attempt.")
set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE amd64)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= {FLOOR})")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "g++ (>= 4:12) | g++-12 | g++-13 | g++-14")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "git, python3, libclang1")
set(CPACK_STRIP_FILES OFF)
""")
        run("cpack", "--config", config, cwd=self.work, stdout=subprocess.DEVNULL)
        shutil.rmtree(self.out / "_CPack_Packages")

    def wheel(self):
        tag = f"py3-none-manylinux_{FLOOR.replace('.', '_')}_x86_64"
        stem, data = f"harness-{self.version}", f"harness-{self.version}.data"
        info = f"{stem}.dist-info"
        files = {}
        for path, name in self.members(ROOT / "python/harness", "harness/"):
            if path.suffix in (".py", ".typed"):
                files[name] = (path.read_bytes(), 0o644)
        files[f"{data}/scripts/harness"] = ((self.stage / "bin/harness").read_bytes(), 0o755)
        for part in ("lib", "share"):
            for path, name in self.members(self.stage / part, f"{data}/data/{part}/"):
                if path.is_file() and not path.is_symlink() and "/doc/" not in name and "/share/harness/python/" not in name:
                    files[name] = (path.read_bytes(), 0o755 if os.access(path, os.X_OK) else 0o644)
        files[f"{info}/METADATA"] = ((
            f"Metadata-Version: 2.1\nName: harness\nVersion: {self.version}\n"
            "Summary: makes CUDA kernels faster within a budget, and keeps the record\nLicense: Apache-2.0\n"
            "Requires-Python: >=3.9\nDescription-Content-Type: text/markdown\n\n"
        ).encode() + (ROOT / "docs/python.md").read_bytes(), 0o644)
        files[f"{info}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: harness release\nRoot-Is-Purelib: false\nTag: {tag}\n"
                                  .encode(), 0o644)
        files[f"{info}/LICENSE"] = ((ROOT / "LICENSE").read_bytes(), 0o644)
        digest = lambda content: urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record = "".join(f"{name},sha256={digest(content)},{len(content)}\n" for name, (content, _) in sorted(files.items()))
        files[f"{info}/RECORD"] = ((record + f"{info}/RECORD,,\n").encode(), 0o644)
        import time
        with zipfile.ZipFile(self.out / f"{stem}-{tag}.whl", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
            for name, (content, mode) in sorted(files.items()):
                entry = zipfile.ZipInfo(name, time.gmtime(self.epoch)[:6])
                entry.external_attr, entry.compress_type = (0o100000 | mode) << 16, zipfile.ZIP_DEFLATED
                wheel.writestr(entry, content)

    def image(self, base):
        """An OCI layout in one tar: a layer of the distribution, one of ours."""
        folder = self.work / "image"
        (folder / "blobs/sha256").mkdir(parents=True)

        def blob(content):
            digest = hashlib.sha256(content).hexdigest()
            (folder / "blobs/sha256" / digest).write_bytes(content)
            return {"digest": f"sha256:{digest}", "size": len(content)}

        def layer(content):
            packed = io.BytesIO()
            with gzip.GzipFile(fileobj=packed, mode="wb", mtime=0, compresslevel=9) as file:
                file.write(content)
            return ({"mediaType": "application/vnd.oci.image.layer.v1.tar+gzip", **blob(packed.getvalue())},
                    "sha256:" + hashlib.sha256(content).hexdigest())

        layers = [layer(self.tar(base, "", keep_owner=True)), layer(self.tar(self.stage, "usr/local/"))]
        created = output("date", "-u", "-d", f"@{self.epoch}", "+%Y-%m-%dT%H:%M:%SZ")
        config = {"created": created, "architecture": "amd64", "os": "linux",
                  "config": {"Entrypoint": ["/usr/local/bin/harness"], "WorkingDir": "/work",
                             "Env": ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                                     "NVIDIA_VISIBLE_DEVICES=all", "NVIDIA_DRIVER_CAPABILITIES=compute,utility"]},
                  "rootfs": {"type": "layers", "diff_ids": [digest for _, digest in layers]}}
        told = {"mediaType": "application/vnd.oci.image.config.v1+json", **blob(json.dumps(config, sort_keys=True).encode())}
        manifest = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json", "config": told,
                    "layers": [each for each, _ in layers]}
        listed = {"mediaType": manifest["mediaType"], **blob(json.dumps(manifest, sort_keys=True).encode()),
                  "annotations": {"org.opencontainers.image.ref.name": self.version}}
        (folder / "index.json").write_text(json.dumps({"schemaVersion": 2, "manifests": [listed]}, sort_keys=True))
        (folder / "oci-layout").write_text('{"imageLayoutVersion": "1.0.0"}')
        (self.out / f"harness-{self.version}-oci.tar").write_bytes(self.tar(folder, ""))

    def sbom(self):
        """CycloneDX 1.5: what is linked into the program, and each file of the release."""
        components = []
        for package, licence in sorted(PARTS.items()):
            version, source = output("dpkg-query", "-W", "-f=${Version} ${source:Package}", package).split(" ")
            components.append({"type": "library", "name": source, "version": version,
                               "purl": f"pkg:deb/debian/{source}@{version}?arch=source",
                               "licenses": [{"expression": licence}] if " " in licence else [{"license": {"id": licence}}]})
        files = [{"type": "file", "name": each.name,
                  "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(each.read_bytes()).hexdigest()}]}
                 for each in sorted(self.out.iterdir())]
        revision = output("git", "rev-parse", "HEAD")
        document = {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
                    "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, revision + self.version)}",
                    "metadata": {"timestamp": output("date", "-u", "-d", f"@{self.epoch}", "+%Y-%m-%dT%H:%M:%SZ"),
                                 "component": {"type": "application", "name": "harness", "version": self.version,
                                               "licenses": [{"license": {"id": "Apache-2.0"}}],
                                               "properties": [{"name": "git:revision", "value": revision}]}},
                    "components": components + files}
        (self.out / f"harness-{self.version}.cdx.json").write_text(json.dumps(document, indent=1, sort_keys=True) + "\n")

    def digests(self):
        lines = [f"{hashlib.sha256(each.read_bytes()).hexdigest()}  {each.name}\n" for each in sorted(self.out.iterdir())]
        (self.out / "SHA256SUMS").write_text("".join(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("out")
    parser.add_argument("--base", help="the root that the image is made of (release/base.sh makes one)")
    asked = parser.parse_args()
    release = Release(asked.build, asked.out)
    release.install()
    release.link()
    release.archive()
    release.deb()
    release.wheel()
    release.sources()
    if asked.base:
        release.image(pathlib.Path(asked.base).resolve())
    release.sbom()
    release.digests()
    for each in sorted(release.out.iterdir()):
        print(f"{each.stat().st_size / 1e6:8.2f} MB  {each.name}")


if __name__ == "__main__":
    main()
