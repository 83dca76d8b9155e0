/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/analysis/losses/causes.h"

#include <stdio.h>

static const struct {
  const char *id, *words, *reason, *gained;
} losses[] = {
#define LOSS(name, ...) {__VA_ARGS__},
    HD_LOSSES(LOSS)};

static const struct {
  const char *id, *words;
  enum hd_loss loss;
} states[] = {
#define STATE(name, ...) {__VA_ARGS__},
    HD_STATES(STATE)};

/* The states are those of the format, each in its place. */
enum {
#define NUMBER(name, ...) NUMBER_OF_##name,
  HD_STATES(NUMBER) NUMBERS
};
#define CHECK(name, ...) _Static_assert((int)NUMBER_OF_##name == (int)name, #name " is not in its place in HD_STATES");
HD_STATES(CHECK)
_Static_assert((int)NUMBERS == (int)HD_STATE_COUNT, "HD_STATES lacks a state");

const char *hd_loss_id(enum hd_loss loss) {
  return losses[loss].id;
}

const char *hd_loss_words(enum hd_loss loss) {
  return losses[loss].words;
}

const char *hd_loss_reason(enum hd_loss loss, bool gained) {
  return gained ? losses[loss].gained : losses[loss].reason;
}

const char *hd_state_id(enum hd_state state) {
  return (unsigned)state < HD_STATE_COUNT ? states[state].id : "other";
}

const char *hd_state_words(enum hd_state state) {
  return (unsigned)state < HD_STATE_COUNT ? states[state].words : "other wait";
}

void hd_state_text(char text[HD_STATE_TEXT_BYTES], enum hd_state state) {
  static const char *const kinds[HD_INTRUSION_CLASSES] = {"", "wait: ", "runtime: ", ""};
  snprintf(text, HD_STATE_TEXT_BYTES, "%s%s", kinds[hd_intrusion_class_of(state)], hd_state_id(state));
  for (char *at = text; *at; at++)
    if (*at == '_')
      *at = ' ';
}

enum hd_loss hd_state_loss(enum hd_state state) {
  return states[state].loss;
}
