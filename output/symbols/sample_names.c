/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/symbols/sample_names.h"

#include <stdlib.h>
#include <string.h>

#include "output/model/memory.h"
#include "output/symbols/symbols.h"
#include "support/command/memory.h"

static int by_address(const void *a, const void *b) {
  const struct hd_model_sample *left = *(struct hd_model_sample *const *)a,
                               *right = *(struct hd_model_sample *const *)b;
  if (left->module != right->module)
    return left->module < right->module ? -1 : 1;
  return (left->offset > right->offset) - (left->offset < right->offset);
}

static const char *keep(struct hd_model *model, char *text) {
  const char *copy = text ? hd_model_copy(model, text, strlen(text)) : NULL;
  free(text);
  return copy;
}

static void name(struct hd_model *model, struct hd_symbols *symbols, struct hd_model_sample *sample) {
  struct hd_symbol symbol;
  char *inlined_into = NULL;
  hd_symbols_find_code(symbols, sample->offset, sample->address, &symbol, &inlined_into);
  sample->name.function = keep(model, symbol.function);
  sample->name.file = keep(model, symbol.file);
  sample->name.line = symbol.line;
  sample->inlined_into = keep(model, inlined_into);
}

/* One module after the other; an address that several callpaths have is looked up once. */
static void name_all(struct hd_model *model, struct hd_model_sample **sorted) {
  struct hd_symbols *symbols = NULL;
  for (uint32_t i = 0; i < model->sample_count; i++) {
    struct hd_model_sample *last = i > 0 ? sorted[i - 1] : NULL;
    const bool is_known = last && by_address(&last, &sorted[i]) == 0;
    if (sorted[i]->module == HD_NONE)
      break;
    if (!last || last->module != sorted[i]->module) {
      const struct hd_module *module = &model->modules[sorted[i]->module];
      hd_symbols_close(symbols);
      hd_symbols_open(module->path, module->build_id, module->build_id_bytes, model->header.begin_epoch_ns, &symbols);
    }
    if (is_known) {
      sorted[i]->name = last->name;
      sorted[i]->inlined_into = last->inlined_into;
    } else if (symbols) {
      name(model, symbols, sorted[i]);
    }
  }
  hd_symbols_close(symbols);
}

void hd_sample_names_resolve(struct hd_model *model) {
  struct hd_model_sample **sorted = hd_new((size_t)model->sample_count + 1, sizeof *sorted);
  for (uint32_t i = 0; i < model->sample_count; i++)
    sorted[i] = &model->samples[i];
  qsort(sorted, model->sample_count, sizeof *sorted, by_address);
  name_all(model, sorted);
  free(sorted);
}
