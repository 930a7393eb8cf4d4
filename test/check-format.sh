#!/usr/bin/env bash
# Checks the format of the C++ code, where the clang-format that it follows is here: others want other
# line breaks, so a user's is not asked. CLANG_FORMAT names the program.
set -euo pipefail
cd "$(dirname "$0")/.."
pinned=14

for program in ${CLANG_FORMAT:-clang-format-$pinned clang-format}; do
  version=$("$program" --version 2>/dev/null | sed -n 's/.*version \([0-9]*\).*/\1/p') || true
  if [ "$version" = "$pinned" ]; then
    exec "$program" --dry-run --Werror $(find native -name '*.h' -o -name '*.cc')
  fi
done
echo "the format of the C++ code is not checked: clang-format $pinned is not here"
