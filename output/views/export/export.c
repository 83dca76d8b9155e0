/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/export/export.h"

#include <string.h>

const struct hd_exporter *const hd_exporters[] = {
    &hd_export_json,
    NULL,
};

const struct hd_exporter *hd_exporter_find(const char *name) {
  for (size_t i = 0; hd_exporters[i]; i++)
    if (strcmp(hd_exporters[i]->name, name) == 0)
      return hd_exporters[i];
  return NULL;
}
