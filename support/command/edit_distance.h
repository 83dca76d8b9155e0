/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file edit_distance.h
 * Finds the name that a user may have meant. Only the command uses it.
 */
#ifndef HEDDLE_SUPPORT_COMMAND_EDIT_DISTANCE_H
#define HEDDLE_SUPPORT_COMMAND_EDIT_DISTANCE_H

/** How many letters must be put in, taken out or changed to make one name of the other, without regard to case. Of
 *  names longer than 127 bytes only so much is looked at. */
unsigned hd_edit_distance(const char *a, const char *b);

/** Near enough to be what was meant: no more than a third of the letters, or two, differ. */
int hd_edit_is_near(const char *a, const char *b);

#endif
