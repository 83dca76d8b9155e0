/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file elf_symbols.h
 * The symbol table (.symtab) of a module's file. The file may be anything by now, and change while it is read: it is
 * never mapped, and every look at it is checked. Any thread; for cold paths.
 */
#ifndef HEDDLE_CALLPATH_CODE_ELF_SYMBOLS_H
#define HEDDLE_CALLPATH_CODE_ELF_SYMBOLS_H

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Where a file has its symbols and their names. */
struct hd_elf_symbols {
  int file;
  uint64_t offset; /* of the first symbol */
  uint64_t count;
  uint64_t names_offset;
  uint64_t names_bytes;
};

/** False: there is no such file, or no table in it. `symbols` is then closed. */
bool hd_elf_symbols_open(const char *path, struct hd_elf_symbols *symbols);
void hd_elf_symbols_close(struct hd_elf_symbols *symbols);

/** The function that begins at `value`, an address in the file. False: none does. Takes and frees some KiB of
 *  hd_heap. */
bool hd_elf_symbols_find(const struct hd_elf_symbols *symbols, uint64_t value, ElfW(Sym) * found);

/** A symbol's name, cut where there is no more room. False: it has none. */
bool hd_elf_symbols_name(const struct hd_elf_symbols *symbols, const ElfW(Sym) * symbol, char *name, size_t bytes);

/** Gets each function that the file defines: its address in the file, and its name. */
typedef void hd_elf_function_taker(void *context, uint64_t value, const char *name);

/** Calls `take` for all of them. Maps as much memory as the table and its names take meanwhile. False: there is no
 *  memory, or the file cannot be read. */
bool hd_elf_symbols_each(const struct hd_elf_symbols *symbols, hd_elf_function_taker *take, void *context);

#endif
