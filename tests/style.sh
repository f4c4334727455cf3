#!/usr/bin/env bash
# The layout of the C++ and the names in the Lua of this project: three cases, of which a missing tool skips some.
# Writes "passed failed skipped" to $HARNESS_TEST_COUNTS, as support/main.cpp does.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
passed=0 failed=0 skipped=0

missing() {   # TOOL PACKAGE
  command -v "$1" >/dev/null && return 1
  skipped=$((skipped + 1))
  echo "style: skipped: $1 is not installed; ./bootstrap test installs the package $2"
}

# All files at once are ten times as fast as one by one, which only the failing ones need.
check() {   # HELP COMMAND... -- FILE...
  local help=$1 command=() file; shift
  while [ "$1" != -- ]; do command+=("$1"); shift; done
  shift
  if "${command[@]}" "$@" >/dev/null 2>&1; then passed=$((passed + 1)); return; fi
  failed=$((failed + 1))
  for file in "$@"; do
    if "${command[@]}" "$file" >/dev/null 2>&1; then continue; fi
    echo "style: $file: $help"
    "${command[@]}" "$file" 2>&1 | head -20
  done
}

# A page of the playbook with everything but its Lua left empty, so that line numbers are the page's.
lua_of() { awk '/^```/ { inside = !inside && $0 == "```lua"; print ""; next } { print inside ? $0 : "" }' "$1"; }

check_page() {
  for page in "$@"; do
    lua_of "$page" | luacheck --quiet --no-color --filename "$page" - || return 1
  done
}

if ! missing clang-format clang-format; then
  mapfile -t files < <(find harness tests bench -name '*.cpp' -o -name '*.h' | sort)
  check "run clang-format -i on it" clang-format --dry-run -Werror -- "${files[@]}"
fi
if ! missing luacheck lua-check; then
  mapfile -t files < <(find bench gpus harness kernels models strategies -name '*.lua' | sort)
  check "mend it, or name a new global in .luacheckrc" luacheck --quiet --no-color -- "${files[@]}"
  check "mend its Lua" check_page -- playbook/[0-9]*.md
fi

echo "style: $passed passed, $failed failed, $skipped skipped"
if [ -n "${HARNESS_TEST_COUNTS:-}" ]; then
  mkdir -p "$(dirname "$HARNESS_TEST_COUNTS")"
  echo "$passed $failed $skipped" > "$HARNESS_TEST_COUNTS"
fi
[ "$failed" -eq 0 ] || exit 1
[ "$skipped" -eq 0 ] || exit 77   # ctest shows it as skipped
