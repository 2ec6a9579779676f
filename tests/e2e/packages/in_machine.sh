#!/usr/bin/env bash
# Installs the Debian packages in folder $1 on this machine, a bare Debian 12 without a compiler, over packages of version 0.0.9, uses each
# of them and removes them. `tools/fresh_machine_test --packages` runs it.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=

packages=$1
work=$(mktemp -d)
version=
cd "$work"

die() {
    echo "packages: $*" >&2
    exit 1
}
step() {
    local what=$1 start=$SECONDS
    shift
    "$@" >"$work/log" 2>&1 || { tail -n 30 "$work/log" >&2; die "failed: $what"; }
    echo "packages: ok after $((SECONDS - start)) s: $what"
}
expect() { # TEXT COMMAND...: a line of the output must be TEXT
    local text=$1
    shift
    "$@" >"$work/output" 2>&1 || { cat "$work/output" >&2; die "failed: $*"; }
    grep -qxF -- "$text" "$work/output" || { cat "$work/output" >&2; die "no line '$text' from: $*"; }
}
ours() { dpkg-query -W -f '${db:Status-Abbrev}${Package}\n' '*fingerpost*' 2>/dev/null | sed -n 's/^ii //p'; }

# Packages with a lower version, as if they came from an earlier release.
make_old() {
    local package folder
    mkdir old
    for package in "$packages"/*.deb; do
        folder=$work/unpacked
        rm -rf "$folder"
        dpkg-deb --raw-extract "$package" "$folder"
        version=$(dpkg-deb --field "$package" Version)
        sed -i "s/^Version: .*/Version: 0.0.9-1/; s/(= $version)/(= 0.0.9-1)/" "$folder/DEBIAN/control"
        dpkg-deb -Zgzip -z1 --build "$folder" old >/dev/null
    done
}

use_program() {
    local server
    printf '10.0.0.0/8 office\n10.1.0.0/16 lab\n2001:db8::/32 v6\n' >table.txt
    printf 'id,src\n1,10.1.2.3\n' >rows.csv
    expect "10.1.2.3  10.1.0.0/16  lab" fingerpost lookup -t table.txt 10.1.2.3
    expect "1,10.1.2.3,10.1.0.0/16,lab" fingerpost enrich -t table.txt --field src rows.csv
    zcat /usr/share/man/man1/fingerpost.1.gz | grep -q '^\.TH FINGERPOST 1' || die "no manual page"
    bash -c 'source /usr/share/bash-completion/completions/fingerpost && complete -p fingerpost' >/dev/null
    fingerpost serve -t table.txt --http 127.0.0.1:8765 &
    server=$!
    expect '[{"address":"10.1.2.3","prefix":"10.1.0.0/16","next_hop":"lab"}]' python3 - <<'END'
import time
import urllib.request
for attempt in range(50):
    try:
        print(urllib.request.urlopen("http://127.0.0.1:8765/lookup/10.1.2.3").read().decode())
        break
    except OSError:
        time.sleep(0.1)
END
    kill "$server"
    wait "$server" || true
}
# The library without headers, through Python's foreign functions.
use_library() {
    expect "$version" python3 -c '
import ctypes
library = ctypes.CDLL("libfingerpost.so.1")
library.fingerpost_version.restype = ctypes.c_char_p
print(library.fingerpost_version().decode() + "-1")'
}
use_python() {
    expect "('10.1.0.0/16', 'lab')" python3 -c '
import fingerpost
print(fingerpost.Table({"10.0.0.0/8": "office", "10.1.0.0/16": "lab"}).match("10.1.2.3"))'
    expect "$version" python3 -c 'import importlib.metadata; print(importlib.metadata.version("fingerpost") + "-1")'
}
use_router() {
    expect "fingerpost-router ${version%-*}" fingerpost-router --version
    gunzip -c /usr/share/doc/fingerpost-router/examples/test.toml.gz >router.toml 2>/dev/null || cp /usr/share/doc/fingerpost-router/examples/test.toml router.toml
    fingerpost-router --check router.toml
}
check_units() { systemd-analyze verify --man=no /lib/systemd/system/fingerpost{.service,.socket,-router.service}; }
# All files of the packages, and all that have the name; what apt and dpkg know of old versions is not a part of them.
remove() {
    local names left
    mapfile -t names < <(ours)
    dpkg -L "${names[@]}" | sort -u | while read -r path; do [[ -d $path ]] || echo "$path"; done >files
    apt-get -qq -y purge "${names[@]}"
    left=$(while read -r path; do [[ ! -e $path ]] || echo "$path"; done <files)
    left+=$(find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /work -o -path /tmp \) -prune -o -name '*fingerpost*' -print)
    [[ -z $left ]] || { echo "left: $left"; return 1; }
    [[ -z $(dpkg-query -W -f '${Package} ${db:Status-Abbrev}\n' '*fingerpost*' 2>/dev/null | grep -v ' un') ]]
}

make_old
step "lists of packages" apt-get -qq update
step "systemd, for its checks" apt-get -qq -y --no-install-recommends install systemd
step "installation of 0.0.9" apt-get -qq -y install "$work"/old/*.deb
[[ $(ours | wc -l) == $(find "$packages" -name "*.deb" | wc -l) ]] || die "the packages are: $(ours | tr '\n' ' ')"
step "upgrade to $version" apt-get -qq -y install "$packages"/*.deb
for package in $(ours); do
    [[ $(dpkg-query -W -f '${Version}' "$package") == "$version" ]] || die "$package was not upgraded"
done
! command -v gcc g++ cc c++ clang || die "there is a compiler"
step "files are as they were packed" dpkg --verify $(ours)
use_program
step "units" check_units
use_library
use_python
step "check of the router" use_router
step "removal leaves nothing" remove
step "installation without an earlier one" apt-get -qq -y install "$packages"/*.deb
use_program
echo "packages: PASSED"
