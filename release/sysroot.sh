#!/usr/bin/env bash
# Puts the C library of the oldest distribution that a release runs on into a folder, to link against:
# sysroot.sh DIR [ARCHITECTURE]. A second call does no work twice.
set -euo pipefail
suite=bullseye   # Debian 11: glibc 2.31
folder=$(realpath -m "$1")
[ ! -e "$folder/complete" ] || exit 0
. "$(dirname "$0")/apt.sh"
begin_apt "$folder/apt" $suite "${2:-amd64}"
cd "$folder/apt/archives"
of_suite download libc6 libc6-dev linux-libc-dev
unpack "$folder/root" ./*.deb
touch "$folder/complete"
