"""The SBOM of a release: CycloneDX 1.5. What is linked into the program, the files, and what an image is made of."""
import hashlib, json, subprocess, time, uuid
from pathlib import Path
from urllib.parse import quote

# What is in the program, by Debian package.
PARTS = {"libssl-dev": "Apache-2.0", "zlib1g-dev": "Zlib", "liblua5.4-dev": "MIT", "libsqlitecpp-dev": "MIT",
         "libsqlite3-dev": "blessing", "libboost-context1.74-dev": "BSL-1.0", "libzydis-dev": "MIT", "libzycore-dev": "MIT",
         "libfmt-dev": "MIT", "libcpp-httplib-dev": "MIT", "libbrotli-dev": "MIT", "nlohmann-json3-dev": "MIT",
         "libcli11-dev": "BSD-3-Clause", "libstdc++-12-dev": "GPL-3.0 WITH GCC-exception-3.1"}


def debian(name, version, kind, architecture):
    return {"type": kind, "name": name, "version": version,
            "purl": f"pkg:deb/debian/{quote(name, safe='')}@{quote(version, safe='')}?arch={architecture}"}


def linked():
    """The libraries in the program, as this machine has them."""
    components = []
    for package, licence in sorted(PARTS.items()):
        asked = ["dpkg-query", "-W", "-f=${source:Version} ${source:Package}", package]
        version, source = subprocess.run(asked, check=True, stdout=subprocess.PIPE, text=True).stdout.split(" ")
        components.append({**debian(source, version, "library", "source"),
                           "licenses": [{"expression": licence}] if " " in licence else [{"license": {"id": licence}}]})
    page = json.loads((Path(__file__).resolve().parent.parent / "harness/serve_http/page/package-lock.json").read_text())
    uplot = page["packages"]["node_modules/uplot"]   # in the live page's script; the other packages only make it
    components.append({"type": "library", "name": "uplot", "version": uplot["version"], "purl": f"pkg:npm/uplot@{uplot['version']}",
                       "licenses": [{"license": {"id": uplot["license"]}}]})
    return components


def packages_of(root):
    """The packages of the distribution that an image is made of."""
    components = []
    for paragraph in (root / "var/lib/dpkg/status").read_text(encoding="utf-8").split("\n\n"):
        fields = dict(line.split(": ", 1) for line in paragraph.splitlines() if ": " in line and line[0] != " ")
        if fields.get("Status") == "install ok installed":
            components.append(debian(fields["Package"], fields["Version"], "library", fields["Architecture"]))
    return sorted(components, key=lambda each: each["name"])


def document(version, revision, epoch, files, base=None):
    """As JSON. `files` are all of the release; the image among them holds the packages of `base`."""
    components = linked()
    for each in sorted(files):
        file = {"type": "file", "name": each.name,
                "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(each.read_bytes()).hexdigest()}]}
        if base and each.name.endswith("-oci.tar"):
            file.update(type="container", components=packages_of(base))
        components.append(file)
    told = {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
            "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, revision + version)}",
            "metadata": {"timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch)),
                         "component": {"type": "application", "name": "harness", "version": version,
                                       "licenses": [{"license": {"id": "Apache-2.0"}}],
                                       "properties": [{"name": "git:revision", "value": revision}]}},
            "components": components}
    return json.dumps(told, indent=1, sort_keys=True) + "\n"
