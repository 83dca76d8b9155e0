/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file event_suggest.h
 * The names of events that a user who misspelt one may have meant.
 */
#ifndef HEDDLE_OUTPUT_METRICS_EVENT_SUGGEST_H
#define HEDDLE_OUTPUT_METRICS_EVENT_SUGGEST_H

#include <stdint.h>

/** Copies the `most` names (16 at most) of events that look most like `name` into names[], best first; fewer if fewer
 *  are near. Returns how many. */
uint32_t hd_event_suggest(const char *name, uint32_t most, char (*names)[128]);

#endif
