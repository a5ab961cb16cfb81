/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a trace file from its format's header alone (abi/trace_format.h), of calls that never were, and prints what a reader has to find in it,
 * as JSON. Shares no code with the reader, nor with the shim.
 *
 *	make FILE [--records N] [--threads N] [--block BYTES] [--simple] [--gap BLOCKS] [--counts] [--count-only] [--killed] [--sample N]
 *	          [--host NAME] [--rank N] [--pid N] [--start NS] [--version N]
 *
 * --simple: records of 64 bytes alone. --gap: as many blocks of each thread are lost, as in a ring. --killed: no end, and one call unfinished.
 */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "abi/trace_format.h"
#include "make_definitions.h"

#define PAGE 4096u
#define NS(ticks) ((ticks) / 2)		/* the clock of these files runs at 2 GHz */
#define APP_LOW UINT64_C(0x555500000000)
#define LIBRARY_LOW UINT64_C(0x7f1200000000)

enum { FN_SET = 3, FN_HEURISTIC = 5, FN_MATMUL = 6, FN_CONVOLUTION = 20, FN_BIAS = 21, FN_ACTIVATION = 22, FN_VERSION = 30, FN_ALL = 31, FN_COUNT = 40 };

static const char *const names[FN_COUNT] = {
	[FN_SET] = "cublasLtMatmulDescSetAttribute", [FN_HEURISTIC] = "cublasLtMatmulAlgoGetHeuristic", [FN_MATMUL] = "cublasLtMatmul",
	[FN_CONVOLUTION] = "cudnnConvolutionForward", [FN_BIAS] = "cudnnAddTensor", [FN_ACTIVATION] = "cudnnActivationForward",
	[FN_VERSION] = "cublasLtGetVersion", [FN_ALL] = "everyClass",
};
static const char *const shapes[] = {"", "bf16 4096x16x4096 TN + bias", "bf16 64x64x131072 NT", "fp32 2048x2048x2048 NN", "fp16 NHWC 32x64x56x56 3x3",
				     "bf16 4096x16x4096 TN + bias"};

struct sum {
	uint64_t calls, failures, timed, ticks, shortest, longest, gpu_ns;
};

struct thread {
	uint64_t *block, number, sequence, records, step, stamp;
	uint32_t fill;
};

static struct options {
	uint64_t records, start;
	uint32_t threads, block, gap, sample, pid, version;
	long rank;
	bool simple, counts, count_only, killed;
	const char *host;
} options = {.records = 1000, .start = UINT64_C(1700000000000000000), .threads = 3, .block = 65536, .sample = 1, .pid = 4711, .version = GW_TRACE_VERSION,
	     .rank = -1, .host = "node1"};

static FILE *out;
static uint32_t blocks;
static struct sum kept[FN_COUNT], all[FN_COUNT], by_shape[8], redirected;
static uint64_t overwritten, sequences, sequence_ticks, outer_ticks, marks, latest_stamp, not_supported, old_not_supported;

static uint32_t check_bytes(uint64_t seed, const void *bytes, size_t size)
{
	uint64_t *words = calloc(size / 8 + 1, 8);
	uint32_t check;

	if (!words)
		abort();
	memcpy(words, bytes, size);
	check = gw_trace_check_words(seed, words, (uint32_t)((size + 7) / 8));
	free(words);
	return check;
}

static void write_block(struct gw_trace_block *block)
{
	block->check = check_bytes(0, block, offsetof(struct gw_trace_block, check));
	if (fwrite(block, options.block, 1, out) != 1)
		exit(3);
	blocks++;
}

static void define(void)
{
	struct gw_trace_block *block = calloc(options.block, 1);
	char process[1024], rank[40] = "";
	size_t at = sizeof(*block);

	if (options.rank >= 0)
		snprintf(rank, sizeof(rank), "\"RANK\":\"%ld\"", options.rank);
	snprintf(process, sizeof(process),
		 "{\"def\":\"process\",\"host\":\"%s\",\"boot_id\":\"b00t\",\"pid\":%u,\"program\":\"/opt/app/bin/train\",\"command\":[\"train\",\"--fast\"],"
		 "\"cwd\":\"/opt/app\",\"build\":\"1234\",\"environment\":{%s},\"parent\":1}",
		 options.host, options.pid, rank);
	for (size_t i = 0; i <= sizeof(definitions) / sizeof(*definitions); i++) {
		const char *text = i ? definitions[i - 1] : process;
		size_t length = strlen(text), size = (sizeof(struct gw_trace_definition) + length + 7) / 8 * 8;
		struct gw_trace_definition *definition;

		if (at + size > options.block || at == sizeof(*block)) {
			if (at != sizeof(*block))
				write_block(block);
			memset(block, 0, options.block);
			block->kind = GW_TRACE_DEFINITIONS;
			block->generation = 1;
			at = sizeof(*block);
		}
		definition = (void *)((char *)block + at);
		*definition = (struct gw_trace_definition){(uint32_t)size, 1, 1, check_bytes(0, text, length), (uint32_t)length};
		memcpy(definition + 1, text, length);
		at += size;
		block->fill = (uint32_t)(at - sizeof(*block));
	}
	write_block(block);
	free(block);
}

static struct gw_trace_block *head_of(struct thread *thread)
{
	return (void *)thread->block;
}

/* Is the block that THREAD writes one of those that a ring would have used again? */
static bool is_lost(const struct thread *thread)
{
	return thread->sequence >= 1 && thread->sequence < 1 + options.gap;
}

static void end_block(struct thread *thread)
{
	struct gw_trace_block *head = head_of(thread);

	if (is_lost(thread))
		overwritten += thread->records - head->first;
	else if (thread->fill > sizeof(*head))
		write_block(head);
	thread->sequence++;
	memset(thread->block, 0, options.block);
	thread->fill = sizeof(*head);
}

static void begin_block(struct thread *thread)
{
	struct gw_trace_block *head = head_of(thread);

	*head = (struct gw_trace_block){.kind = GW_TRACE_RECORDS, .generation = 1, .tid = 1000 + (uint32_t)thread->number, .thread = thread->number,
					.sequence = thread->sequence, .first = thread->records, .sample = options.sample};
}

static void add_sum(struct sum *sum, uint64_t ticks, bool failed, uint64_t gpu, uint64_t weight)
{
	sum->calls += weight;
	sum->failures += failed ? weight : 0;
	if (ticks) {
		sum->shortest = !sum->timed || ticks < sum->shortest ? ticks : sum->shortest;
		sum->longest = ticks > sum->longest ? ticks : sum->longest;
		sum->timed += weight;
		sum->ticks += ticks * weight;
	}
	sum->gpu_ns += gpu * weight;
}

struct call {
	uint16_t fn, flags;
	uint64_t ticks, caller, result, shape, stack, redirect, gpu;
	unsigned char data[512];
	uint32_t size;
};

static void put(struct call *call, const void *bytes, uint32_t size)
{
	memcpy(call->data + call->size, bytes, size);
	call->size += size;
}

static void put8(struct call *call, uint64_t value)
{
	put(call, &value, 8);
}

static void put4(struct call *call, uint32_t value)
{
	put(call, &value, 4);
}

static void record(struct thread *thread, struct call *call, unsigned kind)
{
	uint64_t words[96] = {0}, mark;
	struct gw_trace_record *head = (void *)words;
	bool failed = call->result && (call->fn == FN_MATMUL || call->fn == FN_SET || call->fn == FN_HEURISTIC || call->fn >= FN_CONVOLUTION) &&
		      call->fn != FN_VERSION && call->fn != FN_ALL;
	uint32_t slots, size;

	head->start = thread->stamp;
	head->duration = call->ticks >= UINT32_MAX ? UINT32_MAX : (uint32_t)call->ticks;
	call->flags |= call->ticks >= UINT32_MAX ? GW_TRACE_SLOW : 0;
	call->flags |= call->result > 0xffff ? GW_TRACE_STATUS : 0;
	head->fn = call->fn;
	head->caller = call->caller | (call->result & 0xffff) << 48;
	if (call->flags & GW_TRACE_STACK)
		put8(call, call->stack);
	if (call->flags & GW_TRACE_SHAPE)
		put8(call, call->shape);
	if (call->flags & GW_TRACE_SLOW)
		put8(call, call->ticks);
	if (call->flags & GW_TRACE_STATUS)
		put8(call, call->result);
	if (call->flags & GW_TRACE_REDIRECTED)
		put8(call, call->redirect);
	if (call->flags & GW_TRACE_GPU)
		put8(call, call->gpu);
	head->flags = call->flags;
	size = 32 + call->size;
	slots = (size + 63) / 64;
	memcpy((char *)words + 32, call->data, call->size);
	mark = 1 | slots << 16 | kind << 24;
	head->mark = mark | (uint64_t)gw_trace_check_words(mark, words + 1, slots * 8 - 1) << 32;
	if (thread->fill + slots * 64 > options.block)
		end_block(thread);
	if (thread->fill == sizeof(struct gw_trace_block))
		begin_block(thread);
	memcpy((char *)thread->block + thread->fill, words, slots * 64);
	thread->fill += slots * 64;
	thread->records++;
	if (kind != GW_TRACE_CALL) {
		marks += !is_lost(thread);
		return;
	}
	add_sum(&all[call->fn], call->ticks, failed, 0, options.sample);
	latest_stamp = thread->stamp + call->ticks > latest_stamp ? thread->stamp + call->ticks : latest_stamp;
	if (is_lost(thread))
		return;
	add_sum(&kept[call->fn], call->ticks, failed, call->gpu, options.sample);
	if (call->flags & GW_TRACE_SHAPE)
		add_sum(&by_shape[call->shape], call->ticks, failed, call->gpu, options.sample);
	if (call->flags & GW_TRACE_REDIRECTED)
		add_sum(&redirected, call->ticks, failed, 0, options.sample);
	outer_ticks += call->flags & GW_TRACE_NESTED ? 0 : call->ticks * options.sample;
	not_supported += failed && call->result == 15 && call->caller < LIBRARY_LOW;
	old_not_supported += failed && call->result == 15 && call->caller > LIBRARY_LOW;
}

static void simple(struct thread *thread, uint64_t i)
{
	struct call call = {.fn = FN_VERSION, .ticks = 20 + i % 50, .caller = APP_LOW + 0x1000 + i % 16 * 16, .result = 13};

	record(thread, &call, GW_TRACE_CALL);
	thread->stamp += 200;
}

/* The next calls of a program that multiplies and convolves. Returns how many records it made. */
static uint64_t step(struct thread *thread)
{
	uint64_t i = thread->step++, records = 0, shape = 1 + i % 3, buffer = 0x10000 + i % 8 * 0x1000;
	struct call set = {.fn = FN_SET, .ticks = 30 + i % 20, .caller = APP_LOW + 0x1000, .result = i % 97 == 5 ? 7 : 0};
	struct call nested = {.fn = FN_SET, .flags = GW_TRACE_NESTED, .ticks = 22, .caller = LIBRARY_LOW + 0x77};
	struct call heuristic = {.fn = FN_HEURISTIC, .flags = GW_TRACE_SHAPE, .ticks = 4000, .caller = APP_LOW + 0x1100, .shape = 5};
	struct call matmul = {.fn = FN_MATMUL, .flags = GW_TRACE_SHAPE | GW_TRACE_STACK | GW_TRACE_GPU, .ticks = 20000 + i % 100, .caller = APP_LOW + 0x1200,
			      .shape = shape, .stack = 1, .gpu = 10000 + i % 10};
	struct call convolution = {.fn = FN_CONVOLUTION, .flags = GW_TRACE_SHAPE, .ticks = 40000, .caller = APP_LOW + 0x1300, .shape = 4};
	struct call bias = {.fn = FN_BIAS, .ticks = 10000, .caller = APP_LOW + 0x1400}, activation = {.fn = FN_ACTIVATION, .ticks = 11000, .caller = APP_LOW + 0x1500};
	struct call version = {.fn = FN_VERSION, .ticks = 0, .caller = APP_LOW + 0x1600, .result = 130100 & 0xffff};
	struct call every = {.fn = FN_ALL, .flags = GW_TRACE_LONG, .ticks = 50, .caller = APP_LOW + 0x1700};
	struct call *calls[] = {&set, &nested, &heuristic, &matmul, &convolution, &bias, &activation, &version, &every};
	float third = 0.5f;
	double fourth = -2.25;
	bool chain = true;

	put8(&set, 0xaaaa0000 + i), put4(&set, i % 2 ? 3 : 7), put8(&set, 0xbbbb0000), put4(&set, 4), put8(&set, i);
	put8(&nested, 0xcccc0000), put4(&nested, 99), put8(&nested, 0), put4(&nested, 8), put8(&nested, 0);
	put8(&heuristic, 0x4000), put4(&heuristic, 8), put8(&heuristic, 0x5000), put4(&heuristic, 3);
	put8(&matmul, 0x4000), put8(&matmul, buffer), put8(&matmul, buffer + 1), put8(&matmul, 0x900000 + i % 8), put4(&matmul, 1 << 20);
	put8(&convolution, 0x6000), put8(&convolution, 0x700000 + i % 4);
	put8(&bias, 0x6000), put8(&bias, 0x700000 + i % 4);
	put8(&activation, 0x6000), put8(&activation, 0x700000 + i % 4), put8(&activation, 0x800000);
	put4(&every, (uint32_t)-5), put8(&every, (uint64_t)-6000000000), put(&every, &third, 4), put(&every, &fourth, 8), put8(&every, 0x1234), put4(&every, 4000000000u);
	put4(&every, (uint32_t)-7), put(&every, "twelve bytes", 12), put8(&every, UINT64_C(0xffffffffffffffff));
	if (i % 41 == 3)
		matmul.result = 15, matmul.gpu = 0, matmul.flags &= (uint16_t)~GW_TRACE_GPU;
	if (i % 43 == 4)
		matmul.caller = UINT64_C(0x7f1300000400), matmul.stack = 2;
	if (i % 86 == 4)
		matmul.result = 15;
	if (i % 53 == 6)
		matmul.flags |= GW_TRACE_REDIRECTED, matmul.redirect = 1;
	if (i % 301 == 7)
		matmul.ticks = UINT64_C(6000000000);
	if (i % 61 == 8)
		convolution.result = 3000;
	if (i % 67 == 9)
		convolution.result = 0x12345;
	for (size_t c = 0; c < sizeof(calls) / sizeof(*calls); c++) {
		record(thread, calls[c], GW_TRACE_CALL);
		records++;
		if (c >= 4 && c <= 6)
			chain = chain && !is_lost(thread);
		thread->stamp += calls[c]->flags & GW_TRACE_NESTED ? 10 : calls[c]->ticks + 100;
	}
	if (chain) {
		sequences++;
		sequence_ticks += convolution.ticks + bias.ticks + activation.ticks;
	}
	if (i % 1000 == 10) {
		struct call mark = {.size = 0};

		put8(&mark, 1);
		record(thread, &mark, GW_TRACE_MARK);
		records++;
	}
	return records;
}

static void write_counts(void)
{
	struct gw_trace_block *block = calloc(options.block, 1);
	struct gw_trace_count *count = (void *)(block + 1);

	*block = (struct gw_trace_block){.kind = GW_TRACE_COUNTS, .generation = 1};
	for (unsigned fn = 0; fn < FN_COUNT; fn++)
		if (all[fn].calls)
			*count++ = (struct gw_trace_count){.fn = (uint16_t)fn, .calls = all[fn].calls, .failures = all[fn].failures, .timed = all[fn].timed,
							   .ticks = all[fn].ticks, .longest = all[fn].longest,
							   .shortest = all[fn].timed ? (uint32_t)all[fn].shortest + 1 : 0};
	write_block(block);
	free(block);
}

static void print_sum(const char *name, const struct sum *sum, bool *first)
{
	if (!sum->calls)
		return;
	printf("%s\"%s\":{\"calls\":%llu,\"failures\":%llu,\"ns\":%llu,\"shortest\":%llu,\"longest\":%llu,\"gpu_ns\":%llu}", *first ? "" : ",", name,
	       (unsigned long long)sum->calls, (unsigned long long)sum->failures, (unsigned long long)NS(sum->ticks), (unsigned long long)NS(sum->shortest),
	       (unsigned long long)NS(sum->longest), (unsigned long long)sum->gpu_ns);
	*first = false;
}

static void print_all(uint64_t records)
{
	bool first = true;

	printf("{\"records\":%llu,\"overwritten\":%llu,\"marks\":%llu,\"sequences\":%llu,\"sequence_ns\":%llu,\"busy_ns\":%llu,\"not_supported\":%llu,"
	       "\"old_not_supported\":%llu,\"blocks\":%u,\"functions\":{",
	       (unsigned long long)records, (unsigned long long)overwritten, (unsigned long long)marks, (unsigned long long)sequences,
	       (unsigned long long)NS(sequence_ticks), (unsigned long long)NS(outer_ticks), (unsigned long long)not_supported,
	       (unsigned long long)old_not_supported, blocks);
	for (unsigned fn = 0; fn < FN_COUNT; fn++)
		if (names[fn])
			print_sum(names[fn], &kept[fn], &first);
	printf("},\"all\":{");
	first = true;
	for (unsigned fn = 0; fn < FN_COUNT; fn++)
		if (names[fn])
			print_sum(names[fn], &all[fn], &first);
	printf("},\"shapes\":{");
	first = true;
	for (unsigned s = 1; s <= 4; s++)
		print_sum(shapes[s], &by_shape[s], &first);
	printf("},\"redirected\":{");
	first = true;
	print_sum("calls", &redirected, &first);
	printf("}}\n");
}

static uint64_t make(void)
{
	struct thread *threads = calloc(options.threads, sizeof(*threads));
	uint64_t records = 0;

	for (uint32_t t = 0; t < options.threads; t++) {
		threads[t].block = calloc(options.block, 1);
		threads[t].number = t + 1;
		threads[t].fill = sizeof(struct gw_trace_block);
		threads[t].stamp = UINT64_C(1000000000000) + 1000 * (t + 1);
	}
	for (uint32_t t = 0; records < options.records; t = (t + 1) % options.threads) {
		if (options.simple)
			simple(&threads[t], threads[t].step++), records++;
		else
			records += step(&threads[t]);
	}
	for (uint32_t t = 0; t < options.threads; t++) {
		if (options.killed && !t) {
			/* in the middle of a call, and of a block */
			head_of(&threads[t])->owner = 1001;
			if (threads[t].fill + 64 <= options.block)
				threads[t].block[threads[t].fill / 8 + 2] = 0x1234;
		}
		end_block(&threads[t]);
		free(threads[t].block);
	}
	free(threads);
	return records;
}

static uint64_t number(const char *text)
{
	char *end;
	uint64_t value = strtoull(text, &end, 0);

	if (!*text || *end) {
		fprintf(stderr, "make: '%s' is no number\n", text);
		exit(2);
	}
	return value;
}

static void parse(int argc, char **argv)
{
	static const struct option longs[] = {
		{"records", 1, NULL, 'r'}, {"threads", 1, NULL, 't'}, {"block", 1, NULL, 'b'}, {"simple", 0, NULL, 's'}, {"gap", 1, NULL, 'g'},
		{"counts", 0, NULL, 'c'}, {"count-only", 0, NULL, 'o'}, {"killed", 0, NULL, 'k'}, {"sample", 1, NULL, 'm'}, {"host", 1, NULL, 'h'}, {"rank", 1, NULL, 'n'},
		{"pid", 1, NULL, 'p'}, {"start", 1, NULL, 'a'}, {"version", 1, NULL, 'v'}, {0},
	};
	int option;

	while ((option = getopt_long(argc, argv, "", longs, NULL)) != -1)
		switch (option) {
		case 'r': options.records = number(optarg); break;
		case 't': options.threads = (uint32_t)number(optarg); break;
		case 'b': options.block = (uint32_t)number(optarg); break;
		case 's': options.simple = true; break;
		case 'g': options.gap = (uint32_t)number(optarg); break;
		case 'c': options.counts = true; break;
		case 'o': options.counts = options.count_only = true; break;
		case 'k': options.killed = true; break;
		case 'm': options.sample = (uint32_t)number(optarg); break;
		case 'h': options.host = optarg; break;
		case 'n': options.rank = (long)number(optarg); break;
		case 'p': options.pid = (uint32_t)number(optarg); break;
		case 'a': options.start = number(optarg); break;
		case 'v': options.version = (uint32_t)number(optarg); break;
		default: exit(2);
		}
	if (optind + 1 != argc || !options.threads || options.block % PAGE || options.block < PAGE) {
		fprintf(stderr, "usage: make FILE [OPTION]…\n");
		exit(2);
	}
}

int main(int argc, char **argv)
{
	struct gw_trace_head head = {.head_size = PAGE, .ring = 0, .function_count = FN_COUNT, .clock = GW_TRACE_CLOCK_TSC};
	unsigned char page[PAGE] = {0};
	uint64_t records, end;

	parse(argc, argv);
	out = fopen(argv[optind], "wbe");
	if (!out || fwrite(page, PAGE, 1, out) != 1) {
		fprintf(stderr, "make: %s: %s\n", argv[optind], strerror(errno));
		return 3;
	}
	define();
	if (options.count_only) {
		FILE *file = out;

		out = fopen("/dev/null", "wbe");
		records = make();
		blocks = 1;
		fclose(out);
		out = file;
	} else {
		records = make();
	}
	if (options.counts)
		write_counts();
	memcpy(head.magic, GW_TRACE_MAGIC, sizeof(GW_TRACE_MAGIC));
	head.version = options.version;
	head.block_size = options.block;
	head.block_limit = blocks + 100;
	head.pid = options.pid;
	head.ring = options.gap > 0;
	head.start = (struct gw_trace_moment){UINT64_C(1000000000000), 5000000000, options.start};
	head.check = check_bytes(0, &head, offsetof(struct gw_trace_head, check));
	head.blocks = blocks;
	head.stopped = options.killed ? GW_TRACE_STOP_NONE : GW_TRACE_STOP_END;
	end = latest_stamp > UINT64_C(1000000000000) ? (latest_stamp - UINT64_C(1000000000000)) / 2 : 1000;
	head.now = (struct gw_trace_moment){head.start.stamp + 2 * end, head.start.monotonic_ns + end, head.start.realtime_ns + end};
	head.overwritten = overwritten;
	rewind(out);
	if (fwrite(&head, sizeof(head), 1, out) != 1 || fclose(out)) {
		fprintf(stderr, "make: %s: %s\n", argv[optind], strerror(errno));
		return 3;
	}
	print_all(records);
	return 0;
}
