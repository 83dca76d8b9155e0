/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/symbols/module_bytes.h"

const uint8_t *hd_module_bytes(Dwfl_Module *module, Dwarf_Addr address, size_t *count) {
  Dwarf_Addr at = address, bias = 0;
  Elf_Scn *section = dwfl_module_address_section(module, &at, &bias);
  const Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;
  if (!data || !data->d_buf || at >= data->d_size)
    return NULL;
  *count = data->d_size - at;
  return (const uint8_t *)data->d_buf + at;
}
