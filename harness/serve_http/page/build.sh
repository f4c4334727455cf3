#!/usr/bin/env bash
# page/build.sh [FOLDER]: makes page/built (or FOLDER) of page/source. Needs Node and, once, npm's registry.
set -euo pipefail
page=$(cd "$(dirname "$0")" && pwd)
out=${1:-$page/built}
tools=${HARNESS_PAGE_TOOLS:-$page/../../../build/page_tools}
if ! cmp -s "$page/package-lock.json" "$tools/installed.json"; then
  mkdir -p "$tools"
  cp "$page/package.json" "$page/package-lock.json" "$tools/"
  (cd "$tools" && npm ci --ignore-scripts --no-audit --no-fund --silent)
  cp "$page/package-lock.json" "$tools/installed.json"
fi
mkdir -p "$out"
"$tools/node_modules/.bin/tsc" -p "$page/tsconfig.json"
esbuild=("$tools/node_modules/.bin/esbuild" --log-level=warning --charset=utf8)
"${esbuild[@]}" "$page/source/app.ts" --bundle --minify --format=iife --target=es2022 --outfile="$out/app.js"
"${esbuild[@]}" "$page/source/style.css" --minify --outfile="$out/style.css"
cp "$page/source/page.html" "$page/source/login.html" "$page/source/icon.svg" "$out/"
