/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/export/export.h"

#include <string.h>

/* The formats, the default first: hd_export_NAME is what its file defines. */
#define FORMATS                                                                                                        \
  FORMAT(json)                                                                                                         \
  FORMAT(folded)                                                                                                       \
  FORMAT(speedscope)                                                                                                   \
  FORMAT(callgrind) FORMAT(pprof) FORMAT(chrome) FORMAT(sql) FORMAT(caliper) FORMAT(dot) FORMAT(otf2) FORMAT(paraver)

#define FORMAT(name) extern const struct hd_exporter hd_export_##name;
FORMATS
#undef FORMAT

#define FORMAT(name) &hd_export_##name,
const struct hd_exporter *const hd_exporters[] = {FORMATS NULL};

const struct hd_exporter *hd_exporter_find(const char *name) {
  for (size_t i = 0; hd_exporters[i]; i++)
    if (strcmp(hd_exporters[i]->name, name) == 0)
      return hd_exporters[i];
  return NULL;
}

bool hd_exporter_can_weigh(const struct hd_exporter *exporter, const struct hd_model *model, enum hd_weight weight) {
  return !exporter->one_weight || hd_weight_is_known(model, weight);
}
