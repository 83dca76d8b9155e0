/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "callpath/stack/stacks.h"

#include <string.h>

#include "support/inprocess/heap.h"
#include "support/inprocess/memory_budget.h"

/* Chunks double, too: 508 KiB in all. */
enum { FIRST_CAPACITY = 64, MOST_CAPACITY = 4096, FIRST_CHUNK_BYTES = 4096 };

/* What one more stack needs at most: two edges, two stretches. */
enum { EDGES_EACH = 2, STRETCHES_EACH = 2 };

static void *allocate(size_t bytes) {
  return hd_memory_has_room(HD_MEMORY_PATH_ROW, bytes) ? hd_heap_allocate(1, bytes) : NULL;
}

void hd_stacks_forget(struct hd_stacks *stacks) {
  if (stacks->count)
    memset(stacks->edges, 0, stacks->capacity * sizeof *stacks->edges);
  stacks->count = stacks->chunk = stacks->used_bytes = 0;
}

static void put_edge(struct hd_stacks *stacks, struct hd_stack_question from, struct hd_stretch *to) {
  *hd_stacks_edge(stacks, from) = (struct hd_stacks_edge){from, to};
  stacks->count++;
}

static bool grow_edges(struct hd_stacks *stacks) {
  struct hd_stacks grown = *stacks;
  grown.count = 0;
  grown.capacity = stacks->capacity ? 2 * stacks->capacity : FIRST_CAPACITY;
  grown.edges = grown.capacity > MOST_CAPACITY ? NULL : allocate(grown.capacity * sizeof *grown.edges);
  if (!grown.edges)
    return false;
  for (uint32_t i = 0; i < stacks->capacity; i++)
    if (stacks->edges[i].to)
      put_edge(&grown, stacks->edges[i].from, stacks->edges[i].to);
  hd_heap_free(stacks->edges);
  *stacks = grown;
  return true;
}

/* The table is never more than half full. */
static bool has_edges(struct hd_stacks *stacks) {
  return 2 * (stacks->count + EDGES_EACH) <= stacks->capacity || grow_edges(stacks);
}

static bool has_bytes(struct hd_stacks *stacks, size_t bytes) {
  for (; stacks->chunk < HD_STACKS_CHUNKS; stacks->chunk++, stacks->used_bytes = 0) {
    const size_t chunk_bytes = (size_t)FIRST_CHUNK_BYTES << stacks->chunk;
    char **chunk = &stacks->chunks[stacks->chunk];
    if (!*chunk && !(*chunk = allocate(chunk_bytes)))
      return false;
    if (stacks->used_bytes + bytes <= chunk_bytes)
      return true;
  }
  return false;
}

static bool has_room(struct hd_stacks *stacks, uint32_t word_count) {
  const size_t bytes = STRETCHES_EACH * sizeof(struct hd_stretch) + word_count * sizeof(struct hd_stack_word);
  if (has_edges(stacks) && has_bytes(stacks, bytes))
    return true;
  hd_stacks_forget(stacks);
  return has_edges(stacks) && has_bytes(stacks, bytes);
}

/* has_room said that there is. */
static void *take(struct hd_stacks *stacks, size_t bytes) {
  void *taken = stacks->chunks[stacks->chunk] + stacks->used_bytes;
  stacks->used_bytes += (uint32_t)bytes;
  return taken;
}

/* The rest of a stack. */
struct rest {
  const struct hd_stack_word *words;
  uint32_t count;
  struct hd_stack_answer answer;
};

static struct hd_stretch *make_end(struct hd_stacks *stacks, const struct rest *rest) {
  struct hd_stretch *end = take(stacks, sizeof *end);
  struct hd_stack_word *words = take(stacks, rest->count * sizeof *words);
  memcpy(words, rest->words, rest->count * sizeof *words);
  *end = (struct hd_stretch){.words = words, .count = rest->count, .is_end = true, .answer = rest->answer};
  return end;
}

static uint32_t count_common(const struct hd_stretch *stretch, const struct rest *rest) {
  uint32_t i = 0;
  while (i < stretch->count && i < rest->count && stretch->words[i].slot == rest->words[i].slot &&
         stretch->words[i].value == rest->words[i].value)
    i++;
  return i;
}

static struct rest rest_after(const struct rest *rest, uint32_t count) {
  return (struct rest){rest->words + count, rest->count - count, rest->answer};
}

/* Parts the stretch that `edge` leads to before its word `common`; what follows keeps its edges. */
static struct hd_stretch *part(struct hd_stacks *stacks, struct hd_stacks_edge *edge, uint32_t common) {
  struct hd_stretch *lower = edge->to, *upper = take(stacks, sizeof *upper);
  *upper = (struct hd_stretch){.words = lower->words, .count = common};
  edge->to = upper;
  lower->words += common + 1;
  lower->count -= common + 1;
  put_edge(stacks, hd_stacks_parting(upper, upper->words[common].value), lower);
  return upper;
}

/* Goes on where the known stacks do. NULL: it is one of them. False answer in `*fits`: the words of one lead elsewhere
 * than those of another did, so the code has changed. */
static struct hd_stacks_edge *follow(struct hd_stacks *stacks, struct hd_stacks_edge *edge, struct rest *rest,
                                     bool *fits) {
  while (edge->to) {
    struct hd_stretch *stretch = edge->to;
    const uint32_t common = count_common(stretch, rest);
    *rest = rest_after(rest, common);
    if (common == stretch->count && stretch->is_end) {
      *fits = !rest->count;
      stretch->answer = rest->answer;
      return NULL;
    }
    *fits = rest->count && rest->words->slot == stretch->words[common].slot;
    if (!*fits)
      return NULL;
    if (common < stretch->count)
      stretch = part(stacks, edge, common);
    edge = hd_stacks_edge(stacks, hd_stacks_parting(stretch, rest->words->value));
    edge->from = hd_stacks_parting(stretch, rest->words->value);
    *rest = rest_after(rest, 1);
  }
  return edge;
}

void hd_stacks_add(struct hd_stacks *stacks, const struct hd_stack_question *question, const struct hd_proof *proof,
                   struct hd_stack_answer answer) {
  struct rest rest = {proof->words, proof->count, answer};
  bool fits = true;
  if (!has_room(stacks, proof->count))
    return;
  struct hd_stacks_edge *edge = hd_stacks_edge(stacks, *question);
  edge->from = *question;
  edge = follow(stacks, edge, &rest, &fits);
  if (!fits)
    hd_stacks_forget(stacks);
  if (!edge || !fits)
    return;
  edge->to = make_end(stacks, &rest);
  stacks->count++;
}
