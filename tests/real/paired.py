#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""under_gangway_run_libraries_that_belong_together_come_together

What users meet when libraries of several releases are about (cases C01 to C05, C07 to C11, C19, C21, C25, C26): each is made of published
libraries, and of a program of a few lines where the case has one; it is seen to fail without gangway, or to get the wrong files, and to work under
`gangway run`, with the finding and the line of the log that say why. Where nothing is wrong, the same files are mapped and nothing is told.
"""
import argparse
import glob
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
import elf  # noqa: E402
from sites import Sites  # noqa: E402

# Each argument is opened in turn, as Python does (RTLD_NOW, RTLD_LOCAL); `lazy:` as most C programs do. Ends with the vendor's files that are mapped.
OPEN = r'''
import ctypes, re, sys
for word in sys.argv[1:]:
    mode, path = (1, word[5:]) if word.startswith("lazy:") else (2, word)
    try:
        ctypes.CDLL(path, mode)
        print("loaded")
    except OSError as error:
        print(error)
for path in sorted({line.split()[5] for line in open("/proc/self/maps") if re.search(r"/lib(cu|nv)[^/]*$", line)}):
    print("mapped", path)
'''
# A program with the check that frameworks make: the loaded cuDNN must be no older than the one it was compiled against.
CHECK = '''#include <stddef.h>
#include <stdio.h>
size_t cudnnGetVersion(void);
int check(void)
{
	size_t found = cudnnGetVersion();
	if (found < BUILT)
		printf("compiled against %d but found %zu\\n", BUILT, found);
	else
		printf("good, for %d\\n", BUILT);
	return found < BUILT;
}
#ifdef PROGRAM
int main(void) { return check(); }
#endif
'''
GROUPED = ('#include <stdio.h>\nint cublasGemmGroupedBatchedEx(void);\nint main(int c, char **v) { (void)v; '
           'return c > 9 ? cublasGemmGroupedBatchedEx() : puts("started") < 0; }\n')
# What an engine of cuDNN does: opens a library by name, and says nothing when that fails.
ENGINE = '#include <dlfcn.h>\nint engine(void) { return dlopen("libnvrtc.so.12", RTLD_NOW) ? 0 : 3; }\n'
CALL_ENGINE = 'import ctypes, sys; print(ctypes.CDLL(sys.argv[1]).engine())'
# cuDNN through the names that TensorFlow exports itself, and through the library.
STUBS = r'''
import ctypes, sys
framework, cudnn = (ctypes.CDLL(path, 1 | 0x100) for path in sys.argv[1:3])
for library in (framework, cudnn):
    library.cudnnGetVersion.restype = ctypes.c_size_t
    print(library.cudnnGetVersion())
'''
DRIVER = '''int cuInit(unsigned flags) { (void)flags; return 0; }
int cuDeviceGetCount(int *count) { *count = 1; return 0; }
int cuDriverGetVersion(int *version) { *version = 12020; return 0; }
int cuDeviceGet(int *device, int n) { *device = n; return 0; }
int cuDeviceGetAttribute(int *value, int which, int device) { (void)which; (void)device; *value = 8; return 0; }
int cuDeviceGetName(char *name, int size, int device) { (void)size; (void)device; name[0] = 'x'; name[1] = 0; return 0; }
'''


def clean(env=None):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(('LD_', 'GANGWAY_', 'PYTHON', 'VIRTUAL_ENV', 'CONDA_'))}
    return {**kept, 'LC_ALL': 'C', **{k: str(v) for k, v in (env or {}).items()}}


class Trial:
    def __init__(self, gangway, folder):
        self.gangway, self.folder, self.bad, self.count = gangway, folder, 0, 0
        self.stub = folder / 'stub'
        self.stub.mkdir()
        source = folder / 'driver.c'
        source.write_text(DRIVER)
        # cuDNN 8.6 ends the process where there is no libcuda.
        subprocess.run(['cc', '-shared', '-fPIC', str(source), '-Wl,-soname,libcuda.so.1', '-o', str(self.stub / 'libcuda.so.1')], check=True)

    def line(self, good, name, detail):
        self.count += 1
        self.bad += not good
        print(f'{"ok" if good else "not ok"} {name}: {detail}', flush=True)

    def bare(self, command, env=None):
        done = subprocess.run([str(word) for word in command], env=clean(env), capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def run(self, command, env=None, options=()):
        """(exit status, stdout, findings by code, searches by outcome)"""
        log = self.folder / 'log'
        log.unlink(missing_ok=True)
        done = subprocess.run([self.gangway, 'run', '--log', str(log), *(str(option) for option in options), '--', *(str(word) for word in command)],
                              env=clean(env), capture_output=True, text=True, check=False)
        found, searched = {}, {}
        for line in log.read_text().splitlines() if log.exists() else []:
            record = json.loads(line)
            if record['type'] == 'finding':
                found.setdefault(record['code'], []).append(record['text'] + '; ' + record['remedy'])
            elif record['type'] == 'search':
                searched.setdefault(record['outcome'], []).append((record['name'], record.get('path')))
        return done.returncode, done.stdout + done.stderr, found, searched

    def library(self, name, text, *flags):
        source = self.folder / (name + '.c')
        source.write_text(text)
        subprocess.run(['cc', '-o', str(self.folder / name), str(source), '-Wl,--allow-shlib-undefined', *map(str, flags)], check=True)
        return self.folder / name


def opens(*paths):
    return [sys.executable, '-I', '-c', OPEN, *paths]


def mapped(text, stem):
    return [line[7:] for line in text.splitlines() if line.startswith('mapped ') and os.path.basename(line).startswith(stem + '.so')]


def path_of(*directories):
    return ':'.join(str(directory) for directory in directories)


def mixed(trial, name, good, bad, soname, partner, wrong, env=None):
    """GOOD's SONAME, with LD_LIBRARY_PATH on BAD, whose PARTNER it must not get. WRONG: words of the failure without gangway; None: it loads."""
    env = {'LD_LIBRARY_PATH': path_of(bad, *(env or ()), trial.stub)}
    status, text = trial.bare(opens(good / soname), env)
    partner_of = partner + '.so.' + soname.rsplit('.', 1)[1]
    trial.line(wrong in text if wrong else mapped(text, partner) == [str(bad / partner_of)], f'{name}, bare', text.splitlines()[0][-100:])
    status, text, found, searched = trial.run(opens(good / soname), env)
    told = found.get('GW-340', [''])
    releases = [re.search(r'-(\d[\d.]+)/nvidia', str(directory))[1] for directory in (good, bad)]
    trial.line(text.count('loaded\n') == 1 and mapped(text, partner) == [str(good / partner_of)], f'{name}, gangway run', text.splitlines()[-1][-100:])
    trial.line(all(word in told[0] for word in (str(good / soname), str(bad / partner_of), *releases, f'LD_LIBRARY_PATH={good}')) and list(found) == ['GW-340']
               and (partner_of, str(good / partner_of)) in searched.get('partner', []), f'{name}, told', f'{list(found)} {told[0][:120]}…')
    status, text, found, _ = trial.run(opens(good / soname), env, ['--no-pairing'])
    trial.line(str(bad / partner_of) in text and ('GW-341' in found), f'{name}, not paired', list(found))
    untouched(trial, f'{name}, cured', opens(good / soname), {'LD_LIBRARY_PATH': path_of(good, env['LD_LIBRARY_PATH'])})


def untouched(trial, name, command, env=None, options=()):
    """Gangway changes nothing: the same words, the same files."""
    _, before = trial.bare(command, env)
    _, after, found, searched = trial.run(command, env, options)
    trial.line(before == after and not found and 'loaded' in before, f'{name}, untouched',
               f'{list(found)} {after.splitlines()[-1][-80:] if before == after else after}')


def absolute_on_purpose(trial, sites):
    """A program that opens libcublasLt of its choice by its path before anything else keeps it: frameworks do."""
    one, other = (sites.of('nvidia-cublas-cu12', release, 'cublas') for release in ('12.8.5.5', '12.9.0.13'))
    untouched(trial, 'libcublasLt by its path', opens(one / 'libcublasLt.so.12', one / 'libcublas.so.12'))
    command = opens(other / 'libcublasLt.so.12', one / 'libcublas.so.12')
    before = trial.bare(command)[1]
    _, after, found, _ = trial.run(command)
    trial.line(mapped(before, 'libcublasLt') == mapped(after, 'libcublasLt') == [str(other / 'libcublasLt.so.12')] and list(found) == ['GW-341'],
               'another libcublasLt by its path', list(found))
    _, after, found, _ = trial.run(opens(one / 'libcublasLt.so.12', other / 'libcublasLt.so.12'))
    trial.line(len(mapped(after, 'libcublasLt')) == 2 and list(found) == ['GW-342'] and '12.8.5.5' in found['GW-342'][0] and '12.9.0.13' in found['GW-342'][0],
               'two of them by their paths', list(found))
    copy = trial.folder / 'copy'
    shutil.copytree(one, copy, copy_function=os.link)
    untouched(trial, 'the same file by two paths', opens(one / 'libcublasLt.so.12', copy / 'libcublasLt.so.12', copy / 'libcublas.so.12'))


def versions(trial, sites):
    """C10, C11: the newest of several that everybody can use."""
    old, middle, new = (sites.of(*what, 'cudnn') for what in (('nvidia-cudnn-cu11', '8.6.0.163'), ('nvidia-cudnn-cu11', '8.7.0.84'), ('nvidia-cudnn-cu12',
            '8.9.2.26')))
    blas = sites.of('nvidia-cublas-cu11', '11.11.3.6', 'cublas')
    program = trial.library('program', CHECK, '-DPROGRAM', '-DBUILT=8700', middle / 'libcudnn.so.8')
    for name, path, options in (('further on LD_LIBRARY_PATH', path_of(old, middle, blas, trial.stub), ()),
                                ('on the Python paths', path_of(old, blas, trial.stub), ('--python', middle.parents[2]))):
        env = {'LD_LIBRARY_PATH': path}
        status, text = trial.bare([program], env)
        trial.line(status == 1 and 'compiled against 8700 but found 8600' in text, f'C10, bare, {name}', text.strip())
        status, text, found, searched = trial.run([program], env, options)
        trial.line(status == 0 and 'good, for 8700' in text and searched.get('newest') == [('libcudnn.so.8', str(middle / 'libcudnn.so.8'))],
                   f'C10, gangway run, {name}', text.splitlines()[-1])
        trial.line(set(found) == {'GW-343', 'GW-340'} and '8.6.0' in found['GW-343'][0] and '8.7.0' in found['GW-343'][0], f'C10, told, {name}', found)
    status, text = trial.bare([program], {'LD_LIBRARY_PATH': path_of(middle, blas, trial.stub)})
    trial.line(status == 0, 'C10, cured', text.strip())
    both = [trial.library(f'framework{built}.so', CHECK, '-shared', '-fPIC', f'-DBUILT={built}', where / 'libcudnn.so.8', f'-Wl,-rpath,{where}')
            for built, where in ((8600, old), (8902, new))]
    calls = [sys.executable, '-I', '-c', 'import ctypes, sys\nfor path in sys.argv[1:]: ctypes.CDLL(path).check()', *both]
    env = {'LD_LIBRARY_PATH': path_of(blas, trial.stub)}
    trial.line('compiled against 8902 but found 8600' in trial.bare(calls, env)[1], 'C11, bare', trial.bare(calls, env)[1].strip())
    _, text, found, _ = trial.run(calls, env, ('--python', new.parents[2]))
    trial.line('good, for 8600' in text and 'good, for 8902' in text and 'GW-343' in found, 'C11, gangway run', list(found))


def grouped(trial, sites):
    """C03: a newer copy that has the function is taken; else it is supplied."""
    old, new = (sites.of('nvidia-cublas-cu12', release, 'cublas') for release in ('12.1.3.1', '12.5.3.2'))
    program = trial.library('grouped', GROUPED, new / 'libcublas.so.12', '-Wl,-z,now')
    env = {'LD_LIBRARY_PATH': path_of(old)}
    text = trial.bare([program], env)[1]
    trial.line('undefined symbol: cublasGemmGroupedBatchedEx' in text, 'C03, bare', text.strip()[-90:])
    status, text, _, _ = trial.run([program], env)
    trial.line(status == 0 and 'started' in text, 'C03, gangway run', text.strip()[-90:])
    status, text, found, searched = trial.run([program], env, ('--python', new.parents[2]))
    trial.line(status == 0 and ('libcublas.so.12', str(new / 'libcublas.so.12')) in searched.get('newest', [])
               and '"cublasGemmGroupedBatchedEx"' in found['GW-343'][0],
               'C03, with a newer one on the Python paths', found)


def jitlink(trial, sites):
    """C21"""
    site = 'cusparse'
    cusparse, new = sites.of('nvidia-cusparse-cu12', '12.3.1.170', 'cusparse', site), sites.of('nvidia-nvjitlink-cu12', '12.4.127', 'nvjitlink', site)
    old = sites.of('nvidia-nvjitlink-cu12', '12.1.105', 'nvjitlink')
    library, env = cusparse / 'libcusparse.so.12', {'LD_LIBRARY_PATH': path_of(old)}
    text = trial.bare(opens(library), env)[1]
    trial.line('undefined symbol: __nvJitLink' in text, 'C21, bare', text.splitlines()[0][-90:])
    _, text, found, _ = trial.run(opens(library), env)
    right = [os.path.realpath(path) for path in mapped(text, 'libnvJitLink')] == [os.path.realpath(new / 'libnvJitLink.so.12')]
    trial.line(text.count('loaded\n') == 1 and right and '12.1.105' in found['GW-343'][0] and '12.4.127' in found['GW-343'][0]
               and '"__nvJitLink' in found['GW-343'][0],
               'C21, gangway run', found)
    untouched(trial, 'C21, cured', opens(library))
    # Newer than what is needed does as well.
    untouched(trial, 'C21, a newer one first', opens(sites.of('nvidia-cusparse-cu12', '12.1.0.106', 'cusparse') / 'libcusparse.so.12'),
            {'LD_LIBRARY_PATH': path_of(new)})


def bundled(trial, sites):
    """C07, C08: front libraries that a wheel bundles under another name, without their parts."""
    ask = [sys.executable, '-I', '-c',
            'import ctypes, sys, re\nprint("version", ctypes.CDLL(sys.argv[1]).cudnnGetVersion())\n' + OPEN.split('for path in sorted')[0].split('for word')[0] +
           'for path in sorted' + OPEN.split('for path in sorted')[1]]
    front, = glob.glob(str(elf.wheels.site('ctranslate2-4.5') / 'ctranslate2.libs' / 'libcudnn-*'))
    right, wrong = (sites.of('nvidia-cudnn-cu12', release, 'cudnn') for release in ('9.1.1.17', '9.5.1.17'))
    # An empty LD_LIBRARY_PATH would find what this machine has installed; a directory that leads astray is what a user has.
    for name, env, options in (('two copies on the Python paths', {}, ('--python', wrong.parents[2], '--python', right.parents[2])),
                               ('another one on LD_LIBRARY_PATH', {'LD_LIBRARY_PATH': wrong}, ('--python', right.parents[2]))):
        text = trial.bare([*ask, front], env)[1]
        trial.line(str(right) not in text, f'C08, bare, {name}', text.strip()[-100:])
        status, text, found, searched = trial.run([*ask, front], env, options)
        trial.line(status == 0 and 'version 90101' in text and mapped(text, 'libcudnn_graph') == [str(right / 'libcudnn_graph.so.9')]
                   and ('libcudnn_graph.so.9',
                           str(right / 'libcudnn_graph.so.9')) in searched['partner'] and set(found) <= {'GW-340'}, f'C08, gangway run, {name}', f'{list(found)} {text[-100:]}')
    front, = glob.glob(str(elf.wheels.site('ctranslate2-4.4') / 'ctranslate2.libs' / 'libcudnn-*'))
    right = sites.of('nvidia-cudnn-cu12', '8.9.7.29', 'cudnn')
    text = trial.bare([*ask, front])[1]
    trial.line('Could not load library libcudnn_ops_infer.so.8' in text, 'C07, bare', text.strip()[-100:])
    status, text, found, _ = trial.run([*ask, front], {'LD_LIBRARY_PATH': trial.stub}, ('--python', right.parents[2]))
    trial.line(status == 0 and 'version 8907' in text and mapped(text, 'libcudnn_ops_infer') == [str(right / 'libcudnn_ops_infer.so.8')] and not found,
               'C07, with cuDNN 8 on the Python paths', f'{found} {text[-100:]}')
    nine = sites.of('nvidia-cudnn-cu12', '9.1.1.17', 'cudnn')
    status, text, found, searched = trial.run([*ask, front], {'LD_LIBRARY_PATH': trial.stub}, ('--python', nine.parents[2]))
    trial.line(status == 0 and 'version 8907' in text and 'libcudnn_ops_infer.so.8' in dict(searched.get('facade', [])), 'C07, with cuDNN 9 alone',
               f'{searched} {text[-100:]}')


def provider(trial, sites):
    """C05: a provider that was built for CUDA 11: its own libraries where they are, else the facades."""
    library = elf.wheels.site('onnxruntime') / 'onnxruntime' / 'capi' / 'libonnxruntime_providers_cuda.so'
    others = trial.folder / 'others'
    others.mkdir()
    for soname in ('libcurand.so.10', 'libcufft.so.10', 'libcudart.so.11.0'):
        names = subprocess.run(['nm', '-D', '--undefined-only', str(library)], capture_output=True, text=True, check=True).stdout
        text = ''.join(f'void {name}(void) {{}}\n' for name in sorted({re.split('@', word)[0] for word in names.split() if word.endswith('@' + soname)}))
        (others / 'map').write_text(soname + ' { *; };\n')
        trial.library('others/' + soname, text, '-shared', '-fPIC', f'-Wl,-soname,{soname}', f'-Wl,--version-script={others / "map"}')
    env = {'LD_LIBRARY_PATH': path_of(others, trial.stub)}
    command = opens('lazy:' + str(library))
    text = trial.bare(command, env)[1]
    trial.line('libcublasLt.so.11: cannot open shared object file' in text, 'C05, bare', text.splitlines()[0][-100:])
    blas, dnn = sites.of('nvidia-cublas-cu11', '11.11.3.6', 'cublas', 'eleven'), sites.of('nvidia-cudnn-cu11', '8.7.0.84', 'cudnn', 'eleven')
    _, text, found, searched = trial.run(command, env, ('--python', blas.parents[2]))
    named = dict(searched.get('python', []) + searched.get('partner', []))
    trial.line(set(named.items()) >= {('libcublasLt.so.11', str(blas / 'libcublasLt.so.11')), ('libcublas.so.11', str(blas / 'libcublas.so.11')),
               ('libcudnn.so.8', str(dnn / 'libcudnn.so.8'))}
               and 'libcublas' not in text.splitlines()[0], 'C05, with CUDA 11 on the Python paths', f'{found} {text.splitlines()[0][-120:]}')
    thirteen = elf.wheels.site('cuda13')
    _, text, found, searched = trial.run(command, env, ('--python', thirteen))
    trial.line({'libcublasLt.so.11', 'libcublas.so.11', 'libcudnn.so.8'} <= set(dict(searched.get('facade', []))) and 'libcublas' not in text.splitlines()[0],
               'C05, with CUDA 13 alone', f'{found} {text.splitlines()[0][-120:]}')


def engine(trial):
    """C19: the loader's word behind a status, and the library from the Python paths."""
    library = trial.library('libengine.so', ENGINE, '-shared', '-fPIC', '-ldl')
    command = [sys.executable, '-I', '-c', CALL_ENGINE, library]
    site = elf.wheels.site('torch')
    trial.line(trial.bare(command)[1] == '3\n', 'C19, bare', trial.bare(command)[1].strip())
    _, text, found, _ = trial.run(command, None, ('--python', trial.folder))
    told = found.get('GW-344', [''])[0]
    trial.line('3\n' in text and f'libnvrtc.so.12, which {library} asked for, cannot be opened: no such file in' in told, 'C19, told', told)
    _, text, found, searched = trial.run(command, None, ('--python', site))
    trial.line(text == '0\n' and not found and dict(searched['python'])['libnvrtc.so.12'] == str(site / 'nvidia/cuda_nvrtc/lib/libnvrtc.so.12'),
               'C19, gangway run', searched)


def tensorflow(trial, sites):
    """C25, C26"""
    site = elf.wheels.site('tensorflow')
    command = [sys.executable, '-c', 'import tensorflow as tf; print(tf.config.list_physical_devices())']
    env = {'PYTHONPATH': site, 'LD_LIBRARY_PATH': trial.stub, 'CUDA_VISIBLE_DEVICES': '0'}
    text = trial.bare(command, env)[1]
    trial.line('Cannot dlopen some GPU libraries' in text, 'C25, bare', re.search('Cannot dlopen[^.]*|$', text)[0])
    _, text, found, searched = trial.run(command, env)
    missing = sorted({told.split(',')[0] for told in found.get('GW-344', [])})
    answered = {name for outcome, names in searched.items() if outcome != 'missing' for name, _ in names}
    lost = {name for name in ('libcudart.so.12', 'libcufft.so.11', 'libcusolver.so.11', 'libcublas.so.12', 'libcublasLt.so.12',
            'libcudnn.so.8') if name not in answered}
    trial.line(len(missing) > 2 and lost <= set(missing) | {told.split(' ')[0] for told in found.get('GW-310', [])}
               and all('libtensorflow' in told for told in found['GW-344']),
               'C25, each named', f'{missing}, answered: {sorted(answered)}')
    cudnn = sites.of('nvidia-cudnn-cu12', '8.9.2.26', 'cudnn')
    command = [sys.executable, '-I', '-c', STUBS, site / 'tensorflow' / 'libtensorflow_cc.so.2', cudnn / 'libcudnn.so.8']
    env = {'LD_LIBRARY_PATH': path_of(cudnn, trial.stub)}
    _, text, found, _ = trial.run(command, env)
    answers = [line for line in text.splitlines() if line.isdigit()]
    trial.line(answers == ['8902', '8902'] and 'GW-307' not in found, 'C26', f'{answers} {list(found)}')


def frameworks(trial, sites):
    """torch with its own wheels: nothing changes, whatever LD_LIBRARY_PATH has that is newer; its libraries keep their pairs where it is older."""
    site = elf.wheels.site('torch')
    command = [sys.executable, '-c', 'import sys; sys.argv = sys.argv[:1]\nimport torch\nprint("loaded", torch.__version__)\n' + OPEN]
    newer = sites.of('nvidia-cublas-cu12', '12.9.0.13', 'cublas')
    for name, env in (('its own wheels', {}), ('a newer cuBLAS on LD_LIBRARY_PATH', {'LD_LIBRARY_PATH': newer})):
        untouched(trial, f'torch, {name}', command, {'PYTHONPATH': site, **env})


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('gangway')
    parser.add_argument('cases', nargs='*', help='functions of this file; all where none is named')
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix='paired-', dir=elf.wheels.cache()))   # where links to the cache can be made
    try:
        trial, sites = Trial(options.gangway, folder), Sites(folder)
        blas = 'nvidia-cublas-cu11', 'nvidia-cublas-cu12', 'nvidia-cublas'

        def pairs():
            for name, package, good, bad, wrong in (
                    ('C01', blas[1], '12.9.0.13', '12.8.5.5', 'undefined symbol: cublasLtGetEnvironmentMode'),
                    ('C01', blas[2], '13.5.1.27', '13.4.3.11', 'undefined symbol: cublasLt'), ('C04', blas[0], '11.11.3.6', '11.10.3.66',
                            'undefined symbol: cublasLt'),
                    ('C02', blas[1], '12.8.5.5', '12.9.0.13', None), ('C02', blas[1], '12.1.3.1', '12.9.3.13', None), ('C02', blas[2], '13.0.2.14',
                            '13.8.2.12', None)):
                soname = 'libcublas.so.' + good.split('.')[0]
                mixed(trial, f'{name} {good} on {bad}', sites.of(package, good, 'cublas'), sites.of(package, bad, 'cublas'), soname, 'libcublasLt', wrong)
            good, bad = sites.of(blas[0], '11.11.3.6', 'cublas'), sites.of(blas[0], '11.10.3.66', 'cublas')
            _, text, found, _ = trial.run(opens('lazy:' + str(good / 'libcublas.so.11')), {'LD_LIBRARY_PATH': bad})
            trial.line(mapped(text, 'libcublasLt') == [str(good / 'libcublasLt.so.11')] and 'GW-340' in found, 'C04, opened lazily', list(found))

        def parts():
            mixed(trial, 'C09', sites.of('nvidia-cudnn-cu12', '8.9.2.26', 'cudnn'), sites.of('nvidia-cudnn-cu11', '8.6.0.163', 'cudnn'),
                    'libcudnn_cnn_infer.so.8',
                  'libcudnn_ops_infer', 'undefined symbol: _Z', (sites.of(blas[0], '11.11.3.6', 'cublas'),))

        cases = {'pairs': pairs, 'parts': parts, 'absolute': lambda: absolute_on_purpose(trial, sites), 'versions': lambda: versions(trial, sites),
                 'grouped': lambda: grouped(trial, sites), 'jitlink': lambda: jitlink(trial, sites), 'bundled': lambda: bundled(trial, sites),
                 'provider': lambda: provider(trial, sites), 'engine': lambda: engine(trial), 'tensorflow': lambda: tensorflow(trial, sites),
                 'frameworks': lambda: frameworks(trial, sites)}
        for name in options.cases or cases:
            cases[name]()
    finally:
        shutil.rmtree(folder)
    print(f'{trial.count - trial.bad} of {trial.count} ok')
    return trial.bad != 0


sys.exit(main())
