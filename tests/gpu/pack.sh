#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Makes .gpu/cross.tar.xz: gangway built for an old glibc, the unmodified binaries that tests/gpu/cross.sh drives, and the two small
# CUDA runtimes that they were built with. No library of cuBLAS or cuDNN. For a machine with x86-64, Python 3.12 and no network.
set -eu -o pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

"$root/tests/wheels/fetch" gpu >&2
"$root/tests/release/build" "$stage/gangway" >&2

python3 - "$root/tests/wheels" "$stage" <<'E'
import pathlib, shutil, sys
sys.path.insert(0, sys.argv[1])
import wheels
stage = pathlib.Path(sys.argv[2])
def take(package, version, globs, name):
    folder = wheels.unpack(wheels.find(package, version), globs)
    (stage / name).mkdir(exist_ok=True)
    for glob in globs:
        for file in folder.glob(glob):
            shutil.copy2(file, stage / name)
take('bitsandbytes', '0.37.2', [f'bitsandbytes/libbitsandbytes_cuda{n}.so' for n in (117, 118, 121)], 'bitsandbytes')
take('nvidia-cuda-runtime-cu11', '11.7.99', ['nvidia/cuda_runtime/lib/libcudart.so.11.0'], 'cudart')
take('nvidia-cuda-runtime-cu12', '12.1.105', ['nvidia/cuda_runtime/lib/libcudart.so.12'], 'cudart')
for package, version in (('ctranslate2', '4.4.0'), ('PyYAML', '6.0.2')):
    wheels.unpack(wheels.find(package, version, 'cp312'), ['*'], stage / 'ctranslate2')
E

mkdir -p "$root/.gpu"
tar -C "$stage" --sort=name --owner=0 --group=0 -cf - bitsandbytes cudart ctranslate2 gangway |
	xz -T0 -6 >"$root/.gpu/cross.tar.xz.part"
mv "$root/.gpu/cross.tar.xz.part" "$root/.gpu/cross.tar.xz"
size=$(stat -c %s "$root/.gpu/cross.tar.xz")
echo "$root/.gpu/cross.tar.xz: $((size >> 20)) MiB"
[ "$size" -lt $((60 << 20)) ] || { echo "$0: too big to be carried (60 MiB)" >&2; exit 1; }
