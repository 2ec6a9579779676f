#!/usr/bin/env bash
# Runs the examples of docs/use/tables.md and docs/use/cli.md in one folder and compares the output.
guides=$(cd "$(dirname "$0")/../../.." && pwd)/docs/use
. "$(dirname "$0")/../common.sh"

cat >table.txt <<'END'
# prefix        next hop
0.0.0.0/0       upstream
10.0.0.0/8      192.0.2.1
10.1.0.0/16,peer-7
END
mkdir bin
ln -s "$FINGERPOST" bin/fingerpost
export PATH=$PWD/bin:$PATH

python3 - "$guides"/{tables,cli}.md <<'END' >count || die "the guide shows what does not happen"
import re, subprocess, sys
examples = 0
for block in re.findall(r"```console\n(.*?)```", "".join(open(page).read() for page in sys.argv[1:]), re.S):
    for command, output in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.M):
        # Errors come before the answers, as on a terminal that shows both.
        got = subprocess.run(["bash", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if got.stderr + got.stdout != output:
            sys.exit(f"$ {command}\n{got.stderr}{got.stdout}instead of\n{output}")
        examples += 1
print(examples)
END
cases=$(<count)

finish 8
