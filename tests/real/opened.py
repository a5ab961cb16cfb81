#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""what_a_file_opens_holds_and_was_built_for_is_told_with_its_cure

Cases C05, C07, C08, C10, C11, C19, C22, C25 and C26, and static copies, of published libraries: each is seen to fail in the loader or in the program's own
words, `gangway scan` tells it beforehand, and what it says to do is done, and cures both. Scanned and started below a root of their own, and
without the loader's cache, so that what is installed on this machine does not matter.
"""
import argparse
import collections
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
sys.path.insert(0, str(HERE.parent / 'findings'))
import elf  # noqa: E402
import registry  # noqa: E402
import sparse  # noqa: E402

LOADER = '/lib64/ld-linux-x86-64.so.2'
SYSTEM = 'libc.so.6 libm.so.6 libdl.so.2 librt.so.1 libpthread.so.0 libgcc_s.so.1 libstdc++.so.6 libgomp.so.1 libz.so.1'.split()
TENSORFLOW = '_ZN3tsl8internal9DsoLoader22TryDlopenCUDALibrariesEv'
# What a package of the vendor's is called in site-packages, and which release of the list is taken where any will do.
FOLDER = {'cublas': 'cublas', 'cudnn': 'cudnn', 'cuda-runtime': 'cuda_runtime', 'cuda-nvrtc': 'cuda_nvrtc', 'cufft': 'cufft', 'nccl': 'nccl',
          'curand': 'curand', 'cusolver': 'cusolver', 'cusparse': 'cusparse', 'nvjitlink': 'nvjitlink'}
Scan = collections.namedtuple('Scan', 'status files findings')


def number(version):
    return tuple(int(part) for part in version.split('.'))


class World:
    """A root with the C library's files and nothing else, and site-packages that pip would have made of published wheels."""

    def __init__(self, gangway, folder):
        self.gangway, self.root, self.bad, self.count = gangway, folder, 0, 0
        os.makedirs(folder / 'lib64')
        os.makedirs(folder / 'lib/x86_64-linux-gnu')
        shutil.copy(LOADER, folder / 'lib64')
        for name in SYSTEM:
            path = subprocess.run(['cc', f'-print-file-name={name}'], capture_output=True, text=True, check=True).stdout.strip()
            shutil.copy(path, folder / 'lib/x86_64-linux-gnu' / name)
        self.opener = folder / 'opened'
        subprocess.run(['cc', '-o', str(self.opener), str(HERE / 'opened.c'), '-ldl'], check=True)

    def line(self, good, name, detail):
        self.count += 1
        self.bad += not good
        print(f'{"ok" if good else "not ok"} {name}: {str(detail)[:400]}', flush=True)

    def install(self, site, package, version=None, below=None):
        """The wheel of the list into SITE: PACKAGE of VERSION, or the newest that is older than BELOW. Returns its directory of libraries."""
        if not version:
            have = [e.version for e in elf.wheels.entries() if e.package == package and (not below or number(e.version) < number(below))]
            version = max(have, key=number)
        wheel = elf.wheels.find(package, version)
        stem = re.sub(r'^nvidia-|-cu\d+$', '', package)
        where = self.root / site / 'nvidia' / FOLDER[stem] / 'lib'
        where.mkdir(parents=True, exist_ok=True)
        name = wheel.name.split('-')[0]
        (self.root / site / f'{name}-{version}.dist-info').mkdir(exist_ok=True)
        for library in sparse.libraries(wheel).iterdir():
            os.link(library, where / library.name)
        return where

    def follow(self, site, remedy):
        """Carries out `pip install …` of a remedy. Returns the directories that were filled."""
        filled = []
        for word in re.search(r"pip install ((?:'[^']+'|[\w.=-]+)(?: [\w.-]*nvidia[\w.=-]+)*)", remedy)[1].split(' '):
            package, least, below = re.match(r"'?([\w-]+)(?:[>=]=([\d.]+))?(?:,<(\d+))?", word).groups()
            exact = '==' in word and any(e.package == package and e.version == least for e in elf.wheels.entries())
            filled.append(self.install(site, package, least if exact else None, below))
        return filled

    def scan(self, *paths, python=None, library_path=None, extra=(), rooted=True, env=None):
        command = [self.gangway, 'scan', '--json', *extra]
        if rooted:
            command += ['--root', str(self.root)]
        if python:
            command += ['--python', f'/{python}' if rooted else str(self.root / python)]
        if library_path:
            command += ['--library-path', ':'.join('/' + str(pathlib.Path(p).relative_to(self.root)) if rooted else str(p) for p in library_path)]
        done = subprocess.run([*command, *map(str, paths)], env=clean(env), capture_output=True, text=True, check=False)
        out = json.loads(done.stdout)
        for finding in [f for file in out['files'] for f in file['findings']] + out['findings']:
            registry.check('    {code} {severity}: {text}: {remedy}'.format(**finding))
        return Scan(done.returncode, out['files'], out['findings'])

    def start(self, *arguments, library_path=(), env=None, gangway=()):
        """What the program says; with the loader's cache left out, or under gangway run."""
        command = [str(self.opener), *map(str, arguments)]
        if gangway:
            command = [self.gangway, 'run', *map(str, gangway), '--', *command]
        else:
            command = [LOADER, '--inhibit-cache', '--library-path', ':'.join(map(str, library_path)) or '/nowhere', *command]
        done = subprocess.run(['bash', '-c', 'ulimit -v 30000000 -c 0; exec "$@"', 'bash', *command], env=clean({'GANGWAY_QUIET': '1', **(env or {})}),
                              capture_output=True, text=True, check=False, timeout=300)
        return (done.stdout + done.stderr).strip()


def clean(env=None):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(('LD_', 'GANGWAY_LIB', 'PYTHON', 'VIRTUAL_ENV', 'CONDA_'))}
    return {**kept, 'LC_ALL': 'C', **(env or {})}


def findings(file, *codes):
    return [f for f in file['findings'] if f['code'] in codes]


def codes(scan):
    return sorted({f['code'] for file in scan.files for f in file['findings']})


def need(file, soname):
    return next((n for n in file['needs'] if n['soname'] == soname), {'status': 'no entry'})


def link(world, target, source, name=None):
    target = world.root / target
    target.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, target / (name or source.name))
    return target / (name or source.name)


def fronts(world, site, front, words, older):
    """C07, C08: a front of cuDNN that a wheel brings along, and its parts."""
    library = next((elf.wheels.site(f'ctranslate2-{site}') / 'ctranslate2.libs').glob('libcudnn-*'))
    name, place = f'{"C07" if site == "4.4" else "C08"} {library.name}', f'front{site}'
    file = link(world, f'{place}/app.libs', library)
    inside = '/' + str(file.relative_to(world.root))
    said = world.start(file, 'cudnnCreate')
    world.line(words in said and 'answered' not in said, f'{name}, started', said)
    bare = world.scan(inside)
    told = findings(bare.files[0], 'GW-140')
    parts = [n for n in bare.files[0]['needs'] if n.get('opened') == 'strings' and n['family'] == 'cudnn']
    world.line(bare.status == 1 and len(told) == len(parts) > 3 and all(n['status'] == 'missing' for n in parts), f'{name}, found',
               f'{[f["text"][:60] for f in told]}')
    if older:
        where = world.install(f'{place}-old', 'nvidia-cudnn-cu12', older)
        scan = world.scan(inside, library_path=[where])
        other = findings(scan.files[0], 'GW-144')
        world.line(scan.status == 1 and other and older in other[0]['text'] and front in other[0]['text'], f'{name}, older parts', other[:1])
    where, = world.follow(place, told[0]['remedy'])
    scan = world.scan(inside, python=place)
    world.line(scan.status == 0 and codes(scan) == ['GW-143'], f'{name}, on the Python paths', (told[0]['remedy'], codes(scan)))
    scan = world.scan(inside, library_path=[where])
    said = world.start(file, 'cudnnCreate', library_path=[where])
    world.line(scan.status == 0 and not codes(scan) and 'cudnnCreate answered' in said, f'{name}, cured', (codes(scan), said))
    said = world.start(file, 'cudnnCreate', gangway=['--python', world.root / place])
    world.line('cudnnCreate answered' in said and words not in said, f'{name}, under gangway run', said)
    if older:
        # Parts of two releases, as when one directory is unpacked over another.
        (where / next(p['soname'] for p in parts)).unlink()
        scan = world.scan(inside, library_path=[where, world.root / f'{place}-old/nvidia/cudnn/lib'])
        world.line(scan.status == 1 and 'GW-144' in codes(scan), f'{name}, parts of two releases', codes(scan))


def old_program_on_new_library(world):
    """C07, the other cure: only cuDNN 9 is there, and gangway has a facade of the parts."""
    file = world.root / 'front4.4/app.libs' / next((elf.wheels.site('ctranslate2-4.4') / 'ctranslate2.libs').glob('libcudnn-*')).name
    env = {'GANGWAY_CUDNN': str(world.install('nine', 'nvidia-cudnn-cu12', '9.1.1.17'))}
    scan = world.scan(file, rooted=False, env=env)
    parts = [n for n in scan.files[0]['needs'] if 'opened' in n]
    good = scan.status == 0 and codes(scan) == ['GW-142'] and all(n['status'] == 'facade' and n['path'].startswith(env['GANGWAY_CUDNN']) for n in parts)
    world.line(good and len(parts) == 6, 'C07, facades', (codes(scan), [n['status'] for n in parts]))
    said = world.start(file, 'cudnnCreate', env=env, gangway=['--python', world.root / 'empty'])
    world.line('cudnnCreate answered' in said and 'Could not load' not in said, 'C07, facades under gangway run', said)


def asks(world, soname, package, version):
    """C19: a library opens another by its name, and its paths lack it."""
    source = f'#include <dlfcn.h>\nint ask(void) {{ return !dlopen("{soname}", RTLD_NOW); }}\n'
    place = 'asks-' + soname
    (world.root / place).mkdir()
    path = world.root / place / 'libasks.so'
    (world.root / 'asks.c').write_text(source)
    subprocess.run(['cc', '-shared', '-fPIC', '-o', str(path), str(world.root / 'asks.c')], check=True)
    inside = f'/{place}/libasks.so'
    bare = world.scan(inside)
    told = findings(bare.files[0], 'GW-141')
    world.line(bare.status == 0 and len(told) == 1 and soname in told[0]['text'] and package in told[0]['remedy'], f'C19 {soname}, found', told)
    where, = world.follow(place, told[0]['remedy']) if not version else (world.install(place, package, version),)
    scan = world.scan(inside, python=place)
    entry = need(scan.files[0], soname)
    good = scan.status == 0 and codes(scan) == ['GW-143'] and entry['through'] == 'python' and entry.get('release')
    world.line(good, f'C19 {soname}, on the Python paths', entry)
    scan = world.scan(inside, python=place, library_path=[where])
    world.line(not codes(scan) and need(scan.files[0], soname)['rule'] == 'LD_LIBRARY_PATH', f'C19 {soname}, cured', need(scan.files[0], soname))
    # The real answer, with the others that it needs at hand.
    others = [str(p) for p in sorted(world.root.glob('asks-*/nvidia/*/lib')) if place not in str(p)]
    for there in ([], [where]):
        said = world.start(path, 'ask=0', library_path=[*there, *(others if there else [])], env={'LD_DEBUG': 'files'})
        opened = re.search(rf'calling init: \S*/{re.escape(soname)}', said) is not None
        world.line(opened == bool(there), f'C19 {soname}, {"with" if there else "without"} LD_LIBRARY_PATH', 'opened' if opened else 'not opened')


def tensorflow(world):
    """C25, C26"""
    site = elf.wheels.site('tensorflow')
    library = link(world, 'tf/tensorflow', site / 'tensorflow/libtensorflow_framework.so.2')
    shutil.copytree(site / 'tensorflow-2.15.1.dist-info', world.root / 'tf/tensorflow-2.15.1.dist-info')
    inside = '/tf/tensorflow/libtensorflow_framework.so.2'
    said = world.start(library, TENSORFLOW, env={'TF_CPP_MAX_VLOG_LEVEL': '1', 'TF_CPP_MIN_LOG_LEVEL': '0'})
    lost = set(re.findall(r"Could not load dynamic library '([^']+)'", said))
    for extra, code, status in ((['--gpu', 'sm_90'], 'GW-140', 1), ([], 'GW-141', 0)):
        scan = world.scan(inside, extra=extra)
        told = {f['text'].split(',')[0] for f in findings(scan.files[0], code)}
        world.line(told == lost and len(lost) == 7 and scan.status == status, f'C25, found as {code}', sorted(told ^ lost) or sorted(told))
    pins = dict(re.findall(r'^Requires-Dist: (nvidia-\S+) \(==([\d.]+)\)', (site / 'tensorflow-2.15.1.dist-info/METADATA').read_text(), re.M))
    remedies = [re.search(r'pip install (\S+)==(\S+)$', f['remedy']) for f in findings(scan.files[0], 'GW-141')]
    world.line(all(r and pins[r[1]] == r[2] for r in remedies), 'C25, remedy', [r and r[0] for r in remedies])
    # The list of wheels has not each release that TensorFlow asks for: a newer one of the same soname, or an older where nothing checks.
    for package in sorted({r[1] for r in remedies}):
        world.install('tf', package, {'nvidia-cublas-cu12': '12.2.5.6', 'nvidia-cudnn-cu12': '8.9.7.29', 'nvidia-cuda-runtime-cu12': '12.9.79',
                                      'nvidia-cusparse-cu12': '12.3.1.170'}.get(package))
    world.install('tf', 'nvidia-nvjitlink-cu12', '12.4.127')
    scan = world.scan(inside, extra=['--gpu', 'sm_90'])
    said = world.start(library, TENSORFLOW, env={'TF_CPP_MAX_VLOG_LEVEL': '1', 'TF_CPP_MIN_LOG_LEVEL': '0'})
    lost = set(re.findall(r"Could not load dynamic library '([^']+)'", said))
    world.line(scan.status == 0 and codes(scan) == ['GW-148'] and not lost and 'answered' in said, 'C25, cured', (codes(scan), lost, said[-100:]))
    exported = {name for name, _ in elf.symbols(library)[0]}
    facts = HERE.parent.parent / 'abi/facts'
    truth = {family: len(exported & set(re.findall(r'^function\s+(cu\w+)\s', (facts / f'{family}.abi').read_text(), re.M)))
             for family in ('cublas', 'cublasLt', 'cudnn', 'cusparse')}
    mine = scan.files[0]['exports']
    world.line(mine == truth and sum(truth.values()) > 700, 'C26, exporter', (mine, truth))


def other_major(world):
    """C05: a build for CUDA 11 where only newer libraries are; then those of its own major release on the Python paths."""
    wheel = elf.wheels.unpack(elf.wheels.find('bitsandbytes', '0.37.2'), ['bitsandbytes/libbitsandbytes_cuda117.so'])
    link(world, 'bnb/bitsandbytes', wheel / 'bitsandbytes/libbitsandbytes_cuda117.so')
    inside = '/bnb/bitsandbytes/libbitsandbytes_cuda117.so'
    for package in ('nvidia-cublas-cu12', 'nvidia-cuda-runtime-cu12', 'nvidia-cusparse-cu12'):
        world.install('bnb', package, {'nvidia-cublas-cu12': '12.4.5.8', 'nvidia-cuda-runtime-cu12': '12.9.79'}.get(package))
    world.install('bnb', 'nvidia-curand-cu12')
    scan = world.scan(inside, python='bnb')
    told = findings(scan.files[0], 'GW-149')
    lacks = {f['text'].split(',')[0] for f in findings(scan.files[0], 'GW-101')}
    good = scan.status == 1 and told and 'build for CUDA 11' in told[0]['text'] and 'release 12.4.5.8' in told[0]['text']
    world.line(good and lacks == {'libcudart.so.11.0', 'libcublas.so.11', 'libcublasLt.so.11', 'libcusparse.so.11'}, 'C05, found', told)
    world.follow('bnb', told[0]['remedy'])
    scan = world.scan(inside, python='bnb')
    world.line(scan.status == 0 and codes(scan) == ['GW-105'], 'C05, cured', codes(scan))
    said = world.start(world.root / inside[1:], 'get_context', gangway=['--python', world.root / 'bnb'])
    world.line('get_context answered' in said or 'opened' in said, 'C05, under gangway run', said)


def older_copies(world):
    """C10, C11: frameworks that check cuDNN's release, each with the copy that it got."""
    # What the copies need, none of which is here: their releases of cuBLAS, nvrtc, and a driver (8.6 ends the process without one).
    blas = [world.install('blas', package, version) for package, version in (('nvidia-cublas-cu11', '11.11.3.6'), ('nvidia-cublas-cu12', '12.4.5.8'))]
    subprocess.run(['cc', '-shared', '-fPIC', '-x', 'c', '/dev/null', '-Wl,-soname,libcuda.so.1', '-o', str(blas[0] / 'libcuda.so.1')], check=True)
    nvrtc = world.install('blas', 'nvidia-cuda-nvrtc-cu12')
    (blas[0] / 'libnvrtc.so').symlink_to(next(nvrtc.glob('libnvrtc.so.*')))
    blas.append(nvrtc)
    program, built = {}, {'first': ('nvidia-cudnn-cu11', '8.7.0.84'), 'second': ('nvidia-cudnn-cu12', '8.9.7.29')}
    copies = {release: world.install(f'copy-{release}', package, release)
              for package, release in (('nvidia-cudnn-cu11', '8.6.0.163'), ('nvidia-cudnn-cu11', '8.7.0.84'), ('nvidia-cudnn-cu12', '8.9.7.29'))}
    for name, (package, release) in built.items():
        where = world.root / 'apps' / name
        where.mkdir(parents=True)
        (world.root / 'app.c').write_text(f'long cudnnGetVersion(void);\nlong {name}(void) {{ return cudnnGetVersion(); }}\n')
        program[name] = where / f'lib{name}.so'
        subprocess.run(['cc', '-shared', '-fPIC', '-o', str(program[name]), str(world.root / 'app.c'), str(copies[release] / 'libcudnn.so.8'),
                        '-Wl,-rpath,$ORIGIN/own', '-Wl,--enable-new-dtags'], check=True)
        info = world.root / f'apps/{name}-1.0.dist-info'
        info.mkdir()
        (info / 'RECORD').write_text(f'{name}/lib{name}.so,,\n')
        (info / 'METADATA').write_text(f'Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\nRequires-Dist: {package} (=={release})\n')
    least = {name: ''.join(f'{part}' for part in release.split('.')[:2]) + '0' + release.split('.')[2] for name, (_, release) in built.items()}
    paths = {name: '/' + str(path.relative_to(world.root)) for name, path in program.items()}
    old = copies['8.6.0.163']
    scan = world.scan(paths['first'], library_path=[old])
    told = findings(scan.files[0], 'GW-145')
    said = world.start(program['first'], f'first={least["first"]}', library_path=[old, *blas])
    world.line(scan.status == 1 and told and '8.7.0.84' in told[0]['text'] and '8.6.0.163' in told[0]['text'] and 'compiled against' in said, 'C10, found',
               (told, said))
    where, = world.follow('cure10', re.sub(r'>=', '==', told[0]['remedy']))
    scan = world.scan(paths['first'], library_path=[where])
    said = world.start(program['first'], f'first={least["first"]}', library_path=[where, *blas])
    world.line(scan.status == 0 and not codes(scan) and 'first answered' in said, 'C10, cured', (codes(scan), said))
    # Each brings its own; the one that is loaded first serves both.
    for name, (_, release) in built.items():
        (program[name].parent / 'own').symlink_to(os.path.relpath(copies[release], program[name].parent))
    order = [program['first'], f'first={least["first"]}', program['second'], f'second={least["second"]}']
    said = world.start(*order, library_path=blas)
    scan = world.scan(paths['first'], paths['second'])
    told = [f for f in scan.findings if f['code'] == 'GW-146']
    world.line(len(told) == 1 and '8.9.7.29' in told[0]['text'] and 'compiled against' in said and scan.status == 0, 'C11, found', (told, said))
    best = re.search(r'LD_LIBRARY_PATH=(\S+)', told[0]['remedy'])[1]
    where = world.root / best[1:]
    scan = world.scan(paths['first'], paths['second'], library_path=[where.resolve()])
    said = world.start(*order, library_path=[where, *blas])
    world.line(not scan.findings and not codes(scan) and 'second answered' in said, 'C11, cured', (best, scan.findings, said))


def code_for_gpus(world):
    """C22, and no kernel image: (file, options, code, words of its message, options with which it is gone)."""
    translate = next((elf.wheels.site('ctranslate2-4.5') / 'ctranslate2.libs').glob('libctranslate2-*'))
    bits = elf.wheels.unpack(elf.wheels.find('bitsandbytes', '0.37.2'), ['bitsandbytes/libbitsandbytes_cuda118.so', 'bitsandbytes/libbitsandbytes_cuda117.so'])
    for path, options, code, words, cure in (
            (translate, '--gpu sm_90 --driver 470.57.02', 'GW-150', ('8.2', '7.4', '470.57.02', '12.2', '11.4'), '--gpu sm_90 --driver {driver}'),
            (translate, '--driver 515.43.04', 'GW-151', ('8.2', '7.7', '515.43.04'), '--driver {driver}'),
            (translate, '--driver 515.43.04', 'GW-151', ('8.2', '7.7'), '--driver 515.43.04 --gpu sm_86'),
            (translate, '--gpu 3.5', 'GW-152', ('sm_35', 'sm_53'), '--gpu 8.0'),
            (bits / 'bitsandbytes/libbitsandbytes_cuda117.so', '--gpu sm_90', 'GW-152', ('sm_90', 'sm_75'), '--gpu sm_89')):
        scan = world.scan(path, extra=options.split(), rooted=False)
        told = findings(scan.files[0], code)
        lost = [word for word in words if told and word not in told[0]['text']]
        world.line(told and not lost and (code == 'GW-151' or scan.status == 1), f'{path.name} {options}, {code}', told or codes(scan))
        driver = re.search(r'install driver ([\d.]+)', told[0]['remedy']) if told else None
        scan = world.scan(path, extra=cure.format(driver=driver and driver[1]).split(), rooted=False)
        world.line(not findings(scan.files[0], 'GW-150', 'GW-151', 'GW-152'), f'{path.name}, cured', cure)
    built = next(b for b in world.scan(translate, rooted=False).files[0]['built_for'] if b['family'] == 'cuda')
    world.line(built['min'] == '12.2' == built['max'], 'built for CUDA', built)


def contents(world):
    """Static copies, by what is published: (file, families, whether gangway would have to reach them)."""
    faiss = elf.wheels.unpack(elf.wheels.find('faiss-gpu', '1.7.2', 'cp310'), ['faiss/_swigfaiss.*.so'])
    bits = elf.wheels.unpack(elf.wheels.find('bitsandbytes', '0.37.2'), ['bitsandbytes/libbitsandbytes_cuda117.so'])
    for path, families, severe in ((next(faiss.glob('faiss/_swigfaiss.*.so')), ['cublas', 'cudart'], True),
                                   (next(elf.wheels.site('ctranslate2-4.5').glob('ctranslate2.libs/libctranslate2-*')), ['cudart'], False),
                                   (elf.wheels.site('tensorflow') / 'tensorflow/libtensorflow_cc.so.2', ['nccl'], False),
                                   (elf.wheels.site('onnxruntime') / 'onnxruntime/capi/libonnxruntime_providers_cuda.so', [], False),
                                   (elf.wheels.site('torch') / 'torch/lib/libtorch_cuda.so', [], False),
                                   (bits / 'bitsandbytes/libbitsandbytes_cuda117.so', [], False)):
        file = world.scan(path, rooted=False).files[0]
        told = findings(file, 'GW-147')
        mine = sorted(s['family'] for s in file['static'])
        world.line(mine == families and bool(told) == severe, f'{path.name}, static copies', (mine, told))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('gangway')
    parser.add_argument('only', nargs='?', default='')
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix='opened-', dir=elf.wheels.cache()))   # where links to the cache can be made
    try:
        world = World(options.gangway, folder)
        (folder / 'empty').mkdir()
        cases = {
            'fronts': lambda: (fronts(world, '4.4', '8.9.7', 'Could not load library libcudnn_ops_infer.so.8', '8.9.2.26'),
                               old_program_on_new_library(world),
                               fronts(world, '4.5', '9.1.0', 'Unable to load any of {libcudnn_graph.so.9.1.0', '9.0.0.312')),
            'asks': lambda: [asks(world, *row) for row in (
                ('libnvrtc.so.12', 'nvidia-cuda-nvrtc-cu12', None), ('libcudart.so.12', 'nvidia-cuda-runtime-cu12', '12.1.105'),
                ('libnvJitLink.so.12', 'nvidia-nvjitlink-cu12', '12.4.127'), ('libcusparse.so.12', 'nvidia-cusparse-cu12', '12.3.1.170'),
                ('libcufft.so.11', 'nvidia-cufft-cu12', None), ('libcurand.so.10', 'nvidia-curand-cu12', None),
                ('libnccl.so.2', 'nvidia-nccl-cu12', '2.20.5'), ('libcudart.so.11.0', 'nvidia-cuda-runtime-cu11', '11.8.89'))],
            'tensorflow': lambda: tensorflow(world),
            'major': lambda: other_major(world),
            'older': lambda: older_copies(world),
            'gpu': lambda: code_for_gpus(world),
            'static': lambda: contents(world),
        }
        for name, run in cases.items():
            if options.only in name:
                run()
        print(f'{world.count - world.bad} of {world.count} ok')
        return world.bad != 0
    finally:
        shutil.rmtree(folder)


sys.exit(main())
