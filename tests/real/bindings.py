#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""every_binding_is_seen_and_answers_as_without_us

Each way in which published binaries bind to cuBLAS, cuBLASLt and cuDNN, on the real libraries of two generations: the output is
the same with and without `gangway run`, and the log holds each call once, with the calling object, the function and the library
that answered; calls between the vendor's own libraries are not in it.
"""
import argparse
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import elf  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
# sites of the wheel list; sonames; directories of the real libraries
GENERATIONS = {
    'cuBLAS 12.1.3, cuDNN 8.9.2': ('torch', ('libcublasLt.so.12', 'libcublas.so.12', 'libcudnn.so.8'),
                                   ('nvidia/cublas/lib', 'nvidia/cudnn/lib')),
    'cuBLAS 13.10, cuDNN 9.28': ('cuda13', ('libcublasLt.so.13', 'libcublas.so.13', 'libcudnn.so.9'),
                                 ('nvidia/cu13/lib', 'nvidia/cudnn/lib')),
}
CALLS = re.findall(r'X\((\w+), [^,]*, (\w+), \(', (HERE / 'caller.c').read_text())
DT_NEEDED, DT_DEBUG = 1, 21


def compile_stubs(folder, sonames):
    """Libraries to link to, with the sonames and nodes of the real ones."""
    for soname, kind in zip(sonames, ('LT', 'BLAS', 'DNN')):
        names = [name for library, name in CALLS if library == kind]
        source, script = folder / f'{soname}.c', folder / f'{soname}.map'
        source.write_text(''.join(f'void {name}(void) {{}}\n' for name in names))
        script.write_text(f'{soname} {{ global: *; }};\n')
        subprocess.run(['gcc', '-shared', '-fPIC', '-w', f'-Wl,-soname,{soname}', f'-Wl,--version-script={script}',
                        '-o', folder / soname, source], check=True)


def strip_needed(path, sonames):
    """Turns the DT_NEEDED of SONAMES into entries that the loader passes over; the versions asked for stay."""
    data = bytearray(path.read_bytes())
    offset, count = struct.unpack_from('<Q', data, 32)[0], struct.unpack_from('<H', data, 56)[0]
    headers = [struct.unpack_from('<IIQQQQQQ', data, offset + 56 * i) for i in range(count)]
    dynamic = next(header for header in headers if header[0] == 2)
    entries = [struct.unpack_from('<QQ', data, dynamic[2] + 16 * i) for i in range(dynamic[5] // 16)]
    table = dict(entries)
    strings = next(header[2] + table[5] - header[3] for header in headers
                   if header[0] == 1 and header[3] <= table[5] < header[3] + header[5])
    for i, (tag, value) in enumerate(entries):
        name = bytes(data[strings + value:data.index(b'\0', strings + value)]) if tag == DT_NEEDED else b''
        if name.decode() in sonames:
            struct.pack_into('<Q', data, dynamic[2] + 16 * i, DT_DEBUG)
    path.write_bytes(data)
    left = set(elf.dynamic(path).get('NEEDED', [])) & set(sonames)
    if left:
        raise SystemExit(f'{path} still needs {left}')


def compile_caller(folder, name, how, sonames, linked):
    defines = [f'-D{how}'] + [f'-D{key}_SONAME="{soname}"' for key, soname in zip(('CUBLASLT', 'CUBLAS', 'CUDNN'), sonames)]
    path = folder / f'libcaller_{name}.so'
    libraries = [folder / soname for soname in sonames] if linked else []
    subprocess.run(['gcc', '-shared', '-fPIC', '-O1', '-Wall', '-Werror', '-fvisibility=hidden', *defines, '-o', path,
                    HERE / 'caller.c', *libraries, '-ldl'], check=True)
    return path


def bindings(folder, sonames):
    """{name of the binding: arguments of the driver}; compiles what they need."""
    versioned = compile_caller(folder, 'versioned', 'IMPORT', sonames, True)
    unversioned = compile_caller(folder, 'unversioned', 'IMPORT', sonames, False)
    stripped = compile_caller(folder, 'stripped', 'IMPORT', sonames, True)
    strip_needed(stripped, sonames)
    pointers = compile_caller(folder, 'pointers', 'POINTERS', sonames, False)
    stubs = compile_caller(folder, 'stubs', 'STUBS', sonames, False)
    via_cublas = compile_caller(folder, 'via_cublas', 'VIA_CUBLAS', sonames, False)
    everywhere = [f'global:{soname}' for soname in sonames]
    return {
        'versioned imports, DT_NEEDED': [f'call:{versioned}'],
        'unversioned imports, no DT_NEEDED': [*everywhere, f'call:{unversioned}'],
        'versioned imports, DT_NEEDED stripped': [*everywhere, f'call:{stripped}'],
        'exported stubs, dlopen and dlsym': [f'call:{stubs}'],
        'dlopen and dlsym, RTLD_LOCAL': [f'call:{pointers}'],
        'RTLD_DEEPBIND, imports': [f'deepbind:{versioned}'],
        'RTLD_DEEPBIND, dlopen and dlsym': [f'deepbind:{pointers}'],
        'cublasLt names from a libcublas handle': [f'call:{via_cublas}'],
    }


def run(command, environment):
    done = subprocess.run(list(map(str, command)), env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300)
    return done.returncode, done.stdout, done.stderr


def read_log(path):
    """(calls, errors): the call records of a log, every line of which has to be JSON."""
    calls, errors = [], []
    for number, line in enumerate(path.read_text().splitlines(), 1) if path.is_file() else ():
        try:
            record = json.loads(line)
        except ValueError as error:
            errors.append(f'line {number} of the log is no JSON: {error}: {line[:200]}')
            continue
        if record['type'] == 'call':
            calls.append(record)
    return calls, errors


def judge(plain, ours, log, sonames, caller):
    """What is wrong with a run under gangway, as lines."""
    errors = []
    if plain[:2] != ours[:2]:
        errors += [f'without us: exit {plain[0]}', *plain[1].splitlines(), f'with us: exit {ours[0]}', *ours[1].splitlines()]
    calls, unreadable = read_log(log)
    errors += unreadable
    seen = [(call['function'], os.path.basename(call['target'])) for call in calls]
    wanted = [(name, dict(zip(('LT', 'BLAS', 'DNN'), sonames))[library]) for library, name in CALLS]
    if seen != wanted:
        errors.append(f'calls logged: {seen}; expected: {wanted}')
    for call in calls:
        if caller and caller not in call['caller']:
            errors.append(f'{call["function"]}: its caller is {call["caller"]}, not {caller}')
    return errors


def ctypes_program(sonames):
    return '\n'.join([
        'import ctypes', f'lt, blas, dnn = (ctypes.CDLL(name) for name in {sonames!r})',
        'v = ctypes.c_void_p', 'desc, handle, tensor = v(), v(), v()',
        'lt.cublasLtGetVersion.restype = dnn.cudnnGetVersion.restype = ctypes.c_size_t',
        'blas.cublasGetStatusName.restype = blas.cublasGetStatusString.restype = ctypes.c_char_p',
        'dnn.cudnnGetErrorString.restype = ctypes.c_char_p',
        'print(lt.cublasLtGetVersion())', 'print(lt.cublasLtMatmulDescCreate(ctypes.byref(desc), 68, 0), bool(desc))',
        'print(lt.cublasLtMatmulDescDestroy(desc))', 'print(blas.cublasGetStatusName(7), blas.cublasGetStatusString(14))',
        'print(blas.cublasCreate_v2(ctypes.byref(handle)))', 'print(dnn.cudnnGetVersion(), dnn.cudnnGetErrorString(0))',
        'print(dnn.cudnnCreateTensorDescriptor(ctypes.byref(tensor)), bool(tensor))',
        'print(dnn.cudnnDestroyTensorDescriptor(tensor))'])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('gangway', type=pathlib.Path, help='the command')
    options = parser.parse_args()
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        driver = folder / 'driver'
        subprocess.run(['gcc', '-O1', '-Wall', '-Werror', '-o', driver, HERE / 'driver.c', '-ldl'], check=True)
        for generation, (site, sonames, parts) in GENERATIONS.items():
            root = elf.wheels.site(site)
            environment = {'LD_LIBRARY_PATH': ':'.join(str(root / part) for part in parts)}
            inner = folder / site
            inner.mkdir()
            compile_stubs(inner, sonames)
            commands = {name: [driver, *words] for name, words in bindings(inner, sonames).items()}
            commands['ctypes'] = [sys.executable, '-c', ctypes_program(sonames)]
            for name, command in commands.items():
                log = inner / (re.sub(r'\W+', '_', name) + '.log')
                plain = run(command, environment)
                if plain[0] != 0:
                    raise SystemExit(f'{generation}, {name}: fails without us: {plain}')
                ours = run([options.gangway, 'run', '--log', log, '--', *command], environment)
                caller = '' if name == 'ctypes' else command[-1].split(':', 1)[1]
                errors = judge(plain, ours, log, sonames, caller)
                print(f'{"not ok" if errors else "ok"} {generation}: {name}')
                if errors:
                    bad += 1
                    print('\n'.join('  ' + line for line in [*errors, *ours[2].splitlines()[-8:]]), file=sys.stderr)
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
