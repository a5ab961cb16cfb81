#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""weights_of_the_old_rnn_interface_lie_where_the_real_library_has_them

rnn_places.c, compiled with the declarations of 8.9.7, runs on the real library of 8.9.7, and through the facade on real libraries of 9.
It has to say the same of every descriptor, size, matrix and bias vector.
usage: rnn_places.py CC ROOT FACADES FAKE_SRC
"""
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import elf  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
CC, ROOT, FACADES, SOURCE = sys.argv[1:5]
OLD = ('nvidia-cudnn-cu12', '8.9.7.29', ['libcudnn.so.8', 'libcudnn_ops_infer.so.8', 'libcudnn_adv_infer.so.8'])
NEW = [(package, version, ['libcudnn.so.9', 'libcudnn_graph.so.9', 'libcudnn_ops.so.9', 'libcudnn_adv.so.9'])
       for package, version in (('nvidia-cudnn-cu12', '9.0.0.312'), ('nvidia-cudnn-cu13', '9.28.1.4'))]


def libraries(package, version, names):
    wheel = elf.wheels.find(package, version)
    return str(elf.wheels.unpack(wheel, [f'nvidia/cudnn/lib/{name}' for name in names]) / 'nvidia/cudnn/lib')


def said(program, path, **more):
    env = {k: v for k, v in os.environ.items() if not k.startswith(('GANGWAY_', 'LD_'))}
    env.update({'LD_LIBRARY_PATH': path}, **more)
    done = subprocess.run([program], capture_output=True, text=True, timeout=600, env=env)
    if done.returncode or done.stderr:
        sys.exit(f'{path}: {done.returncode}\n{done.stderr[-2000:]}')
    return done.stdout.splitlines()


def main():
    with tempfile.TemporaryDirectory() as work:
        program = os.path.join(work, 'rnn_places')
        own = libraries(*OLD)
        subprocess.run([*CC.split(), '-std=gnu11', '-O1', '-Wall', '-Wextra', '-Werror', '-Wno-deprecated-declarations', HERE / 'rnn_places.c',
                        '-o', program, '-I', ROOT, '-I', SOURCE, '-L', own, '-l:libcudnn.so.8', '-Wl,--allow-shlib-undefined'], check=True)
        expected = said(program, own)
        for new in NEW:
            found = said(program, FACADES, GANGWAY_CUDNN=libraries(*new))
            different = [(a, b) for a, b in zip(expected, found) if a != b]
            if different or len(expected) != len(found):
                sys.exit(f'{new[1]}: {len(different)} of {len(expected)} lines differ; first\n' + '\n'.join(different[0] if different else ()))
            print(f'{new[0]} {new[1]}: {len(found)} lines, all as on {OLD[1]}')


main()
