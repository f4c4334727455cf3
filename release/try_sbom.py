#!/usr/bin/env python3
"""Holds an SBOM against CycloneDX's own schema: release/try_sbom.py FILE.cdx.json FOLDER. Needs python3-jsonschema.

FOLDER is where `npm pack @cyclonedx/cyclonedx-library` was unpacked: it brings the schemas.
"""
import json, pathlib, sys

import jsonschema


def main(file, folder):
    schemas = pathlib.Path(folder)
    document = json.loads(pathlib.Path(file).read_text())
    by_name = {path.name: json.loads(path.read_text()) for path in schemas.rglob("*.schema.json")}
    schema = by_name[f"bom-{document['specVersion']}.SNAPSHOT.schema.json"]
    known = {"http://cyclonedx.org/schema/" + name: each for name, each in by_name.items()}  # no network
    resolver = jsonschema.RefResolver.from_schema(schema, store=known)
    faults = sorted(jsonschema.Draft7Validator(schema, resolver=resolver).iter_errors(document), key=str)
    for fault in faults:
        print("/".join(str(each) for each in fault.absolute_path), fault.message[:200])
    print(f"{len(document['components'])} components, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    sys.exit(main(*sys.argv[1:]))
