#!/usr/bin/env python3
"""Makes a release from a built tree: release/make.py BUILD OUT [--base ROOT] [--aarch64 BUILD] (./bootstrap release calls it).

OUT gets an archive, a Debian package, a wheel, an OCI image where a root is given, an archive and a wheel for aarch64 where
a tree of the preset aarch64 is given, the sources, an SBOM and SHA256SUMS.
The same commit and the same packages of this machine give the same bytes: every time in them is that of the commit.
"""
import argparse, gzip, hashlib, io, json, os, pathlib, re, shutil, subprocess, tarfile, zipfile
from base64 import urlsafe_b64encode

import sbom
from program import AARCH64, BESIDE, FLOOR, STATIC, X86_64, Program, output, run

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Release:
    def __init__(self, build, out):
        self.build, self.out = pathlib.Path(build).resolve(), pathlib.Path(out).resolve()
        self.version = re.search(r"project\(harness VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
        self.epoch = int(os.environ.get("SOURCE_DATE_EPOCH") or output("git", "log", "-1", "--format=%ct"))
        self.work = self.build / "release"
        self.stage = self.stage_of(X86_64)
        os.environ["SOURCE_DATE_EPOCH"] = str(self.epoch)
        shutil.rmtree(self.work, ignore_errors=True)
        shutil.rmtree(self.out, ignore_errors=True)
        self.work.mkdir(parents=True)
        self.out.mkdir(parents=True)

    def stage_of(self, machine):
        return self.work / f"harness-{self.version}-linux-{machine.name}"

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

    def archive(self, machine):
        stage = self.stage_of(machine)
        self.compress(self.tar(stage, stage.name + "/"), self.out / f"{stage.name}.tar.zst")

    def sources(self):
        name = f"harness-{self.version}"
        self.compress(run("git", "archive", "--format=tar", f"--prefix={name}/", "HEAD", cwd=ROOT,
                          stdout=subprocess.PIPE).stdout, self.out / f"{name}-source.tar.zst")

    @staticmethod
    def compress(content, path):
        run("zstd", "-q", "-19", "-T1", "-f", "-o", path, input=content)

    def deb(self, machine):
        config = self.work / f"deb_{machine.name}.cmake"
        config.write_text(f"""set(CPACK_GENERATOR DEB)
set(CPACK_INSTALLED_DIRECTORIES "{self.stage_of(machine)};usr")
set(CPACK_PACKAGE_DIRECTORY "{self.out}")
set(CPACK_PACKAGE_NAME harness)
set(CPACK_PACKAGE_VERSION {self.version})
set(CPACK_PACKAGE_FILE_NAME harness_{self.version}_{machine.debian})
set(CPACK_PACKAGE_CONTACT "the authors of harness <harness@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "makes CUDA kernels faster within a budget, and keeps the record")
set(CPACK_PACKAGE_DESCRIPTION "harness compiles variants of a CUDA kernel, checks each for correctness, times each beside
the best so far, and chooses what to try next. One SQLite file records every attempt.")
set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE {machine.debian})
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= {FLOOR})")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "g++ (>= 4:11) | g++-11 | g++-12 | g++-13 | g++-14 | g++-15")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "git, python3, libclang1")
set(CPACK_STRIP_FILES OFF)
""")
        run("cpack", "--config", config, cwd=self.work, stdout=subprocess.DEVNULL)
        shutil.rmtree(self.out / "_CPack_Packages")

    def wheel(self, machine):
        stage = self.stage_of(machine)
        tag = f"py3-none-manylinux_2_28_{machine.name}"  # the oldest that indexes of packages name
        stem, data = f"harness-{self.version}", f"harness-{self.version}.data"
        info = f"{stem}.dist-info"
        files = {}
        for path, name in self.members(ROOT / "python/harness", "harness/"):
            if path.suffix in (".py", ".typed"):
                files[name] = (path.read_bytes(), 0o644)
        files[f"{data}/scripts/harness"] = ((stage / "bin/harness").read_bytes(), 0o755)
        for part in ("lib/harness", "share/harness"):  # one folder with files in it: pip removes such a one as a whole
            for path, name in self.members(stage / part, f"{data}/data/lib/harness/"):
                if path.is_file() and not path.is_symlink() and "/lib/harness/python/" not in name:
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

    def sbom(self, base):
        told = sbom.document(self.version, output("git", "rev-parse", "HEAD"), self.epoch, self.out.iterdir(), base)
        (self.out / f"harness-{self.version}.cdx.json").write_text(told)

    def digests(self):
        lines = [f"{hashlib.sha256(each.read_bytes()).hexdigest()}  {each.name}\n" for each in sorted(self.out.iterdir())]
        (self.out / "SHA256SUMS").write_text("".join(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("out")
    parser.add_argument("--base", help="the root that the image is made of (release/base.sh makes one)")
    parser.add_argument("--aarch64", help="a tree that was built by the preset aarch64")
    asked = parser.parse_args()
    release = Release(asked.build, asked.out)
    for machine, build in ((X86_64, asked.build), (AARCH64, asked.aarch64)):
        if build:
            Program(machine, build, release.stage_of(machine), release.work / f"objects_{machine.name}").make()
            release.archive(machine)
            release.deb(machine)
            release.wheel(machine)
    release.sources()
    base = pathlib.Path(asked.base).resolve() if asked.base else None
    if base:
        release.image(base)
    release.sbom(base)
    release.digests()
    for each in sorted(release.out.iterdir()):
        print(f"{each.stat().st_size / 1e6:8.2f} MB  {each.name}")


if __name__ == "__main__":
    main()
