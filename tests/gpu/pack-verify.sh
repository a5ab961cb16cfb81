#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Makes .gpu/verify.tar.gz: gangway and the script that runs `gangway verify` on a machine with a GPU (verify.sh). GANGWAY_RELEASE names a release
# build to take; GANGWAY_HERE=1 builds for this machine's glibc and newer alone, which takes no other compiler.
set -eu -o pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

if [ -n "${GANGWAY_RELEASE:-}" ]; then
	cp -a "$GANGWAY_RELEASE" "$stage/gangway"
elif [ -n "${GANGWAY_HERE:-}" ]; then
	build=$root/build/verify
	[ -f "$build/build.ninja" ] || meson setup --prefix=/gangway --libdir=lib --buildtype=release -Dtests=false -Dprefer_static=true \
		-Dimport=disabled "$build" "$root" >&2
	ninja -C "$build" -j2 >&2
	DESTDIR=$stage/aside meson install -C "$build" --no-rebuild --quiet >&2
	mv "$stage/aside/gangway" "$stage/gangway"
else
	"$root/tests/release/build" "$stage/gangway" >&2
fi
mkdir "$stage/scripts"
cp "$here/verify.sh" "$stage/scripts"
mkdir -p "$root/.gpu"
tar -C "$stage" --sort=name --owner=0 --group=0 -czf "$root/.gpu/verify.tar.gz" gangway scripts
echo "$root/.gpu/verify.tar.gz: $(($(stat -c %s "$root/.gpu/verify.tar.gz") >> 10)) KiB"
