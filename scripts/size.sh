#!/usr/bin/env bash
# Counts the code lines of the program and of its tests, and the words of the documents. A code line is neither blank nor a
# comment. Tests are the files under tests/, benches/ and examples/, each `tests.rs`, and the end of a file from its
# `#[cfg(test)] mod … {` on. Build scripts and the workspace consoles/workshop are left out. Run it from anywhere:
# scripts/size.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tracked() { git ls-files -z -- "$1" | xargs -0 -r ls -d 2>/dev/null || true; }

tracked '*.rs' | grep -v -e '^consoles/workshop/' -e '\(^\|/\)build\.rs$' | xargs -d '\n' awk '
    FNR == 1 {
        lines[in_tests] += held
        held = 0
        in_tests = FILENAME ~ /(^|\/)(tests|benches|examples)\// || FILENAME ~ /(^|\/)tests\.rs$/
    }
    /^[ \t]*$/ { next }
    # The attributes before a module belong to it.
    /^[ \t]*#\[cfg\(test\)\]/ || (held && /^[ \t]*#\[[^]]*\][ \t]*$/) { is_attribute = 1 }
    !is_attribute && held && /^[ \t]*mod [A-Za-z0-9_]+ \{/ { in_tests = 1 }
    !is_attribute { lines[in_tests] += held; held = 0 }
    is_attribute { held++; is_attribute = 0; next }
    !/^[ \t]*\/\// { lines[in_tests]++ }
    END {
        lines[in_tests] += held
        printf "%6d code lines of the program\n%6d code lines of tests\n", lines[0], lines[1]
    }'
printf '%6d words of documents\n' "$(tracked '*.md' | xargs -d '\n' cat | wc -w)"
