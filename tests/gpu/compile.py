#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles the C programs here against the real headers of old releases: compile.py DIRECTORY [NAME…]

DIRECTORY/NAME is written for each name of PROGRAMS, or those that are named. A program is linked to an empty library that has the
soname and the version node of its release, so that it needs what a program of that time needed.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'real'))
import attributes  # noqa: E402

LT_LISTS = {'lt_types': ('CUDA_', r'CUDA_[RC]_\w+'), 'lt_computes': ('CUBLAS_COMPUTE_', r'CUBLAS_COMPUTE_\w+'),
            'lt_epilogues': ('CUBLASLT_EPILOGUE_', r'CUBLASLT_EPILOGUE_\w+'), 'lt_orders': ('CUBLASLT_ORDER_', r'CUBLASLT_ORDER_\w+'),
            'lt_pointer_modes': ('CUBLASLT_POINTER_MODE_', r'CUBLASLT_POINTER_MODE_(?!MASK)\w+'),
            'lt_batch_modes': ('CUBLASLT_BATCH_MODE_', r'CUBLASLT_BATCH_MODE_\w+'),
            'lt_scale_modes': ('CUBLASLT_MATMUL_MATRIX_SCALE_', r'CUBLASLT_MATMUL_MATRIX_SCALE_(?!END)\w+')}


def cublas(version):
    """The folders to include, and the text of the headers, of a release of cuBLAS."""
    known = {release[1]: release for release in attributes.HEADERS}
    if version in known:
        package, _, runtime, runtime_version = known[version]
        cuda = attributes.cuda_folders(runtime, runtime_version)
        folder = attributes.header_folder(package, version, 'nvidia/cublas/include/*') / 'nvidia/cublas/include'
    else:
        folder = attributes.header_folder('nvidia-cublas', version, '*/include/cublas*.h') / 'nvidia/cu13/include'
        cuda = ['-I', attributes.header_folder('nvidia-cuda-runtime', '13.0.96', 'nvidia/cu13/include/*') / 'nvidia/cu13/include',
                *attributes.cuda_folders(*attributes.HEADERS[-1][2:])[2:]]
    text = ''.join(path.read_text() for path in (folder / 'cublasLt.h', folder / 'cublas_api.h', pathlib.Path(cuda[1]) / 'library_types.h'))
    return ['-I', folder, *cuda], text


def constants(text):
    text = re.sub(r'/\*.*?\*/|//[^\n]*', '', text, flags=re.S)
    found = []
    for body in re.findall(r'enum[^{};]*\{([^{}]*)\}', text):
        found += re.findall(r'^\s*(\w+)\s*(?:=[^,]*)?,?\s*$', body, flags=re.M)
        found += re.findall(r'(\w+)\s*=', body)
    return list(dict.fromkeys(found))


def lt_inc(text):
    names = constants(text)
    out = ''
    for array, (prefix, pattern) in LT_LISTS.items():
        rows = ''.join(f'\t{{"{name[len(prefix):]}", {name}}},\n' for name in names if re.fullmatch(pattern, name))
        if array == 'lt_batch_modes' and not rows:
            rows = '\t{"STRIDED", 0},\n'
        out += f'const struct lt_named {array}[] = {{\n{rows}\t{{0, 0}},\n}};\n\n'
    have = ''.join(f'#define HAVE_{name} 1\n' for name in names if re.match(r'CUDA_|CUBLAS', name))
    return have, out


def stub(folder, soname, text, prefix):
    names = sorted(set(re.findall(rf'\b{prefix}\w+(?=\()', re.sub(r'/\*.*?\*/', '', text, flags=re.S))))
    (folder / 'stub.c').write_text(''.join(f'void {name}(void) {{}}\n' for name in names))
    (folder / 'stub.map').write_text(f'{soname} {{ global: {prefix}*; local: *; }};\n')
    library = folder / f'{soname}'
    subprocess.run(['gcc', '-shared', '-fPIC', '-w', f'-Wl,-soname,{soname}', f'-Wl,--version-script={folder / "stub.map"}',
                    '-o', library, folder / 'stub.c'], check=True)
    return library


def build(target, words, sources, libraries):
    # (glibc 2.36 here and 2.39 there: a program built here runs there.)
    subprocess.run(['gcc', '-std=gnu11', '-O2', '-Wall', '-Wextra', '-Wno-deprecated-declarations', *words, '-o', target,
                    *(HERE / source for source in sources), *libraries, '-ldl', '-lm'], check=True)


def lt_program(target, version, source, *more):
    words, text = cublas(version)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        have, lists = lt_inc(text)
        (folder / 'lt_have.h').write_text(have)
        (folder / 'lt.inc').write_text(lists)
        library = stub(folder, f'libcublasLt.so.{version.split(".")[0]}', text, 'cublasLt')
        build(target, ['-include', folder / 'lt_have.h', '-I', folder, *words],
              [source, *(() if 'mixed' in source else ('lt_case.c', 'lt_numbers.c', 'memory.c')), *(one for one in more if one[0] != '-')],
              [library, *(one for one in more if one[0] == '-')])


def dnn_program(target, version, *more):
    folder = attributes.header_folder('nvidia-cudnn-cu12', version, '*/include/*.h') / 'nvidia/cudnn/include'
    cuda = attributes.cuda_folders('nvidia-cuda-runtime-cu12', '12.1.105')
    text = ''.join(path.read_text() for path in sorted(folder.glob('cudnn_*.h')))
    with tempfile.TemporaryDirectory() as name:
        library = stub(pathlib.Path(name), f'libcudnn.so.{version.split(".")[0]}', text, 'cudnn')
        build(target, ['-I', folder, *cuda], ['dnn.c', 'dnn_train.c', 'dnn_ops.c', 'memory.c', *more], [library])


LT_RELEASES = ['11.10.3.66', '11.11.3.6', '12.1.3.1', '12.9.3.13', '13.1.2.11']
PROGRAMS = {f'lt-{version}': (lt_program, version, 'lt.c') for version in LT_RELEASES}
PROGRAMS |= {f'foreign-{version}': (lt_program, version, 'lt_foreign.c') for version in (LT_RELEASES[0], LT_RELEASES[2], LT_RELEASES[-1])}
PROGRAMS |= {f'mixed-{version}': (lt_program, version, 'lt_mixed.c', 'lt_numbers.c', 'memory.c') for version in LT_RELEASES[:2]}
PROGRAMS['mixed-later.so'] = (lt_program, LT_RELEASES[3], 'lt_mixed_later.c', '-shared', '-fPIC', '-fvisibility=hidden')
PROGRAMS['dnn'] = (dnn_program, '8.9.7.29', 'dnn_rnn.c')
PROGRAMS['dnn-native'] = (dnn_program, '9.0.0.312')


def main():
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[2:] or PROGRAMS:
        make, *arguments = PROGRAMS[name]
        make(folder / name, *arguments)
        print(folder / name)


if __name__ == '__main__':
    main()
