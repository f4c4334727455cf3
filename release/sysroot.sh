#!/usr/bin/env bash
# Puts the C library of the oldest distribution that a release runs on into a folder, to link against: sysroot.sh DIR.
# apt fetches the packages and checks their signatures with Debian's keyring. A second call does no work twice.
set -euo pipefail
suite=bullseye   # Debian 11: glibc 2.31
mirror=$("$(dirname "$0")/mirror.sh")
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
folder=$(realpath -m "$1")
[ ! -e "$folder/complete" ] || exit 0
mkdir -p "$folder"/apt/{lists/partial,archives/partial,empty}
echo "deb [signed-by=$keyring arch=amd64] $mirror $suite main" > "$folder/apt/sources.list"
: > "$folder/apt/status"
apt() {
  apt-get -qq -o Dir::State="$folder/apt" -o Dir::State::lists="$folder/apt/lists" -o Dir::Cache="$folder/apt" \
    -o Dir::State::status="$folder/apt/status" -o Dir::Etc::sourcelist="$folder/apt/sources.list" \
    -o Dir::Etc::sourceparts="$folder/apt/empty" -o APT::Architecture=amd64 -o APT::Sandbox::User=root "$@"
}
apt update
cd "$folder/apt/archives"
apt download libc6 libc6-dev linux-libc-dev
for package in *.deb; do dpkg-deb -x "$package" "$folder/root"; done
# Links that name a place on the whole machine would lead out of the folder.
find "$folder/root" -type l -lname '/*' -printf '%l\t%p\n' | while IFS=$'\t' read -r target link; do
  ln -sfn "$folder/root$target" "$link"
done
touch "$folder/complete"
