/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A libFuzzer target for policy files and the value of GANGWAY_RESCUE. The first byte says which the rest is. What is accepted is written down
 * and read again: it has to mean the same.
 *   clang -g -fsanitize=fuzzer,address,undefined -D_GNU_SOURCE -I. -IBUILD/abi tests/fuzz/fuzz_policy.c abi/policy*.c
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "abi/policy.h"

static void must(int fine)
{
	if (!fine)
		abort();
}

static void check_error(const struct gw_policy_error *error)
{
	must(error->line > 0 && error->column > 0 && error->why && *error->why);
}

static void use(const struct gw_policy *policy)
{
	static const uint16_t part[4] = { 13, 1, 0, 5 };
	struct gw_policy_case asked = { .name = "int8-order", .function = "cublasLtMatmul", .family = "cublasLt", .algorithm = 21,
					.release = gw_policy_release(part), .arch = 90, .m = 16, .n = 4096, .k = 1, .batch = -1 };
	struct gw_policy_error error;

	gw_policy_find(policy, GW_POLICY_RESCUE, &asked);
	gw_policy_find(policy, GW_POLICY_DENY, &asked);
	for (unsigned i = 0; i < policy->count; i++) {
		struct gw_policy again = { .count = 0 };
		char text[1024], twice[1024];

		gw_policy_format(&policy->rules[i], text, sizeof text);
		must(gw_policy_parse(&again, text, strlen(text), &error));
		must(again.count == 1);
		gw_policy_format(&again.rules[0], twice, sizeof twice);
		must(!strcmp(text, twice));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct gw_policy policy;
	struct gw_policy_error error = { 0 };
	bool good;
	char *text;

	if (!size)
		return 0;
	policy.count = 0;
	text = malloc(size);
	memcpy(text, data + 1, size - 1);
	text[size - 1] = 0;
	good = data[0] & 1 ? gw_policy_parse_rescue(&policy, text, &error) : gw_policy_parse(&policy, text, size - 1, &error);
	if (!good) {
		check_error(&error);
		must(policy.count == 0);
	}
	use(&policy);
	free(text);
	return 0;
}
