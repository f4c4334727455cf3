#!/usr/bin/env python3
"""Checks an OCI image and runs its entry in a chroot: release/try_image.py IMAGE.tar FOLDER [ARGS...]. As root.

Every blob must have the digest and the size by which it is named, and every layer the digest of its content.
"""
import gzip, hashlib, io, json, pathlib, subprocess, sys, tarfile


def main(image, folder, *arguments):
    with tarfile.open(image) as tar:
        blobs = {each.name: tar.extractfile(each).read() for each in tar if each.isfile()}
    if json.loads(blobs["oci-layout"])["imageLayoutVersion"] != "1.0.0":
        sys.exit("the layout is of another version")

    def blob(told):
        content = blobs["blobs/" + told["digest"].replace(":", "/")]
        if len(content) != told["size"] or "sha256:" + hashlib.sha256(content).hexdigest() != told["digest"]:
            sys.exit(f"{told['digest']} is not what it is called")
        return content

    manifest = json.loads(blob(json.loads(blobs["index.json"])["manifests"][0]))
    config = json.loads(blob(manifest["config"]))
    root = pathlib.Path(folder)
    root.mkdir(parents=True)
    for told, digest in zip(manifest["layers"], config["rootfs"]["diff_ids"], strict=True):
        content = gzip.decompress(blob(told))
        if "sha256:" + hashlib.sha256(content).hexdigest() != digest:
            sys.exit(f"layer {told['digest']} unpacks to something else")
        with tarfile.open(fileobj=io.BytesIO(content)) as layer:
            layer.extractall(root, numeric_owner=True)
    print(f"{len(manifest['layers'])} layers, {sum(each['size'] for each in manifest['layers']) / 1e6:.1f} MB packed")
    (root / "proc").mkdir(exist_ok=True)
    (root / "dev").mkdir(exist_ok=True)
    for place in ("proc", "dev"):
        subprocess.run(["mount", "--rbind", f"/{place}", root / place], check=True)
        subprocess.run(["mount", "--make-rslave", root / place], check=True)
    try:
        told = config["config"]
        words = ["env", "-i", "-C", told["WorkingDir"], *told["Env"], *told["Entrypoint"], *arguments]
        sys.exit(subprocess.run(["chroot", root, *words]).returncode)
    finally:
        for place in ("proc", "dev"):
            subprocess.run(["umount", "-R", root / place])


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__.strip())
    main(*sys.argv[1:])
