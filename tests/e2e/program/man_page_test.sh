#!/usr/bin/env bash
# The manual page contains the program's help.
set -euo pipefail
: "${FINGERPOST:?set it to the program to test}"
"$(dirname "$0")/../../../tools/man_pages" --check "$FINGERPOST"
