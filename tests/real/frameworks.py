#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""frameworks_import_and_search_as_without_us

Published frameworks, unmodified: the same standard output and exit status under `gangway run` as without it. For the library that
CTranslate2 bundles as its cuDNN front, the directories that the loader searches for its parts as well.
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

PROBES = {
    # name: (site, program)
    'torch 2.3.1': ('torch', '''
import torch
print(torch.__version__, torch.version.cuda, torch.backends.cudnn.version(), torch.cuda.is_available())
print(torch.nn.functional.linear(torch.ones(2, 3), torch.ones(4, 3)).tolist())
for line in open('/proc/self/maps'):
    if 'libcublas' in line or 'libcudnn' in line:
        name = line.split()[-1].rsplit('/', 1)[1]
        seen = globals().setdefault('names', set())
        seen.add(name)
print(sorted(n for n in names if n.startswith(('libcublas', 'libcudnn'))))
'''),
    'tensorflow 2.15.1': ('tensorflow', '''
import tensorflow as tf
print(tf.__version__, tf.sysconfig.get_build_info()['cuda_version'], tf.config.list_physical_devices())
print(tf.matmul([[1.0, 2.0]], [[3.0], [4.0]]).numpy().tolist())
'''),
    'onnxruntime-gpu 1.16.3': ('onnxruntime', '''
import onnxruntime
print(onnxruntime.__version__, onnxruntime.get_available_providers())
'''),
    'ctranslate2 4.4.0': ('ctranslate2-4.4', '''
import ctranslate2
print(ctranslate2.__version__, sorted(ctranslate2.get_supported_compute_types('cpu')))
'''),
    'ctranslate2 4.5.0': ('ctranslate2-4.5', '''
import ctranslate2
print(ctranslate2.__version__, sorted(ctranslate2.get_supported_compute_types('cpu')))
'''),
}

# Opens the bundled front library and makes it look for its parts; what it says, and how it ends, is its own business.
FRONT = '''
import ctypes, sys
front = ctypes.CDLL(sys.argv[1])
front.cudnnGetVersion.restype = ctypes.c_size_t
print('front', front.cudnnGetVersion(), flush=True)
handle = ctypes.c_void_p()
print('create', front.cudnnCreate(ctypes.byref(handle)), flush=True)
'''


def run(command, environment):
    kept = {key: value for key, value in os.environ.items() if key not in ('LD_LIBRARY_PATH', 'LD_PRELOAD', 'PYTHONPATH')}
    done = subprocess.run(list(map(str, command)), env={**kept, **environment}, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors='replace', timeout=600)
    return done.returncode, done.stdout, done.stderr


def compare(name, command, environment, gangway, wanted=None, options=()):
    """0 where the two runs are alike. WANTED: what the run without us has to say, so that the comparison means something."""
    plain = run(command, environment)
    if wanted and not re.search(wanted, plain[1] + plain[2]):
        print(f'not ok {name}', f'  without us it does not say {wanted}: {plain}', sep='\n')
        return 1
    ours = run([gangway, 'run', *options, '--', *command], environment)
    good = plain[:2] == ours[:2]
    print(f'{"ok" if good else "not ok"} {name}: exit {plain[0]}, {len(plain[1].splitlines())} lines')
    if not good:
        print(f'  without us: exit {plain[0]}', plain[1], f'  with us: exit {ours[0]}', ours[1], ours[2][-2000:], sep='\n',
              file=sys.stderr)
    return 0 if good else 1


def searched(stderr, name):
    """Directories that the loader tried for NAME, in order, as LD_DEBUG=libs tells."""
    found, within = [], False
    for line in stderr.splitlines():
        start = re.search(r'find library=(\S+) \[', line)
        if start:
            within = start.group(1) == name
        tried = re.search(r'trying file=(\S+)', line)
        if within and tried and tried.group(1) not in found:
            found.append(tried.group(1))
    return found


def front(version, front_glob, part, gangway, options=()):
    """The bundled front library, where no cuDNN is on any path: output, end and the loader's search are the same."""
    site = elf.wheels.site(f'ctranslate2-{version}')
    library = next((site / 'ctranslate2.libs').glob(front_glob))
    command = [sys.executable, '-I', '-c', FRONT, library]
    bad = compare(f'{library.name} looks for its parts', command, {}, gangway, 'front|Unable to load|Could not load', options)
    debug = {'LD_DEBUG': 'libs'}
    plain, ours = run(command, debug), run([gangway, 'run', *options, '--', *command], debug)
    before, after = searched(plain[2], part), searched(ours[2], part)
    good = before and before == after
    print(f'{"ok" if good else "not ok"} {library.name}: {part} is searched in {len(before)} places')
    if not good:
        print('  without us:', *before, '  with us:', *after, sep='\n', file=sys.stderr)
        bad += 1
    return bad


def front_over_facades(gangway):
    """The cuDNN 8 front library that aborts without its parts goes on over the facades' parts, on cuDNN 9."""
    library = next((elf.wheels.site('ctranslate2-4.4') / 'ctranslate2.libs').glob('libcudnn-*.so.8*'))
    cudnn = elf.wheels.site('cuda13') / 'nvidia' / 'cudnn' / 'lib'
    command = [gangway, 'run', '--', sys.executable, '-I', '-c', FRONT, library]
    result = run(command, {'GANGWAY_CUDNN': str(cudnn)})
    good = result[0] == 0 and result[1] == 'front 8907\ncreate 1\n'
    print(f'{"ok" if good else "not ok"} {library.name} over the facades: {" ".join(result[1].split())}')
    if not good:
        print(*result, sep='\n', file=sys.stderr)
    return 0 if good else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('gangway', type=pathlib.Path, help='the command')
    parser.add_argument('only', nargs='*', help='names of probes; none: all')
    options = parser.parse_args()
    bad = 0
    with tempfile.TemporaryDirectory() as home:
        for name, (site, program) in PROBES.items():
            if options.only and name not in options.only:
                continue
            environment = {'PYTHONPATH': str(elf.wheels.site(site)), 'HOME': home, 'PYTHONDONTWRITEBYTECODE': '1'}
            version = name.split()[1]
            bad += compare(name, [sys.executable, '-c', program], environment, options.gangway, wanted=re.escape(version))
    if not options.only:
        bad += front('4.5', 'libcudnn-*.so.9*', 'libcudnn_graph.so.9', options.gangway)
        bad += front('4.4', 'libcudnn-*.so.8*', 'libcudnn_ops_infer.so.8', options.gangway, ['--facades', 'off'])
        bad += front_over_facades(options.gangway)
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
