#!/usr/bin/env bash
# Boots an emulated aarch64 machine with the kernel of a suite of Debian and runs a script in it: machine.sh SUITE SCRIPT
# FILE... As root; prints what the script says, and ends with its status. The machine has bash, coreutils and g++ of Debian
# 12, the libraries that the program is linked with in /opt/lib, the FILEs (files or folders) in /opt, and no network.
# Unlike qemu's user emulation it has seccomp, Landlock and namespaces, so the walls can be tried there.
set -euo pipefail
suite=$1 script=$(realpath "$2")
shift 2
here=$(cd "$(dirname "$0")/../.." && pwd)
folder=$here/build/aarch64_machine
. "$here/release/apt.sh"
mkdir -p "$folder"

if [ ! -e "$folder/kernel_$suite" ]; then
  begin_apt "$folder/apt_$suite" "$suite" arm64
  image=$(of_suite -s install linux-image-arm64 | sed -n 's/^Inst \(linux-image-[0-9][^ ]*\) .*/\1/p')
  (cd "$folder/apt_$suite/archives" && of_suite download "$image")
  dpkg-deb --fsys-tarfile "$folder/apt_$suite"/archives/linux-image-*.deb | tar -x -O --wildcards './boot/vmlinuz*' > "$folder/kernel"
  mv "$folder/kernel" "$folder/kernel_$suite"
fi
if [ ! -e "$folder/root.complete" ]; then
  begin_apt "$folder/apt_root" bookworm arm64
  of_suite -y --no-install-recommends --download-only install g++ bash coreutils mount grep
  rm -rf "$folder/root"
  mkdir -p "$folder"/root/usr/{bin,sbin,lib} "$folder"/root/{proc,sys,dev,tmp,run,new,opt/lib}
  for name in bin sbin lib; do ln -s "usr/$name" "$folder/root/$name"; done
  for package in "$folder"/apt_root/archives/*.deb; do
    case $package in *perl*) ;; *) dpkg-deb --fsys-tarfile "$package" | tar -x -C "$folder/root" --keep-directory-symlink ;; esac
  done
  rm -rf "$folder"/root/usr/share/{doc,man,locale,info} "$folder"/root/usr/lib/gcc/*/*/{lto1,cc1,lto-wrapper,lib*san*}
  ln -sf bash "$folder/root/usr/bin/sh"
  echo machine > "$folder/root/etc/hostname"
  echo "root:x:0:0::/:/bin/bash" > "$folder/root/etc/passwd"
  touch "$folder/root.complete"
fi

# The root that a kernel unpacks cannot be left (pivot_root), so the machine begins by moving into another.
cat > "$folder/root/init" <<'INIT'
#!/bin/bash
export PATH=/usr/bin:/usr/sbin HOME=/root LD_LIBRARY_PATH=/opt/lib COLUMNS=100
if [ -z "${MOVED:-}" ]; then
  mount -t tmpfs -o mode=755,size=90% root /new
  for each in /*; do [ "$each" = /new ] || cp -a "$each" /new/; done
  cd /new && mount --move . / && MOVED=1 exec chroot . /init
fi
cd /
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev; mount -t tmpfs tmp /tmp
mkdir -p /dev/shm; mount -t tmpfs shm /dev/shm; chmod 1777 /tmp /dev/shm
echo "== Linux $(uname -rm)"
bash /script < /dev/null
echo "== status $?"
echo o > /proc/sysrq-trigger
sleep 60
INIT
chmod +x "$folder/root/init"
libraries=$here/build/aarch64_packages/root
cp -aL "$libraries"/usr/lib/aarch64-linux-gnu/*.so.* "$libraries"/lib/aarch64-linux-gnu/*.so.* "$folder/root/opt/lib/" 2> /dev/null || true
cp "$script" "$folder/root/script"
for file in "$@"; do rm -rf "$folder/root/opt/$(basename "$file")"; cp -a "$file" "$folder/root/opt/"; done
(cd "$folder/root" && find . | cpio -o -H newc --quiet) > "$folder/initrd"
timeout 3600 qemu-system-aarch64 -M virt -cpu cortex-a72 -smp 2 -m 6G -nographic -nic none -no-reboot \
  -kernel "$folder/kernel_$suite" -initrd "$folder/initrd" -append "console=ttyAMA0 panic=-1 quiet" < /dev/null |
  tr -d '\r' | tee "$folder/said" | sed '/^== status/q'
exit "$(sed -n 's/^== status \([0-9]*\)$/\1/p' "$folder/said" | grep . || echo 1)"
