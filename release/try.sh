#!/usr/bin/env bash
# Tries a file of a release in a root of another distribution, without a network: try.sh ROOT FILE [EARLIER.deb]. As root;
# ROOT is as debootstrap leaves it, and keeps what it had. FILE is an archive, a wheel or a Debian package. Prints what each
# step said, how it ended and how long it took; ends with 1 where a step failed.
set -uo pipefail
root=$(realpath "$1") file=$(realpath "$2") earlier=${3:+$(realpath "$3")}
[ -n "${HARNESS_TRY_ALONE:-}" ] || exec env HARNESS_TRY_ALONE=1 unshare --net --mount "$0" "$root" "$file" ${earlier:+"$earlier"}
failed=0
for place in proc dev sys; do mount --rbind "/$place" "$root/$place"; done
. "$root/etc/os-release"; echo "== $PRETTY_NAME, $(chroot "$root" ldd --version | head -1), $(chroot "$root" g++ --version 2>/dev/null | head -1 || true)"

in_root() { chroot "$root" /bin/bash -c "$1"; }
as_person() { chroot "$root" su person -c "cd; export PATH=/home/person/bin:\$PATH; $1"; }
# step HOLDS WHO COMMAND [LINES]: HOLDS is the status that it must end with.
step() {
  local begun=$EPOCHREALTIME status=0
  "$2" "$3" > "$root/tmp/said" 2>&1 < /dev/null || status=$?
  tail -n "${4:-6}" "$root/tmp/said"
  printf '== %s: status %s, %.2f s\n' "${3%%$'\n'*}" "$status" "$(echo "$EPOCHREALTIME - $begun" | bc)"
  [ "$status" = "$1" ] || { failed=1; echo "== FAILED: $1 was expected"; }
}
# What lies in the root, but for what changes by itself.
files() {
  (cd "$root" && find . -path ./proc -prune -o -path ./dev -prune -o -path ./sys -prune -o -path ./tmp -prune -o \
    -path ./home -prune -o -path ./var/lib/dpkg -prune -o -path ./var/log -prune -o -path ./var/cache -prune -o -print | sort)
}
use() {   # of a program that is on the path
  local compiler=0
  in_root 'g++ -dumpversion 2>/dev/null' | awk -F. '{exit !($1 >= 11)}' || compiler=3   # it says what is missing
  step 0 as_person 'harness --version'
  step 0 as_person 'harness' 30
  step 0 as_person 'harness kernels --json | head -c 100'
  step 0 as_person 'harness demo' 60   # without a compiler it shows a record
  step $compiler as_person 'harness run vector_scale --device cpu --budget 60s 2>&1 | while IFS= read -r line; do
    printf "%3d s %s\n" $SECONDS "$line"; done; exit ${PIPESTATUS[0]}' 40
  [ $compiler -ne 0 ] || step 0 as_person 'harness best vector_scale'
}

rm -rf "$root/home/person"
in_root 'id person >/dev/null 2>&1 || useradd -d /home/person -s /bin/bash person; mkdir -p /home/person/bin'
files > /tmp/before.$$
case $file in
  *.tar.zst)
    begun=$EPOCHREALTIME
    zstd -q -d -c "$file" | tar -x -C "$root/home/person"
    printf '== unpacked: %.2f s\n' "$(echo "$EPOCHREALTIME - $begun" | bc)"
    in_root 'ln -s /home/person/harness-*/bin/harness /home/person/bin/; chown -Rh person /home/person'
    use ;;
  *.whl)
    cp "$file" "$root/home/person/"
    in_root 'chown -R person /home/person'
    in_venv='find v -name __pycache__ -prune -o -print | sort'
    step 0 as_person "python3 -m venv v && $in_venv > before && v/bin/pip install --quiet --no-index *.whl && ln -s ../v/bin/harness bin/harness"
    use
    step 0 as_person 'v/bin/python -c "
import harness
with harness.Session(device=\"cpu\", budget=\"2m\") as h:
    print(h.evaluate(\"vector_scale\").feedback())"' 20
    step 0 as_person "v/bin/pip uninstall --quiet --yes harness && $in_venv | diff before -" ;;
  *.deb)
    in_root 'chown -R person /home/person'
    for package in ${earlier:+"$earlier"} "$file"; do
      cp "$package" "$root/tmp/harness.deb"
      step 0 in_root 'dpkg -i /tmp/harness.deb' 20
      step 0 as_person 'harness --version'
    done
    use
    step 0 in_root 'man -w harness 2>/dev/null || ls /usr/share/man/man1/harness.1*'
    step 0 in_root 'dpkg --verify harness'
    step 0 in_root 'dpkg --purge harness' ;;
esac
files > /tmp/after.$$
echo "== what it left behind outside of /home/person:"; diff /tmp/before.$$ /tmp/after.$$ && echo "== nothing" || failed=1
rm -f /tmp/before.$$ /tmp/after.$$
exit $failed
