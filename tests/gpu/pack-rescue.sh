#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Makes .gpu/rescue.tar.xz: gangway built for an old glibc, unmodified bitsandbytes libraries of three releases, the CUDA runtimes that they
# were built with, gangway's kernels, and the script that tests/gpu/rescue.sh runs. No library of cuBLAS. GANGWAY_RELEASE names a release build
# to take. `--all`: every CUDA 11 and 12 build of each release (bigger), else one of each.
set -eu -o pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

"$root/tests/wheels/fetch" gpu-rescue >&2
if [ -n "${GANGWAY_RELEASE:-}" ]; then
	cp -a "$GANGWAY_RELEASE" "$stage/gangway"
else
	"$root/tests/release/build" "$stage/gangway" >&2
fi
python3 - "$root/tests/wheels" "$stage" "${1:-}" <<'PY'
import pathlib, shutil, sys
sys.path.insert(0, sys.argv[1])
import wheels
stage = pathlib.Path(sys.argv[2])
chosen = {'0.37.2': ('117', '121'), '0.41.3.post2': ('118', '122'), '0.45.5': ('118', '124')}
for version, builds in chosen.items():
    globs = ['bitsandbytes/libbitsandbytes_cuda1[12]?.so'] if sys.argv[3] == '--all' else [f'bitsandbytes/libbitsandbytes_cuda{b}.so' for b in builds]
    folder = wheels.unpack(wheels.find('bitsandbytes', version), globs)
    to = stage / 'bitsandbytes' / version
    to.mkdir(parents=True)
    for glob in globs:
        for file in folder.glob(glob):
            shutil.copy2(file, to)
(stage / 'cudart').mkdir()
for package, version, name in (('nvidia-cuda-runtime-cu11', '11.8.89', 'libcudart.so.11.0'), ('nvidia-cuda-runtime-cu12', '12.9.79', 'libcudart.so.12')):
    glob = f'nvidia/cuda_runtime/lib/{name}'
    shutil.copy2(wheels.unpack(wheels.find(package, version), [glob]) / glob, stage / 'cudart')
PY
mkdir "$stage/scripts"
cp "$here/rescue.py" "$here/rescue.sh" "$root/shim/kernels/int8.ptx" "$stage/scripts"
mkdir -p "$root/.gpu"
tar -C "$stage" --sort=name --owner=0 --group=0 -cf - bitsandbytes cudart gangway scripts | xz -T0 -3 >"$root/.gpu/rescue.tar.xz.part"
mv "$root/.gpu/rescue.tar.xz.part" "$root/.gpu/rescue.tar.xz"
echo "$root/.gpu/rescue.tar.xz: $(($(stat -c %s "$root/.gpu/rescue.tar.xz") >> 20)) MiB"
