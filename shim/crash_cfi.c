/* SPDX-License-Identifier: Apache-2.0 */
/* See crash_cfi.h. Names of encodings and instructions are those of DWARF 5 (6.4.2) and of the Linux Standard Base (.eh_frame, .eh_frame_hdr). */
#include "crash_cfi.h"

#include <stddef.h>
#include <string.h>

#include "crash_memory.h"
#include "crash_read.h"

enum { REMEMBERED = 8, MOST_INSTRUCTIONS = 4096 };

/* DW_EH_PE_*: the low half says what is stored, the high half what it counts from. */
enum { PE_ABSOLUTE = 0x00, PE_ULEB = 0x01, PE_U2 = 0x02, PE_U4 = 0x03, PE_U8 = 0x04, PE_SLEB = 0x09, PE_S2 = 0x0a, PE_S4 = 0x0b, PE_S8 = 0x0c,
       PE_FORM = 0x0f, PE_FROM_HERE = 0x10, PE_FROM_HEADER = 0x30, PE_FROM = 0x70, PE_OMITTED = 0xff };

/* DW_CFA_*. The first three have an operand in their low six bits. */
enum { CFA_ADVANCE_LOC = 0x40, CFA_OFFSET = 0x80, CFA_RESTORE = 0xc0, CFA_NOP = 0x00, CFA_SET_LOC = 0x01, CFA_ADVANCE_LOC1 = 0x02, CFA_ADVANCE_LOC2 = 0x03,
       CFA_ADVANCE_LOC4 = 0x04, CFA_OFFSET_EXTENDED = 0x05, CFA_RESTORE_EXTENDED = 0x06, CFA_UNDEFINED = 0x07, CFA_SAME_VALUE = 0x08, CFA_REGISTER = 0x09,
       CFA_REMEMBER_STATE = 0x0a, CFA_RESTORE_STATE = 0x0b, CFA_DEF_CFA = 0x0c, CFA_DEF_CFA_REGISTER = 0x0d, CFA_DEF_CFA_OFFSET = 0x0e,
       CFA_DEF_CFA_EXPRESSION = 0x0f, CFA_EXPRESSION = 0x10, CFA_OFFSET_EXTENDED_SF = 0x11, CFA_DEF_CFA_SF = 0x12, CFA_DEF_CFA_OFFSET_SF = 0x13,
       CFA_VAL_OFFSET = 0x14, CFA_VAL_OFFSET_SF = 0x15, CFA_VAL_EXPRESSION = 0x16, CFA_GNU_ARGS_SIZE = 0x2e };

/* What a function's entry (FDE) and the one that several share (CIE) say before their instructions. */
struct entry {
	uintptr_t begin, end;		/* the code that it is about */
	uint64_t code_unit;
	int64_t data_unit;
	unsigned return_register;
	uint8_t encoding;
	bool is_signal;
	struct gw_bytes common, own;	/* instructions */
};

/* A report is written by one thread at a time, on a stack that may hold few KB. */
static struct gw_cfi_row initial, remembered[REMEMBERED];

static uintptr_t pointer(struct gw_bytes *bytes, uint8_t encoding, uintptr_t header)
{
	uintptr_t here = bytes->at, value;

	switch (encoding & PE_FORM) {
	case PE_ABSOLUTE: case PE_U8: case PE_S8: value = gw_bytes_number(bytes, 8); break;
	case PE_ULEB: value = gw_bytes_uleb(bytes); break;
	case PE_U2: value = gw_bytes_number(bytes, 2); break;
	case PE_U4: value = gw_bytes_number(bytes, 4); break;
	case PE_SLEB: value = (uintptr_t)gw_bytes_sleb(bytes); break;
	case PE_S2: value = (uintptr_t)gw_bytes_signed(bytes, 2); break;
	case PE_S4: value = (uintptr_t)gw_bytes_signed(bytes, 4); break;
	default: bytes->bad = true; return 0;
	}
	switch (encoding & PE_FROM) {
	case PE_ABSOLUTE: return value;
	case PE_FROM_HERE: return here + value;
	case PE_FROM_HEADER: return header + value;
	default: bytes->bad = true; return 0;
	}
}

/* The entry of the last function that begins at ADDRESS or before it; 0: none. The table is sorted. */
static uintptr_t search(const struct gw_cfi_space *space, uintptr_t address)
{
	struct gw_bytes bytes = { space->header, space->high, space->header < space->low };
	uint8_t version = (uint8_t)gw_bytes_number(&bytes, 1), frames = (uint8_t)gw_bytes_number(&bytes, 1), counted = (uint8_t)gw_bytes_number(&bytes, 1);
	uint8_t table = (uint8_t)gw_bytes_number(&bytes, 1);
	uint64_t count, low = 0, high;

	if (version != 1 || counted == PE_OMITTED || table != (PE_FROM_HEADER | PE_S4))
		return 0;
	if (frames != PE_OMITTED)
		pointer(&bytes, frames, space->header);
	count = pointer(&bytes, counted, space->header);
	if (bytes.bad || count > (bytes.end - bytes.at) / 8)
		return 0;
	for (high = count; low < high;) {
		uint64_t middle = low + (high - low) / 2;
		struct gw_bytes row = { bytes.at + 8 * middle, bytes.end, false };
		uintptr_t begin = space->header + (uintptr_t)gw_bytes_signed(&row, 4);

		if (row.bad)
			return 0;
		if (begin <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return 0;
	bytes.at += 8 * (low - 1) + 4;
	return space->header + (uintptr_t)gw_bytes_signed(&bytes, 4);
}

/* Bounds BYTES to the entry that begins where it stands. */
static void enter(struct gw_bytes *bytes)
{
	uint64_t length = gw_bytes_number(bytes, 4);

	if (length == 0xffffffff)
		length = gw_bytes_number(bytes, 8);
	if (!length || bytes->bad || length > bytes->end - bytes->at)
		bytes->bad = true;
	else
		bytes->end = bytes->at + length;
}

static bool read_common(const struct gw_cfi_space *space, uintptr_t at, struct entry *entry, bool *sized)
{
	struct gw_bytes bytes = { at, space->high, at < space->low };
	char letters[8] = "";
	unsigned count = 0, i;
	uint8_t version;
	uint64_t size;

	enter(&bytes);
	if (gw_bytes_number(&bytes, 4))
		return false;
	version = (uint8_t)gw_bytes_number(&bytes, 1);
	if (version != 1 && version != 3)
		return false;
	while ((letters[count] = (char)gw_bytes_number(&bytes, 1)) != 0)
		if (++count == sizeof(letters))
			return false;
	entry->code_unit = gw_bytes_uleb(&bytes);
	entry->data_unit = gw_bytes_sleb(&bytes);
	entry->return_register = (unsigned)(version == 1 ? gw_bytes_number(&bytes, 1) : gw_bytes_uleb(&bytes));
	*sized = letters[0] == 'z';
	if ((count && !*sized) || entry->return_register >= GW_CFI_REGISTERS)
		return false;
	size = *sized ? gw_bytes_uleb(&bytes) : 0;
	entry->common = bytes;
	gw_bytes_skip(&entry->common, size);
	for (i = 1; i < count; i++) {
		switch (letters[i]) {
		case 'R': entry->encoding = (uint8_t)gw_bytes_number(&bytes, 1); break;
		case 'L': gw_bytes_number(&bytes, 1); break;
		case 'P': pointer(&bytes, (uint8_t)gw_bytes_number(&bytes, 1) & 0x7f, space->header); break;
		case 'S': entry->is_signal = true; break;
		default: return false;
		}
	}
	return !bytes.bad && !entry->common.bad;
}

static bool read_entry(const struct gw_cfi_space *space, uintptr_t at, struct entry *entry)
{
	struct gw_bytes bytes = { at, space->high, at < space->low };
	uintptr_t here, back;
	bool sized;

	memset(entry, 0, sizeof(*entry));
	enter(&bytes);
	here = bytes.at;
	back = gw_bytes_number(&bytes, 4);
	if (bytes.bad || !back || back > here || !read_common(space, here - back, entry, &sized))
		return false;
	entry->begin = pointer(&bytes, entry->encoding, space->header);
	entry->end = entry->begin + pointer(&bytes, entry->encoding & PE_FORM, space->header);
	if (sized)
		gw_bytes_skip(&bytes, gw_bytes_uleb(&bytes));
	entry->own = bytes;
	return !bytes.bad && entry->begin < entry->end;
}

static void set(struct gw_cfi_row *row, uint64_t which, enum gw_cfi_how how, int64_t value)
{
	if (which < GW_CFI_REGISTERS)	/* others are vector registers, which no address depends on */
		row->rule[which] = (struct gw_cfi_rule){ .how = how, .value = value };
}

static void set_expression(struct gw_cfi_rule *rule, enum gw_cfi_how how, struct gw_bytes *bytes)
{
	uint64_t size = gw_bytes_uleb(bytes);

	if (rule)
		*rule = (struct gw_cfi_rule){ .how = how, .expression = bytes->at, .expression_end = bytes->at + size };
	gw_bytes_skip(bytes, size);
}

static struct gw_cfi_rule *rule_of(struct gw_cfi_row *row, uint64_t which)
{
	return which < GW_CFI_REGISTERS ? &row->rule[which] : NULL;
}

static void define_cfa(struct gw_cfi_row *row, uint64_t which, int64_t value, struct gw_bytes *bytes)
{
	bytes->bad |= which >= GW_CFI_REGISTERS;
	row->cfa_register = (unsigned)which;
	row->cfa = (struct gw_cfi_rule){ .how = GW_CFI_REGISTER, .value = value };
}

static int64_t scaled(int64_t value, const struct entry *entry)
{
	return (int64_t)((uint64_t)value * (uint64_t)entry->data_unit);
}

/* One instruction of those without an operand in their own byte, and without a place; false: nobody knows it. */
static bool obey(uint8_t what, struct gw_bytes *bytes, const struct entry *entry, struct gw_cfi_row *row, unsigned *depth)
{
	uint64_t which = what != CFA_NOP && what != CFA_REMEMBER_STATE && what != CFA_RESTORE_STATE && what != CFA_DEF_CFA_EXPRESSION &&
				 what != CFA_DEF_CFA_OFFSET && what != CFA_DEF_CFA_OFFSET_SF ?
			 gw_bytes_uleb(bytes) : 0;

	switch (what) {
	case CFA_NOP: case CFA_GNU_ARGS_SIZE: return true;
	case CFA_OFFSET_EXTENDED: set(row, which, GW_CFI_AT, scaled((int64_t)gw_bytes_uleb(bytes), entry)); return true;
	case CFA_OFFSET_EXTENDED_SF: set(row, which, GW_CFI_AT, scaled(gw_bytes_sleb(bytes), entry)); return true;
	case CFA_VAL_OFFSET: set(row, which, GW_CFI_IS, scaled((int64_t)gw_bytes_uleb(bytes), entry)); return true;
	case CFA_VAL_OFFSET_SF: set(row, which, GW_CFI_IS, scaled(gw_bytes_sleb(bytes), entry)); return true;
	case CFA_RESTORE_EXTENDED:
		if (which < GW_CFI_REGISTERS)
			row->rule[which] = initial.rule[which];
		return true;
	case CFA_UNDEFINED: set(row, which, GW_CFI_UNDEFINED, 0); return true;
	case CFA_SAME_VALUE: set(row, which, GW_CFI_SAME, 0); return true;
	case CFA_REGISTER: set(row, which, GW_CFI_REGISTER, (int64_t)gw_bytes_uleb(bytes)); return true;
	case CFA_REMEMBER_STATE:
		if (*depth < REMEMBERED)
			remembered[*depth] = *row;
		return (*depth)++ < REMEMBERED;
	case CFA_RESTORE_STATE:
		if (!*depth)
			return false;
		*row = remembered[--*depth];
		return true;
	case CFA_DEF_CFA: define_cfa(row, which, (int64_t)gw_bytes_uleb(bytes), bytes); return true;
	case CFA_DEF_CFA_SF: define_cfa(row, which, scaled(gw_bytes_sleb(bytes), entry), bytes); return true;
	case CFA_DEF_CFA_REGISTER: define_cfa(row, which, row->cfa.value, bytes); return true;
	case CFA_DEF_CFA_OFFSET: row->cfa.value = (int64_t)gw_bytes_uleb(bytes); return true;
	case CFA_DEF_CFA_OFFSET_SF: row->cfa.value = scaled(gw_bytes_sleb(bytes), entry); return true;
	case CFA_DEF_CFA_EXPRESSION: set_expression(&row->cfa, GW_CFI_IS_EXPRESSION, bytes); return true;
	case CFA_EXPRESSION: set_expression(rule_of(row, which), GW_CFI_AT_EXPRESSION, bytes); return true;
	case CFA_VAL_EXPRESSION: set_expression(rule_of(row, which), GW_CFI_IS_EXPRESSION, bytes); return true;
	default: return false;
	}
}

/* Runs BYTES up to the place ADDRESS. */
static bool run(struct gw_bytes bytes, const struct entry *entry, uintptr_t header, uintptr_t address, struct gw_cfi_row *row)
{
	uintptr_t place = entry->begin;
	unsigned depth = 0, count;

	for (count = 0; bytes.at < bytes.end && count < MOST_INSTRUCTIONS; count++) {
		uint8_t what = (uint8_t)gw_bytes_number(&bytes, 1), low = what & 0x3f;
		uint64_t advance = 0;

		if ((what & 0xc0) == CFA_ADVANCE_LOC)
			advance = low;
		else if ((what & 0xc0) == CFA_OFFSET)
			set(row, low, GW_CFI_AT, scaled((int64_t)gw_bytes_uleb(&bytes), entry));
		else if ((what & 0xc0) == CFA_RESTORE)
			row->rule[low % GW_CFI_REGISTERS] = low < GW_CFI_REGISTERS ? initial.rule[low] : row->rule[low % GW_CFI_REGISTERS];
		else if (what == CFA_SET_LOC)
			place = pointer(&bytes, entry->encoding, header);
		else if (what >= CFA_ADVANCE_LOC1 && what <= CFA_ADVANCE_LOC4)
			advance = gw_bytes_number(&bytes, 1u << (what - CFA_ADVANCE_LOC1));
		else if (!obey(what, &bytes, entry, row, &depth))
			return false;
		place += advance * entry->code_unit;
		if (bytes.bad)
			return false;
		if (place > address)
			return true;
	}
	return bytes.at >= bytes.end;
}

bool gw_cfi_row(const struct gw_cfi_space *space, uintptr_t address, struct gw_cfi_row *row)
{
	uintptr_t at = space->header ? search(space, address) : 0;
	struct entry entry;

	if (!at || !read_entry(space, at, &entry) || address < entry.begin || address >= entry.end)
		return false;
	memset(row, 0, sizeof(*row));
	row->cfa_register = GW_CFI_REGISTERS;
	memset(&initial, 0, sizeof(initial));
	if (!run(entry.common, &entry, space->header, UINTPTR_MAX, row))
		return false;
	initial = *row;
	if (!run(entry.own, &entry, space->header, address, row))
		return false;
	row->return_register = entry.return_register;
	row->is_signal = entry.is_signal;
	return row->cfa.how == GW_CFI_IS_EXPRESSION || row->cfa_register < GW_CFI_REGISTERS;
}
