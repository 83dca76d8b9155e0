/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file line_alignment.h
 * Which lines of an edited source are which of those before.
 */
#ifndef HEDDLE_OUTPUT_UNIFY_LINE_ALIGNMENT_H
#define HEDDLE_OUTPUT_UNIFY_LINE_ALIGNMENT_H

#include <stddef.h>
#include <stdint.h>

struct hd_source_line {
  uint64_t line;
  uint32_t kind;     /* of what begins there: only the same kind matches */
  uint32_t likeness; /* equal for things that look alike inside */
};

/**
 * Aligns lines of two versions of a source, both in the order of line, then kind: b_of[i] is the index in b of what
 * a[i] has become, HD_NONE if there is none. As many as can be are matched, in their order, and so that few edits
 * explain it: an edit moves all that follows, so the distance by which lines have moved, `distance` at first, changes
 * seldom, grows where something is new and shrinks where something is gone. To look alike counts a little, too. What
 * can be explained in several ways equally well is left unmatched. Very long lists are matched in order if they are
 * equally long, else only where lines are the same.
 */
void hd_lines_align(const struct hd_source_line *a, size_t a_count, const struct hd_source_line *b, size_t b_count,
                    uint64_t distance, uint32_t *b_of);

/** In order if they are equally many, of the same kinds; else only the same lines match. */
void hd_lines_in_order(const struct hd_source_line *a, size_t a_count, const struct hd_source_line *b, size_t b_count,
                       uint32_t *b_of);

/** Only the same lines match. */
void hd_lines_match(const struct hd_source_line *a, size_t a_count, const struct hd_source_line *b, size_t b_count,
                    uint32_t *b_of);

#endif
