#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""doctor_names_exactly_the_faults_of_roots_made_of_published_wheels

Six prepared file systems, made of published wheels (links into the cache, not copies): a clean pip environment has no finding of severity warning or
error; each of the others has exactly its faults, and what the finding says, carried out, ends them. Cases C21, C22, C23, C24, C28.
usage: doctor.py GANGWAY AUDITOR SOURCE-DIRECTORY [WORD]
"""
import importlib.util
import json
import os
import pathlib
import re
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
for folder in ('wheels', 'run'):
    sys.path.insert(0, str(HERE.parent / folder))
import harness  # noqa: E402
import sparse  # noqa: E402
import wheels  # noqa: E402

spec = importlib.util.spec_from_file_location('small_roots', HERE.parent / 'run' / 'doctor.py')
small = importlib.util.module_from_spec(spec)
spec.loader.exec_module(small)
harness.CASES.clear()       # those of small roots run by themselves
case, check, holds = harness.case, harness.check, small.holds
os.environ['TMPDIR'] = str(wheels.cache())      # where links to the cache can be made

SITE, SYSTEM, CONDA = small.SITE, small.SYSTEM, small.CONDA


class Root(small.Root):
    def place(self, file, path):
        """The file of the cache, linked to a path of the root."""
        os.makedirs(os.path.dirname(self.host(path)), exist_ok=True)
        if os.path.lexists(self.host(path)):
            os.remove(self.host(path))
        os.link(os.path.realpath(file), self.host(path))

    def tree(self, folder, patterns, site=SITE):
        for pattern in patterns:
            for file in sorted(pathlib.Path(folder).glob(pattern)):
                if file.is_file():
                    self.place(file, f'{site}/{file.relative_to(folder)}')

    def install(self, package, release, site=SITE):
        """As pip does: all of a wheel, with its RECORD."""
        folder = wheels.unpack(wheels.find(package, release), ['nvidia/*/lib/*', '*.dist-info/*'])
        self.tree(folder, ['nvidia/*/lib/*', '*.dist-info/*'], site)

    def libraries(self, package, release, directory, short=None):
        """A wheel's libraries as a toolkit or a system has them: libx.so.12 -> libx.so.12.4.5.8."""
        placed = []
        for file in sorted(sparse.libraries(wheels.find(package, release)).iterdir()):
            name = file.name[:file.name.index('.so.')] + '.so.' + (short or release)
            self.place(file, f'{directory}/{name}')
            self.link(f'{directory}/{file.name}', name)
            placed.append(f'{directory}/{file.name}')
        return placed

    def torch(self):
        self.tree(wheels.site('torch'), ['torch/_C.*', 'torch/version.py', 'torch/lib/*.so*', 'torch-*/*', 'nvidia/*/lib/*', 'nvidia_*/*'])

    def toolkit_of(self, release, blas):
        home = '/usr/local/cuda-' + '.'.join(release.split('.')[:2])
        self.libraries('nvidia-cublas-cu12', blas, home + '/targets/x86_64-linux/lib')
        self.link(home + '/lib64', 'targets/x86_64-linux/lib')
        self.link(home + '/include', 'targets/x86_64-linux/include')
        self.write(home + '/bin/nvcc', '')
        self.write(home + '/version.json', json.dumps({'cuda': {'name': 'CUDA SDK', 'version': release}}))
        headers = wheels.unpack(wheels.find('nvidia-cublas-cu12', blas), ['nvidia/cublas/include/*'])
        for header in (pathlib.Path(headers) / 'nvidia/cublas/include').iterdir():
            self.place(header, f'{home}/targets/x86_64-linux/include/{header.name}')
        return home

    def examined(self, *expected, library_path=None, arguments=()):
        """Expects warnings and errors of exactly these codes. The report, and the findings."""
        result = self.run('--json', *arguments, *(['--library-path', library_path] if library_path else []))
        check(result.status in (0, 1) and not result.err, str(result))
        report = json.loads(result.out)
        for finding in report['findings']:
            small.registry.check('    {code} {severity}: {text}: {remedy}'.format(**finding))
        bad = [finding for finding in report['findings'] if finding['severity'] != 'note']
        check([finding['code'] for finding in bad] == list(expected), json.dumps(bad, indent=1))
        check(result.status == any(finding['severity'] == 'error' for finding in bad), str(result.status))
        return report, bad


def use(report, framework, soname):
    uses = [u for f in report['frameworks'] if f['name'] == framework for u in f['uses'] if u['soname'] == soname]
    check(len(uses) == 1, json.dumps(report['frameworks'], indent=1))
    return uses[0]


def cure_of(finding):
    """What to put first in LD_LIBRARY_PATH."""
    return re.search(r'put (\S+) before all else in LD_LIBRARY_PATH', finding['remedy'])[1]


def with_driver(root, release='550.54.14'):
    root.module(release)
    root.driver(release)


@case
def a_clean_pip_environment_has_no_finding_and_all_four_cuda_versions_are_named(world):
    root = Root(world)
    with_driver(root)
    root.torch()
    report, _ = root.examined()
    for soname, package, release in (('libcudart.so.12', 'cuda_runtime', '12.1.105'), ('libcublas.so.12', 'cublas', '12.1.3.1'), ('libcublasLt.so.12', 'cublas', '12.1.3.1'),
                                     ('libcudnn.so.8', 'cudnn', '8.9.2.26'), ('libcudnn_ops_infer.so.8', 'cudnn', '8.9.2.26'), ('libnvJitLink.so.12', 'nvjitlink', '12.1.105'),
                                     ('libnccl.so.2', 'nccl', '2.20.5')):
        found = use(report, 'torch', soname)
        check((found['path'], found['release']) == (f'{SITE}/nvidia/{package}/lib/{soname}', release) and 'PATH of ' in found['found_by'], str(found))
    check(small.copy_of(report, f'{SITE}/nvidia/cudnn/lib/libcudnn.so.8')['used_by'] == ['torch'], str(report['copies']))
    rows = {row['what']: row for row in report['versions']}
    check((rows["driver's maximum"]['version'], rows['runtime loaded']['version'], rows['built for']['version']) == ('12.4', '12.1.105', '12.1'), str(rows))
    check(all(row['from'] and row['matters'] for row in report['versions']), str(rows))
    framework, = report['frameworks']
    check((framework['version'], framework['built_for']['cuda'], framework['built_for']['cudnn']) == ('2.3.1', '12.1', '8.9.2.26'), str(framework['built_for']))
    root.toolkit_of('12.4.1', '12.4.5.8')             # a toolkit beside it is no fault; it is the fourth
    report, _ = root.examined()
    check([row['version'] for row in report['versions'] if row['what'] == 'toolkit'] == ['12.4.1'], str(report['versions']))
    text = root.run()
    check(max(len(line) for line in text.out.splitlines()) <= 160 and text.out.startswith('What is wrong\n    nothing was found\n'), text.out)


@case
def a_driver_that_is_too_old_is_named_with_the_one_that_is_needed(world):
    root = Root(world)
    with_driver(root, '470.82.01')
    root.torch()
    _, (found,) = root.examined('GW-160')
    holds(found['text'], 'torch, with ', 'runs CUDA 12.1', "the driver's maximum is 11.4 (driver 470.82.01")
    holds(found['remedy'], 'install driver 525.60.13 or newer')
    shutil.rmtree(root.host(SYSTEM))
    with_driver(root, re.search(r'driver ([\d.]+)', found['remedy'])[1])
    report, _ = root.examined()                       # within one first number: a note
    check([finding['code'] for finding in report['findings']] == ['GW-161'], str(report['findings']))


@case
def two_toolkits_and_a_library_path_to_the_other_one(world):
    root = Root(world)
    with_driver(root)
    old, new = root.toolkit_of('12.1.1', '12.1.3.1'), root.toolkit_of('12.4.1', '12.4.5.8')
    root.link('/usr/local/cuda', new)
    report, (found,) = root.examined('GW-126', library_path=old + '/lib64')
    holds(found['text'], '12.1.3.1, found by LD_LIBRARY_PATH', 'with release 12.4.5.8')
    verdicts = {(pair['release'], pair['on_release']): pair['verdict'] for pair in report['pairs']}
    check(verdicts == {('12.1.3.1', '12.1.3.1'): 'own', ('12.4.5.8', '12.4.5.8'): 'own', ('12.1.3.1', '12.4.5.8'): 'differs', ('12.4.5.8', '12.1.3.1'): 'differs'}, str(verdicts))
    root.examined(library_path='/usr/local/cuda/lib64')
    shutil.copy(root.host(old + '/include/cublas_api.h'), root.host(new + '/include/other.h'))
    os.replace(root.host(new + '/include/other.h'), root.host(new + '/include/cublas_api.h'))
    _, (found,) = root.examined('GW-124', library_path='/usr/local/cuda/lib64')
    holds(found['text'], 'are of cublas 12.1.3.1, and it is of 12.4.5.8')


@case
def the_pairs_of_cublas_that_users_report_are_found_before_they_fail(world):
    for good, bad, first in (('12.9.0.13', '12.8.5.5', 'cublasLt'), ('12.8.5.5', '12.9.0.13', None), ('12.1.3.1', '12.9.3.13', None)):      # C01, C02
        root = Root(world)
        site = '/venv/lib/python3.11/site-packages'
        names = [file.name for file in sparse.libraries(wheels.find('nvidia-cublas-cu12', good)).iterdir()]
        for name in names:
            root.place(sparse.libraries(wheels.find('nvidia-cublas-cu12', good)) / name, f'{site}/nvidia/cublas/lib/{name}')
        # a RECORD without hashes: nothing is compared, since the copies lack their code for GPUs
        root.write(f'{site}/nvidia_cublas_cu12-{good}.dist-info/RECORD', ''.join(f'nvidia/cublas/lib/{name},,\n' for name in names))
        root.libraries('nvidia-cublas-cu12', bad, '/opt/cuda/lib64')
        report, (shadowed, crossed) = root.examined('GW-125', 'GW-168', library_path='/opt/cuda/lib64')
        holds(crossed['text'], f'{site}/nvidia/cublas/lib/libcublas.so.12', good, '/opt/cuda/lib64/libcublasLt.so.12', bad, first or 'their private calls differ')
        verdicts = {(pair['release'], pair['on_release']): (pair['verdict'], bool(pair['lacks'])) for pair in report['pairs']}
        check(verdicts.get((good, bad)) == (('fails', True) if first else ('differs', False)) and verdicts[good, good][0] == 'own', str(verdicts))
        root.examined(library_path=cure_of(crossed) + ':/opt/cuda/lib64')
        check(shadowed['severity'] == 'warning', str(shadowed))


@case
def pip_and_system_cudnn_of_other_releases(world):
    root = Root(world)
    with_driver(root)
    root.torch()
    files = root.libraries('nvidia-cudnn-cu11', '8.6.0.163', SYSTEM, '8.6.0')
    root.write('/var/lib/dpkg/info/libcudnn8.list', '/.\n/usr\n' + ''.join(f'{os.path.dirname(f)}/{os.readlink(root.host(f))}\n' for f in files))
    root.write('/var/lib/dpkg/status', 'Package: libcudnn8\nStatus: install ok installed\nVersion: 8.6.0.163-1+cuda11.8\n\n')
    root.cache(*files)
    report, (found,) = root.examined('GW-125')
    holds(found['text'], 'libcudnn.so.8 (and 6 more)', 'release 8.6.0, found by the loader\'s cache', '8.9.2.26')
    check(use(report, 'torch', 'libcudnn_cnn_infer.so.8')['release'] == '8.9.2.26', 'torch has its own by RPATH')
    check(small.copy_of(report, f'{SYSTEM}/libcudnn.so.8')['origin'] == 'Debian libcudnn8 8.6.0.163-1+cuda11.8', str(report['copies']))
    # LD_LIBRARY_PATH beats the parts' RUNPATH: C09
    report, (_, crossed) = root.examined('GW-125', 'GW-168', library_path=SYSTEM)
    holds(crossed['text'], f'{SITE}/nvidia/cudnn/lib/libcudnn', 'release 8.9.2.26, would get', f'{SYSTEM}/libcudnn', 'found by LD_LIBRARY_PATH in torch')
    root.examined(library_path=cure_of(crossed) + ':' + SYSTEM)
    for file in files:                                # apt-get remove libcudnn8
        os.remove(root.host(os.path.dirname(file) + '/' + os.readlink(root.host(file))))
        os.remove(root.host(file))
    root.cache()
    root.examined()


@case
def a_conda_environment_and_a_library_path_that_beats_it(world):
    root = Root(world)
    with_driver(root)
    files = root.libraries('nvidia-cublas-cu12', '12.4.5.8', CONDA + '/lib')
    listed = [name for file in files for name in ('lib/' + os.path.basename(file), 'lib/' + os.readlink(root.host(file)))]
    root.write(CONDA + '/conda-meta/libcublas-12.4.5.8-0.json', json.dumps({'name': 'libcublas', 'version': '12.4.5.8', 'files': listed}))
    os.makedirs(root.host(CONDA + '/lib/python3.11/site-packages'))
    report, _ = root.examined()
    check(small.copy_of(report, CONDA + '/lib/libcublas.so.12')['origin'] == 'conda libcublas 12.4.5.8', str(report['copies']))
    old = root.toolkit_of('12.1.1', '12.1.3.1')
    root.examined()
    _, (shadowed, crossed) = root.examined('GW-125', 'GW-168', library_path=old + '/lib64')
    holds(shadowed['text'], 'release 12.1.3.1, found by LD_LIBRARY_PATH', f'{CONDA}/lib/libcublas.so.12, release 12.4.5.8')
    root.examined(library_path=cure_of(crossed) + ':' + old + '/lib64')


@case
def a_container_with_compat_libraries(world):
    root = Root(world)
    root.torch()
    compat = '/usr/local/cuda-12.4/compat'
    root.module('470.82.01')
    root.driver('470.82.01')
    root.driver('550.54.14', compat)
    mounted = f'{SYSTEM}/libcuda.so.470.82.01'
    root.write('/proc/self/mountinfo', f'100 99 0:50 / / rw - overlay overlay rw\n101 100 8:1 {mounted} {mounted} ro,nosuid - ext4 /dev/sda1 rw\n')
    root.cache(compat + '/libcuda.so.1', SYSTEM + '/libcuda.so.1')
    report, _ = root.examined()                       # the package makes torch's CUDA 12.1 possible
    check((report['driver']['libcuda']['kind'], report['driver']['maximum_cuda']) == ('compat', '12.4'), str(report['driver']))
    check(small.copy_of(report, SYSTEM + '/libcuda.so.1')['origin'] == 'mounted into the container', str(report['copies']))
    root.cache(SYSTEM + '/libcuda.so.1', compat + '/libcuda.so.1')
    _, (found,) = root.examined('GW-160')             # it does not where the loader passes it over
    holds(found['text'], 'runs CUDA 12.1')
    root.module('570.86.10')
    shutil.rmtree(root.host(SYSTEM))
    root.driver('570.86.10')
    root.cache(compat + '/libcuda.so.1', SYSTEM + '/libcuda.so.1')
    _, (found,) = root.examined('GW-162')             # on a newer machine it breaks what works
    holds(found['remedy'], 'take the compat directory out of')
    root.cache(SYSTEM + '/libcuda.so.1')
    root.examined()


@case
def an_overwritten_wheel(world):
    root = Root(world)
    with_driver(root)
    root.torch()
    part = f'{SITE}/nvidia/cudnn/lib/libcudnn_cnn_infer.so.8'
    own = os.path.realpath(root.host(part))
    kept = world.path('kept')
    os.link(own, kept)
    other = sparse.libraries(wheels.find('nvidia-cudnn-cu11', '8.6.0.163'))
    root.place(other / 'libcudnn_cnn_infer.so.8', part)
    report, found = root.examined('GW-120', 'GW-121')
    holds(found[0]['text'], part, 'is not as nvidia-cudnn-cu12 8.9.2.26 installed it', 'dist-info/RECORD:', 'bytes, not ')
    holds(found[1]['text'], 'libcudnn_cnn_infer.so.8 beside it of 8.6.0.163')
    check(small.copy_of(report, part)['origin'] == 'pip nvidia-cudnn-cu12 8.9.2.26, changed', str(report['copies']))
    root.place(kept, part)                            # pip install --force-reinstall
    root.examined()


@case
def what_cusparse_needs_of_a_newer_nvjitlink_is_named(world):
    root = Root(world)
    site = '/venv/lib/python3.11/site-packages'
    root.install('nvidia-cusparse-cu12', '12.3.1.170', site)
    root.install('nvidia-nvjitlink-cu12', '12.4.127', site)
    root.libraries('nvidia-nvjitlink-cu12', '12.1.105', '/opt/cuda/lib64')
    root.examined()
    _, (_, crossed) = root.examined('GW-125', 'GW-168', library_path='/opt/cuda/lib64')
    holds(crossed['text'], f'{site}/nvidia/cusparse/lib/libcusparse.so.12', '12.3.1.170', '/opt/cuda/lib64/libnvJitLink.so.12', '12.1.105', '__nvJitLink')
    root.examined(library_path=f'{site}/nvidia/nvjitlink/lib:/opt/cuda/lib64')


@case
def a_framework_that_opens_its_libraries_says_which_are_missing(world):
    root = Root(world)
    site = wheels.site('tensorflow')
    root.tree(site, ['tensorflow/lib*.so*', 'tensorflow/python/_pywrap_tensorflow_internal.so', 'tensorflow/python/platform/build_info.py', 'tensorflow-*/*'])
    report, _ = root.examined()                       # without a driver it is meant for the processor
    check(report['frameworks'][0]['built_for']['cuda'] == '12.2', str(report['frameworks'][0]['built_for']))
    with_driver(root)
    _, (found,) = root.examined('GW-166')
    holds(found['text'], 'tensorflow of ', 'libcudart.so.12, libcublas.so.12', 'libcudnn.so.8')
    root.tree(wheels.site('torch'), ['nvidia/*/lib/*', 'nvidia_*/*'])
    report, (older,) = root.examined('GW-167')        # its RUNPATH leads to them; and they are older than those that it was built with
    holds(older['text'], 'was built for cuDNN 8.9.4.25', '8.9.2.26')
    check(use(report, 'tensorflow', 'libcudnn.so.8')['path'] == f'{SITE}/nvidia/cudnn/lib/libcudnn.so.8', str(report['frameworks']))


@case
def a_bundled_cudnn_that_gets_the_parts_of_another_release(world):
    root = Root(world)
    root.tree(wheels.site('ctranslate2-4.5'), ['ctranslate2/_ext*', 'ctranslate2.libs/*', 'ctranslate2-*/*'])
    files = root.libraries('nvidia-cudnn-cu12', '9.20.0.48', SYSTEM)
    root.libraries('nvidia-cublas-cu12', '12.4.5.8', SYSTEM)
    _, (found,) = root.examined('GW-168')
    holds(found['text'], 'ctranslate2.libs/libcudnn-74a4c495.so.9.1.0', 'release 9.1.0, would get', '9.20.0.48', 'in ctranslate2')
    for file in files:
        os.remove(root.host(os.path.dirname(file) + '/' + os.readlink(root.host(file))))
        os.remove(root.host(file))
    root.libraries('nvidia-cudnn-cu12', '9.1.1.17', '/opt/cudnn/lib', '9.1.0')
    root.examined(library_path='/opt/cudnn/lib')


@case
def code_for_a_gpu_is_there_or_not(world):
    root = Root(world)
    with_driver(root)
    root.torch()
    folder = wheels.unpack(wheels.find('bitsandbytes', '0.37.2'), ['bitsandbytes/libbitsandbytes_cuda121.so', '*.dist-info/*'])
    root.tree(folder, ['bitsandbytes/*.so', '*.dist-info/*'])
    report, _ = root.examined(arguments=['--gpu', '9.0'])
    check(use(report, 'bitsandbytes', 'libcublas.so.12')['release'] == '12.1.3.1', 'what torch has mapped stays')
    _, found = root.examined('GW-170', 'GW-170', arguments=['--gpu', '3.5'])
    holds(found[0]['text'], 'libtorch_cuda.so (and 1 more) of torch has neither kernels nor PTX', 'whose architecture is 3.5')
    holds(found[1]['text'], 'libbitsandbytes_cuda121.so of bitsandbytes')
    root.write('/proc/driver/nvidia/gpus/0000:01:00.0/information', 'Model: \t\t NVIDIA H200\nIRQ:   \t\t 16\n')
    report, _ = root.examined()
    check(report['driver']['gpus'] == [{'model': 'NVIDIA H200', 'architecture': '9.0', 'from': '/proc/driver/nvidia/gpus/0000:01:00.0/information'}], str(report['driver']))


if __name__ == '__main__':
    harness.main()
