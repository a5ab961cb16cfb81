#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# On the machine with the GPU: unpacks trace.tar.gz (pack-trace.sh) and runs trace.py.   usage: trace.sh ARCHIVE [--rounds N] [--keep DIR]
set -eu
archive=$1
shift
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
tar -C "$stage" -xzf "$archive"
python3 "$stage/trace.py" "$stage/libgangway.so" "$stage" "$@"
