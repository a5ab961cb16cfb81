/* SPDX-License-Identifier: Apache-2.0 */
/* The project's own data files, which a user may add to. The first byte tells what the rest is: facts, findings or families. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>
#include "tools/abi.h"
#include "abi/findings.h"

static void use_facts(const char *text, size_t size)
{
	struct abi_error error = {0};
	struct abi_db db = {0};

	if (abi_db_parse(&db, "facts.abi", text, size, &error) != 0)
		gw_fuzz_error(error.text, "facts.abi");
	for (size_t f = 0; f < db.family_count; f++)
		for (size_t r = 0; r < db.families[f].release_count; r++)
			if (abi_family_release(&db.families[f], db.families[f].releases[r].version) < 0)
				abort();
	abi_db_finish(&db);
}

static void use_findings(const char *text, size_t size)
{
	struct abi_findings findings = {0};
	struct abi_error error = {0};

	if (abi_findings_parse(&findings, "findings", text, size, &error) != 0) {
		gw_fuzz_error(error.text, "findings");
		return;
	}
	abi_findings_find(&findings, "GW-101");
	abi_findings_finish(&findings);
}

static void use_families(const uint8_t *data, size_t size)
{
	const char *path = gw_fuzz_file(data, size);
	struct abi_error error = {0};
	struct gw_rules rules;

	if (gw_rules_load(&rules, path, &error) != 0) {
		gw_fuzz_error(error.text, path);
		return;
	}
	for (size_t i = 0; i < rules.count; i++) {
		gw_rule_has_library(&rules.rule[i], "libcublas.so.12");
		gw_rule_has_symbol(&rules.rule[i], "cublasCreate_v2");
	}
	gw_rules_finish(&rules);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	switch (data[0] % 3) {
	case 0:
		use_facts((const char *)data + 1, size - 1);
		break;
	case 1:
		use_findings((const char *)data + 1, size - 1);
		break;
	default:
		use_families(data + 1, size - 1);
	}
	return 0;
}
