#!/usr/bin/env bash
# page/build.sh [FOLDER]: makes page/built (or FOLDER) of page/source. Needs Node and, once, npm's registry.
# HARNESS_PAGE_UNCHECKED=1 leaves out the check of its types, which takes most of the time.
set -euo pipefail
page=$(cd "$(dirname "$0")" && pwd)
out=${1:-$page/built}
tools=$("$page/tools.sh")
mkdir -p "$out"
[ -n "${HARNESS_PAGE_UNCHECKED:-}" ] || "$tools/node_modules/.bin/tsc" -p "$page/tsconfig.json" --baseUrl "$tools/node_modules"
export NODE_PATH=$tools/node_modules   # uPlot; its licence goes where it goes
esbuild=("$tools/node_modules/.bin/esbuild" --log-level=warning --charset=utf8 --bundle --minify)
"${esbuild[@]}" "$page/source/app.ts" --format=iife --target=es2022 --legal-comments=none --outfile="$out/app.js" \
  --banner:js="/*! uPlot 1.6.32. $(tr -s '\n' ' ' <"$tools/node_modules/uplot/LICENSE")*/"
"${esbuild[@]}" "$page/source/style.css" --outfile="$out/style.css"
cp "$page/source/page.html" "$page/source/login.html" "$page/source/icon.svg" "$out/"
