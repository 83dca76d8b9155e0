/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file losses_expect.h
 * For tests of where thread time went: what must hold for every run, and expected losses in one line.
 */
#ifndef HEDDLE_TESTS_LOSSES_EXPECT_H
#define HEDDLE_TESTS_LOSSES_EXPECT_H

#include <inttypes.h>
#include <string.h>

#include "expect.h"
#include "output/analysis/losses/losses.h"

static inline int64_t lost_in_all(const struct hd_losses *losses) {
  int64_t sum = 0;
  for (int i = 0; i < HD_LOSS_COUNT; i++)
    sum += losses->lost[i];
  return sum;
}

static inline void print_losses(const char *what, const struct hd_losses *losses) {
  print_error("%s: capacity %" PRId64 ", busy %" PRId64, what, losses->capacity, losses->busy);
  for (int i = 0; i < HD_LOSS_COUNT; i++)
    if (losses->lost[i])
      print_error(", %s %" PRId64, hd_loss_id((enum hd_loss)i), losses->lost[i]);
  print_error("\n");
}

/* NULL when all is well: what holds for every node of every run on the fake clock, to the tick. */
static inline const char *broken_loss(const struct hd_loss_book *book) {
  const struct hd_model *model = book->model;
  for (uint32_t i = 0; i < model->node_count; i++) {
    const struct hd_losses *losses = &book->inclusive[i];
    if (losses->capacity != losses->busy + lost_in_all(losses))
      return "capacity is not busy time and losses";
    if (losses->busy != (int64_t)model->nodes[i].inclusive_ticks[HD_BUSY])
      return "busy time is not the node's";
    for (int loss = 0; loss < HD_LOSS_COUNT; loss++)
      if (losses->lost[loss] < 0) {
        print_error("node %u, kind %u, p %u: ", i, model->nodes[i].kind, book->threads);
        print_losses("a loss is negative", losses);
        return "a loss is negative";
      }
    if (losses->lost[HD_LOSS_INFLATION])
      return "work inflation in one run alone";
    if (book->place[i] == HD_PLACE_REGION && model->nodes[i].team.elapsed_ticks > 0 &&
        losses->capacity != (int64_t)(book->threads * model->nodes[i].team.elapsed_ticks))
      return "a region's capacity is not p * elapsed";
  }
  if (book->program.capacity != (int64_t)(book->threads * model->elapsed_ticks))
    return "the program's capacity is not p * elapsed";
  return memcmp(&book->program, &book->inclusive[0], sizeof book->program) ? "the program is not the root" : NULL;
}

/* The book of a run, in which all that must hold does. */
static inline struct hd_loss_book *book_of(const struct hd_model *model) {
  struct hd_loss_book *book = hd_loss_book_new(model);
  assert_non_null(book);
  const char *broken = broken_loss(book);
  for (uint32_t i = 0; broken && i < model->node_count; i++)
    print_losses("node", &book->inclusive[i]);
  if (broken)
    fail_msg("%s", broken);
  return book;
}

static inline void expect_losses_at(const struct hd_losses *expected, const struct hd_losses *found, const char *file,
                                    int line) {
  if (!memcmp(expected, found, sizeof *found))
    return;
  print_losses("expected", expected);
  print_losses("found", found);
  _fail(file, line);
}
/* Fails unless losses are capacity, busy and then [cause] = ticks, ...; causes that are not named are 0. */
#define expect_losses(found, capacity_ticks, busy_ticks, ...)                                                          \
  expect_losses_at(&(struct hd_losses){.capacity = (capacity_ticks), .busy = (busy_ticks), .lost = {__VA_ARGS__}},     \
                   found, __FILE__, __LINE__)

#define SERIAL [HD_LOSS_SERIAL]
#define IMBALANCE [HD_LOSS_IMBALANCE]
#define BARRIER [HD_LOSS_BARRIER]
#define LOCKS [HD_LOSS_LOCKS]
#define TASKS [HD_LOSS_TASKS]
#define RUNTIME [HD_LOSS_RUNTIME]
#define OTHER [HD_LOSS_OTHER]
#define INFLATION [HD_LOSS_INFLATION]

#endif
