#!/usr/bin/env bash
# The mirror of Debian that this machine's apt takes packages from, or that HARNESS_DEBIAN_MIRROR names.
set -euo pipefail
mirror=${HARNESS_DEBIAN_MIRROR:-$(grep -rhoE 'https?://[^ ]+/debian/?( |$)' /etc/apt/sources.list /etc/apt/sources.list.d 2>/dev/null | head -1 || true)}
mirror=${mirror%% *}
[ -n "$mirror" ] || { echo "release: apt has no mirror of Debian here; name one in HARNESS_DEBIAN_MIRROR" >&2; exit 3; }
echo "${mirror%/}"
