/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/symbols/symbol_table.h"

#include <stdlib.h>

/* What a range says: below, the symbol's number, from the end, since the first is the best; above, what else makes one
 * of several names for one place the best. */
enum { SIZED_BIT = 34, GLOBAL_BIT = 33, WEAK_BIT = 32 };

static bool is_code(const GElf_Sym *symbol) {
  const int type = GELF_ST_TYPE(symbol->st_info);
  return symbol->st_shndx != SHN_UNDEF && symbol->st_shndx != SHN_ABS &&
         (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE);
}

static Dwarf_Addr end_of_section(Elf *elf, GElf_Word index, Dwarf_Addr bias) {
  GElf_Shdr header;
  return gelf_getshdr(elf_getscn(elf, index), &header) ? header.sh_addr + header.sh_size + bias : 0;
}

static uint64_t rank(const GElf_Sym *symbol) {
  const int binding = GELF_ST_BIND(symbol->st_info);
  return (uint64_t)(symbol->st_size > 0) << SIZED_BIT |
         (uint64_t)(binding != STB_LOCAL && binding != STB_WEAK) << GLOBAL_BIT |
         (uint64_t)(binding == STB_WEAK) << WEAK_BIT;
}

/* Symbols of assembler code have no size: such a one ends where the next begins. */
static void end_at_next(struct hd_ranges *ranges) {
  uint64_t next = UINT64_MAX, low = UINT64_MAX;
  for (size_t i = ranges->count; i-- > 0;) {
    struct hd_range *range = &ranges->items[i];
    if (range->low != low)
      next = low;
    low = range->low;
    if (!(range->what >> SIZED_BIT) && range->high > next)
      range->high = next;
  }
  hd_ranges_sort(ranges);
}

static void list(struct hd_symbol_table *table, Dwfl_Module *module) {
  const int count = dwfl_module_getsymtab(module);
  table->listed = true;
  for (int i = 1; i < count; i++) {
    GElf_Sym symbol;
    GElf_Addr at = 0;
    GElf_Word section = 0;
    Elf *elf = NULL;
    Dwarf_Addr bias = 0;
    const char *name = dwfl_module_getsym_info(module, i, &symbol, &at, &section, &elf, &bias);
    if (!name || !name[0] || !is_code(&symbol))
      continue;
    const Dwarf_Addr end = symbol.st_size > 0 ? at + symbol.st_size : end_of_section(elf, section, bias);
    if (at < end)
      hd_ranges_add(&table->ranges, at, end, rank(&symbol) | (UINT32_MAX - (uint32_t)i));
  }
  hd_ranges_sort(&table->ranges);
  end_at_next(&table->ranges);
}

bool hd_symbol_table_find(struct hd_symbol_table *table, Dwfl_Module *module, Dwarf_Addr address,
                          struct hd_table_symbol *symbol) {
  GElf_Sym entry;
  GElf_Addr at = 0;
  if (!table->listed)
    list(table, module);
  const struct hd_range *range = hd_ranges_find(&table->ranges, address);
  if (!range)
    return false;
  symbol->name =
      dwfl_module_getsym_info(module, (int)(UINT32_MAX - (uint32_t)range->what), &entry, &at, NULL, NULL, NULL);
  symbol->start = range->low;
  symbol->end = range->high;
  symbol->sized = range->what >> SIZED_BIT;
  return symbol->name;
}

void hd_symbol_table_free(struct hd_symbol_table *table) {
  free(table->ranges.items);
}
