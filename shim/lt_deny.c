/* SPDX-License-Identifier: Apache-2.0 */
/* See lt_deny.h. */
#include "lt_deny.h"

#include <errno.h>
#include <string.h>

#include "binding.h"
#include "driver.h"
#include "finding.h"
#include "gw_fn.h"
#include "gw_lt.h"
#include "gw_values.h"
#include "gw_via.h"
#include "line.h"
#include "policy.h"
#include "settings.h"

#define CANDIDATES 8

_Atomic int gw_lt_denies = -1;

static bool find_out(void)
{
	bool any = false;
	unsigned i;

	if (gw_setting(GW_SETTING_POLICY) && !gw_setting_on(GW_SETTING_DISABLE))
		for (i = 0; i < gw_policy()->count && !any; i++)
			any = gw_policy()->rules[i].action == GW_POLICY_DENY;
	atomic_store_explicit(&gw_lt_denies, any, memory_order_relaxed);
	return any;
}

static bool ask_case(struct gw_call *call, const struct gw_lt_product *p, struct gw_policy_case *asked)
{
	const struct gw_release *release = atomic_load_explicit(&call->binding->loaded_release, memory_order_relaxed);
	const struct gw_driver *driver = gw_driver();
	struct gw_lt_terms terms;
	int architecture = driver ? gw_driver_architecture(driver) : 0;

	if (!gw_lt_product_read(call, p, &terms))
		return false;
	*asked = (struct gw_policy_case){ .function = gw_function_name(call->fn), .family = gw_families[call->binding->family].name,
		.release = release ? gw_policy_release(release->part) : -1, .arch = architecture ? architecture : -1, .batch = terms.matrix[3].batch };
	gw_lt_terms_sizes(&terms, &asked->m, &asked->n, &asked->k);
	return true;
}

/* What the policy says of ALGO; OFF for one whose number the library does not tell. */
static enum gw_policy_effect effect_of(struct gw_call *call, const void *algo, struct gw_policy_case *asked)
{
	int32_t (*get)(const void *, int, void *, size_t, size_t *) =
		gw_binding_target((struct gw_binding *)(uintptr_t)call->binding, GW_FN_cublasLtMatmulAlgoConfigGetAttribute);
	const struct gw_policy_rule *rule;
	int32_t id = -1;
	size_t written;

	if (!get || get(algo, GW_VALUE_CUBLASLT_ALGO_CONFIG_ID, &id, sizeof(id), &written) || id < 0)
		return GW_POLICY_OFF;
	asked->algorithm = id;
	rule = gw_policy_find(gw_policy(), GW_POLICY_DENY, asked);
	return rule ? (enum gw_policy_effect)rule->effect : GW_POLICY_OFF;
}

static void tell(const struct gw_call *call, int64_t id, bool replaced)
{
	char text[256], subject[64];
	struct gw_line line;

	gw_line_start(&line, subject, sizeof(subject) - 1);
	gw_line_signed(&line, id);
	gw_line_text(&line, replaced ? " replaced" : " used");
	line.text[line.length] = 0;
	gw_line_start(&line, text, sizeof(text) - 1);
	gw_line_text(&line, gw_function_name(call->fn));
	gw_line_text(&line, " was given algorithm ");
	gw_line_signed(&line, id);
	gw_line_text(&line, ", which the policy denies; ");
	gw_line_text(&line, replaced ? "the heuristic's best other one was used" : "it was used all the same");
	line.text[line.length] = 0;
	gw_finding_tell(GW_FINDING_DENIED, subject, text, NULL);
}

static bool replace(struct gw_call *call, const struct gw_lt_product *p, struct gw_policy_case *asked, cublasLtMatmulAlgo_t *replacement)
{
	_Alignas(16) unsigned char results[CANDIDATES][GW_SIZE_cublasLtMatmulHeuristicResult_t];
	const uint32_t alignment[4] = { gw_lt_alignment(p->A), gw_lt_alignment(p->B), gw_lt_alignment(p->C), gw_lt_alignment(p->D) };
	int count = gw_lt_candidates(call, p->handle, p->desc, p->layout, p->workspace ? p->size : 0, alignment, results, CANDIDATES), i;

	for (i = 0; i < count; i++) {
		if (effect_of(call, results[i], asked) == GW_POLICY_SKIP)
			continue;
		memcpy(replacement, results[i], GW_SIZE_cublasLtMatmulAlgo_t);
		return true;
	}
	return false;
}

const cublasLtMatmulAlgo_t *gw_lt_deny(struct gw_call *call, const struct gw_lt_product *product, cublasLtMatmulAlgo_t *replacement)
{
	int error = errno, known = atomic_load_explicit(&gw_lt_denies, memory_order_relaxed);
	const cublasLtMatmulAlgo_t *algo = product->algo;
	enum gw_policy_effect effect = GW_POLICY_OFF;
	struct gw_policy_case asked;
	bool replaced = false;
	int64_t id;

	if ((known < 0 ? find_out() : known > 0) && ask_case(call, product, &asked))
		effect = effect_of(call, algo, &asked);
	if (effect == GW_POLICY_WARN || effect == GW_POLICY_SKIP) {
		id = asked.algorithm;
		replaced = effect == GW_POLICY_SKIP && replace(call, product, &asked, replacement);
		tell(call, id, replaced);
	}
	errno = error;
	return replaced ? replacement : algo;
}
