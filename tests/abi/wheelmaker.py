# SPDX-License-Identifier: Apache-2.0
"""Makes small wheels of a pretended cuBLAS and cuDNN for the tests: a few headers, and libraries that gcc compiles here."""
import os
import subprocess
import zipfile

API = '''
#ifndef CUBLAS_API_H_
#define CUBLAS_API_H_
#include <stdint.h>
#include "driver_types.h"
#include "cuComplex.h"
#include <cuda_fp16.h>
#include <library_types.h>
#if defined(__cplusplus)
extern "C" {
#endif
#define CUBLAS_VER_MAJOR %(major)s
#define CUBLAS_VER_MINOR %(minor)s
#define CUBLAS_VER_PATCH %(patch)s
#define CUBLAS_VER_BUILD %(build)s
#define CUBLAS_VERSION (CUBLAS_VER_MAJOR * 10000 + CUBLAS_VER_MINOR * 100 + CUBLAS_VER_PATCH)
#define CUBLASWINAPI
#define CUBLAS_NAME "text"
#define CUBLAS_RATIO 1.5
#define CUBLAS_BLOCK { 1 }
typedef enum { CUBLAS_STATUS_SUCCESS = 0, CUBLAS_STATUS_LOW = -3 } cublasStatus_t;
typedef enum { CUBLAS_OP_N, CUBLAS_OP_C = 2, CUBLAS_OP_HERMITAN = 2 } cublasOperation_t;
enum { CUBLAS_LOOSE = 4294967295u };
typedef struct cublasContext *cublasHandle_t;
typedef struct cublasTagged { unsigned low : 3, high : 5; union { int i; float f; }; struct { char c; int64_t n[2]; } inner; } cublasNamed_t;
typedef void (*cublasCallback_t)(cublasHandle_t, const char *);
cublasStatus_t CUBLASWINAPI cublasCreate_v2(cublasHandle_t *handle) __attribute__((deprecated("no longer")));
cublasStatus_t cublasPlain();
cublasStatus_t cublasArrays(const cuComplex *const A[], int shape[4], void (*)(int, float), cublasNamed_t named);
%(more)s
#if defined(__cplusplus)
cublasStatus_t cublasHalf(const __half *x, __half *y);
#endif
static inline cublasStatus_t cublasInline(void) { return CUBLAS_STATUS_SUCCESS; }
#if defined(__cplusplus)
}
cublasStatus_t cublasOverloaded(float x);
#endif
#endif
'''

LT = '''
#include <cublas_api.h>
typedef struct { uint64_t data[%(words)s]; } cublasLtOpaque_t;
#if defined(__cplusplus)
extern "C" {
#endif
cublasStatus_t cublasLtMatmul(cublasLtOpaque_t *opaque, cudaDataType_t type);
#if defined(__cplusplus)
}
#endif
'''

REFUSES = '#ifndef CUBLAS_API_H_\n#error "not alone"\n#endif\n'

LIBRARY = '''
int cublasCreate_v2(void) { return 0; }
int cublasArrays(void) { return 0; }
int cublasPlain(void) { return 0; }
int cublasSecret(void) { return 0; }
int _Z5hidden(void) { return 0; }
int unrelated(void) { return 0; }
int cublas_variable = 1;
extern int _Z6sharedv(void);
int call(void) { return _Z6sharedv(); }
%(more)s
'''


def compile_library(folder, name, text, *options):
    path = os.path.join(folder, name)
    script = os.path.join(folder, 'script')
    with open(script, 'w', encoding='utf-8') as out:
        out.write(name + ' { global: *; };\n')
    subprocess.run(['gcc', '-shared', '-fPIC', '-nostdlib', '-x', 'c', '-', '-o', path, f'-Wl,-soname,{name}',
                    f'-Wl,--version-script,{script}', *options], input=text, text=True, check=True)
    with open(path, 'rb') as data:
        return data.read()


def cublas_files(folder, version, more='', library_more='', words=12):
    """path in the wheel -> bytes."""
    parts = version.split('.')
    values = dict(zip(('major', 'minor', 'patch', 'build'), parts), more=more, words=words)
    lt = compile_library(folder, f'libcublasLt.so.{parts[0]}', 'int cublasLtMatmul(void) { return 0; }\n'
                         'int _Z6sharedv(void) { return 0; }\nint _Z5privv(void) { return 0; }\n')
    blas = compile_library(folder, f'libcublas.so.{parts[0]}', LIBRARY % {'more': library_more},
                           f'-L{folder}', f'-l:libcublasLt.so.{parts[0]}')
    return {
        'nvidia/cublas/include/cublas_api.h': (API % values).encode(),
        'nvidia/cublas/include/cublas_v2.h': b'#include "cublas_api.h"\n#include "cublasXt.h"\n#define cublasCreate cublasCreate_v2\n',
        'nvidia/cublas/include/cublasXt.h': REFUSES.encode(),
        'nvidia/cublas/include/cublasLt.h': (LT % values).encode(),
        f'nvidia/cublas/lib/libcublas.so.{parts[0]}': blas,
        f'nvidia/cublas/lib/libcublasLt.so.{parts[0]}': lt,
    }


def cudnn_files(folder, version):
    major, minor, patch = version.split('.')[:3]
    head = f'#define CUDNN_MAJOR {major}\n#define CUDNN_MINOR {minor}\n#define CUDNN_PATCHLEVEL {patch}\n'
    ops = ('#ifndef OPS\n#define OPS\n#include "cudnn_version.h"\ntypedef enum { CUDNN_STATUS_SUCCESS } cudnnStatus_t;\n'
           'cudnnStatus_t cudnnCreate(void **handle);\n#endif\n')
    library = compile_library(folder, f'libcudnn.so.{major}', 'int cudnnCreate(void) { return 0; }\n')
    headers = {'cudnn_version': head, 'cudnn_ops': ops, 'cudnn': '#include "cudnn_ops.h"\n'}
    out = {f'nvidia/cudnn/lib/libcudnn.so.{major}': library}
    for name, text in headers.items():
        out[f'nvidia/cudnn/include/{name}.h'] = text.encode()
        out[f'nvidia/cudnn/include/{name}_v{major}.h'] = ('\n' + text).encode()
    return out


def with_metadata(name, version, files):
    stem = f'{name.replace("-", "_")}-{version}'
    info = {f'{stem}.dist-info/METADATA': f'Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nSummary: test\n\nVersion: 9\n',
            f'{stem}.dist-info/WHEEL': 'Wheel-Version: 1.0\nTag: py3-none-manylinux1_x86_64\nTag: py3-none-manylinux_2_5_x86_64\n'}
    out = dict(files, **{path: text.encode() for path, text in info.items()})
    out[f'{stem}.dist-info/RECORD'] = ''.join(f'{path},sha256=x,1\n' for path in out).encode()
    return stem, out


def write_wheel(folder, name, version, files, build=''):
    stem, all_files = with_metadata(name, version, files)
    path = os.path.join(folder, f'{stem}{build}-py3-none-manylinux1_x86_64.manylinux_2_5_x86_64.whl')
    with zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED) as archive:
        for member, data in all_files.items():
            archive.writestr(member, data)
    return path


def write_directory(folder, name, version, files):
    for member, data in with_metadata(name, version, files)[1].items():
        path = os.path.join(folder, member)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'wb') as out:
            out.write(data)
    return folder


def write_toolkit(folder, files):
    """include/ and lib64/, with libraries under their long names and links to them, as an installer leaves them."""
    for member, data in files.items():
        base = os.path.basename(member)
        where = os.path.join(folder, 'include' if base.endswith('.h') else 'lib64')
        os.makedirs(where, exist_ok=True)
        path = os.path.join(where, base if base.endswith('.h') else base + '.7.8')
        with open(path, 'wb') as out:
            out.write(data)
        if not base.endswith('.h'):
            os.symlink(os.path.basename(path), os.path.join(where, base))
            os.symlink(base, os.path.join(where, base.split('.so')[0] + '.so'))
    return folder
