/* SPDX-License-Identifier: Apache-2.0 */
/* What stands in a block of a trace: records and definitions, and where they are damaged (trace_read.h). */
#include "trace_read.h"

#include <stddef.h>
#include <string.h>

#define SLOT 64u

static void note(struct gw_trace_cursor *cursor, bool damage, uint32_t position, const char *what)
{
	if (!cursor->quiet)
		gw_trace_note(cursor->file, damage, cursor->offset + position, "%s", what);
}

/* A whole record of this use of the block, with its check right? */
static bool is_record(const struct gw_trace_cursor *cursor, uint32_t position)
{
	const uint64_t *words = (const uint64_t *)(const void *)(cursor->block + position);
	uint64_t mark = words[0];
	uint32_t slots = (mark >> 16) & 0xff;

	return (uint16_t)mark == cursor->generation && slots && slots * SLOT <= cursor->size - position &&
	       (uint32_t)(mark >> 32) == gw_trace_check_words(mark & 0xffffffff, words + 1, slots * (SLOT / 8) - 1);
}

static bool is_zero(const unsigned char *bytes, uint32_t size)
{
	return !size || (!bytes[0] && !memcmp(bytes, bytes + 1, size - 1));
}

/* A slot without a mark of this use: was a call being recorded when its writer was interrupted, for a while or for good? */
static bool is_unfinished(const struct gw_trace_cursor *cursor, uint32_t position)
{
	uint64_t mark;

	memcpy(&mark, cursor->block + position, sizeof(mark));
	return !mark || (cursor->generation > 1 && (uint16_t)mark != cursor->generation);
}

/*
 * No record at POSITION: where does the next one begin? The end of the block when none does. What lies behind the last record of a block that
 * is used for the first time is zero, but for a call that was being recorded.
 */
static uint32_t resume(struct gw_trace_cursor *cursor, uint32_t position)
{
	bool unfinished = is_unfinished(cursor, position);
	uint32_t next = position;

	while (next < cursor->size && !is_record(cursor, next))
		next += SLOT;
	if (next < cursor->size) {
		note(cursor, !unfinished, position, unfinished ? "a call was being recorded here when the writer was interrupted"
							       : "a record is damaged; reading goes on at the next whole one");
		return next;
	}
	if (!cursor->quiet && (cursor->generation == 1 || !unfinished) && !is_zero(cursor->block + position, cursor->size - position)) {
		bool killed = cursor->live || cursor->file->head.stopped != GW_TRACE_STOP_END;
		uint32_t at = position;

		while (unfinished && !cursor->block[at])
			at++;
		note(cursor, !(killed && unfinished), at, !unfinished ? "a record is damaged" : killed ? "a call was being recorded here when the process ended"
						    : "behind the last record there should be nothing");
	}
	return cursor->size;
}

const struct gw_trace_record *gw_trace_next_record(struct gw_trace_cursor *cursor)
{
	const struct gw_trace_record *record;

	if (cursor->position + SLOT > cursor->size)
		return NULL;
	if (!is_record(cursor, cursor->position)) {
		cursor->position = resume(cursor, cursor->position);
		if (cursor->position + SLOT > cursor->size)
			return NULL;
	}
	record = (const void *)(cursor->block + cursor->position);
	cursor->position += gw_trace_record_slots(record) * SLOT;
	return record;
}

static uint32_t rounded(uint32_t length)
{
	return (length + (uint32_t)sizeof(struct gw_trace_definition) + 7) & ~7u;
}

static bool is_definition(const struct gw_trace_cursor *cursor, uint32_t position)
{
	const struct gw_trace_definition *definition = (const void *)(cursor->block + position);
	uint32_t room = cursor->size - position;

	return room > sizeof(*definition) && definition->generation == cursor->generation && definition->state == 1 &&
	       definition->length <= room - sizeof(*definition) && definition->length &&
	       definition->check == gw_trace_check_bytes(0, definition + 1, definition->length);
}

/* The head is damaged: which use of the block do its records, or definitions, bear? 0: none that could be read. */
static uint16_t guess_generation(struct gw_trace_cursor *cursor)
{
	const struct gw_trace_definition *definition = (const void *)(cursor->block + cursor->position);

	cursor->generation = definition->generation;
	if (is_definition(cursor, cursor->position))
		return cursor->generation;
	for (uint32_t position = cursor->position; position < cursor->size; position += SLOT) {
		memcpy(&cursor->generation, cursor->block + position, sizeof(cursor->generation));
		if (cursor->generation && is_record(cursor, position))
			return cursor->generation;
	}
	return 0;
}

void gw_trace_cursor_init(struct gw_trace_cursor *cursor, struct gw_trace_file *file, uint32_t number, const void *block)
{
	const struct gw_trace_block *head = block;

	*cursor = (struct gw_trace_cursor){
		.file = file, .offset = gw_trace_block_offset(file, number), .block = block, .size = file->block_size,
		.position = sizeof(*head), .generation = head->generation, .live = head->owner != 0,
	};
	if (!gw_trace_block_sound(file, number, head, false)) {
		/* nothing of it is believed */
		cursor->generation = guess_generation(cursor);
		cursor->quiet = !cursor->generation;
		if (!cursor->generation)
			cursor->position = cursor->size;	/* nothing in it */
	}
}

/* As resume(), of definitions: unfinished ones say their size, and nothing else of them can be told. */
static uint32_t resume_definitions(struct gw_trace_cursor *cursor, uint32_t position)
{
	const struct gw_trace_definition *definition = (const void *)(cursor->block + position);
	uint32_t next = position;

	if (is_zero(cursor->block + position, cursor->size - position))
		return cursor->size;
	if (definition->state != 1 && definition->size >= sizeof(*definition) && definition->size % 8 == 0 &&
	    definition->size <= cursor->size - position) {
		next = position + definition->size;
		if (next >= cursor->size || is_definition(cursor, next) || is_zero(cursor->block + next, cursor->size - next)) {
			bool killed = definition->state == 0 && cursor->file->head.stopped != GW_TRACE_STOP_END;

			note(cursor, !killed, position, killed ? "a definition was being written here" : "a definition is damaged");
			return next;
		}
	}
	for (next = position + 8; next + sizeof(*definition) < cursor->size && !is_definition(cursor, next);)
		next += 8;
	while (!cursor->block[position])
		position++;
	note(cursor, true, position, next + sizeof(*definition) < cursor->size ? "a definition is damaged; reading goes on at the next whole one"
									       : "a definition is damaged, or the bytes behind the last one");
	return next + sizeof(*definition) < cursor->size ? next : cursor->size;
}

/*
 * How much was claimed of the block. It may be more than the block has, and, where the process was killed, more than was written.
 */
static void check_fill(struct gw_trace_cursor *cursor, uint32_t used)
{
	const struct gw_trace_block *head = (const void *)cursor->block;

	if (cursor->file->head.stopped == GW_TRACE_STOP_END && head->fill <= cursor->size - sizeof(*head) && head->fill != used - sizeof(*head))
		note(cursor, true, offsetof(struct gw_trace_block, fill), "how far the block is filled is damaged");
}

const char *gw_trace_next_definition(struct gw_trace_cursor *cursor, uint32_t *length)
{
	while (cursor->position + sizeof(struct gw_trace_definition) < cursor->size) {
		const struct gw_trace_definition *definition = (const void *)(cursor->block + cursor->position);
		const char *text = (const char *)(definition + 1);

		if (!is_definition(cursor, cursor->position)) {
			uint32_t next = resume_definitions(cursor, cursor->position);

			if (next == cursor->size && is_zero(cursor->block + cursor->position, cursor->size - cursor->position))
				check_fill(cursor, cursor->position);
			cursor->position = next;
			continue;
		}
		if (definition->size != rounded(definition->length))
			note(cursor, true, cursor->position, "a definition's size is damaged");
		if (!is_zero((const unsigned char *)text + definition->length, rounded(definition->length) - definition->length - (uint32_t)sizeof(*definition)))
			note(cursor, true, cursor->position + (uint32_t)sizeof(*definition) + definition->length, "the bytes behind a definition are not zero");
		cursor->position += rounded(definition->length);
		*length = definition->length;
		/* zeros do not change the check: a length that takes some of those behind for text is damaged, too */
		if (!text[*length - 1])
			note(cursor, true, (uint32_t)((const unsigned char *)definition - cursor->block), "a definition's length is damaged");
		while (*length && !text[*length - 1])
			--*length;
		return text;
	}
	return NULL;
}

bool gw_trace_holds_definitions(struct gw_trace_file *file, uint32_t number, const void *block)
{
	struct gw_trace_cursor cursor;

	gw_trace_cursor_init(&cursor, file, number, block);
	return cursor.position < cursor.size && is_definition(&cursor, cursor.position);
}

bool gw_trace_is_free(const struct gw_trace_block *block)
{
	return is_zero((const unsigned char *)block, sizeof(*block));
}
