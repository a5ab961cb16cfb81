#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""a_program_of_any_header_reads_back_every_attribute_on_the_newest_libraries

attributes.c, compiled against the real headers of old releases, runs over the facades on real 13.x libraries: through
LD_LIBRARY_PATH alone, and under `gangway run`. It has to say of every attribute that its header names, be it gone in the newest
one, what it says on the library of its own release: size, default, and that it reads back what it set.
"""
import argparse
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import elf  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
HEADERS = [('nvidia-cublas-cu11', '11.10.3.66', 'nvidia-cuda-runtime-cu11', '11.7.99'),
           ('nvidia-cublas-cu11', '11.11.3.6', 'nvidia-cuda-runtime-cu11', '11.8.89'),
           ('nvidia-cublas-cu12', '12.1.3.1', 'nvidia-cuda-runtime-cu12', '12.1.105'),
           ('nvidia-cublas-cu12', '12.4.5.8', 'nvidia-cuda-runtime-cu12', '12.1.105'),
           ('nvidia-cublas-cu12', '12.9.3.13', 'nvidia-cuda-runtime-cu12', '12.9.79')]
TARGETS = ['13.0.0.19', '13.10.0.20']
LISTS = {'matmul_desc': 'cublasLtMatmulDescAttributes_t', 'matrix_layout': 'cublasLtMatrixLayoutAttribute_t',
         'matmul_preference': 'cublasLtMatmulPreferenceAttributes_t',
         'matrix_transform_desc': 'cublasLtMatrixTransformDescAttributes_t',
         'algo_config': 'cublasLtMatmulAlgoConfigAttributes_t', 'algo_cap_list': 'cublasLtMatmulAlgoCapAttributes_t'}


def header_folder(package, version, glob):
    return elf.wheels.unpack(elf.wheels.find(package, version), [glob])


def cuda_folders(runtime, version):
    """The CUDA runtime's headers, and what they include of the compiler's (crt/) and the C++ library's (nv/)."""
    others = {'cu11': [('nvidia-cuda-nvcc-cu11', '11.7.99', 'nvidia/cuda_nvcc/include', 'crt/*')],
              'cu12': [('nvidia-cuda-nvcc-cu12', '12.1.105', 'nvidia/cuda_nvcc/include', 'crt/*'),
                       ('nvidia-cuda-cccl-cu12', '12.9.27', 'nvidia/cuda_cccl/include', 'nv/*')]}[runtime.rsplit('-', 1)[1]]
    words = ['-I', header_folder(runtime, version, 'nvidia/cuda_runtime/include/*') / 'nvidia/cuda_runtime/include']
    for package, other_version, folder, files in others:
        words += ['-idirafter', header_folder(package, other_version, f'{folder}/{files}') / folder]
    return words


def constants(header, enum):
    """The names of an enum; their values are the compiler's business."""
    text = re.sub(r'/\*.*?\*/', '', header.read_text(), flags=re.S)
    body = re.search(r'typedef enum \{([^{}]*)\} ' + enum + ';', text)
    if not body:
        raise SystemExit(f'{header}: no {enum}')
    return re.findall(r'(\w+)\s*(?:=[^,}]*)?(?:,|$)', body.group(1).strip())


def lists(old, new):
    """attributes.inc: every attribute of a block that the old header names; of an algorithm, what both do."""
    text = []
    for name, enum in LISTS.items():
        both = [constant for constant in constants(old, enum) if not name.startswith('algo_') or constant in constants(new, enum)]
        if not both:
            raise SystemExit(f'{old}: no attribute of {enum} is in {new}')
        rows = ''.join(f'\t{{"{constant}", {constant}}},\n' for constant in both)
        text.append(f'static const struct attribute {name}[] = {{\n{rows}\t{{0, 0}},\n}};\n')
    return '\n'.join(text)


def stub(folder, soname, source):
    """What the program is linked to: an empty library with the right soname and node, as the old one had."""
    names = sorted(set(re.findall(r'\bcublasLt\w+', source)))
    (folder / 'stub.c').write_text(''.join(f'void {name}(void) {{}}\n' for name in names))
    (folder / 'stub.map').write_text(f'{soname} {{ global: cublasLt*; local: *; }};\n')
    library = folder / 'libcublasLt.so'
    subprocess.run(['gcc', '-shared', '-fPIC', '-w', f'-Wl,-soname,{soname}', f'-Wl,--version-script={folder / "stub.map"}',
                    '-o', library, folder / 'stub.c'], check=True)


def compile_program(folder, release, target):
    package, version, runtime, runtime_version = release
    include = header_folder(package, version, 'nvidia/cublas/include/*') / 'nvidia/cublas/include'
    new = header_folder('nvidia-cublas', target, '*/include/cublas*.h') / 'nvidia/cu13/include/cublasLt.h'
    (folder / 'attributes.inc').write_text(lists(include / 'cublasLt.h', new))
    source = (HERE / 'attributes.c').read_text()
    stub(folder, f'libcublasLt.so.{version.split(".")[0]}', source + (include / 'cublasLt.h').read_text())
    program = folder / 'program'
    subprocess.run(['gcc', '-O1', '-w', '-I', folder, '-I', include, *cuda_folders(runtime, runtime_version), '-o', program,
                    HERE / 'attributes.c', '-L', folder, '-lcublasLt'], check=True)
    return program


def run(program, environment, *before):
    done = subprocess.run([*map(str, before), str(program)], env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return done.returncode, done.stdout, done.stderr


def on_own_library(program, release):
    """What the program says on the library of its own release. The library is big and needed once: the answer is kept."""
    package, version = release[:2]
    mark = hashlib.sha256(program.read_bytes()).hexdigest()[:16]
    kept = elf.wheels.cache() / 'attributes' / f'{version}-{mark}.txt'
    if kept.is_file():
        return kept.read_text()
    with tempfile.TemporaryDirectory(dir=elf.wheels.cache()) as folder:
        elf.wheels.unpack(elf.wheels.find(package, version), ['nvidia/cublas/lib/libcublasLt.so.*'], folder)
        status, out, err = run(program, {'LD_LIBRARY_PATH': f'{folder}/nvidia/cublas/lib'})
    if status not in (0, 1) or not out:
        raise SystemExit(f'{program} on its own libcublasLt {version}: exit {status}: {err}')
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(out)
    return out


def differences(expected, got):
    """Lines that the program's own library and the new one say differently."""
    ours = dict(line.rsplit(' size ', 1) if ' size ' in line else (line, '') for line in got.splitlines())
    theirs = dict(line.rsplit(' size ', 1) if ' size ' in line else (line, '') for line in expected.splitlines())
    return [f'{key}: {theirs.get(key, "(not said)")} on its own library, {ours.get(key, "(not said)")} here'
            for key in dict.fromkeys([*theirs, *ours]) if ours.get(key) != theirs.get(key)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('facades', type=pathlib.Path, help='directory with the facades')
    parser.add_argument('gangway', nargs='?', type=pathlib.Path, help='the command; without it LD_LIBRARY_PATH alone is tried')
    options = parser.parse_args()
    bad = 0
    for target in TARGETS:
        library = header_folder('nvidia-cublas', target, 'nvidia/cu13/lib/libcublas*.so.13') / 'nvidia/cu13/lib'
        for release in HEADERS:
            with tempfile.TemporaryDirectory() as folder:
                program = compile_program(pathlib.Path(folder), release, target)
                expected = on_own_library(program, release)
                ways = {'LD_LIBRARY_PATH': ({'LD_LIBRARY_PATH': str(options.facades), 'GANGWAY_CUBLAS': str(library)}, ())}
                if options.gangway:
                    ways['gangway run'] = ({'GANGWAY_CUBLAS': str(library)}, (options.gangway, 'run', '--'))
                for way, (environment, before) in ways.items():
                    status, out, err = run(program, environment, *before)
                    wrong = differences(expected, out)
                    good = status == 0 and not wrong and out.count('read back\n') > 30
                    print(f'{"ok" if good else "not ok"} header {release[1]} on {target} through {way}: '
                          f'{out.count(" read back")} attributes read back')
                    if not good:
                        bad += 1
                        print('\n'.join([f'  exit {status}', *wrong, *err.splitlines()[-8:]]), file=sys.stderr)
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
