#!/usr/bin/env python3
"""Makes a loadable DuckDB extension of a shared library: appends the metadata that DuckDB reads before it loads a file.

usage: add_footer.py LIBRARY EXTENSION VERSION PLATFORM
"""

import sys
from pathlib import Path

# A custom section of WebAssembly, of 531 bytes: its name and length, then 512 bytes.
HEADER = b"\x00\x93\x04\x10duckdb_signature\x80\x04"
# The oldest stable C API that has all functions that are used.
API_VERSION = "v1.2.0"
FORMAT = "4"
UNUSED = ""


def field(text: str) -> bytes:
    return text.encode().ljust(32, b"\0")


def footer(version: str, platform: str) -> bytes:
    fields = (UNUSED, UNUSED, UNUSED, "C_STRUCT", f"v{version}", API_VERSION, platform, FORMAT)
    no_signature = bytes(256)
    return HEADER + b"".join(map(field, fields)) + no_signature


def main() -> None:
    library, extension, version, platform = sys.argv[1:]
    Path(extension).write_bytes(Path(library).read_bytes() + footer(version, platform))


if __name__ == "__main__":
    main()
