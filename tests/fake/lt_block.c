/* SPDX-License-Identifier: Apache-2.0 */
/* Size rules and attribute access of the semi-opaque blocks. Knows no attribute by name: lt_kinds.c has the tables. */
#include "lt_block.h"

#include <string.h>

/* The largest known size that fits, or what the caller has where that is below all of them. */
static uint16_t size_for(const struct lt_kind *kind, size_t told)
{
	uint16_t best = 0;

	for (size_t i = 0; i < kind->size_count; i++)
		if (kind->sizes[i] <= told && kind->sizes[i] > best)
			best = kind->sizes[i];
	return best ? best : (uint16_t)told;
}

static uint16_t own_size(const struct lt_kind *kind)
{
	return kind->sizes[kind->size_count - 1];
}

static uint32_t format_for(const struct lt_kind *kind, uint16_t size)
{
	if (size == own_size(kind))
		return kind->newest_format;
	for (size_t i = 0; i < kind->size_count; i++)
		if (kind->sizes[i] == size)
			return kind->first_format + (uint32_t)i;
	return kind->first_format - 1;
}

cublasStatus_t lt_block_init(const struct lt_kind *kind, void *block, size_t size)
{
	struct lt_head head = { .mark = kind->mark };

	if (!block || size < kind->least)
		return CUBLAS_STATUS_INVALID_VALUE;
	head.size = size_for(kind, size < own_size(kind) ? size : own_size(kind));
	head.format = format_for(kind, head.size);
	memset(block, 0, head.size);
	memcpy(block, &head, sizeof head);
	for (size_t i = 1; kind->size_at && i < kind->size_count; i++)
		if (head.size == kind->sizes[i])
			((unsigned char *)block)[kind->size_at] = (unsigned char)i;
	return CUBLAS_STATUS_SUCCESS;
}

static struct lt_head head_of(const void *block)
{
	struct lt_head head;

	memcpy(&head, block, sizeof head);
	return head;
}

bool lt_block_valid(const struct lt_kind *kind, const void *block)
{
	struct lt_head head;

	if (!block)
		return false;
	head = head_of(block);
	return head.mark == kind->mark && head.size >= kind->least && head.size <= own_size(kind) &&
	       head.format <= kind->newest_format;
}

static const struct lt_attribute *find(const struct lt_kind *kind, const void *block, int id)
{
	for (size_t i = 0; i < kind->attribute_count; i++) {
		const struct lt_attribute *attribute = &kind->attributes[i];

		if (attribute->id == id)
			return attribute->unchecked || attribute->offset + attribute->width <= head_of(block).size ? attribute : NULL;
	}
	return NULL;
}

static int64_t sign_extend(const void *from, size_t width)
{
	int64_t value = 0;

	memcpy(&value, from, width);	/* little endian, as all of x86-64 */
	if (width < sizeof value)
		value = (int64_t)((uint64_t)value << (64 - 8 * width)) >> (64 - 8 * width);
	return value;
}

cublasStatus_t lt_block_set(const struct lt_kind *kind, void *block, int id, const void *value, size_t size)
{
	const struct lt_attribute *attribute;
	int64_t number;

	if (!lt_block_valid(kind, block) || !value)
		return CUBLAS_STATUS_INVALID_VALUE;
	attribute = find(kind, block, id);
	if (!attribute || attribute->size != size)
		return CUBLAS_STATUS_INVALID_VALUE;
	number = sign_extend(value, size);
	if (attribute->width < size && sign_extend(&number, attribute->width) != number)
		return CUBLAS_STATUS_INVALID_VALUE;
	memcpy((char *)block + attribute->offset, &number, attribute->width);
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t lt_block_get(const struct lt_kind *kind, const void *block, int id, void *value, size_t size, size_t *written)
{
	const struct lt_attribute *attribute;
	int64_t number;

	if (!lt_block_valid(kind, block) || (size && !value) || (!size && !written))
		return CUBLAS_STATUS_INVALID_VALUE;
	attribute = find(kind, block, id);
	if (!attribute || (size && size != attribute->size))
		return CUBLAS_STATUS_INVALID_VALUE;
	if (size) {
		number = sign_extend((const char *)block + attribute->offset, attribute->width);
		memcpy(value, &number, size);
	}
	if (written)
		*written = attribute->size;
	return CUBLAS_STATUS_SUCCESS;
}

int64_t lt_block_number(const struct lt_kind *kind, const void *block, int id, int64_t fallback)
{
	const struct lt_attribute *attribute = find(kind, block, id);

	return attribute ? sign_extend((const char *)block + attribute->offset, attribute->width) : fallback;
}

void *lt_block_pointer(const struct lt_kind *kind, const void *block, int id)
{
	return (void *)(intptr_t)lt_block_number(kind, block, id, 0);
}

void lt_block_put(const struct lt_kind *kind, void *block, int id, int64_t value)
{
	const struct lt_attribute *attribute = find(kind, block, id);

	if (attribute)
		memcpy((char *)block + attribute->offset, &value, attribute->width);
}
