#!/bin/bash
# Makes docs/report_top.png and docs/report_middle.png: the report of a campaign (default: 2) in headless Chromium.
# bench/report_pictures.sh [CAMPAIGN]
set -e
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
build/release/harness report "${1:-2}" --html "$folder/report.html" --no-date
shot() {  # FILE HEIGHT ANCHOR
  HOME=$folder chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --force-device-scale-factor=1 \
    --window-size=1100,"$2" --virtual-time-budget=2000 --screenshot="$1" "file://$folder/report.html$3" 2>"$folder/log" ||
    { cat "$folder/log" >&2; exit 1; }
}
shot docs/report_top.png 1500 ""
shot docs/report_middle.png 1100 "#spend"
