#!/usr/bin/env bash
# page/build.sh [FOLDER]: makes page/built (or FOLDER) of page/source. Needs Node and, once, npm's registry.
# HARNESS_PAGE_UNCHECKED=1 leaves out the check of its types, which takes most of the time.
set -euo pipefail
page=$(cd "$(dirname "$0")" && pwd)
out=${1:-$page/built}
tools=$("$page/tools.sh")
mkdir -p "$out"
[ -n "${HARNESS_PAGE_UNCHECKED:-}" ] || "$tools/node_modules/.bin/tsc" -p "$page/tsconfig.json"
esbuild=("$tools/node_modules/.bin/esbuild" --log-level=warning --charset=utf8)
"${esbuild[@]}" "$page/source/app.ts" --bundle --minify --format=iife --target=es2022 --outfile="$out/app.js"
"${esbuild[@]}" "$page/source/style.css" --minify --outfile="$out/style.css"
cp "$page/source/page.html" "$page/source/login.html" "$page/source/icon.svg" "$out/"
