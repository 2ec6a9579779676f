#!/usr/bin/env python3
"""Plants each kind of violation in a small tree and expects tools/check_layers to report it."""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from scripts import ROOT, run_tool

CLEAN = {
    "fingerpost/base/bits.hpp": "#include <bit>\n",
    "fingerpost/net/address.hpp": '#include "fingerpost/base/bits.hpp"\n#include <fmt_is_not_this>\n',
    "fingerpost/rib/rib.hpp": '#include "fingerpost/net/address.hpp"\n',
    "fingerpost/schemes/planb/view.hpp": '  #  include "fingerpost/net/address.hpp"\n',
    "fingerpost/schemes/planb/planb.hpp": '#include "fingerpost/schemes/planb/view.hpp"\n#include "fingerpost/rib/rib.hpp"\n',
    "fingerpost/simd/vec.hpp": "#include <bit>\n",
    "fingerpost/schemes/patricia/patricia.hpp": '#include "fingerpost/rib/rib.hpp"\n',
    "fingerpost/registry/registry.hpp": '#include "fingerpost/rib/rib.hpp"\n',
    "io/format/text/table_text.hpp": '#include "fingerpost/net/address.hpp"\n#include <fmt/core.h>\n',
    "tests/oracle/oracle.hpp": '#include "fingerpost/net/address.hpp"\n',
    "bench/harness/run.hpp": '#include "tests/oracle/oracle.hpp"\n#include "fingerpost/registry/registry.hpp"\n',
    "cli/main.cpp": '#include "bench/harness/run.hpp"\n#include "tests/oracle/oracle.hpp"\n',
    "tests/unit/a_test.cpp": '#include "cli/main.cpp"\n',
}
README = "# {0}\n\nBelongs here: what {0} is. Does not: the rest.\n\nRead first: [`{1}`]({1}).\n"


class CheckLayers(unittest.TestCase):
    def run_on(self, extra: dict[str, str]) -> subprocess.CompletedProcess:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**CLEAN, **extra}.items():
                path = Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            layers = (ROOT / "layers.txt").read_text()
            (Path(folder) / "layers.txt").write_text(layers)
            for wing in re.findall("^wing (.+?)(?: uses .*)?$", layers, re.MULTILINE):
                if (Path(folder) / wing).is_dir() and f"{wing}/README.md" not in extra:
                    (Path(folder) / wing / "README.md").write_text(README.format(wing, "."))
            return run_tool("check_layers", folder)

    def expect(self, name: str, text: str, message: str) -> None:
        result = self.run_on({name: text})
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertIn(message, result.stderr)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)

    def test_clean_tree_passes(self):
        result = self.run_on({})
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_upward(self):
        message = "x.hpp:1: fingerpost/net includes fingerpost/rib, which is not below it"
        self.expect("fingerpost/net/x.hpp", '#include "fingerpost/rib/rib.hpp"\n', message)

    def test_siblings(self):
        self.expect("fingerpost/simd/x.hpp", '#include "fingerpost/rib/rib.hpp"\n', "includes fingerpost/rib")
        self.expect("fingerpost/rib/x.hpp", '#include "fingerpost/simd/vec.hpp"\n', "includes fingerpost/simd")

    def test_schemes_are_closed_to_each_other(self):
        text = '#include "fingerpost/schemes/patricia/patricia.hpp"\n'
        message = "fingerpost/schemes/planb includes fingerpost/schemes/patricia: the folders of fingerpost/schemes may not"
        self.expect("fingerpost/schemes/planb/x.hpp", text, message)
        self.expect("cli/x.cpp", text, "cli includes fingerpost/schemes/patricia, which is closed to it")
        result = self.run_on({"tests/unit/x.cpp": text})
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_listed_files_stand_for_themselves(self):
        clean = {"fingerpost/fingerpost.hpp": '#include "fingerpost/registry/registry.hpp"\n'}
        self.assertEqual(self.run_on(clean).returncode, 0)
        self.expect("fingerpost/other.hpp", "", "fingerpost/other.hpp: its folder is not in layers.txt")
        result = self.run_on({**clean, "fingerpost/fib/x.hpp": '#include "fingerpost/fingerpost.hpp"\n'})
        self.assertIn("includes fingerpost/fingerpost.hpp, which is not below it", result.stderr)

    def test_a_folder_that_no_line_names_is_a_room_where_a_star_stands(self):
        clean = {"cli/hello/hello.hpp": '#include "fingerpost/net/address.hpp"\n', "cli/y.cpp": '#include "cli/hello/hello.hpp"\n'}
        self.assertEqual(self.run_on(clean).returncode, 0)
        result = self.run_on({**clean, "cli/other/x.hpp": '#include "cli/hello/hello.hpp"\n'})
        self.assertIn("cli/other includes cli/hello, which is not below it", result.stderr)
        self.expect("io/hello/x.hpp", "", "io/hello/x.hpp: its folder is not in layers.txt")

    def test_angle_brackets_do_not_hide(self):
        self.expect("fingerpost/net/x.hpp", "#include <fingerpost/rib/rib.hpp>\n", "includes fingerpost/rib")

    def test_rooms_of_a_wing_have_their_order(self):
        clean = {"cli/lookup/lookup.hpp": "", "cli/answers/answers.hpp": ""}
        self.assertEqual(self.run_on({**clean, "cli/lookup/x.cpp": '#include "cli/answers/answers.hpp"\n'}).returncode, 0)
        for name, text in (("cli/answers/x.cpp", "lookup/lookup"), ("cli/explain/x.cpp", "lookup/lookup")):
            result = self.run_on({**clean, name: f'#include "cli/{text}.hpp"\n'})
            self.assertIn("includes cli/lookup, which is not below it", result.stderr)

    def test_system_sees_only_what_it_names(self):
        self.expect("system/x.hpp", '#include "fingerpost/rib/rib.hpp"\n', "system may not include fingerpost/rib")

    def test_oracle_stays_out_of_the_product(self):
        text = '#include "tests/oracle/oracle.hpp"\n'
        for wing in ("fingerpost/fib", "capi", "router", "python/core", "io/source"):
            self.expect(f"{wing}/x.cpp", text, f"{wing.split('/')[0]} may not include tests/oracle")
        self.expect("router/x.cpp", '#include "bench/harness/run.hpp"\n', "router may not include bench/harness")

    def test_only_tests_include_tests(self):
        self.expect("cli/x.cpp", '#include "tests/unit/a_test.cpp"\n', "cli may not include tests")

    def test_a_circle_is_named(self):
        self.expect("fingerpost/net/x.hpp", '#include "fingerpost/net/x.hpp"\n', "fingerpost/net/x.hpp: includes itself")
        two = {
            "fingerpost/net/x.hpp": '#include "fingerpost/net/y.hpp"\n',
            "fingerpost/net/y.hpp": '#include "fingerpost/net/x.hpp"\n',
        }
        self.assertIn("by way of fingerpost/net/y.hpp -> fingerpost/net/x.hpp", self.run_on(two).stderr)

    def test_a_circle_of_python_modules(self):
        package = "python/fingerpost"
        clean = {
            f"{package}/__init__.py": "from fingerpost._rows import copy\n",
            f"{package}/_rows/__init__.py": "def copy():\n    from fingerpost._rows.run import run\n",
            f"{package}/_rows/run.py": "import fingerpost._types\nfrom . import types\nfrom .types import Kind\n",
            f"{package}/_rows/types.py": "def again():\n    from fingerpost._rows.types import Kind\n",
            f"{package}/_types.py": "import os\n",
        }
        result = self.run_on(clean)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("5 modules", result.stdout)
        planted = (
            "from fingerpost._rows.run import run\n",
            "from fingerpost._rows import run\n",
            "from . import run\n",
            "from .run import Run\n",
            "import fingerpost._rows.run as rows\n",
            "def later():\n    from fingerpost._rows.run import run\n",
            "if TYPE_CHECKING:\n    from fingerpost._rows.run import Run\n",
        )
        for text in planted:
            result = self.run_on({**clean, f"{package}/_rows/types.py": text})
            self.assertEqual(result.returncode, 1, text)
            message = f"{package}/_rows/run.py: imports itself, by way of {package}/_rows/types.py -> {package}/_rows/run.py"
            self.assertEqual(result.stderr.splitlines(), [message], text)
        upward = self.run_on({**clean, f"{package}/_types.py": "from fingerpost import copy\n"})
        self.assertIn(f"{package}/__init__.py: imports itself", upward.stderr)

    def test_two_headers_of_one_name(self):
        self.expect("fingerpost/fib/rib.hpp", "", "fingerpost/rib/rib.hpp: fingerpost/fib/rib.hpp has the same name")
        allowed = {"fingerpost/schemes/patricia/view.hpp": "", "tests/unit/rib.hpp": "", "fingerpost/fib/rib.cpp": ""}
        allowed |= {"fingerpost/registry/list.hpp": "", "io/format/list.hpp": ""}
        self.assertEqual(self.run_on(allowed).returncode, 0)

    def test_large_files_and_folders(self):
        self.expect("fingerpost/fib/x.cpp", "\n" * 701, "fingerpost/fib/x.cpp: 701 lines, more than 700")
        self.assertEqual(self.run_on({"fingerpost/fib/x.cpp": "\n" * 700, "tests/unit/x.cpp": "\n" * 701}).returncode, 0)
        result = self.run_on({f"fingerpost/fib/x{i}.cpp": "" for i in range(41)})
        self.assertIn("fingerpost/fib: 41 files, more than 40", result.stderr)

    def test_wings_and_larger_folders_say_what_belongs_there(self):
        text = README.format("io", "format/text/table_text.hpp")
        self.assertEqual(self.run_on({"io/README.md": text}).returncode, 0)
        for broken, fault in (
            (README.format("io", "9.hpp"), "leads to 9.hpp, which is not there"),
            (text.replace("# io", "# old"), "does not begin with `# io`"),
            (text.replace("Does not", "Not"), "has no paragraph `Belongs here"),
            (text.replace("Read first", "Read"), "has no paragraph `Read first"),
        ):
            self.expect("io/README.md", broken, f"io/README.md: {fault}")
        larger = {f"fingerpost/fib/{i}.hpp": "" for i in range(5)}
        self.assertIn("fingerpost/fib/README.md: is missing", self.run_on(larger).stderr)
        self.assertEqual(self.run_on({**larger, "fingerpost/fib/README.md": README.format("fingerpost/fib", "4.hpp")}).returncode, 0)
        # A smaller folder with a README must also follow the form.
        self.expect("io/format/README.md", README.format("io/format", "9.hpp"), "io/format/README.md: leads to 9.hpp")
        # Schemes and test folders do not need a README.
        folders = ("fingerpost/schemes/planb", "tests/unit")
        self.assertEqual(self.run_on({f"{folder}/{i}.cpp": "" for folder in folders for i in range(5)}).returncode, 0)

    def test_paths_start_at_the_root(self):
        self.expect("fingerpost/net/x.hpp", '#include "../base/bits.hpp"\n', 'climbs with ".."')
        self.expect("fingerpost/net/x.hpp", '#include "address.hpp"\n', "is no file when read from the root")

    def test_foreign_packages_have_their_place(self):
        self.expect("fingerpost/fib/x.hpp", "#include <rte_fib6.h>\n", "only router, lab, router/bench, router/tests, router/fuzz may include rte_*")
        self.expect("fingerpost/net/x.hpp", "#include <fmt/core.h>\n", "may include fmt/*")

    def test_unlisted_folder(self):
        self.expect("fingerpost/extra/x.hpp", "", "its folder is not in layers.txt")


if __name__ == "__main__":
    unittest.main()
