# To be sourced. Packages of a suite of Debian come into a folder of ours, beside what this machine has installed: apt checks
# their signatures with Debian's keyring, and needs no right to install.
#   begin_apt FOLDER SUITE [ARCHITECTURE]   reads the lists; then `of_suite download PACKAGE...`, `of_suite source ...`
#   unpack ROOT PACKAGE.deb...              with links that stay within ROOT
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

begin_apt() {
  apt_folder=$(realpath -m "$1") apt_architecture=${3:-amd64}
  local mirror kind
  mirror=$("$(dirname "${BASH_SOURCE[0]}")/mirror.sh")
  mkdir -p "$apt_folder"/{lists/partial,archives/partial,empty}
  for kind in "deb [arch=$apt_architecture signed-by=$keyring]" "deb-src [signed-by=$keyring]"; do
    echo "$kind $mirror $2 main"
  done > "$apt_folder/sources.list"
  : > "$apt_folder/status"
  of_suite update
}

of_suite() {
  apt-get -qq -o Dir::State="$apt_folder" -o Dir::State::lists="$apt_folder/lists" -o Dir::Cache="$apt_folder" \
    -o Dir::State::status="$apt_folder/status" -o Dir::Etc::sourcelist="$apt_folder/sources.list" \
    -o Dir::Etc::sourceparts="$apt_folder/empty" -o APT::Architecture="$apt_architecture" \
    -o APT::Architectures="$apt_architecture" -o APT::Sandbox::User=root "$@"
}

unpack() {
  local root=$1 package target link
  shift
  for package in "$@"; do dpkg-deb -x "$package" "$root"; done
  find "$root" -type l -lname '/*' -printf '%l\t%p\n' | while IFS=$'\t' read -r target link; do
    ln -sfn "$root$target" "$link"
  done
}
