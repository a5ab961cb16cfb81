#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""published_binaries_tell_what_they_were_built_for

What `gangway scan` says of published binaries agrees with what their makers say: the release that their package requires, the major release that
they are named after or documented for.
"""
import argparse
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import elf  # noqa: E402

# site (or wheel, member), file, then for each family the releases that its maker names, as a beginning, and a word of the evidence.
ROWS = (
    ('torch', 'torch/lib/libtorch_cuda.so', {'cublas': ('12.1.3.1', 'requires'), 'cudnn': ('8.9.2.26', 'requires')}),
    ('onnxruntime', 'onnxruntime/capi/libonnxruntime_providers_cuda.so', {'cublas': ('11.', 'node'), 'cudnn': ('8.', 'node')}),
    ('ctranslate2-4.4', 'ctranslate2.libs/libctranslate2-*', {'cublas': ('12.', 'opens'), 'cudnn': ('8.', 'node')}),
    ('ctranslate2-4.5', 'ctranslate2.libs/libctranslate2-*', {'cublas': ('12.', 'opens'), 'cudnn': ('9.', 'node')}),
    (('bitsandbytes', '0.37.2'), 'bitsandbytes/libbitsandbytes_cuda117.so', {'cublas': ('11.', 'node'), 'cublasLt': ('11.', 'node')}),
    (('bitsandbytes', '0.37.2'), 'bitsandbytes/libbitsandbytes_cuda121.so', {'cublas': ('12.', 'node'), 'cublasLt': ('12.', 'node')}),
)


def path_of(where, name):
    if isinstance(where, str):
        return next(elf.wheels.site(where).glob(name))
    return pathlib.Path(elf.wheels.unpack(elf.wheels.find(*where), [name])) / name


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('gangway')
    options = parser.parse_args()
    bad = 0
    for where, name, expected in ROWS:
        path = path_of(where, name)
        done = subprocess.run([options.gangway, 'scan', '--json', str(path)], capture_output=True, text=True, check=False)
        said = {e['family']: e for e in json.loads(done.stdout)['files'][0]['built_for']}
        for family, (release, word) in expected.items():
            entry = said.get(family, {'min': '-', 'max': '-', 'evidence': 'nothing'})
            good = all(entry[k].startswith(release) for k in ('min', 'max')) and word in entry['evidence']
            bad += not good
            print(f'{"ok" if good else "not ok"} {path.name}: {family} {entry["min"]} to {entry["max"]} ({entry["evidence"]})')
    return bad != 0


sys.exit(main())
