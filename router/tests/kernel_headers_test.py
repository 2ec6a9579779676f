#!/usr/bin/env python3
"""The router compiles with the kernel headers of Debian 12 as first released and with those of its point releases.

The older ones are those of the cross compiler in CI, which do not change. A name that differs between the two does not
compile with one of them.
"""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEADERS = {"this machine's": Path("/usr/include/linux"), "6.1.4": Path("/usr/aarch64-linux-gnu/include/linux")}
COMPILER = os.environ.get("CXX", "g++")
# Some of them also include DPDK's headers.
DPDK = subprocess.run(["pkg-config", "--cflags", "libdpdk"], capture_output=True, text=True, check=False).stdout.split()


def users_of_kernel_headers() -> list[Path]:
    # From the tests only the headers that build messages: GoogleTest would take most of the time.
    headers = [ROOT / "router/tests/routes/netlink_bytes.hpp"]
    sources = [path for path in sorted((ROOT / "router").rglob("*.cpp")) if "#include <linux/" in path.read_text()]
    return headers + sources


def compile_with(headers: Path, *sources: Path) -> str:
    """Returns the compiler's errors for all sources compiled together, because most of the time is for their common headers."""
    text = "".join(f'#include "{source}"\n' for source in sources)
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "linux").symlink_to(headers)
        done = subprocess.run(
            [COMPILER, "-std=c++20", "-fsyntax-only", "-isystem", name, f"-I{ROOT}", *DPDK, "-x", "c++", "-"],
            input=text,
            capture_output=True,
            text=True,
        )
    return done.stderr if done.returncode else ""


class KernelHeaders(unittest.TestCase):
    maxDiff = None

    def test_old_and_new_headers_do(self) -> None:
        users = users_of_kernel_headers()
        self.assertGreater(len(users), 5)
        for which, headers in HEADERS.items():
            # Compile separately if compiling together fails, because two of them may legitimately use the same name.
            wrong = [compile_with(headers, user) for user in users] if compile_with(headers, *users) else []
            self.assertEqual("".join(wrong), "", f"with {which} headers")

    def test_a_field_of_one_release_is_found(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            unit = Path(name) / "field.cpp"
            for field, has in (("resvd1", True), ("weight_high", False)):
                unit.write_text(f"#include <linux/nexthop.h>\nint x = nexthop_grp{{}}.{field};\n")
                said = compile_with(HEADERS["6.1.4"], unit)
                self.assertEqual("error" not in said, has, said)


if __name__ == "__main__":
    wanted = [*HEADERS.values(), Path("/usr/include/libmnl/libmnl.h"), Path("/usr/include/dpdk")]
    missing = [str(path) for path in wanted if not path.exists()]
    if missing:
        print(f"kernel_headers_test: SKIPPED, as {missing} is not there (tools/setup ci, tools/setup router)", file=sys.stderr)
        sys.exit(77)
    unittest.main()
