#!/usr/bin/env bash
# Builds dist/Containerfile with buildah and looks an address up in the image, as its user. Where the registry cannot be reached, mmdebstrap
# makes the base image. Compiles the program, so it takes minutes; `make test-release` runs it.
set -euo pipefail
cd "$(dirname "$0")/../../.."

command -v buildah >/dev/null || { echo "container: skipped, as buildah is not installed (tools/setup release)"; exit 77; }
work=$(mktemp -d /var/tmp/fingerpost-container.XXXXXX)
images() { buildah --root "$work/images" --runroot "$work/run" --storage-driver vfs "$@"; }
remove() {
    images rm --all >/dev/null
    images rmi --all --force >/dev/null
    rm -rf "$work"
}
trap remove EXIT
export BUILDAH_ISOLATION=chroot

if ! images pull --quiet docker.io/library/debian:bookworm >/dev/null 2>&1 ||
    ! images pull --quiet docker.io/library/debian:bookworm-slim >/dev/null 2>&1; then
    echo "container: no registry, so mmdebstrap makes the base image"
    mmdebstrap --quiet --variant=minbase bookworm "$work/base.tar"
    base=$(images from scratch)
    images add --quiet "$base" "$work/base.tar" / >/dev/null
    for name in bookworm bookworm-slim; do
        images commit --quiet "$base" "docker.io/library/debian:$name" >/dev/null
    done
fi
images build --quiet --pull-never --tag fingerpost --file dist/Containerfile dist
container=$(images from --pull-never fingerpost)
mkdir "$work/tables"
printf '10.0.0.0/8 office\n10.1.0.0/16 lab\n' >"$work/tables/table.txt"
chmod -R a+rX "$work/tables"
run() { images run --volume "$work/tables:/tables:ro" "$container" -- "$@"; }
[[ $(run id -u) == 65532 ]]
[[ $(run fingerpost lookup -t table.txt 10.1.2.3) == "10.1.2.3  10.1.0.0/16  lab" ]]
run fingerpost serve -t table.txt --http 127.0.0.1:8766 --check
echo "container: PASSED"
