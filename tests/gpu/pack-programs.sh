#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Makes .gpu/programs.tar.gz: gangway built for an old glibc, the programs of compile.py, built against the real headers of old releases, and
# the scripts that tests/gpu/programs.sh runs them with. No library of cuBLAS or cuDNN. GANGWAY_RELEASE names a release build to take.
set -eu -o pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

"$root/tests/wheels/fetch" headers gpu-programs >&2
if [ -n "${GANGWAY_RELEASE:-}" ]; then
	cp -a "$GANGWAY_RELEASE" "$stage/gangway"
else
	"$root/tests/release/build" "$stage/gangway" >&2
fi
python3 "$here/compile.py" "$stage/programs" >&2
mkdir "$stage/scripts"
cp "$here"/*.py "$here"/programs.sh "$stage/scripts"
mkdir -p "$root/.gpu"
tar -C "$stage" --sort=name --owner=0 --group=0 -czf "$root/.gpu/programs.tar.gz" programs gangway scripts
echo "$root/.gpu/programs.tar.gz: $(($(stat -c %s "$root/.gpu/programs.tar.gz") >> 10)) KiB"
