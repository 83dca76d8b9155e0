/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "callpath/code/elf_symbols.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "support/inprocess/heap.h"
#include "support/inprocess/seccomp.h"

static bool read_at(int file, uint64_t offset, void *to, size_t bytes) {
  return offset <= INT64_MAX && pread(file, to, bytes, (off_t)offset) == (ssize_t)bytes;
}

static bool read_section(int file, const ElfW(Ehdr) * header, uint64_t index, ElfW(Shdr) * section) {
  return index < header->e_shnum && header->e_shentsize == sizeof *section &&
         read_at(file, header->e_shoff + index * sizeof *section, section, sizeof *section);
}

static bool find_table(int file, const ElfW(Ehdr) * header, ElfW(Shdr) * table) {
  for (uint64_t i = 0; read_section(file, header, i, table); i++)
    if (table->sh_type == SHT_SYMTAB)
      return true;
  return false;
}

static bool find_tables(struct hd_elf_symbols *symbols) {
  ElfW(Ehdr) header;
  ElfW(Shdr) table;
  ElfW(Shdr) names;
  if (!read_at(symbols->file, 0, &header, sizeof header) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      !find_table(symbols->file, &header, &table) || !read_section(symbols->file, &header, table.sh_link, &names))
    return false;
  symbols->offset = table.sh_offset;
  symbols->count = table.sh_size / sizeof(ElfW(Sym));
  symbols->names_offset = names.sh_offset;
  symbols->names_bytes = names.sh_size;
  return true;
}

bool hd_elf_symbols_open(const char *path, struct hd_elf_symbols *symbols) {
  *symbols = (struct hd_elf_symbols){.file = hd_seccomp_is_new() ? -1 : open(path, O_RDONLY | O_CLOEXEC)};
  if (symbols->file >= 0 && find_tables(symbols))
    return true;
  hd_elf_symbols_close(symbols);
  return false;
}

void hd_elf_symbols_close(struct hd_elf_symbols *symbols) {
  if (symbols->file >= 0)
    close(symbols->file);
  symbols->file = -1;
}

/* ---- one function ---- */

bool hd_elf_symbols_name(const struct hd_elf_symbols *symbols, const ElfW(Sym) * symbol, char *name, size_t bytes) {
  if (symbol->st_name >= symbols->names_bytes)
    return false;
  const ssize_t got = pread(symbols->file, name, bytes - 1, (off_t)(symbols->names_offset + symbol->st_name));
  name[got > 0 ? got : 0] = 0;
  return *name;
}

static bool is_function(const ElfW(Sym) * symbol) {
  return (symbol->st_info & 0xf) == STT_FUNC && symbol->st_shndx != SHN_UNDEF;
}

enum { CHUNK_SYMBOLS = 1024 };

bool hd_elf_symbols_find(const struct hd_elf_symbols *symbols, uint64_t value, ElfW(Sym) * found) {
  ElfW(Sym) *chunk = hd_heap_allocate(1, CHUNK_SYMBOLS * sizeof *chunk);
  bool done = false;
  for (uint64_t i = 0; chunk && !done && i < symbols->count; i += CHUNK_SYMBOLS) {
    const uint64_t count = symbols->count - i < CHUNK_SYMBOLS ? symbols->count - i : CHUNK_SYMBOLS;
    if (!read_at(symbols->file, symbols->offset + i * sizeof *chunk, chunk, count * sizeof *chunk))
      break;
    for (uint64_t k = 0; k < count && !done; k++) {
      done = chunk[k].st_value == value && is_function(&chunk[k]);
      *found = chunk[k];
    }
  }
  hd_heap_free(chunk);
  return done;
}

/* ---- all functions ---- */

/* Larger than any symbol table, and far from an overflow. */
static const uint64_t TABLE_BYTES_MOST = UINT64_C(1) << 36;

static void *map(uint64_t bytes) {
  void *memory = bytes <= TABLE_BYTES_MOST
                     ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                     : MAP_FAILED;
  return memory == MAP_FAILED ? NULL : memory;
}

/* A read(2) takes less than 2 GiB at once. */
static bool read_all(int file, uint64_t offset, char *to, uint64_t bytes) {
  enum { MOST = 1 << 30 };
  for (uint64_t done = 0; done < bytes; done += MOST)
    if (!read_at(file, offset + done, to + done, bytes - done < MOST ? bytes - done : MOST))
      return false;
  return true;
}

/* The names end with the zero that the memory has behind them. */
static void take_all(const ElfW(Sym) * table, uint64_t count, const char *names, uint64_t names_bytes,
                     hd_elf_function_taker *take, void *context) {
  for (uint64_t i = 0; i < count; i++)
    if (is_function(&table[i]) && table[i].st_name < names_bytes)
      take(context, table[i].st_value, names + table[i].st_name);
}

bool hd_elf_symbols_each(const struct hd_elf_symbols *symbols, hd_elf_function_taker *take, void *context) {
  if (symbols->count > TABLE_BYTES_MOST / sizeof(ElfW(Sym)) || symbols->names_bytes > TABLE_BYTES_MOST)
    return false;
  const uint64_t bytes = symbols->count * sizeof(ElfW(Sym));
  char *memory = map(bytes + symbols->names_bytes + 1);
  const bool done = memory && read_all(symbols->file, symbols->offset, memory, bytes) &&
                    read_all(symbols->file, symbols->names_offset, memory + bytes, symbols->names_bytes);
  if (done)
    take_all((const void *)memory, symbols->count, memory + bytes, symbols->names_bytes, take, context);
  if (memory)
    munmap(memory, bytes + symbols->names_bytes + 1);
  return done;
}
