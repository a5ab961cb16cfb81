#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Old binaries on new libraries, before and after. demo.py BUILD; tests/demo/run builds first.

Shows each command as one could type it, what it says without gangway and what it says with it. Exit status 1 when anything is not
as promised. With a GPU the real libraries compute; without one they go as far as they can, and fake ones compute in host memory.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'real'))
import attributes  # noqa: E402
import elf  # noqa: E402
import frameworks  # noqa: E402

OLD_HEADER = attributes.HEADERS[0]
CIGEMM, WHISPER = HERE.parent / 'gpu' / 'cigemm.py', HERE.parent / 'gpu' / 'whisper.py'


class Show:
    def __init__(self, gangway):
        self.gangway, self.wrong = gangway, 0

    def title(self, text):
        print(f'\n=== {text}', flush=True)

    def run(self, command, environment, under, wanted, status=None):
        """Runs COMMAND, under gangway or not, shows its last lines, and sees that they say WANTED."""
        words = [str(word) for word in command]
        shown = ' '.join(word if '\n' not in word else '…' for word in ['gangway run --'] * under + words)
        print(f'$ {shown}', flush=True)
        before = [str(self.gangway), 'run', '--'] if under else []
        kept = {key: value for key, value in os.environ.items() if not key.startswith(('LD_', 'GANGWAY_LIB'))}
        done = subprocess.run(before + words, env={**kept, **environment}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors='replace')
        lines = done.stdout.strip().splitlines()[-6:]
        print('\n'.join('    ' + line[:220] for line in lines))
        good = re.search(wanted, done.stdout) and (done.returncode == 0 if status is None else done.returncode in status
                                                   if status else done.returncode != 0)
        if not good:
            self.wrong += 1
            print(f'    !!! expected: {wanted}; exit status {done.returncode}')
        return good


def bitsandbytes(show, folder, site, gpu, fake):
    wheel = elf.wheels.find('bitsandbytes', '0.37.2')
    runtimes = {}
    for package, version, name in (('nvidia-cuda-runtime-cu11', '11.7.99', 'libcudart.so.11.0'),
                                   ('nvidia-cuda-runtime-cu12', '12.1.105', 'libcudart.so.12')):
        member = f'nvidia/cuda_runtime/lib/{name}'
        runtimes[name] = elf.wheels.unpack(elf.wheels.find(package, version), [member]) / member
        (folder / name).symlink_to(runtimes[name])
    real = {'LD_LIBRARY_PATH': f'{folder}:{site}/nvidia/cu13/lib:{site}/nvidia/cudnn/lib',
            'GANGWAY_CUBLAS': f'{site}/nvidia/cu13/lib', 'GANGWAY_CUDNN': f'{site}/nvidia/cudnn/lib',
            'PYTHONPATH': str(elf.wheels.site('numpy'))}
    for build, what, runtime in ((117, 'CUDA 11.7', 'libcudart.so.11.0'), (118, 'CUDA 11.8', 'libcudart.so.11.0'),
                                 (121, 'CUDA 12.1', 'libcudart.so.12')):
        member = f'bitsandbytes/libbitsandbytes_cuda{build}.so'
        library = elf.wheels.unpack(wheel, [member]) / member
        show.title(f'bitsandbytes 0.37.2, built for {what}, where only CUDA 13 is')
        command = [sys.executable, CIGEMM, '--load', library]
        show.run(command, real, False, 'cannot open shared object file', status=())
        show.run(command, real, True, 'loaded')
        if gpu:
            print('  … and 20 integer products on the GPU, by the real cuBLAS 13:')
            show.run([sys.executable, CIGEMM, library, runtimes[runtime]], real, True, '20 of 20 shapes exact')
        else:
            print('  … and 20 integer products, by a fake cuBLAS 13 that computes on the CPU:')
            show.run([sys.executable, CIGEMM, '--host', library],
                     {**real, 'LD_LIBRARY_PATH': f'{fake}:{real["LD_LIBRARY_PATH"]}', 'GANGWAY_CUBLAS': str(fake)}, True,
                     '20 of 20 shapes exact')


def old_program(show, folder, fake):
    show.title('a program compiled against the headers of cuBLAS 11.10, on a fake cuBLAS 13 that computes on the CPU')
    package, version, runtime, runtime_version = OLD_HEADER
    include = attributes.header_folder(package, version, 'nvidia/cublas/include/*') / 'nvidia/cublas/include'
    attributes.stub(folder, f'libcublasLt.so.{version.split(".")[0]}', (include / 'cublasLt.h').read_text())
    program = folder / 'product'
    subprocess.run(['gcc', '-O1', '-w', '-I', include, *attributes.cuda_folders(runtime, runtime_version), '-o', program,
                    HERE / 'product.c', '-L', folder, '-lcublasLt'], check=True)
    show.run([program], {}, False, 'libcublasLt.so.11: cannot open shared object file', status=(127,))
    show.run([program], {'GANGWAY_CUBLAS': str(fake)}, True, 'exact')


def ctranslate2(show, folder, site, gpu):
    show.title('CTranslate2 4.4.0, built for CUDA 12 and cuDNN 8, where only CUDA 13 and cuDNN 9 are')
    libraries = {'LD_LIBRARY_PATH': f'{site}/nvidia/cu13/lib:{site}/nvidia/cudnn/lib', 'GANGWAY_CUBLAS': f'{site}/nvidia/cu13/lib',
                 'GANGWAY_CUDNN': f'{site}/nvidia/cudnn/lib'}
    own = elf.wheels.site('ctranslate2-4.4')
    front = next((own / 'ctranslate2.libs').glob('libcudnn-*.so.8*'))
    command = [sys.executable, '-I', '-c', frameworks.FRONT, front]
    show.run(command, libraries, False, 'Could not load library libcudnn_ops_infer.so.8', status=())
    show.run(command, libraries, True, 'front 8907')
    if gpu:
        environment = {**libraries, 'PYTHONPATH': str(own)}
        model = folder / 'model'
        show.run([sys.executable, WHISPER, 'make', model], environment, False, 'model written')
        show.run([sys.executable, WHISPER, 'encode', model, 'cpu', 'float32', folder / 'cpu.npy'], environment, False, 'encoded')
        for kind, limit in (('float32', '2e-3'), ('float16', '1e-2')):
            show.run([sys.executable, WHISPER, 'encode', model, 'cuda', kind, folder / 'gpu.npy'], environment, True, 'encoded')
            show.run([sys.executable, WHISPER, 'compare', folder / 'gpu.npy', folder / 'cpu.npy', limit], environment, False,
                     'relative difference')


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    gpu = shutil.which('nvidia-smi') and subprocess.run(['nvidia-smi', '-L'], stdout=subprocess.DEVNULL).returncode == 0
    fake = build / 'tests' / 'fake' / 'cublas-13.10.0.20' / 'lib'
    show = Show(build / 'tools' / 'gangway')
    print('With a GPU: real libraries compute.' if gpu else
          'No GPU here: real libraries load and answer what needs none; fake ones compute.')
    site = elf.wheels.site('cuda13')
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        bitsandbytes(show, folder, site, gpu, fake)
        ctranslate2(show, folder, site, gpu)
        old_program(show, folder, fake)
    print('\nAll as promised.' if not show.wrong else f'\n{show.wrong} commands did not do what they should.')
    return 1 if show.wrong else 0


if __name__ == '__main__':
    sys.exit(main())
