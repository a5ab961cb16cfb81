#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""old_binaries_load_on_the_newest_libraries

Unmodified binaries of 2023, where only libraries of CUDA 13 and cuDNN 9 are: each is seen to fail without gangway, with the loader's
own words, and under `gangway run` goes as far as a machine without a GPU lets it.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import elf  # noqa: E402

LOAD = '''
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
print('loaded', flush=True)
'''
# What a facade answers when it is asked for its version, and what the library behind it is.
VERSIONS = '''
import ctypes, sys
for name, function in (('libcublasLt.so.11', 'cublasLtGetVersion'), ('libcublasLt.so.12', 'cublasLtGetVersion'),
                       ('libcudnn.so.8', 'cudnnGetVersion')):
    library = ctypes.CDLL(name)
    question = getattr(library, function)
    question.restype = ctypes.c_size_t
    print(name, question(), flush=True)
blas = ctypes.CDLL('libcublas.so.11')
blas.cublasGetStatusName.restype = ctypes.c_char_p
print(blas.cublasGetStatusName(15).decode(), flush=True)
dnn = ctypes.CDLL('libcudnn.so.8')
dnn.cudnnGetErrorString.restype = ctypes.c_char_p
handle = ctypes.c_void_p()
print('BAD_PARAM is', dnn.cudnnGetErrorString(3).decode(), dnn.cudnnCreateTensorDescriptor(None), flush=True)
'''
OLD = re.compile(r'libcublas(Lt)?\.so\.1[12]|libcudnn(_\w+)?\.so\.8|libcusparse\.so\.11')


def run(command, environment):
    kept = {key: value for key, value in os.environ.items() if not key.startswith(('LD_', 'GANGWAY_LIB', 'PYTHON'))}
    done = subprocess.run(list(map(str, command)), env={**kept, **environment}, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors='replace', timeout=600)
    return done.returncode, done.stdout, done.stderr


class Report:
    def __init__(self):
        self.bad = 0

    def line(self, good, name, detail, result=None):
        print(f'{"ok" if good else "not ok"} {name}: {detail}')
        if not good:
            self.bad += 1
            if result:
                print(f'  exit {result[0]}', result[1][-2000:], result[2][-2000:], sep='\n', file=sys.stderr)


def old_libraries_here():
    listed = subprocess.run(['/sbin/ldconfig', '-p'], stdout=subprocess.PIPE, text=True, check=True).stdout
    return sorted({match.group(0) for match in OLD.finditer(listed)})


def bitsandbytes(report, gangway, environment, log):
    wheel = elf.wheels.find('bitsandbytes', '0.37.2')
    for build in (117, 118, 121):
        member = f'bitsandbytes/libbitsandbytes_cuda{build}.so'
        library = elf.wheels.unpack(wheel, [member]) / member
        before = run([sys.executable, '-c', LOAD, library], environment)
        missing = OLD.search(before[2])
        report.line(before[0] != 0 and missing and 'cannot open shared object file' in before[2],
                    f'bitsandbytes {build} without us', missing.group(0) + ' is missing' if missing else 'loads', before)
        after = run([gangway, 'run', '--log', log, '--', sys.executable, '-c', LOAD, library], environment)
        report.line(after[:2] == (0, 'loaded\n'), f'bitsandbytes {build} under gangway run', after[1].strip(), after)


def computing(report, gangway, environment, fake):
    """The same binaries compute exactly over the facades, on a fake newest cuBLAS that computes in host memory."""
    wheel = elf.wheels.find('bitsandbytes', '0.37.2')
    environment = {**environment, 'LD_LIBRARY_PATH': f'{fake}:{environment["LD_LIBRARY_PATH"]}', 'GANGWAY_CUBLAS': str(fake),
                   'PYTHONPATH': str(elf.wheels.site('numpy'))}
    cigemm = pathlib.Path(__file__).resolve().parent.parent / 'gpu' / 'cigemm.py'
    for build in (117, 118, 121):
        member = f'bitsandbytes/libbitsandbytes_cuda{build}.so'
        library = elf.wheels.unpack(wheel, [member]) / member
        result = run([gangway, 'run', '--', sys.executable, cigemm, '--host', library], environment)
        report.line(result[:2] == (0, '20 of 20 shapes exact\n'), f'bitsandbytes {build} on a fake cuBLAS 13', result[1].strip(), result)


def versions(report, gangway, environment):
    before = run([sys.executable, '-c', VERSIONS], environment)
    report.line(before[0] != 0, 'version questions without us', before[2].strip().splitlines()[-1:], before)
    after = run([gangway, 'run', '--', sys.executable, '-c', VERSIONS], environment)
    wanted = [r'libcublasLt\.so\.11 111103', r'libcublasLt\.so\.12 120903', r'libcudnn\.so\.8 8907', 'CUBLAS_STATUS_NOT_SUPPORTED',
              r'BAD_PARAM is CUDNN_STATUS_BAD_PARAM 3']
    lines = after[1].splitlines()
    good = after[0] == 0 and len(lines) == len(wanted) and all(map(re.fullmatch, wanted, lines))
    report.line(good, 'version questions under gangway run', ', '.join(lines), after)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('gangway', type=pathlib.Path, help='the command')
    parser.add_argument('fake', nargs='?', type=pathlib.Path, help='directory of a fake newest cuBLAS')
    options = parser.parse_args()
    report = Report()
    there = old_libraries_here()
    report.line(not there, 'no old library is installed on this machine', ', '.join(there) or 'none')
    site = elf.wheels.site('cuda13')
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        runtimes = folder / 'cudart'
        runtimes.mkdir()
        for package, version, name in (('nvidia-cuda-runtime-cu11', '11.7.99', 'libcudart.so.11.0'),
                                       ('nvidia-cuda-runtime-cu12', '12.1.105', 'libcudart.so.12')):
            member = f'nvidia/cuda_runtime/lib/{name}'
            (runtimes / name).symlink_to(elf.wheels.unpack(elf.wheels.find(package, version), [member]) / member)
        environment = {'LD_LIBRARY_PATH': f'{runtimes}:{site}/nvidia/cu13/lib:{site}/nvidia/cudnn/lib',
                       'GANGWAY_CUBLAS': f'{site}/nvidia/cu13/lib', 'GANGWAY_CUDNN': f'{site}/nvidia/cudnn/lib'}
        bitsandbytes(report, options.gangway, environment, folder / 'log')
        versions(report, options.gangway, environment)
        if options.fake:
            computing(report, options.gangway, environment, options.fake)
    return 1 if report.bad else 0


if __name__ == '__main__':
    sys.exit(main())
