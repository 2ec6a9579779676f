#!/usr/bin/env bash
# The manual page of the program says what its help says.
set -euo pipefail
: "${FINGERPOST:?set it to the program to test}"
"$(dirname "$0")/../../../tools/man_pages" --check "$FINGERPOST"
