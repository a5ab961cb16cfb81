# SPDX-License-Identifier: Apache-2.0
"""Writes the program of one release for pairs.py: C that asks everything which needs no device, in the words of that release's headers.

Which functions, enums and attributes there are comes from abi/facts; values come from the headers that the program is compiled with.
What is asked of every function alike: nothing but NULL and 0; -1 for each number; plain memory for each pointer. Every descriptor of
cuDNN is created, set in many ways and read back after each: functions are told apart by their names and types, so that a new one is
asked without a line here.
"""
import pathlib
import re

import facts

HERE = pathlib.Path(__file__).resolve().parent
# Questions about versions: what a program prints of these is not compared.
VERSION_QUESTIONS = {'cublasGetVersion_v2', 'cublasGetCudartVersion', 'cublasGetProperty', 'cublasLtGetVersion', 'cublasLtGetCudartVersion',
                     'cublasLtGetProperty', 'cublasGetVersion', 'cudnnGetVersion', 'cudnnGetMaxDeviceVersion', 'cudnnGetCudartVersion',
                     'cudnnGetProperty'}
# They change the process, or write to its stdout.
ALONE = re.compile(r'Log|Callback|Xerbla|HeuristicsCacheSet|CpuInstructions|Shutdown|^cublasInit$|Environment')
NUMBERS = {'int', 'unsigned int', 'size_t', 'int64_t', 'uint64_t', 'int32_t', 'uint32_t', 'long long', 'unsigned long long', 'float',
           'double', 'char'}
SIZES = {'int': 4, 'unsigned int': 4, 'int32_t': 4, 'uint32_t': 4, 'float': 4, 'size_t': 8, 'int64_t': 8, 'uint64_t': 8, 'double': 8,
         'long long': 8, 'unsigned long long': 8}
LT_KINDS = {'MatmulDesc': 'cublasLtMatmulDescAttributes_t', 'MatrixLayout': 'cublasLtMatrixLayoutAttribute_t',
            'MatmulPreference': 'cublasLtMatmulPreferenceAttributes_t', 'MatrixTransformDesc': 'cublasLtMatrixTransformDescAttributes_t',
            'EmulationDesc': 'cublasLtEmulationDescAttributes_t'}
# The enum that an attribute of cublasLt holds, by the end of its name.
LT_VALUES = [('COMPUTE_TYPE', 'cublasComputeType_t'), ('SCALE_TYPE', 'cudaDataType_t'), ('DATA_TYPE', 'cudaDataType_t'),
             ('DESC_TRANSA', 'cublasOperation_t'), ('DESC_TRANSB', 'cublasOperation_t'), ('DESC_TRANSC', 'cublasOperation_t'),
             ('FILL_MODE', 'cublasFillMode_t'), ('DESC_POINTER_MODE', 'cublasLtPointerMode_t'), ('DESC_EPILOGUE', 'cublasLtEpilogue_t'),
             ('LAYOUT_TYPE', 'cudaDataType_t'), ('LAYOUT_ORDER', 'cublasLtOrder_t'), ('BATCH_MODE', 'cublasLtBatchMode_t'),
             ('SEARCH_MODE', 'cublasLtMatmulSearch_t'), ('SCALE_MODE', 'cublasLtMatmulMatrixScale_t'),
             ('REDUCTION_SCHEME', 'cublasLtReductionScheme_t'), ('TILE_ID', 'cublasLtMatmulTile_t'), ('STAGES_ID', 'cublasLtMatmulStages_t'),
             ('INNER_SHAPE_ID', 'cublasLtMatmulInnerShape_t'), ('CLUSTER_SHAPE_ID', 'cublasLtClusterShape_t')]
# Enums of hundreds of values: this many of them, spread.
MOST_VALUES = 24


def bare(type_name):
    return re.sub(r'\bconst\b', '', type_name).strip()


def is_pointer(type_name):
    return '*' in type_name or '[' in type_name or '(' in type_name


class Program:
    def __init__(self, release):
        self.release, self.out, self.questions = release, [], []
        self.warm = []      # C that main does first: what children then need not load each for itself

    def write(self, text):
        self.out.append(text)

    def question(self, name, body, alone=False):
        """One question; BODY is C."""
        mark = f'q{len(self.questions)}'
        self.write(f'static void {mark}(void)\n{{\n{body}}}\n')
        self.questions.append(f'\t{{"{name}", {mark}, {int(alone)}}},\n')

    def has(self, name):
        return name in self.release.functions

    def is_enum(self, type_name):
        return bare(type_name) in self.release.enums

    # -- what every function is asked ---------------------------------------------------------------------------------

    def heads(self, functions, without='$'):
        for enum, constants in sorted(self.release.enums.items()):
            if not re.match(r'cu', enum) or re.match(without, enum):
                continue
            seen, rows = {}, []
            for name, value in constants.items():
                seen.setdefault(value, name)
            for value, name in sorted(seen.items()):
                rows.append(f'\t{{{name}, "{name}"}},\n')
            self.write(f'static const struct constant e_{enum}[] __attribute__((unused)) = {{\n{"".join(rows)}\t{{0, NULL}},\n}};\n')
        for name in functions:
            self.write(f'#define HAVE_{name} 1\n')

    def answer(self, returns, call):
        """C that prints what CALL returned. Results of the old interface are not: without a device nothing was computed."""
        if returns in ('float', 'double') or re.match(r'cublasI[sdcz]am(ax|in)\(', call):
            return f'(void){call}; say("returned");'
        if returns == 'void':
            return f'{call}; say("returned");'
        if returns == 'const char *':
            return f'say_text({call});'
        if self.is_enum(returns):
            return f'say("%s", named(e_{returns}, (long long){call}));'
        if bare(returns) in SIZES or returns == 'unsigned':
            return f'say("%lld", (long long){call});'
        return f'(void){call}; say("returned");'

    def argument(self, number, type_name, way):
        """One argument. WAY: 0 nothing, 1 numbers are -1, 2 pointers lead to plain memory and numbers are 1."""
        plain = bare(type_name)
        if is_pointer(type_name):
            if way < 2 or '(' in type_name or 'FILE' in type_name:
                return 'NULL'
            return f'scratch({number})'
        if plain in NUMBERS or plain in self.release.enums:
            return f'({plain}){(0, -1, 1)[way]}'
        return f'({plain}){{0}}'

    def plain_calls(self, functions, skip=lambda name: False):
        for name, (returns, parameters, _) in sorted(functions.items()):
            if any('...' in kind for _, kind in parameters) or skip(name):
                continue
            numbers = any(not is_pointer(kind) and (bare(kind) in NUMBERS or self.is_enum(kind)) for _, kind in parameters)
            pointers = any(is_pointer(kind) for _, kind in parameters)
            # not a size that is a lie about the caller's memory
            numbers = numbers and not name.endswith('Init_internal')
            ways = [0] + [1] * numbers + [2] * (pointers and not ALONE.search(name))
            mark = 'version ' if name in VERSION_QUESTIONS else ''
            for way in ways:
                arguments = ', '.join(self.argument(i, kind, way) for i, (_, kind) in enumerate(parameters))
                what = ('nothing', 'numbers -1', 'plain memory')[way]
                self.question(f'{mark}call {name} {what}', f'\tsay("{mark}call {name} {what}\\t");\n\t'
                              f'{self.answer(returns, f"{name}({arguments})")}\n\tsay("\\n");\n', bool(ALONE.search(name)))

    def texts(self, function, enum):
        if self.has(function):
            self.question(f'text {function}', f'\tconst struct constant *c;\n\tint i;\n\tfor (c = e_{enum}; c->name; c++) {{\n'
                          f'\t\tsay("text {function} %s\\t", c->name);\n\t\tsay_text({function}(({enum})c->value));\n\t\tsay("\\n");\n\t}}\n'
                          f'\tfor (i = -1; i < 2000; i += 500) {{\n\t\tsay("text {function} %d\\t", i);\n'
                          f'\t\tsay_text({function}(({enum})i));\n\t\tsay("\\n");\n\t}}\n')

    def finish(self, includes):
        questions = ''.join(self.questions)
        warm = ''.join(f'\t{line}\n' for line in self.warm)
        return (f'{includes}#include "pairs.h"\n' + '\n'.join(self.out) +
                f'\nstatic const struct question questions[] = {{\n{questions}}};\n\nint main(int count, char **words)\n{{\n'
                f'{warm}\treturn ask_all(questions, (int)(sizeof(questions) / sizeof(questions[0])), count > 1 ? words[1] : NULL);\n}}\n')


# -- cublas and cublasLt ------------------------------------------------------------------------------------------------

def lt_tables(program):
    enums = program.release.enums
    chosen = {}

    def values(attribute):
        for ending, enum in LT_VALUES:
            if attribute.endswith(ending) and enum in enums:
                if enum not in chosen:
                    all_values = sorted({value: name for name, value in reversed(enums[enum].items())}.items())
                    step = max(1, len(all_values) // MOST_VALUES)
                    rows = ''.join(f'\t{{{name}, "{name}"}},\n' for _, name in all_values[::step])
                    program.write(f'static const struct constant some_{enum}[] = {{\n{rows}\t{{0, NULL}},\n}};\n')
                    chosen[enum] = f'some_{enum}'
                return chosen[enum]
        return 'NULL'

    def table(kind, enum):
        rows = ''.join(f'\t{{"{name}", {name}, {values(name)}}},\n' for name, _ in sorted(enums[enum].items(), key=lambda item: item[1]))
        program.write(f'static const struct lt_attribute a_{kind}[] = {{\n{rows}\t{{NULL, 0, NULL}},\n}};\n')

    for kind, enum in LT_KINDS.items():
        if enum not in enums:
            continue
        table(kind, enum)
        access = f'(lt_setter)cublasLt{kind}SetAttribute, (lt_getter)cublasLt{kind}GetAttribute'
        program.write(f'static const struct lt_kind k_{kind} = {{"{kind}", a_{kind}, {access}, sizeof(cublasLt{kind}Opaque_t), init_{kind},\n'
                      f'\tcreate_{kind}, (cublasStatus_t (*)(void *))cublasLt{kind}Destroy}};\n')
        program.question(f'own {kind}', f'\tlt_own(&k_{kind});\n')
        program.question(f'created {kind}', f'\tlt_created(&k_{kind});\n')
    table('config', 'cublasLtMatmulAlgoConfigAttributes_t')
    table('cap', 'cublasLtMatmulAlgoCapAttributes_t')
    program.write('static const struct lt_kind k_config = {"AlgoConfig", a_config, (lt_setter)cublasLtMatmulAlgoConfigSetAttribute,\n'
                  '\t(lt_getter)cublasLtMatmulAlgoConfigGetAttribute, sizeof(cublasLtMatmulAlgo_t), init_algo, NULL, NULL};\n'
                  'static const struct lt_kind k_cap = {"AlgoCap", a_cap, NULL, (lt_getter)cublasLtMatmulAlgoCapGetAttribute,\n'
                  '\tsizeof(cublasLtMatmulAlgo_t), init_algo, NULL, NULL};\n')
    program.question('own AlgoConfig', '\tlt_own(&k_config);\n')
    program.question('own AlgoCap', '\tlt_own(&k_cap);\n')
    program.question('types', '\tlt_types();\n')


def cache_questions(program):
    if program.has('cublasLtHeuristicsCacheSetCapacity'):
        program.question('heuristics cache', '\tstatic const size_t sizes[] = {0, 1, 100, 8192, (size_t)-1};\n\tsize_t now = 77, i;\n'
                         '\tsay("heuristics cache at first\\t%s", S(cublasLtHeuristicsCacheGetCapacity(&now)));\n\tsay(" %zu\\n", now);\n'
                         '\tfor (i = 0; i < 5; i++) {\n\t\tsay("heuristics cache %zu\\t%s", sizes[i], '
                         'S(cublasLtHeuristicsCacheSetCapacity(sizes[i])));\n'
                         '\t\tsay(" %s", S(cublasLtHeuristicsCacheGetCapacity(&now)));\n\t\tsay(" %zu\\n", now);\n\t}\n', True)
    program.question('lt logger', '\tint i;\n\tfor (i = -1; i < 8; i++) {\n'
                     '\t\tsay("lt logger level %d\\t%s\\n", i, S(cublasLtLoggerSetLevel(i)));\n'
                     '\t\tsay("lt logger mask %d\\t%s\\n", i, S(cublasLtLoggerSetMask(i)));\n\t}\n'
                     '\tsay("lt logger file\\t%s\\n", S(cublasLtLoggerSetFile(stderr)));\n'
                     '\tsay("lt logger open\\t%s\\n", S(cublasLtLoggerOpenFile("/nonexistent/x")));\n'
                     '\tsay("lt logger disable\\t%s\\n", S(cublasLtLoggerForceDisable()));\n'
                     '\tsay("lt logger level 1\\t%s\\n", S(cublasLtLoggerSetLevel(1)));\n', True)
    program.question('vectors', '\tfloat a[8] = {1, 2, 3, 4, 5, 6, 7, 8}, b[8] = {0};\n'
                     '\tsay("SetVector none\\t%s\\n", S(cublasSetVector(0, 4, a, 1, b, 1)));\n'
                     '\tsay("SetVector bad size\\t%s\\n", S(cublasSetVector(1, 0, a, 1, b, 1)));\n'
                     '\tsay("SetVector bad step\\t%s\\n", S(cublasSetVector(1, 4, a, 0, b, 1)));\n'
                     '\tsay("GetMatrix none\\t%s\\n", S(cublasGetMatrix(0, 0, 4, a, 1, b, 1)));\n'
                     '\tsay("GetMatrix bad lead\\t%s\\n", S(cublasGetMatrix(4, 2, 4, a, 1, b, 1)));\n')


def blas_sources(families, version):
    """Two programs' texts: cublas_v2.h with cublasLt.h, and the old cublas.h, whose names cublas_v2.h takes away."""
    release = facts.Release(families, version)
    sources = {}
    usable = {name: what for name, what in release.functions.items()
              if what[2] != 'nvblas.h' and not any('half' in kind or 'bfloat16' in kind for _, kind in what[1])}
    for part in ('new', 'old'):
        program = Program(release)
        functions = {name: what for name, what in usable.items() if (what[2] == 'cublas.h') == (part == 'old')}
        program.heads(functions, '$' if part == 'new' else 'cublas(Lt|Xt)')
        if part == 'new':
            program.write('#include "pairs_lt.h"\n')
            program.texts('cublasGetStatusName', 'cublasStatus_t')
            program.texts('cublasGetStatusString', 'cublasStatus_t')
            program.texts('cublasLtGetStatusName', 'cublasStatus_t')
            program.texts('cublasLtGetStatusString', 'cublasStatus_t')
            lt_tables(program)
            cache_questions(program)
        program.plain_calls(functions)
        includes = '#include <stdio.h>\n' + ('#include <cublas_v2.h>\n#include <cublasXt.h>\n#include <cublasLt.h>\n' if part == 'new'
                                             else '#include <cublas.h>\n')
        sources[part] = program.finish(includes)
    return sources


# -- cudnn --------------------------------------------------------------------------------------------------------------

# Values that a set takes, by the parameter's name. Others: 3.
NAMED_NUMBERS = {'nbDims': 4, 'nbDimsRequested': 8, 'arrayLength': 2, 'arrayLengthRequested': 8, 'n': 2, 'c': 4, 'h': 6, 'w': 6, 'k': 8,
                 'nStride': 144, 'cStride': 36, 'hStride': 6, 'wStride': 1, 'pad_h': 1, 'pad_w': 1, 'u': 1, 'v': 1, 'dilation_h': 1,
                 'dilation_w': 1, 'groupCount': 2, 'windowHeight': 2, 'windowWidth': 2, 'verticalPadding': 0, 'horizontalPadding': 0,
                 'verticalStride': 2, 'horizontalStride': 2, 'lrnN': 5, 'attnMode': 0, 'nHeads': 2, 'qSize': 8, 'kSize': 8, 'vSize': 8,
                 'qProjSize': 4, 'kProjSize': 4, 'vProjSize': 4, 'oProjSize': 8, 'qoMaxSeqLength': 6, 'kvMaxSeqLength': 6,
                 'maxBatchSize': 3, 'maxBeamSize': 1, 'maxSeqLength': 5, 'batchSize': 2, 'vectorSize': 4, 'seqLengthArraySize': 2,
                 'inputSize': 8, 'hiddenSize': 8, 'projSize': 8, 'numLayers': 2, 'auxFlags': 0, 'recProjSize': 4, 'outProjSize': 0,
                 'maxLabelLength': 8, 'paddingMode': 1, 'seed': 7, 'numberToCreate': 1, 'sizeInBytes': 64, 'memory': 64}
NAMED_DOUBLES = {'coef': 1.5, 'lrnAlpha': 1e-4, 'lrnBeta': 0.75, 'lrnK': 2.0, 'smScaler': 0.5, 'dropout': 0.25, 'swish_beta': 1.5}
NAMED_ARRAYS = {'dimA': '2, 4, 6, 6', 'strideA': '144, 36, 6, 1', 'filterDimA': '8, 4, 3, 3', 'padA': '1, 1', 'filterStrideA': '1, 1',
                'dilationA': '1, 1', 'windowDimA': '2, 2, 2, 2', 'paddingA': '0, 0, 0, 0', 'seqLengthArray': '5, 3',
                'padBeforeA': '0, 0, 1, 1', 'padAfterA': '0, 0, 1, 1', 'foldA': '1, 1, 1, 1', 'axes': '0, 1, 2, 3'}
# By function and parameter, where the name alone misleads.
PARTICULAR = {('cudnnSetPoolingNdDescriptor', 'nbDims'): 2, ('cudnnSetPoolingNdDescriptor', 'strideA'): '2, 2, 2, 2',
              ('cudnnSetSeqDataDescriptor', 'dimA'): '6, 2, 1, 8', ('cudnnSetSeqDataDescriptor', 'seqLengthArraySize'): 2,
              ('cudnnSetRNNDescriptor_v6', 'numLayers'): 2, ('cudnnGetConvolutionNdForwardOutputDim', 'nbDims'): 4}
COUNTS = {'nbDims', 'arrayLength', 'batchSize', 'seqLengthArraySize', 'numberToCreate'}
# Where the first constant is not what a program begins with.
NAMED_ENUMS = {'cudnnTensorFormat_t': 'CUDNN_TENSOR_NCHW', 'cudnnDataType_t': 'CUDNN_DATA_FLOAT', 'cudnnRNNMode_t': 'CUDNN_LSTM',
               'cudnnRNNBiasMode_t': 'CUDNN_RNN_DOUBLE_BIAS', 'cudnnReduceTensorIndices_t': 'CUDNN_REDUCE_TENSOR_NO_INDICES',
               'cudnnConvolutionMode_t': 'CUDNN_CROSS_CORRELATION', 'cudnnNanPropagation_t': 'CUDNN_PROPAGATE_NAN'}
# Setters that make what other questions take.
FIRST_SETTERS = {'cudnnTensorDescriptor_t': 'cudnnSetTensor4dDescriptor', 'cudnnFilterDescriptor_t': 'cudnnSetFilter4dDescriptor',
                 'cudnnConvolutionDescriptor_t': 'cudnnSetConvolution2dDescriptor', 'cudnnPoolingDescriptor_t': 'cudnnSetPooling2dDescriptor',
                 'cudnnRNNDescriptor_t': 'cudnnSetRNNDescriptor_v8'}


class Dnn(Program):
    def __init__(self, release):
        super().__init__(release)
        self.kinds = {}     # descriptor type -> (create, destroy)
        for name, (_, parameters, _) in sorted(release.functions.items()):
            if name.startswith('cudnnCreate') and parameters and parameters[0][1].endswith('_t *'):
                kind = parameters[0][1][:-2]
                destroy = name.replace('Create', 'Destroy', 1)
                if kind not in ('cudnnHandle_t',) and destroy in release.functions:
                    self.kinds[kind] = (name, destroy)
        self.kinds.pop('cudnnPersistentRNNPlan_t', None)
        # one of each part of cuDNN
        for kind in ('cudnnTensorDescriptor_t', 'cudnnConvolutionDescriptor_t', 'cudnnRNNDescriptor_t', 'cudnnCTCLossDescriptor_t'):
            variable = f'warm_{kind}'
            self.warm.append(f'{kind} {variable} = NULL;')
            self.warm.append(f'(void){self.create(kind, variable)};')
        self.warm += ['cudnnBackendDescriptor_t warm = NULL;',
                      '(void)cudnnBackendCreateDescriptor(CUDNN_BACKEND_TENSOR_DESCRIPTOR, &warm);']

    def create(self, kind, variable):
        name, _ = self.kinds[kind]
        more = [f'(({bare(t)}){1 if bare(t) in NUMBERS else 0})' for _, t in self.release.functions[name][1][1:]]
        return f'{name}({", ".join(["&" + variable, *more])})'

    def destroy(self, kind, variable):
        _, name = self.kinds[kind]
        parameters = self.release.functions[name][1]
        first = '&' + variable if is_pointer(parameters[0][1]) else variable
        return f'{name}({", ".join([first] + ["1"] * (len(parameters) - 1))})'

    def usual(self, function, kind=None, variable='d'):
        """A function's arguments where nothing is varied. KIND: of the descriptor in question, VARIABLE, which is the first of it."""
        words = []
        for name, type_name in self.release.functions[function][1]:
            if bare(type_name) == kind:
                words.append(variable)
                kind = None
            else:
                words.append(self.base(function, name, type_name))
        return words

    def base(self, function, name, kind):
        """What a parameter is where another one is varied."""
        plain = bare(kind)
        if (function, name) in PARTICULAR and not is_pointer(kind):
            return str(PARTICULAR[function, name])
        if is_pointer(kind):
            element = bare(kind.replace('[]', '').replace('*', ''))
            if (name in NAMED_ARRAYS or (function, name) in PARTICULAR) and '[' in kind:
                return f'(({element}[16]){{{PARTICULAR.get((function, name), NAMED_ARRAYS.get(name))}}})'
            return 'NULL'
        if plain in self.kinds:
            return f'base_{plain}()'
        if self.is_enum(kind):
            constants = self.release.enums[plain]
            chosen = NAMED_ENUMS.get(plain)
            return chosen if chosen in constants else min(constants.items(), key=lambda item: item[1])[0]
        if plain in ('double', 'float'):
            return f'{NAMED_DOUBLES.get(name, 0.5)}'
        if plain in NUMBERS:
            return f'({plain}){NAMED_NUMBERS.get(name, 3)}'
        return f'({plain}){{0}}'

    def variants(self, function, name, kind):
        """(text, C) of other values for a parameter."""
        plain = bare(kind)
        if is_pointer(kind):
            if '[' not in kind:
                return []
            element = bare(kind.replace('[]', ''))
            base = PARTICULAR.get((function, name), NAMED_ARRAYS.get(name, '1, 1, 1, 1'))
            numbers = base.split(', ')
            return [('NULL', 'NULL'), ('first 0', f'(({element}[16]){{{", ".join(["0"] + numbers[1:])}}})'),
                    ('last -1', f'(({element}[16]){{{", ".join(numbers[:-1] + ["(" + element + ")-1"])}}})'),
                    ('all 1', f'(({element}[16]){{{", ".join("1" for _ in numbers)}}})'),
                    ('twice', f'(({element}[16]){{{", ".join("2 * " + n for n in numbers)}}})')]
        if self.is_enum(kind):
            seen = {}
            for constant, value in self.release.enums[plain].items():
                seen.setdefault(value, constant)
            return [(constant, constant) for _, constant in sorted(seen.items())] + [('1000', f'({plain})1000'), ('-1', f'({plain})-1')]
        if plain in ('double', 'float'):
            return [(value, value) for value in ('0.0', '1.0', '-1.0', '1e-6', '1e30')]
        if plain in NUMBERS:
            # a count of what lies in an array is never more than there is
            most = () if name in COUNTS else ('100000', '0x7fffffff')
            return [(value, f'({plain}){value}') for value in ('0', '1', '2', '5', '9', '-1', *most)]
        if plain in self.kinds:
            return [('NULL', 'NULL')]
        return []

    def outputs(self, parameters):
        """For a function that reads: (declarations, arguments by index, prints) of what it writes."""
        declare, arguments, prints = '', {}, ''
        for index, (name, kind) in enumerate(parameters):
            if not is_pointer(kind) or 'const' in kind.split('*')[0] or kind.count('*') + kind.count('[') > 1 and 'void **' not in kind:
                continue
            element = bare(kind.replace('[]', '').replace('*', ''))
            way = ('p', 8, 'NULL')
            if element in self.release.enums:
                way = ('e', 4, f'e_{element}')
            elif element == 'double':
                way = ('d', 8, 'NULL')
            elif element == 'float':
                way = ('f', 4, 'NULL')
            elif element in SIZES:
                way = ('i', SIZES[element], 'NULL')
            elif element == 'char':
                way = ('x', 1, 'NULL')
            elif element == 'void' and '**' not in kind:
                way = ('x', 4, 'NULL')
            elif element == 'cudnnAlgorithm_t':
                way = ('i', 4, 'NULL')
            declare += f'\tunsigned char out{index}[OUT_SIZE];\n'
            arguments[index] = f'(void *)out{index}'
            prints += f'say(" {name}"); say_out(out{index}, \'{way[0]}\', {way[1]}, {way[2]}); '
        return declare, arguments, prints

    def readers(self, kind):
        """Functions that say something of a descriptor, from descriptors and numbers alone."""
        found = []
        for name, (returns, parameters, _) in sorted(self.release.functions.items()):
            if not re.match(r'cudnn(Get|DropoutGet)', name) or not parameters or name in VERSION_QUESTIONS:
                continue
            inputs = [bare(t) for _, t in parameters if not is_pointer(t)]
            of = next((t for t in inputs if t in self.kinds), None)
            if of != kind or any(t == 'cudnnHandle_t' for t in inputs) or any('*' in t and 'const' in t for _, t in parameters):
                continue
            found.append(name)
        return found

    def read_all(self, kind):
        """static void read_KIND(what, descriptor): every reader, a line each."""
        body = ''
        for name in self.readers(kind):
            returns, parameters, _ = self.release.functions[name]
            declare, arguments, prints = self.outputs(parameters)
            blanks = ' '.join(f'blank(out{i});' for i in arguments)
            calls = ', '.join(arguments.get(i, usual) for i, usual in enumerate(self.usual(name, kind)))
            body += (f'\t{{\n\t{declare}\t\t{blanks}\n\t\tsay("%s: {name}\\t", what);\n\t\t'
                     f'{self.answer(returns, f"{name}({calls})")}\n\t\t{prints}\n\t\tsay("\\n");\n\t}}\n')
        self.write(f'static void read_{kind}(const char *what, {kind} d)\n{{\n\t(void)what;\n\t(void)d;\n{body}}}\n')

    def setters(self, kind):
        found = []
        for name, (_, parameters, _) in sorted(self.release.functions.items()):
            inputs = [(bare(t), t) for _, t in parameters if not is_pointer(t)]
            of = next((t for t in inputs if t[0] in self.kinds), None)
            if re.match(r'cudnn(Set|RNNSet|Copy|Init|Derive)', name) and of and of[0] == kind and 'const' not in of[1]:
                found.append(name)
        return found

    def describe(self, kind):
        create = self.create(kind, 'd')
        destroy = self.destroy(kind, 'd')
        self.question(f'{kind}', f'\t{kind} d = NULL;\n\tsay("{self.kinds[kind][0]}\\t%s\\n", S({create}));\n\tif (!d)\n\t\treturn;\n'
                      f'\tread_{kind}("{kind} fresh", d);\n\tsay("{self.kinds[kind][1]}\\t%s\\n", S({destroy}));\n')
        for name in self.setters(kind):
            returns, parameters, _ = self.release.functions[name]
            base = dict(enumerate(self.usual(name, kind)))
            mine = [(i, p, t) for i, (p, t) in enumerate(parameters) if base[i] != 'd']
            tries = [('as usual', {})]
            for i, p, t in mine:
                tries += [(f'{p} {text}', {i: value}) for text, value in self.variants(name, p, t)]
            for text, changed in tries:
                calls = ', '.join({**base, **changed}[i] for i in range(len(parameters)))
                first = FIRST_SETTERS.get(kind)
                before = ''
                if first and first != name and self.has(first):
                    before = f'\t{first}({", ".join(self.usual(first, kind))});\n'
                what = f'{name} {text}'
                self.question(what, f'\t{kind} d = NULL;\n\tif ({create} != CUDNN_STATUS_SUCCESS)\n\t\treturn;\n{before}'
                              f'\tsay("{what}\\t%s\\n", S({name}({calls})));\n\tread_{kind}("{what}", d);\n\t{destroy};\n')

    def bases(self):
        """base_KIND(): a descriptor of each kind, set as usual."""
        for kind in self.kinds:
            self.write(f'static {kind} base_{kind}(void) __attribute__((unused));\n')
        for kind in self.kinds:
            first = FIRST_SETTERS.get(kind)
            setters = [first] if first and self.has(first) else self.setters(kind)[:1]
            body = ''
            for name in setters:
                body += f'\t\t{name}({", ".join(self.usual(name, kind))});\n'
            self.write(f'static {kind} base_{kind}(void)\n{{\n\tstatic {kind} d;\n\tif (!d) {{\n\t\t{self.create(kind, "d")};\n{body}\t}}\n'
                       f'\treturn d;\n}}\n')

    def described_calls(self):
        """Every function once more, with descriptors that are set, a NULL handle, and memory for what it writes."""
        for name, (returns, parameters, _) in sorted(self.release.functions.items()):
            if not any(bare(t) in self.kinds for _, t in parameters) or name in [f for pair in self.kinds.values() for f in pair]:
                continue
            if not any(bare(t) == 'cudnnHandle_t' for _, t in parameters):
                continue
            arguments = []
            for i, (p, t) in enumerate(parameters):
                plain = self.base(name, p, t)
                arguments.append(f'scratch({i})' if plain == 'NULL' and is_pointer(t) and '(' not in t else plain)
            what, call = f'call {name} described', f'{name}({", ".join(arguments)})'
            self.question(what, f'\tsay("{what}\\t");\n\t{self.answer(returns, call)}\n\tsay("\\n");\n')

    def packs(self):
        """Fused operations: each pack of each operation, each label."""
        enums = self.release.enums
        for pack, label in (('ConstParamPack', 'cudnnFusedOpsConstParamLabel_t'), ('VariantParamPack', 'cudnnFusedOpsVariantParamLabel_t')):
            kind = f'cudnnFusedOps{pack}_t'
            if kind not in self.kinds or label not in enums:
                continue
            get_more = ', &isNULL' if pack == 'ConstParamPack' else ''
            self.question(f'fused {pack}', f'''\tconst struct constant *op, *label;
	for (op = e_cudnnFusedOps_t; op->name; op++) {{
		{kind} d = NULL;
		say("fused {pack} %s create\\t%s\\n", op->name, S(cudnnCreateFusedOps{pack}(&d, (cudnnFusedOps_t)op->value)));
		for (label = e_{label}; d && label->name; label++) {{
			int isNULL = 77;
			long long number = 1;
			unsigned char out[OUT_SIZE];
			blank(out);
			say("fused {pack} %s set %s\\t%s", op->name, label->name,
			    S(cudnnSetFusedOps{pack}Attribute(d, ({label})label->value, &number)));
			say(" get %s", S(cudnnGetFusedOps{pack}Attribute(d, ({label})label->value, out{get_more})));
			say(" %d\\n", isNULL);
			say("fused {pack} %s set %s NULL\\t%s\\n", op->name, label->name,
			    S(cudnnSetFusedOps{pack}Attribute(d, ({label})label->value, NULL)));
		}}
	}}
''')

    def backend(self):
        enums = self.release.enums
        self.write('#include "pairs_backend.h"\n')
        kinds = sorted({value: name for name, value in reversed(enums['cudnnBackendDescriptorType_t'].items())}.items())
        for index, (_, name) in enumerate(kinds):
            self.question(f'backend {name}', f'\tbackend_kind(&e_cudnnBackendDescriptorType_t[{index}]);\n')
            self.question(f'backend {name} finalize', f'\tbackend_kind_finalize(&e_cudnnBackendDescriptorType_t[{index}]);\n')
            self.question(f'backend {name} set', f'\tbackend_kind_set(&e_cudnnBackendDescriptorType_t[{index}]);\n')
        self.question('backend graph', '\tbackend_graph();\n')
        by_name = {name: index for index, (_, name) in enumerate(kinds)}
        for kind, attribute, kind_of, enum in (
                ('POINTWISE_DESCRIPTOR', 'CUDNN_ATTR_POINTWISE_MODE', 'CUDNN_TYPE_POINTWISE_MODE', 'cudnnPointwiseMode_t'),
                ('REDUCTION_DESCRIPTOR', 'CUDNN_ATTR_REDUCTION_OPERATOR', 'CUDNN_TYPE_REDUCTION_OPERATOR_TYPE', 'cudnnReduceTensorOp_t'),
                ('TENSOR_DESCRIPTOR', 'CUDNN_ATTR_TENSOR_DATA_TYPE', 'CUDNN_TYPE_DATA_TYPE', 'cudnnDataType_t'),
                ('CONVOLUTION_DESCRIPTOR', 'CUDNN_ATTR_CONVOLUTION_COMP_TYPE', 'CUDNN_TYPE_DATA_TYPE', 'cudnnDataType_t'),
                ('MATMUL_DESCRIPTOR', 'CUDNN_ATTR_MATMUL_COMP_TYPE', 'CUDNN_TYPE_DATA_TYPE', 'cudnnDataType_t'),
                ('RESAMPLE_DESCRIPTOR', 'CUDNN_ATTR_RESAMPLE_MODE', 'CUDNN_TYPE_RESAMPLE_MODE', 'cudnnResampleMode_t'),
                ('KNOB_CHOICE_DESCRIPTOR', 'CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE', 'CUDNN_TYPE_KNOB_TYPE', 'cudnnBackendKnobType_t'),
                ('ENGINEHEUR_DESCRIPTOR', 'CUDNN_ATTR_ENGINEHEUR_MODE', 'CUDNN_TYPE_HEUR_MODE', 'cudnnBackendHeurMode_t'),
                ('RNG_DESCRIPTOR', 'CUDNN_ATTR_RNG_DISTRIBUTION', 'CUDNN_TYPE_RNG_DISTRIBUTION', 'cudnnRngDistribution_t'),
                ('TENSOR_DESCRIPTOR', 'CUDNN_ATTR_TENSOR_REORDERING_MODE', 'CUDNN_TYPE_TENSOR_REORDERING_MODE',
                 'cudnnBackendTensorReordering_t')):
            full = f'CUDNN_BACKEND_{kind}'
            if full in by_name and attribute in enums['cudnnBackendAttributeName_t'] and enum in enums \
                    and kind_of in enums['cudnnBackendAttributeType_t']:
                self.question(f'backend values {attribute}', f'\tbackend_values(&e_cudnnBackendDescriptorType_t[{by_name[full]}], {attribute}, '
                              f'{kind_of}, e_{enum});\n')


def dnn_source(family, version):
    release = facts.Release([family], version)
    program = Dnn(release)
    program.heads(release.functions)
    program.backend()
    program.texts('cudnnGetErrorString', 'cudnnStatus_t')
    program.bases()
    for kind in program.kinds:
        program.read_all(kind)
    for kind in program.kinds:
        program.describe(kind)
    program.packs()
    program.described_calls()
    program.plain_calls(release.functions)
    return program.finish('#include <stdio.h>\n#include <cudnn.h>\n' + ('#include <cudnn_subquadratic_ops.h>\n' if any(
        what[2] == 'cudnn_subquadratic_ops.h' for what in release.functions.values()) else ''))
