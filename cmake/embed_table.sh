#!/bin/sh
# embed_table.sh TO FROM...: the texts of a folder as rows {"NAME", "TEXT"}, of an array of EmbeddedText.
to=$1
shift
for from; do printf '{"%s", R"embedded(' "${from##*/}" && cat "$from" && printf ')embedded"},\n'; done > "$to"
