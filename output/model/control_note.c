/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/model/control_note.h"

#include <stdio.h>

#include "output/model/format_names.h"
#include "output/model/memory.h"
#include "output/model/node_text.h"

enum { SHOWN_MOST = 8, ACT_BYTES = 192 };

/* "only work and region" */
static void put_classes(uint32_t classes, char *text, size_t bytes) {
  size_t used = (size_t)snprintf(text, bytes, "only");
  for (int c = 0; c < HD_CLASS_COUNT && used < bytes; c++)
    if (classes >> c & 1)
      used += (size_t)snprintf(text + used, bytes - used, " %s", hd_event_class_id((enum hd_event_class)c));
}

/* "mutex off under parallel heat.c:42 in main" */
static void put_place(const struct hd_model *model, const char *id, uint64_t word, char *text, size_t bytes) {
  const uint32_t profile = hd_control_ppm(word);
  const bool is_known = profile > 0 && profile < model->node_count;
  char place[HD_PLACE_BYTES] = "the program";
  if (is_known)
    hd_node_text(place, model, &model->nodes[profile], NULL);
  snprintf(text, bytes, "%s %s under %.120s", id, hd_control_command(word) == HD_CONTROL_ON_UNDER ? "on" : "off",
           place);
}

static void words_of(const struct hd_model *model, uint64_t word, char *text, size_t bytes) {
  const uint32_t event_class = hd_control_class(word), ppm = hd_control_ppm(word);
  const char *id = event_class < HD_CLASS_COUNT ? hd_event_class_id((enum hd_event_class)event_class) : "unknown";
  switch (hd_control_command(word)) {
  case HD_CONTROL_ON:
    snprintf(text, bytes, "%s on", id);
    break;
  case HD_CONTROL_OFF:
    snprintf(text, bytes, "%s off", id);
    break;
  case HD_CONTROL_ON_UNDER:
  case HD_CONTROL_OFF_UNDER:
    put_place(model, id, word, text, bytes);
    break;
  case HD_CONTROL_ONLY:
    put_classes(ppm, text, bytes);
    break;
  case HD_CONTROL_ROUTINE:
    snprintf(text, bytes, "one more routine");
    break;
  case HD_CONTROL_BUDGET:
    if (ppm > 0)
      snprintf(text, bytes, "budget %.3g %%", ppm / 1e4);
    else
      snprintf(text, bytes, "budget off");
    break;
  case HD_CONTROL_SAMPLES:
    if (ppm > 0)
      snprintf(text, bytes, "%u samples a second", ppm);
    else
      snprintf(text, bytes, "samples off");
    break;
  case HD_CONTROL_PAUSE:
    snprintf(text, bytes, "pause");
    break;
  case HD_CONTROL_RESUME:
    snprintf(text, bytes, "resume");
    break;
  default:
    snprintf(text, bytes, "unknown");
  }
}

static double seconds_into_run(const struct hd_model *model, uint64_t ticks) {
  const uint64_t loaded = model->header.loaded_ticks;
  return hd_model_dormant_seconds(model) +
         hd_model_seconds(model, model->before_ticks + (ticks > loaded ? ticks - loaded : 0));
}

void hd_model_note_control(struct hd_model *model) {
  const struct hd_control *control = &model->header.control;
  const uint32_t kept = control->count < HD_CONTROL_ACTS ? control->count : HD_CONTROL_ACTS;
  const uint32_t shown = kept < SHOWN_MOST ? kept : SHOWN_MOST;
  char list[SHOWN_MOST * ACT_BYTES + ACT_BYTES] = "", act[ACT_BYTES - 32];
  size_t used = 0;
  if (control->count == 0 || (model->header.flags & HD_FILE_MERGED))
    return;
  for (uint32_t i = 0; i < shown; i++) {
    words_of(model, control->acts[i].word, act, sizeof act);
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%s at %.3f s", i > 0 ? ", " : "", act,
                             seconds_into_run(model, control->acts[i].ticks));
  }
  if (control->count > shown)
    snprintf(list + used, sizeof list - used, " and %u more", control->count - shown);
  hd_model_add_note(model, "'heddle ctl' changed what was measured while the program ran: %s", list);
  hd_model_settle_note(model, &model->control_note);
}
