/* SPDX-License-Identifier: Apache-2.0 */
/* What NCCL says of itself (doctor.h): its release, and the CUDA that it was built with, stand in it as text. Its name tells neither. */
#include "doctor.h"

#include <stdlib.h>
#include <string.h>
#include "elf_section.h"

#define MAX_SECTION (64u << 20) /* its strings lie in 2 MB */

static const char *text_in(const struct gw_elf *elf, const char *text, const char **end)
{
	struct gw_elf_section section;

	for (size_t i = 1; i < gw_elf_section_count(elf); i++) {
		const char *found;

		if (!gw_elf_section_read(elf, i, &section) || !section.bytes || section.size > MAX_SECTION || gw_elf_section_is_for_gpu(&section))
			continue;
		found = memmem(section.bytes, section.size, text, strlen(text));
		if (!found)
			continue;
		found += strlen(text);
		*end = found + strnlen(found, (size_t)((const char *)section.bytes + section.size - found));
		return found;
	}
	return NULL;
}

bool gw_doctor_nccl(struct gw_doctor *doctor, const char *real, const char **release, const char **cuda)
{
	struct gw_file *file = gw_loader_file(&doctor->scan.loader, real);
	const char *end, *text = file && !file->status ? text_in(&file->elf, "NCCL version ", &end) : NULL;
	char own[64], number[GW_RELEASE_SIZE];
	char *plus;

	/* "2.20.5+cuda12.4" */
	if (!text || end - text >= (long)sizeof own)
		return false;
	memcpy(own, text, (size_t)(end - text));
	own[end - text] = '\0';
	plus = strstr(own, "+cuda");
	if (!plus || !gw_version_number(own, plus, 2, number))
		return false;
	*release = gw_doctor_keep(doctor, "%s", number);
	*cuda = gw_version_number(plus + 5, plus + strlen(plus), 1, number) ? gw_doctor_keep(doctor, "%s", number) : NULL;
	return *cuda != NULL;
}

void gw_doctor_check_nccl(struct gw_doctor *doctor, const struct gw_doctor_framework *framework)
{
	for (size_t u = 0; framework->cuda && u < framework->use_count; u++) {
		const struct gw_doctor_use *use = &framework->uses[u];
		const char *release, *cuda;

		if (strcmp(use->family, "nccl") != 0 || !use->real || !gw_doctor_nccl(doctor, use->real, &release, &cuda) ||
		    strtoul(cuda, NULL, 10) == strtoul(framework->cuda, NULL, 10))
			continue;
		gw_doctor_find(doctor, GW_FINDING_NCCL_OTHER, NULL, "%s of %s runs CUDA %s, and gets %s, found by %s, which was built for CUDA %s",
			       framework->name, framework->site,
			       framework->cuda, use->path, use->how, cuda);
	}
}
