#!/bin/bash
# Makes the pictures of docs/report.md: the report of a campaign (default: 2) in headless Chromium.
# bench/report_pictures.sh [CAMPAIGN] [OPTIONS of harness report, as --db FILE]; HARNESS names another program.
set -e
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${HARNESS:-build/release/harness}" report "${1:-2}" --html "$folder/report.html" --no-date "${@:2}"
shot() {  # FILE HEIGHT STYLE
  sed "s|</head>|<style>$3</style></head>|" "$folder/report.html" > "$folder/page.html"
  HOME=$folder chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1280,"$2" \
    --virtual-time-budget=2000 --screenshot="$1" "file://$folder/page.html" 2> "$folder/log" ||
    { cat "$folder/log" >&2; exit 1; }
}
shot docs/report_top.png 1640 ""
shot docs/report_middle.png 1400 "main>header,.verdictline,ul.caution,.tiles,.columns,footer,main>section{display:none}#spend,#techniques,#heat{display:block!important}"
