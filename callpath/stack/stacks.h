/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file stacks.h
 * A thread's remembered stacks, as a tree. A question leads to the words that all its stacks share (stack_check.h);
 * where known stacks differ, the word that stands there chooses how it goes on. The words before a word prove where it
 * stands, so two stacks that are alike up to there have it in the same place: it can be read without knowing which of
 * them it is. A stack is found by one load and compare for each of its words, and one look-up for each place where it
 * parts from others, however many there are.
 */
#ifndef HEDDLE_CALLPATH_STACK_STACKS_H
#define HEDDLE_CALLPATH_STACK_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "callpath/stack/stack_check.h"

struct hd_chain;

/** What is known of a stack. */
struct hd_stack_answer {
  const struct hd_chain *chain;
  uintptr_t place;
};

struct hd_stack_question {
  uintptr_t own; /* the asking frame */
  uintptr_t code;
  uintptr_t limit;
};

/** Words that follow each other in all stacks that have the first of them. */
struct hd_stretch {
  const struct hd_stack_word *words;
  uint32_t count;
  bool is_end; /* else words[count].slot is where the stacks part */
  struct hd_stack_answer answer;
};

/* A question and its first stretch, or a stretch (as `own`) and the word (as `code`) that chooses the one after it;
 * the third number, which is no address, tells these apart. */
struct hd_stacks_edge {
  struct hd_stack_question from;
  struct hd_stretch *to;
};
enum { HD_STACKS_PARTING = 1, HD_STACKS_CHUNKS = 7 };

/** All zero at first. Used by one thread at a time. */
struct hd_stacks {
  struct hd_stacks_edge *edges;
  uint32_t capacity; /* a power of two */
  uint32_t count;
  char *chunks[HD_STACKS_CHUNKS]; /* memory for words and stretches, all of which is given up at once */
  uint32_t chunk;
  uint32_t used_bytes;
};

/** Where the edge is, or would be. There is always an empty place. */
static inline struct hd_stacks_edge *hd_stacks_edge(const struct hd_stacks *stacks, struct hd_stack_question from) {
  const uint64_t hash =
      from.own * 0x9E3779B97F4A7C15u + from.code * 0xC2B2AE3D27D4EB4Fu + from.limit * 0x165667B19E3779F9u;
  for (uint64_t at = hash >> 40;; at++) {
    struct hd_stacks_edge *edge = &stacks->edges[at & (stacks->capacity - 1)];
    if (!edge->to || (edge->from.own == from.own && edge->from.code == from.code && edge->from.limit == from.limit))
      return edge;
  }
}

static inline struct hd_stack_question hd_stacks_parting(const struct hd_stretch *stretch, uintptr_t word) {
  return (struct hd_stack_question){(uintptr_t)stretch, word, HD_STACKS_PARTING};
}

/** The present stack's answer; NULL: it is not known. Reads no word but those that the ones before it prove to be
 *  there. */
static inline const struct hd_stack_answer *hd_stacks_find(const struct hd_stacks *stacks,
                                                           const struct hd_stack_question *question) {
  if (!stacks->capacity)
    return NULL;
  const struct hd_stretch *stretch = hd_stacks_edge(stacks, *question)->to;
  while (stretch && hd_proof_holds(stretch->words, stretch->count)) {
    if (stretch->is_end)
      return &stretch->answer;
    stretch = hd_stacks_edge(stacks, hd_stacks_parting(stretch, *stretch->words[stretch->count].slot))->to;
  }
  return NULL;
}

/** Remembers a stack by its proof's words. Without memory it does not; when there are too many, all others are
 *  forgotten. */
void hd_stacks_add(struct hd_stacks *stacks, const struct hd_stack_question *question, const struct hd_proof *proof,
                   struct hd_stack_answer answer);

void hd_stacks_forget(struct hd_stacks *stacks);

#endif
