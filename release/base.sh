#!/usr/bin/env bash
# Makes the root that the OCI image is made of: base.sh DIR. Debian 12 with g++, nothing that has a time or an identity.
set -euo pipefail
mirror=$("$(dirname "$0")/mirror.sh")
folder=$(realpath -m "$1")
made_by=$(sha256sum < "$0")
[ "$(cat "$folder.complete" 2>/dev/null)" != "$made_by" ] || exit 0
[ "$(id -u)" -eq 0 ] || { echo "release: base.sh needs root (debootstrap)" >&2; exit 3; }
rm -rf "$folder"
debootstrap --variant=minbase --include=g++,ca-certificates --exclude=e2fsprogs,logsave bookworm "$folder" \
  "$mirror" > "$folder.log"
cd "$folder"
rm -rf var/log/* var/cache/* var/lib/apt/lists/* usr/share/doc usr/share/man usr/share/locale usr/share/info tmp/* \
  etc/machine-id var/lib/dpkg/*-old var/lib/dbus dev/* proc/* sys/* run/* usr/lib/udev/hwdb.bin
# What says where and when it was made: names, servers and the mirror of this machine, the day in each line of shadow.
rm -f etc/hostname etc/resolv.conf etc/apt/sources.list etc/.pwd.lock etc/{passwd,group,shadow,gshadow,subuid,subgid}-
sed -i -E 's/^([^:]*:[^:]*):[0-9]*:/\1::/' etc/shadow
# What no compiler of candidates needs: sanitizers, link-time optimization, the C compiler's own driver of it.
rm -f usr/lib/gcc/x86_64-linux-gnu/12/{lto1,lto-wrapper,liblto_plugin.la} usr/lib/gcc/x86_64-linux-gnu/12/lib{a,t,l,ub,hwa}san*
rm -f usr/lib/x86_64-linux-gnu/lib{a,t,l,ub,hwa}san.so*
mkdir -p work
echo "$made_by" > "$folder.complete"
