#!/usr/bin/env bash
# page/tools.sh: prints the folder of the page's tools (build/page_tools) and installs them there where they are missing.
# They are npm's: a bundler, the checker of TypeScript's types, and what drives a browser.
set -euo pipefail
page=$(cd "$(dirname "$0")" && pwd)
tools=${HARNESS_PAGE_TOOLS:-$(cd "$page/../../.." && pwd)/build/page_tools}
if ! cmp -s "$page/package-lock.json" "$tools/installed.json"; then
  mkdir -p "$tools"
  cp "$page/package.json" "$page/package-lock.json" "$tools/"
  (cd "$tools" && npm ci --ignore-scripts --no-audit --no-fund --silent >&2)
  cp "$page/package-lock.json" "$tools/installed.json"
fi
echo "$tools"
