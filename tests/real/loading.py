#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""what_fails_to_load_is_named_with_its_cure

What users meet when libraries of different releases come together (cases C01 to C04, C06, C09, C21): each is made of published libraries,
is seen to fail in the loader itself with the words that users report, and `gangway scan` says beforehand which files, which releases, why,
and what to do; that, done, cures it. The loader model agrees with the loader on each of these files and symbols.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent / 'wheels'))
sys.path.insert(0, str(HERE.parent / 'run'))
import elf  # noqa: E402
import traced  # noqa: E402
from sites import Sites  # noqa: E402

# Opened as Python does it (2: RTLD_NOW), and as most C programs do (1: RTLD_LAZY).
OPEN = 'import ctypes, sys; ctypes.CDLL(sys.argv[1], int(sys.argv[2])); print("loaded")'
VERSION = '#include <stdio.h>\nint cublasCreate_v2(void **);\nint main(void) { void *h; printf("%d\\n", cublasCreate_v2(&h)); return 0; }\n'
GROUPED = ('#include <stdio.h>\nint cublasGemmGroupedBatchedEx(void);\nint main(int c, char **v) { (void)v; '
           'return c > 1 ? cublasGemmGroupedBatchedEx() : puts("started") < 0; }\n')


class Report:
    def __init__(self, gangway, dump):
        self.gangway, self.dump, self.bad, self.count = gangway, dump, 0, 0

    def line(self, good, name, detail):
        self.count += 1
        self.bad += not good
        print(f'{"ok" if good else "not ok"} {name}: {detail}', flush=True)

    def scan(self, path, library_path=None, env=None):
        """(exit status, the file's entry)"""
        done = subprocess.run([self.gangway, 'scan', '--json', *(['--library-path', str(library_path)] if library_path else []), str(path)],
                              env=clean(env), capture_output=True, text=True, check=False)
        return done.returncode, json.loads(done.stdout)['files'][0]

    def agrees(self, name, path, library_path=None):
        real = traced.loader(str(path), str(library_path) if library_path else None, bindings=True)
        mine = traced.model(self.dump, str(path), str(library_path) if library_path else None, bindings=True)
        different = traced.difference(real, mine)
        self.line(not different, f'{name}, model and loader', different or f'{len(real.maps)} files, {len(real.bindings)} bindings, '
                  f'{len(real.undefined)} and {len(real.late)} missing')
        return real


def clean(env=None):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(('LD_', 'GANGWAY_LIB', 'PYTHON', 'VIRTUAL_ENV', 'CONDA_'))}
    return {**kept, 'LC_ALL': 'C', **(env or {})}


def opened(path, library_path, mode, stub):
    """The loader's own message; 'loaded' where it has none. cuDNN 8.6 ends the process where there is no libcuda, so it gets a stub."""
    done = subprocess.run([sys.executable, '-c', OPEN, str(path), str(mode)], env=clean({'LD_LIBRARY_PATH': f'{library_path}:{stub}'}),
                          capture_output=True, text=True, check=False)
    return done.stdout.strip() or done.stderr.strip().splitlines()[-1:]


def finding(file, *codes):
    found = [f for f in file['findings'] if f['code'] in codes]
    return found[0] if found else {'code': 'none', 'text': '', 'remedy': '', 'severity': ''}


def says(found, *words):
    return [word for word in words if word not in found['text'] + ' ' + found['remedy']]


def cure_of(found):
    match = re.search(r'LD_LIBRARY_PATH=(\S+)', found['remedy'])
    return match[1] if match else None


def mixed(report, name, good, bad, soname, releases, stub, symbol, extra=''):
    """GOOD's library SONAME, with LD_LIBRARY_PATH on BAD; SYMBOL: one that is missing; None: nothing is, and calls fail."""
    there = f'{bad}:{extra}' if extra else str(bad)
    library = good / soname
    message = opened(library, there, 2, stub)
    report.line(symbol is None and message == 'loaded' or symbol is not None and f'undefined symbol: {symbol}' in message[0],
                f'{name}, loaded', message if symbol is None else message[0][-120:])
    status, file = report.scan(library, there)
    found = finding(file, *(('GW-115',) if symbol is None else ('GW-111', 'GW-112')))
    lost = says(found, str(library), str(bad), *releases, 'LD_LIBRARY_PATH', *([symbol] if symbol and found['code'] == 'GW-111' else []))
    report.line(status == 1 and found['severity'] == 'error' and not lost, f'{name}, found', f'{found["code"]} {found["text"][:160]}… {lost}')
    report.agrees(name, library, there)
    cure = cure_of(found)
    status, file = report.scan(library, f'{cure}:{there}')
    message = opened(library, f'{cure}:{there}', 2, stub)
    codes = [f['code'] for f in file['findings'] if f['severity'] == 'error' and f['code'] != 'GW-101']
    report.line(cure and not codes and message == 'loaded', f'{name}, cured', f'LD_LIBRARY_PATH={cure}: {message} {codes}')


def compiled(folder, name, text, library):
    source = folder / (name + '.c')
    source.write_text(text)
    subprocess.run(['cc', '-o', str(folder / name), str(source), str(library), '-Wl,--allow-shlib-undefined', '-Wl,-z,lazy'], check=True)
    return folder / name


def started(program, library_path, *arguments, gangway=None):
    done = subprocess.run([*([gangway, 'run', '--'] if gangway else []), str(program), *arguments],
                          env=clean({'LD_LIBRARY_PATH': str(library_path), 'GANGWAY_QUIET': '1'}), capture_output=True, text=True, check=False)
    return done.returncode, (done.stdout + done.stderr).strip()


def newer_function(report, sites, folder):
    """C03"""
    old, new = (sites.of('nvidia-cublas-cu12', release, 'cublas') for release in ('12.1.3.1', '12.5.3.2'))
    program = compiled(folder, 'grouped', GROUPED, new / 'libcublas.so.12')
    said = started(program, old, 'call')
    report.line('undefined symbol: cublasGemmGroupedBatchedEx, version libcublas.so.12' in said[1], 'C03, at the first call', said[1][-120:])
    for env, code in (({}, 'GW-112'), ({'LD_BIND_NOW': '1'}, 'GW-111')):
        status, file = report.scan(program, old, env)
        found = finding(file, code)
        missing = file['imports']['cublas']['missing']
        match = re.search(r"pip install '([\w-]+)>=([\d.]+)'", found['remedy'])
        good = status == 1 and match and missing == [{'name': 'cublasGemmGroupedBatchedEx', 'node': 'libcublas.so.12', 'first_release': match[2]}]
        lost = says(found, 'cublasGemmGroupedBatchedEx', '12.1.3.1', 'gangway run')
        report.line(good and not lost and match[1] == 'nvidia-cublas-cu12', f'C03, found as {code}', f'{found["text"][:160]}… {found["remedy"][:80]} {lost}')
    report.agrees('C03', program, old)
    first = sites.of(match[1], match[2], 'cublas')
    status, file = report.scan(program, first)
    said = started(program, first)
    report.line(said == (0, 'started') and not finding(file, 'GW-111', 'GW-112')['text'], 'C03, cured', f'{match[1]} {match[2]}: {said}')
    said = started(program, old, gangway=report.gangway)
    report.line(said == (0, 'started'), 'C03, under gangway run', said)


def linked_soname(report, sites, folder):
    """C06"""
    eleven, twelve = sites.of('nvidia-cublas-cu11', '11.11.3.6', 'cublas'), sites.of('nvidia-cublas-cu12', '12.9.0.13', 'cublas')
    program = compiled(folder, 'eleven', VERSION, eleven / 'libcublas.so.11')
    links = folder / 'links'
    links.mkdir()
    (links / 'libcublas.so.11').symlink_to(twelve / 'libcublas.so.12')
    path = f'{links}:{twelve}'
    said = started(program, path)
    report.line("version `libcublas.so.11' not found" in said[1], 'C06, started', said[1][-120:])
    status, file = report.scan(program, path)
    found = finding(file, 'GW-110')
    lost = says(found, str(links / 'libcublas.so.11'), 'link', 'libcublas.so.12', 'remove', 'gangway run')
    report.line(status == 1 and not lost, 'C06, found', f'{found["text"][:160]}… {lost}')
    report.agrees('C06', program, path)
    (links / 'libcublas.so.11').unlink()
    status, file = report.scan(program, path)
    said = started(program, path, gangway=report.gangway)
    report.line(status == 0 and said[0] == 0 and said[1].isdigit(), 'C06, cured', f'{[f["code"] for f in file["findings"]]} {said}')


def published(report):
    """What others publish: every file of some sites."""
    for site, pattern in (('ctranslate2-4.5', '**/*.so*'), ('ctranslate2-4.4', 'ctranslate2*/**/*.so*'), ('onnxruntime', '**/*.so*'),
                          ('torch', 'torch/**/*.so*'), ('cuda13', 'nvidia/*/lib/*.so*')):
        files, bindings, missing, bad = 0, 0, 0, []
        for path in sorted(elf.wheels.site(site).glob(pattern)):
            with open(path, 'rb') as file:
                if path.is_symlink() or file.read(5) != b'\x7fELF\x02':
                    continue
            real = traced.loader(str(path), bindings=True)
            different = traced.difference(real, traced.model(report.dump, str(path), bindings=True))
            bad += [f'{path}\n{different}'] if different else []
            files, bindings, missing = files + 1, bindings + len(real.bindings), missing + len(real.undefined) + len(real.late)
        report.line(files and not bad, f'the site {site}, model and loader', '\n'.join(bad[:3]) or f'{files} files, {bindings} bindings, {missing} missing')


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('gangway')
    parser.add_argument('dump', help='tests/run/loader_dump')
    options = parser.parse_args()
    report = Report(options.gangway, options.dump)
    folder = pathlib.Path(tempfile.mkdtemp(prefix='loading-', dir=elf.wheels.cache()))   # where links to the cache can be made
    try:
        sites = Sites(folder)
        stub = folder / 'stub'
        stub.mkdir()
        subprocess.run(['cc', '-shared', '-fPIC', '-x', 'c', '/dev/null', '-Wl,-soname,libcuda.so.1', '-o', str(stub / 'libcuda.so.1')], check=True)
        blas = 'nvidia-cublas-cu11', 'nvidia-cublas-cu12', 'nvidia-cublas'
        for name, package, good, bad, symbol in (
                ('C01', blas[1], '12.9.0.13', '12.8.5.5', 'cublasLtGetEnvironmentMode'),
                ('C01', blas[2], '13.5.1.27', '13.4.3.11', 'cublasLt'), ('C04', blas[0], '11.11.3.6', '11.10.3.66', 'cublasLt'),
                ('C02', blas[1], '12.8.5.5', '12.9.0.13', None), ('C02', blas[1], '12.1.3.1', '12.9.3.13', None),
                ('C02', blas[2], '13.0.2.14', '13.8.2.12', None)):
            soname = 'libcublas.so.' + good.split('.')[0]
            mixed(report, f'{name} {good} on {bad}', sites.of(package, good, 'cublas'), sites.of(package, bad, 'cublas'), soname, (good, bad), stub, symbol)
        good, bad = sites.of(blas[0], '11.11.3.6', 'cublas'), sites.of(blas[0], '11.10.3.66', 'cublas')
        report.line(opened(good / 'libcublas.so.11', bad, 1, stub) == 'loaded', 'C04, opened lazily', 'loads, and fails at the first call')
        for env, code in (({}, 'GW-112'), ({'LD_BIND_NOW': '1'}, 'GW-111')):
            found = finding(report.scan(good / 'libcublas.so.11', bad, env)[1], code)
            report.line(bool(found['text']), f'C04, found as {code}', found['text'][-60:])
        mixed(report, 'C09', sites.of('nvidia-cudnn-cu12', '8.9.2.26', 'cudnn'), sites.of('nvidia-cudnn-cu11', '8.6.0.163', 'cudnn'),
              'libcudnn_cnn_infer.so.8', ('8.9.2.26', '8.6.0.163'), stub, '_Z',
              sites.of(blas[0], '11.11.3.6', 'cublas'))     # what the older one needs
        newer_function(report, sites, folder)
        linked_soname(report, sites, folder)
        # cuSPARSE looks for its nvJitLink in ../../nvjitlink/lib, as wheels lie in one site-packages.
        cusparse, new = sites.of('nvidia-cusparse-cu12', '12.3.1.170', 'cusparse'), sites.of('nvidia-nvjitlink-cu12', '12.4.127', 'nvjitlink')
        shutil.copytree(new.parent, cusparse.parents[1] / 'nvjitlink', copy_function=os.link)
        (cusparse.parents[2] / 'nvidia_nvjitlink_cu12-12.4.127.dist-info').mkdir()
        mixed(report, 'C21', cusparse, sites.of('nvidia-nvjitlink-cu12', '12.1.105', 'nvjitlink'), 'libcusparse.so.12', ('12.3.1.170', '12.1.105'), stub,
              '__nvJitLink')
    finally:
        shutil.rmtree(folder)
    published(report)
    print(f'{report.count - report.bad} of {report.count} ok')
    return report.bad != 0


sys.exit(main())
