#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A program of cuDNN 8.9.7's header computes on cuDNN 9 what torch computes.

dnn.py PROGRAM GANGWAY|- [--native PROGRAM] [--keep DIR] [--only WORD]

Writes the cases of dnn_cases.py, runs PROGRAM (dnn.c) on them under `gangway run`, or without it (-), and compares each array that it wrote
with torch's own result for the same numbers, on the GPU in fp32 without tf32 (on the CPU where there is none): the norm of the difference over the norm
of torch's, at most 1e-5 (3e-5 for cuDNN's persistent recurrent kernels). One row a case: name, error of its worst array, ok. Ends with `N of N ok`. --native: the same program
of cuDNN 9's header, which runs without gangway first; each array has to be the same bits (it has no old RNN calls). --only takes the
cases whose name has the word.
"""
import argparse
import array
import pathlib
import subprocess
import sys
import tempfile

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import dnn_cases  # noqa: E402


def write(folder, case):
    for what, value in {**case.inputs, **getattr(case, 'laid_out', {})}.items():
        array.array('f', value.flatten().tolist()).tofile(open(folder / f'{case.name}.{what}', 'wb'))
    for what, value in case.ints.items():
        array.array('i', value).tofile(open(folder / f'{case.name}.{what}', 'wb'))


def read(folder, case):
    written = {}
    for path in folder.glob(f'{case.name}.*'):
        what = path.name[len(case.name) + 1:]
        if what not in case.inputs and what not in case.ints:
            written[what] = torch.frombuffer(bytearray(path.read_bytes()), dtype=torch.float32)
    return written


def start(program, before, folder):
    return subprocess.run([*before, str(program), str(folder)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, errors='replace')


def run_native(program, folder, cases):
    """What the native program wrote, by case; its files are taken away."""
    done = start(program, [], folder)
    said = dict(line.split(' ', 1) for line in done.stdout.splitlines() if ' ' in line)
    found = {}
    for case in cases:
        written = read(folder, case)
        for what in written:
            (folder / f'{case.name}.{what}').unlink()
        if said.get(case.name) == 'ok' and case.repeatable:
            found[case.name] = written
    return found


def same_bits(native, written):
    return native.keys() == written.keys() and all(torch.equal(value.view(torch.int32), written[what].view(torch.int32))
                                                   for what, value in native.items())


def compare(folder, case, device, dtype):
    """The error of each array, by its name."""
    written = read(folder, case)
    tensors = {what: value.detach().clone().to(device, dtype) for what, value in case.inputs.items()}
    tensors['written'] = {what: value.to(device, dtype) for what, value in written.items()}
    errors = {}
    for what, value in case.reference(tensors).items():
        value = value.detach().double().cpu().flatten()
        if what not in written or written[what].numel() != value.numel():
            errors[what] = float('inf')
            continue
        norm = value.norm().item()
        error = (written[what].double() - value).norm().item() / (norm or 1)
        errors[what] = error if error == error else float('inf')
    return errors


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('program', type=pathlib.Path)
    parser.add_argument('gangway')
    parser.add_argument('--native', type=pathlib.Path)
    parser.add_argument('--keep', type=pathlib.Path)
    parser.add_argument('--only', default='')
    options = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    device = 'cuda' if torch.cuda.is_available() else 'cpu'
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        cases = [case for case in dnn_cases.all_cases() if options.only in case.name]
        for case in cases:
            write(folder, case)
        (folder / 'cases').write_text(''.join(case.line() + '\n' for case in cases))
        native = run_native(options.native, folder, cases) if options.native else {}
        done = start(options.program, [] if options.gangway == '-' else [options.gangway, 'run', '--'], name)
        if options.keep:
            options.keep.mkdir(parents=True, exist_ok=True)
            (options.keep / 'out').write_text(done.stdout)
            (options.keep / 'err').write_text(done.stderr)
        print(f'exit {done.returncode}; ' + ' '.join(done.stderr.split('\n')[-8:])[-1500:])
        said = dict(line.split(' ', 1) for line in done.stdout.splitlines() if ' ' in line)
        good, equal, worst = 0, 0, 0.0
        for case in cases:
            result = said.get(case.name, 'not reached')
            if case.refused:
                good += result == case.refused
                result += ' ok' if result == case.refused else f' FAILED: {case.refused} was expected'
            elif result == 'ok':
                try:
                    errors = compare(folder, case, device, torch.float32)
                    exact = compare(folder, case, 'cpu', torch.float64)
                    what = max(errors, key=errors.get)
                    ok = errors[what] <= case.limit
                    if case.name in native:
                        same = same_bits(native[case.name], read(folder, case))
                        equal += same
                        ok = ok and same
                    result = f'{errors[what]:.2e} ({what}; {max(exact.values()):.2e} of float64) {"ok" if ok else "FAILED"}'
                    if case.name in native and not same:
                        result += ' NOT THE BITS OF THE NATIVE PROGRAM'
                    if not ok:
                        result += ' ' + ' '.join(f'{key}:{value:.1e}' for key, value in errors.items())
                    worst = max(worst, errors[what]) if ok else worst
                    good += ok
                except (RuntimeError, ValueError) as error:
                    result = f'{error} FAILED'
            else:
                result += ' FAILED'
            print(case.name, result)
    print(f'torch {torch.__version__} on {device}; the worst that is ok: {worst:.2e}')
    if options.native:
        print(f"{equal} of {len(native)} the same bits as the native program's")
    print(f'{good} of {len(cases)} ok')
    return 0 if good == len(cases) else 1


if __name__ == '__main__':
    sys.exit(main())
