/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lt OUT [NATIVE [EVERY [TYPES]]]: every product of cuBLASLt that the header of this program can ask for, within the sweeps below, written to OUT:
 *
 *	CASE <tab> ran|failed STATUS|crashed SIGNAL <tab> own|other <tab> the algorithm, hexadecimal <tab> hash of all that was written
 *
 * (An aborted case starts the program again behind it.) Products that the library refuses are counted alone. With NATIVE, such a file that another program wrote, each case that ran there is run
 * with the algorithm that it names; `other` says that this program's heuristic chose another one. With EVERY, one case in so
 * many; with TYPES, one combination of types in so many.
 */
#include <inttypes.h>
#include <search.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lt_case.h"
#include "lt_numbers.h"
#include "memory.h"

enum { COMBINATIONS = 2048, NAME = 300, ALGO = sizeof(cublasLtMatmulAlgo_t) };

static FILE *out;
static int have_native;
static unsigned every = 1, every_type = 1;
static size_t tried, refused;

static struct lt_case combinations[COMBINATIONS];
static size_t combination_count;

static void hexadecimal(const cublasLtMatmulAlgo_t *algo, char *text)
{
	const unsigned char *byte = (const unsigned char *)algo;
	size_t i;

	for (i = 0; i < ALGO; i++)
		sprintf(text + 2 * i, "%02x", byte[i]);
}

static int unhexadecimal(const char *text, cublasLtMatmulAlgo_t *algo)
{
	unsigned char *byte = (unsigned char *)algo;
	unsigned value;
	size_t i;

	for (i = 0; i < ALGO; i++) {
		if (sscanf(text + 2 * i, "%2x", &value) != 1)
			return 0;
		byte[i] = (unsigned char)value;
	}
	return 1;
}

/* Each case of NATIVE that ran: its name -> its algorithm's text. */
static void read_native(const char *path)
{
	static char line[NAME + 64 + 2 * ALGO + 64];
	FILE *file = fopen(path, "r");

	if (!file || !hcreate(1 << 20)) {
		printf("%s: cannot be read\n", path);
		exit(3);
	}
	while (fgets(line, sizeof(line), file)) {
		char *name = strtok(line, "\t"), *state = strtok(NULL, "\t"), *whose = strtok(NULL, "\t"), *algo = strtok(NULL, "\t");

		if (whose && algo && !strcmp(state, "ran"))
			hsearch((ENTRY){strdup(name), strdup(algo)}, ENTER);
	}
	fclose(file);
	have_native = 1;
}

static int sweeping;
static size_t visited, skip;	/* cases of the sweeps, those that an earlier life of this program has done */
static char **own_arguments;
static char crash_name[NAME];

/*
 * Some combinations end in an abort of the library's own, with its locks held, and its device memory in an unknown state: the case is written
 * down, and the program starts again behind it.
 */
static void crashed(int signal)
{
	char number[24];

	fprintf(out, "%s\tcrashed %d\n", crash_name, signal);
	fflush(out);
	snprintf(number, sizeof(number), "%zu", visited);
	setenv("LT_SKIP", number, 1);
	execv("/proc/self/exe", own_arguments);
	_exit(6);
}

static void catch_crashes(void)
{
	struct sigaction action = {.sa_handler = crashed, .sa_flags = SA_NODEFER | SA_RESETHAND};

	sigaction(SIGABRT, &action, NULL);
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGFPE, &action, NULL);
	sigaction(SIGALRM, &action, NULL);	/* it hangs */
}

/* Runs a case, and writes what came of it. True when the library takes it. */
static int visit(const struct lt_case *wanted)
{
	struct lt_case lt = *wanted;
	struct lt_answer answer;
	cublasLtMatmulAlgo_t native;
	char name[NAME], text[2 * ALGO + 1] = "", state[32] = "ran";
	ENTRY *known = NULL;
	int given = 0, other;
	uint64_t hash;

	lt_describe(&lt, name, sizeof(name));
	hash = numbers_hash(0, name, strlen(name));
	lt.created = hash >> 40 & 1;
	if ((hash >> 33) % every)
		return 0;
	if (have_native)
		known = hsearch((ENTRY){name, NULL}, FIND);
	if (known)
		given = unhexadecimal(known->data, &native);
	tried++;
	if (sweeping && ++visited <= skip)
		return 0;
	memcpy(crash_name, name, sizeof(name));
	alarm(30);
	lt_run(&lt, given ? &native : NULL, &answer);
	alarm(0);
	if (answer.set || answer.heuristic) {
		refused++;
		if (known)
			fprintf(out, "%s\trefused %d\n", name, answer.set ? 1000 + answer.set : answer.heuristic);
		return 0;
	}
	if (answer.product)
		snprintf(state, sizeof(state), "failed %d", answer.product);
	other = given && memcmp(&native, &answer.algo, ALGO);
	hexadecimal(&answer.algo, text);
	fprintf(out, "%s\t%s\t%s\t%s\t%016" PRIx64 "\n", name, state, other ? "other" : "own", text, answer.bits);
	return 1;
}

/* Floating, of 8 bits and less: C and D may differ. */
static int is_narrow(int type)
{
	int is = 0;

#ifdef HAVE_CUDA_R_8F_E4M3
	is |= type == CUDA_R_8F_E4M3 || type == CUDA_R_8F_E5M2;
#endif
#ifdef HAVE_CUDA_R_4F_E2M1
	is |= type == CUDA_R_4F_E2M1;
#endif
	(void)type;
	return is;
}

#define EACH(list, at) (at = (list); at->name; at++)
#define EACH_TYPE(at) (at = types; *at != LT_UNSET; at++)

/* The types that a case may use, real or complex ones; ends with LT_UNSET. */
static void usable_types(int complex, int *types)
{
	const struct lt_named *type;

	for EACH(lt_types, type)
		if (lt_type_bits(type->value) && lt_is_complex(type->value) == complex)
			*types++ = type->value;
	*types = LT_UNSET;
}

/* Every combination of types that the library takes, for A transposed, as the narrow types demand. */
static void sweep_types(int complex)
{
	const struct lt_named *compute;
	struct lt_case lt = {.op_a = CUBLAS_OP_T, .epilogue = CUBLASLT_EPILOGUE_DEFAULT, .bias = LT_UNSET, .aux = LT_UNSET, .batch = LT_UNSET,
			     .mode_a = LT_UNSET, .mode_b = LT_UNSET};
	int types[64], *a, *b, *c, *d, *scale;
	unsigned all = every;

	usable_types(complex, types);
	every = every_type;
	for EACH_TYPE(a)
	for EACH_TYPE(b)
	for EACH_TYPE(c)
	for EACH_TYPE(d)
	for EACH(lt_computes, compute)
	for EACH_TYPE(scale) {
		if ((*c != *d && !is_narrow(*a)) || lt_type_bits(*scale) < 16)
			continue;
		lt.a = *a, lt.b = *b, lt.c = *c, lt.d = *d, lt.compute = compute->value, lt.scale = *scale;
		if (visit(&lt) && combination_count < COMBINATIONS)
			combinations[combination_count++] = lt;
	}
	every = all;
}

static void sweep_operations(struct lt_case lt)
{
	for (lt.op_a = CUBLAS_OP_N; lt.op_a <= CUBLAS_OP_C; lt.op_a++)
		for (lt.op_b = CUBLAS_OP_N; lt.op_b <= CUBLAS_OP_C; lt.op_b++)
			if (lt_is_complex(lt.a) || (lt.op_a != CUBLAS_OP_C && lt.op_b != CUBLAS_OP_C))
				visit(&lt);
}

/* The types that a bias or an aux matrix may be told to have; LT_UNSET stands for telling none. */
static int told_type(int i)
{
	static const int types[] = {LT_UNSET, CUDA_R_16F, CUDA_R_16BF, CUDA_R_32F,
#ifdef HAVE_CUDA_R_8F_E4M3
				    CUDA_R_8F_E4M3, CUDA_R_8F_E5M2,
#endif
	};

	return (size_t)i < sizeof(types) / sizeof(types[0]) ? types[i] : LT_UNSET - 1;
}

static void sweep_epilogues(struct lt_case lt)
{
	const struct lt_named *epilogue, *mode;
	int i, k;

	for EACH(lt_epilogues, epilogue) {
		lt.epilogue = epilogue->value;
		sweep_operations(lt);
#ifdef HAVE_CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE
		for (i = 0; told_type(i) >= LT_UNSET; i++)
			for (k = 0; told_type(k) >= LT_UNSET; k++) {
				struct lt_case told = lt;

				told.bias = told_type(i);
				told.aux = told_type(k);
				if ((i || k) && (!i || lt_uses_bias(lt.epilogue)) && (!k || lt_uses_aux(lt.epilogue)))
					visit(&told);
			}
#endif
		for EACH(lt_pointer_modes, mode) {
			struct lt_case pointers = lt;

			pointers.pointer_mode = mode->value;
			visit(&pointers);
		}
		for EACH(lt_batch_modes, mode) {
			struct lt_case batch = lt;

			batch.batch = mode->value;
			sweep_operations(batch);
		}
	}
	(void)i;
	(void)k;
}

static void sweep_orders(struct lt_case lt)
{
	const struct lt_named *a, *b, *c, *epilogue;

	for EACH(lt_orders, a)
	for EACH(lt_orders, b)
	for EACH(lt_orders, c) {
		lt.order_a = a->value, lt.order_b = b->value, lt.order_c = c->value;
		sweep_operations(lt);
	}
	lt.order_a = lt.order_b = lt.order_c = CUBLASLT_ORDER_ROW;
	for EACH(lt_epilogues, epilogue) {
		lt.epilogue = epilogue->value;
		visit(&lt);
	}
}

static int is_outer(const struct lt_named *mode)
{
	return !strcmp(mode->name, "OUTER_VEC_32F");
}

/* Scale factors: every set of those of the matrices; the rest one by one; each pair of ways in which A's and B's are laid out. */
static void sweep_scales(struct lt_case lt)
{
	const struct lt_named *a, *b, *epilogue;
	int given;

	for (given = 1; given < 2 * LT_D_AMAX; given++) {
		lt.given = given;
		visit(&lt);
	}
	for EACH(lt_epilogues, epilogue) {
		lt.epilogue = epilogue->value;
		lt.given = LT_A_SCALE | LT_B_SCALE | LT_D_SCALE;
		visit(&lt);
		lt.given |= LT_AUX_SCALE | LT_AUX_AMAX;
		visit(&lt);
	}
	lt.epilogue = CUBLASLT_EPILOGUE_DEFAULT;
	lt.given = LT_FAST_ACCUM | LT_A_SCALE | LT_B_SCALE;
	visit(&lt);
	lt.given = LT_A_SCALE | LT_B_SCALE;
	for EACH(lt_scale_modes, a)
	for EACH(lt_scale_modes, b) {
		if (is_outer(a) != is_outer(b))		/* cuBLASLt 13.1's heuristic aborts */
			continue;
		lt.mode_a = a->value, lt.mode_b = b->value;
		visit(&lt);
	}
}

int main(int argc, char **argv)
{
	size_t i;

	if (argc < 2 || argc > 5 || !(out = fopen(argv[1], getenv("LT_SKIP") ? "a" : "w"))) {
		fprintf(stderr, "usage: lt OUT [NATIVE|- [EVERY [TYPES]]]\n");
		return 2;
	}
	own_arguments = argv;
	if (getenv("LT_SKIP"))
		skip = strtoul(getenv("LT_SKIP"), NULL, 10);
	if (argc > 2 && strcmp(argv[2], "-"))
		read_native(argv[2]);
	if (argc > 3)
		every = (unsigned)atoi(argv[3]);
	if (argc > 4)
		every_type = (unsigned)atoi(argv[4]);
	setlinebuf(out);
	memory_open();
	lt_open();
	catch_crashes();
	sweep_types(0);
	sweep_types(1);
	sweeping = 1;
	for (i = 0; i < combination_count; i++) {
		struct lt_case lt = combinations[i];

		sweep_epilogues(lt);
		sweep_orders(lt);
		if (lt_is_complex(lt.a)) {
			lt.planar = 1;
			sweep_operations(lt);
		} else if (is_narrow(lt.a)) {
			sweep_scales(lt);
		}
	}
	fprintf(out, "# header %d library %zu: %zu cases of %zu combinations of types, %zu refused\n", CUBLAS_VERSION, cublasLtGetVersion(), tried,
		combination_count, refused);
	printf("header %d library %zu: %zu cases of %zu combinations of types, %zu refused\n", CUBLAS_VERSION, cublasLtGetVersion(), tried,
	       combination_count, refused);
	return fclose(out) ? 4 : 0;
}
