#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A crash inside the vendor's own libraries, which have no symbols but those that they export: the report has the whole chain of calls (crash.c).

usage: crash.py CC GANGWAY WORK_DIR
"""
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'wheels'))
import wheels  # noqa: E402

OWN = ['inner of crash', 'outer of crash', 'main of crash']
# What crashes there, the library that is at fault, and the functions that have names, the innermost first.
CASES = [('0', 'SIGSEGV', 'libcublas.so.13', ['cublasSgemm_v2 of libcublas.so.13', 'cublasSgemm_v2 of libgangway.so', *OWN]),
         # opened within the call, by cuDNN's front, which jumps there
         ('1', 'SIGABRT', 'libcudnn_ops.so.9', ['cudnnDestroyTensorDescriptor of libcudnn_ops.so.9', 'cudnnDestroyTensorDescriptor of libgangway.so', *OWN])]


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    site, work = pathlib.Path(wheels.site('cuda13')) / 'nvidia', pathlib.Path(sys.argv[3])
    work.mkdir(parents=True, exist_ok=True)
    libraries = [next(site.glob(f'*/lib/{name}')) for name in ('libcublas.so.13', 'libcublasLt.so.13', 'libcudnn.so.9')]
    subprocess.run([*sys.argv[1].split(), '-O1', '-g', '-w', '-rdynamic', '-o', work / 'crash', HERE / 'crash.c', *libraries,
                    '-Wl,--allow-shlib-undefined'], check=True)
    env = {key: value for key, value in os.environ.items() if not key.startswith(('GANGWAY_', 'LD_'))}
    env['LD_LIBRARY_PATH'] = ':'.join(str(library.parent) for library in libraries)
    for which, signal, library, chain in CASES:
        bare = subprocess.run([work / 'crash', which], env=env, capture_output=True, text=True)
        done = subprocess.run([sys.argv[2], 'run', '--', work / 'crash', which], env=env, capture_output=True, text=True, errors='replace')
        assert done.returncode == bare.returncode < 0, (bare, done)
        assert re.search(rf'GW-330: \w+ of \S+, called by \S+/crash\+0x\w+, was ended by {signal}\b', done.stderr), done.stderr
        stack = done.stderr.split('stack, the innermost frame first:\n')[1]
        named = [f'{function} of {os.path.basename(path)}' for path, function in re.findall(r'(?m)^gangway:     (\S+)\+0x\w+ in (\w+)\+0x', stack)]
        last = named.index(chain[-1])
        assert named[last + 1 - len(chain):last + 1] == chain, done.stderr
        assert f'/{library}+0x' in stack and 'a guess' not in stack and re.search(r'in _start\+0x\w+\n\Z', stack), done.stderr
    print(f'{len(CASES)} crashes in the vendor\'s code have their whole chain of calls')


if __name__ == '__main__':
    main()
