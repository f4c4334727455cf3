#!/usr/bin/env bash
# Puts what the program links for aarch64 into a folder, for cmake/aarch64.cmake: aarch64.sh DIR. A second call does no work
# twice. The compiler is the package g++-aarch64-linux-gnu.
set -euo pipefail
folder=$(realpath -m "$1")
[ ! -e "$folder/complete" ] || exit 0
. "$(dirname "$0")/apt.sh"
begin_apt "$folder/apt" bookworm arm64
cd "$folder/apt/archives"
of_suite download libfmt-dev libfmt9 liblua5.4-dev liblua5.4-0 libsqlite3-dev libsqlite3-0 libsqlitecpp-dev libcli11-dev \
  nlohmann-json3-dev libboost1.74-dev libboost-context1.74-dev libboost-context1.74.0 libzydis-dev libzydis4.0 \
  libzycore-dev libzycore1.4 libssl-dev libssl3 zlib1g-dev zlib1g libcpp-httplib-dev libcpp-httplib0.11 libbrotli-dev libbrotli1
unpack "$folder/root" ./*.deb
touch "$folder/complete"
