#!/usr/bin/env bash
# Tries an unpacked archive as a plain user in a root of another distribution: try.sh ROOT ARCHIVE. Prints what each step
# said and how long it took. As root; ROOT is as debootstrap leaves it, and keeps what it had.
set -uo pipefail
root=$(realpath "$1") archive=$(realpath "$2")
for place in proc dev sys; do mountpoint -q "$root/$place" || mount --rbind "/$place" "$root/$place"; mount --make-rslave "$root/$place"; done
trap 'umount -R "$root/proc" "$root/dev" "$root/sys"' EXIT
rm -rf "$root/home/person"
mkdir -p "$root/home/person"
chroot "$root" id person >/dev/null 2>&1 || chroot "$root" useradd -d /home/person -s /bin/bash person
zstd -q -d -c "$archive" | tar -x -C "$root/home/person"
chown -R --reference="$root/home/person" "$root/home/person"
chroot "$root" chown -R person "/home/person"
as_person() { chroot "$root" su person -c "cd; export PATH=\$PATH:\$(echo /home/person/harness-*/bin); $1"; }
step() {
  local begun=$EPOCHREALTIME status=0
  as_person "$1" 2>&1 | tail -n "${2:-6}" || status=$?
  printf '== %s: status %s, %.2f s\n' "$1" "$status" "$(echo "$EPOCHREALTIME - $begun" | bc)"
}
. "$root/etc/os-release"; echo "== $PRETTY_NAME"
step 'harness --version'
step 'harness' 30
step 'harness kernels --json | head -c 100'
step 'harness run vector_scale --device cpu --budget 60s' 14
step 'harness best vector_scale'
step 'python3 --version'
