/* SPDX-License-Identifier: Apache-2.0 */
/* See crash_frames.h: frames as the frame data has them, guesses where that is missing, and words of the stack where guesses lead nowhere. */
#include "crash_frames.h"

#include "crash_stack.h"
#include "crash_unwind.h"
#include "crash_write.h"

#define FRAMES 40u		/* that are listed */
#define OUTER_FRAMES 12u	/* of more, as many of the last */
#define GUESSES 8u		/* in one stack; more would say nothing */
#define MOST_FRAMES 200000u	/* that are gone through: more than the largest usual stack has room for */
#define DEEP 65536u		/* bytes of stack that are looked through for words */
#define OUTER 4096u		/* and around the call, where it lies further out */

/* How a frame is known: its instruction was interrupted, it made a call, or it only looks so. */
enum sort { INTERRUPTED, CALLER, GUESSED };

static uintptr_t frames[FRAMES];
static struct frame {
	uintptr_t address;
	enum sort sort;
	unsigned repeats;	/* how often it follows itself */
} last[OUTER_FRAMES];
static struct gw_unwind unwind;

static void tell_frame(uintptr_t address, enum sort sort)
{
	uintptr_t begin = 0;
	/* A call may be the last instruction of its function. */
	const char *name = gw_unwind_name(address - (sort != INTERRUPTED), &begin);

	gw_crash_line_start();
	gw_line_text(gw_crash_line, "  ");
	gw_crash_line_place(address);
	if (name) {
		gw_line_text(gw_crash_line, " in ");
		gw_line_text(gw_crash_line, name);
		gw_line_char(gw_crash_line, '+');
		gw_line_hex(gw_crash_line, address - begin);
	}
	if (sort == GUESSED)
		gw_line_text(gw_crash_line, " (a guess: the next address on the stack that follows a call)");
	gw_crash_line_end();
}

static void tell(const struct frame *frame)
{
	tell_frame(frame->address, frame->sort);
	if (!frame->repeats)
		return;
	gw_crash_line_start();
	gw_line_text(gw_crash_line, "  and the same ");
	gw_line_unsigned(gw_crash_line, frame->repeats);
	gw_line_text(gw_crash_line, frame->repeats == 1 ? " time more" : " times more");
	gw_crash_line_end();
}

/* Words on the stack from SP on, where nothing says better what they are. */
static void tell_words(uintptr_t call, uintptr_t sp)
{
	unsigned count = gw_crash_stack(sp, DEEP, frames, FRAMES), i;

	gw_crash_line_start();
	gw_line_text(gw_crash_line, "from there, addresses on the stack that follow a call; some may be left over from earlier calls:");
	gw_crash_line_end();
	for (i = 0; i < count; i++)
		tell_frame(frames[i], CALLER);
	if (!call || call < sp || (count < FRAMES && call < sp + DEEP))
		return;
	gw_crash_line_start();
	gw_line_text(gw_crash_line, "and where the call began:");
	gw_crash_line_end();
	count = gw_crash_stack(call, OUTER, frames, OUTER_FRAMES);
	for (i = 0; i < count; i++)
		tell_frame(frames[i], CALLER);
}

/* What was left out of the list, and the last frames, which led into the call. */
static void tell_last(unsigned listed)
{
	unsigned i = FRAMES;

	if (listed > FRAMES + OUTER_FRAMES) {
		i = listed - OUTER_FRAMES;
		gw_crash_line_start();
		gw_line_text(gw_crash_line, "and after ");
		gw_line_unsigned(gw_crash_line, i - FRAMES);
		gw_line_text(gw_crash_line, " more:");
		gw_crash_line_end();
	}
	for (; i < listed; i++)
		tell(&last[i % OUTER_FRAMES]);
}

/* One more frame; one that calls itself again and again is listed once. Returns how many are. */
static unsigned list(uintptr_t address, enum sort sort, unsigned listed)
{
	struct frame *before = &last[(listed - 1) % OUTER_FRAMES], *here = &last[listed % OUTER_FRAMES];

	if (before->address == address && before->sort == sort) {
		before->repeats++;
		return listed;
	}
	if (listed <= FRAMES)
		tell(before);
	*here = (struct frame){ .address = address, .sort = sort };
	return listed + 1;
}

void gw_crash_frames_tell(const void *context, uintptr_t call)
{
	enum gw_unwind_end end_of = GW_UNWIND_ON;
	unsigned count, listed = 1, guesses = 0;

	gw_crash_line_start();
	gw_line_text(gw_crash_line, "stack, the innermost frame first:");
	gw_crash_line_end();
	gw_unwind_start(&unwind, context);
	last[0] = (struct frame){ .address = unwind.registers[GW_CFI_RA], .sort = INTERRUPTED };
	for (count = 1; count < MOST_FRAMES; count++) {
		enum sort sort = CALLER;

		end_of = gw_unwind_step(&unwind);
		if (end_of == GW_UNWIND_OUTERMOST)
			break;
		if (end_of == GW_UNWIND_LOST) {
			if (guesses++ == GUESSES || !gw_unwind_guess(&unwind))
				break;
			sort = GUESSED;
		} else if (unwind.interrupted) {
			sort = INTERRUPTED;
		}
		listed = list(unwind.registers[GW_CFI_RA], sort, listed);
	}
	if (listed <= FRAMES)
		tell(&last[(listed - 1) % OUTER_FRAMES]);
	tell_last(listed);
	if (end_of == GW_UNWIND_LOST)
		tell_words(call, unwind.registers[GW_CFI_RSP]);
}
