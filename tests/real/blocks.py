#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""parts_of_different_releases_share_blocks_on_the_newest_libraries

tests/shim/blocks.c with parts that are compiled against the real headers of 11.10, 12.9 and 13.10, on the real libraries of 13.0 and
13.10. Without a GPU: whatever needs a handle is tested on the fake libraries alone.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import attributes  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PARTS = [('nvidia-cublas-cu11', '11.10.3.66'), ('nvidia-cublas-cu12', '12.9.3.13'), ('nvidia-cublas', '13.10.0.20')]
# Each case: on which library; what has to be said of findings.
CASES = [('small', '13.0.0.19', ''), ('small', '13.10.0.20', ''), ('layouts', '13.10.0.20', ''), ('preferences', '13.0.0.19', ''),
         ('preferences', '13.10.0.20', ''), ('reused', '13.10.0.20', ''), ('dropped', '13.10.0.20', 'GW-312'), ('threads', '13.10.0.20', ''),
         ('newer', '13.0.0.19', 'GW-311')]
COMPILE = ['gcc', '-std=gnu11', '-O1', '-g', '-w', '-pthread']

def part(folder, package, version):
    header = next(attributes.header_folder(package, version, '*/include/cublas*.h').glob('nvidia/*/include/cublasLt.h'))
    place = folder / version
    place.mkdir()
    attributes.stub(place, f'libcublasLt.so.{version.split(".")[0]}', header.read_text())
    subprocess.run([*COMPILE, '-DREAL', '-shared', '-fPIC', '-fno-optimize-sibling-calls', '-I', header.parent, '-I', ROOT / 'abi' / 'include',
                    '-o', place / 'part.so', ROOT / 'tests/shim/blocks_part.c', '-L', place, '-lcublasLt'], check=True)
    return place / 'part.so'

def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('shim', type=pathlib.Path, help='directory with libgangway.so and the facades')
    options = parser.parse_args()
    bad = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        program = folder / 'blocks'
        subprocess.run([*COMPILE, '-o', program, ROOT / 'tests/shim/blocks.c', '-ldl'], check=True)
        parts = [part(folder, *release) for release in PARTS]
        for case, target, finding in CASES:
            library = attributes.header_folder('nvidia-cublas', target, 'nvidia/cu13/lib/libcublas*.so.13') / 'nvidia/cu13/lib'
            environment = {**os.environ, 'LD_LIBRARY_PATH': f'{library}:{options.shim / "facades"}', 'GANGWAY_CUBLAS': str(library),
                           'LD_PRELOAD': str(options.shim / 'libgangway.so')}
            if case == 'newer':
                environment['GANGWAY_BUILT_FOR'] = f'*:cublasLt={PARTS[2][1]}'
            done = subprocess.run([program, case, *parts], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True)
            told = set(re.findall(r'GW-\d+', done.stderr))
            good = done.returncode == 0 and told == {finding} - {''}
            print(f'{"ok" if good else "not ok"} {case} on {target}')
            if not good:
                bad += 1
                print(f'  exit {done.returncode}\n{done.stderr}', file=sys.stderr)
    return 1 if bad else 0

if __name__ == '__main__':
    sys.exit(main())
