#!/usr/bin/env bash
# Puts the sources of cpp-httplib into DIR, of the version that is installed: httplib.sh DIR. Debian has it as a shared
# library only, which needs a newer C library than a release may. A second call does no work twice.
set -euo pipefail
folder=$(realpath -m "$1")
[ ! -e "$folder/complete" ] || exit 0
. "$(dirname "$0")/apt.sh"
begin_apt "$folder/apt" bookworm
version=$(dpkg-query -W -f='${source:Version}' libcpp-httplib-dev)
rm -rf "$folder/source"
mkdir -p "$folder/source"
cd "$folder/source"
of_suite source --download-only "cpp-httplib=$version"
for archive in ./*.tar.*; do tar -xf "$archive"; done
cd ./*cpp-httplib*/
while read -r patch; do patch -s -p1 < "../debian/patches/$patch"; done < ../debian/patches/series
./split.py -o "$folder/source/split"
cmp "$folder/source/split/httplib.h" /usr/include/httplib.h   # else classes might be laid out otherwise
cp "$folder/source/split/"* "$folder"
touch "$folder/complete"
