#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Makes .gpu/trace.tar.gz: libgangway.so of a BUILD directory, and what tests/gpu/trace.sh runs.   usage: pack-trace.sh BUILD
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
install -s "$1/shim/libgangway.so" "$stage/libgangway.so"
cp "$here/trace.py" "$here/trace_work.py" "$root/tests/trace/reader.py" "$stage/"
mkdir -p "$root/.gpu"
tar -C "$stage" -czf "$root/.gpu/trace.tar.gz" .
ls -l "$root/.gpu/trace.tar.gz"
