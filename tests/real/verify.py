#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`gangway verify` on the vendor's own libraries, without a GPU: it finds and loads each, is told its release, and says of each step why it could not run.

usage: verify.py GANGWAY
"""
import json
import os
import pathlib
import re
import resource
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / 'wheels'))
import wheels  # noqa: E402

PRODUCTS = [f'product-{kind}' for kind in ('fp64', 'fp32', 'tf32', 'fp16', 'bf16', 'int8', 'fp8')]
CONVOLUTIONS = ['convolution', 'convolution-fused', 'convolution-graph']
DRIVER = 'libcuda.so.1: cannot open shared object file: No such file or directory'


def verify(gangway, site, *words):
    clean = {key: value for key, value in os.environ.items() if not key.startswith(('GANGWAY_', 'LD_', 'PYTHON', 'VIRTUAL_ENV', 'CONDA_'))}
    done = subprocess.run([gangway, 'verify', '--json', '--python', site, *words], env=clean, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (16 << 30, 16 << 30)))
    assert done.returncode == 3, done.stderr + done.stdout
    report = json.loads(done.stdout)
    assert [finding['code'] for finding in report['findings']] == ['GW-190'], report['findings']
    return {step['step']: step for step in report['steps']}, {library['library']: library for library in report['libraries']}


def check_native(gangway, site):
    steps, libraries = verify(gangway, site, '--major', '13')
    for name in ['driver', 'runtime', 'nvrtc', *PRODUCTS, 'cublas', *CONVOLUTIONS]:
        assert steps[name]['outcome'] == steps[name]['bare'] == 'no device' and steps[name]['why'].endswith(DRIVER), steps[name]
    for library, release in (('cublasLt', '13.10.0'), ('cublas', '13.10.0'), ('cudnn', '9.28.1'), ('cudart', '13.0.0'), ('nvrtc', '13.0')):
        for run in ('files', 'bare_files'):
            told = [file['release'] for file in libraries[library][run] if file['release']]
            assert told == [release], (library, libraries[library])
        assert libraries[library]['path'].startswith(str(site)), libraries[library]


def check_facades(gangway, site, major, names):
    steps, libraries = verify(gangway, site, '--major', major)
    for name in [*PRODUCTS, 'cublas'] + (CONVOLUTIONS if major == '11' else []):
        assert steps[name]['bare'] == 'missing' and steps[name]['outcome'] == 'no device', steps[name]
    for library, soname, own in names:
        files = libraries[library]['files']
        assert libraries[library]['soname'] == soname and not libraries[library]['bare_files'], libraries[library]
        assert any(f'/facades/{soname}' in file['path'] for file in files) and any(own in file['path'] for file in files), files


def check_constants():
    """Each constant of abi/verify stands in the header that it names, in the wheel that it names."""
    headers, seen = {}, 0
    for line in (ROOT / 'abi/verify').read_text().splitlines():
        words = line.split('#')[0].split()
        if not words or words[0] != 'constant':
            continue
        name, value, header, wheel = words[1:5]
        if (header, wheel) not in headers:
            package, version = wheel.rsplit('-', 1)
            folder = wheels.unpack(wheels.find(package, version), [f'*/include/{header}'])
            headers[header, wheel] = next(folder.glob(f'**/include/{header}')).read_text()
        text = re.sub(r'/\*.*?\*/', '', headers[header, wheel], flags=re.S)
        assert re.search(rf'\b{name}\s*=\s*{value}\b', text), f'{name} is not {value} in {header} of {wheel}'
        seen += 1
    assert seen >= 13, seen


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    gangway, site = sys.argv[1], pathlib.Path(wheels.site('cuda13'))
    check_native(gangway, site)
    check_facades(gangway, site, '12', [('cublasLt', 'libcublasLt.so.12', 'libcublasLt.so.13'), ('cublas', 'libcublas.so.12', 'libcublas.so.13')])
    check_facades(gangway, site, '11', [('cublasLt', 'libcublasLt.so.11', 'libcublasLt.so.13'), ('cudnn', 'libcudnn.so.8', 'libcudnn.so.9')])
    check_constants()
    print('verify: what needs no GPU is done on the vendor\'s libraries, natively and behind facades of CUDA 12 and 11')


if __name__ == '__main__':
    main()
