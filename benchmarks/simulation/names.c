/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "names.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "heddle-format.h"

enum { NOTES = 1 << 16, KINDS = 512 };

/* By line and place. */
static struct note {
  uintptr_t address, place;
  uint64_t count;
} notes[NOTES];
static uint32_t note_count;

void names_begin(void) {
  memset(notes, 0, sizeof notes);
  note_count = 0;
}

void names_note(const void *address, const void *place, bool is_runtimes) {
  const uintptr_t line = (uintptr_t)address;
  uint64_t at = (line / 64 ^ (uintptr_t)place) * 0x9e3779b97f4a7c15u >> 32;
  while (notes[at % NOTES].count && (notes[at % NOTES].address != line || notes[at % NOTES].place != (uintptr_t)place))
    at++;
  struct note *note = &notes[at % NOTES];
  if (is_runtimes || (note->count == 0 && note_count == NOTES / 2))
    return;
  note_count += note->count == 0;
  *note = (struct note){line, (uintptr_t)place, note->count + 1};
}

/* ---- the profile ---- */

static const char *const block_names[HD_BLOCK_TYPE_LAST + 1] = {
    [HD_BLOCK_PROFILES] = "callpaths",
    [HD_BLOCK_ROWS] = "rows",
    [HD_BLOCK_THREADS] = "threads",
    [HD_BLOCK_TOTALS] = "totals",
    [HD_BLOCK_TEAMS] = "teams",
    [HD_BLOCK_RING] = "rings",
    [HD_BLOCK_TALLIES] = "tallies",
    [HD_BLOCK_LEVELS] = "levels",
    [HD_BLOCK_OVERLAPS] = "overlaps",
    [HD_BLOCK_TIMELINE] = "timeline",
    [HD_BLOCK_ENTRIES] = "entries",
    [HD_BLOCK_STACK] = "stacks",
    [HD_BLOCK_COSTS] = "costs",
    [HD_BLOCK_SWITCHES] = "switches",
    [HD_BLOCK_JOURNAL] = "journal",
    [HD_BLOCK_DELAYS] = "delays",
    [HD_BLOCK_MEMBERSHIPS] = "memberships",
    [HD_BLOCK_HISTORIES] = "histories",
};

static const char *name_of_block(unsigned type) {
  return type <= HD_BLOCK_TYPE_LAST && block_names[type] ? block_names[type] : "other blocks";
}

/* Where the profile begins in memory; NULL: it is not there. */
static const char *find_profile(void) {
  unsigned long begin, offset;
  char line[512], access[8];
  const char *found = NULL;
  FILE *maps = fopen("/proc/self/maps", "r");
  while (maps && !found && fgets(line, sizeof line, maps))
    if (sscanf(line, "%lx-%*x %7s %lx", &begin, access, &offset) == 3 && offset == 0 && !strcmp(access, "rw-s") &&
        !memcmp((const void *)begin, HD_MAGIC, 8)) // NOLINT(performance-no-int-to-ptr)
      found = (const char *)begin;                 // NOLINT(performance-no-int-to-ptr)
  if (maps)
    fclose(maps);
  return found;
}

/* NULL: it lies in none. */
static const char *find_block(const char *profile, uintptr_t address) {
  const struct hd_file_header *header = (const void *)profile;
  const uint64_t offset = address - (uintptr_t)profile;
  if (!profile || address < (uintptr_t)profile)
    return NULL;
  if (offset < HD_HEADER_BYTES)
    return "header";
  for (uint32_t unit = 0; unit < header->block_count;) {
    const struct hd_block_header *block = (const void *)(profile + HD_HEADER_BYTES + (size_t)unit * HD_BLOCK_BYTES);
    if (block->span == 0)
      return NULL;
    unit += block->span;
    if (offset < HD_HEADER_BYTES + (uint64_t)unit * HD_BLOCK_BYTES)
      return name_of_block(block->type);
  }
  return NULL;
}

/* ---- the library's symbols ---- */

static struct {
  const char *base; /* where it lies */
  const char *file; /* a copy of the file */
  const Elf64_Sym *symbols;
  uint64_t count;
  const char *texts;
} library;

static bool load_symbols(const void *object) {
  Dl_info info;
  struct stat status;
  const int fd = dladdr(object, &info) ? open(info.dli_fname, O_RDONLY | O_CLOEXEC) : -1;
  if (fd < 0 || fstat(fd, &status))
    return false;
  library.base = info.dli_fbase;
  library.file = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  close(fd);
  if (library.file == MAP_FAILED)
    return false;
  const Elf64_Ehdr *header = (const void *)library.file;
  const Elf64_Shdr *sections = (const void *)(library.file + header->e_shoff);
  for (int i = 0; i < header->e_shnum; i++)
    if (sections[i].sh_type == SHT_SYMTAB) {
      library.symbols = (const void *)(library.file + sections[i].sh_offset);
      library.count = sections[i].sh_size / sizeof *library.symbols;
      library.texts = library.file + sections[sections[i].sh_link].sh_offset;
    }
  return true;
}

static const char *find_symbol(uintptr_t address, unsigned type) {
  const uint64_t offset = address - (uintptr_t)library.base;
  for (uint64_t i = 0; i < library.count; i++) {
    const Elf64_Sym *symbol = &library.symbols[i];
    const uint64_t bytes = type == STT_OBJECT ? (symbol->st_size + 63) / 64 * 64 : symbol->st_size;
    const uint64_t begin = type == STT_OBJECT ? symbol->st_value / 64 * 64 : symbol->st_value;
    if (ELF64_ST_TYPE(symbol->st_info) == type && offset >= begin && offset < begin + bytes)
      return library.texts + symbol->st_name;
  }
  return NULL;
}

/* ---- sums ---- */

static void name_note(const char *profile, const struct note *note, char name[NAME_BYTES]) {
  const char *found = find_block(profile, note->address);
  if (!found)
    found = find_symbol(note->address, STT_OBJECT);
  if (found) {
    snprintf(name, NAME_BYTES, "%s", found);
    return;
  }
  found = find_symbol(note->place, STT_FUNC);
  snprintf(name, NAME_BYTES, "memory in %s", found ? found : "the library");
}

static int by_lines(const void *a, const void *b) {
  const double left = ((const struct named_lines *)a)->lines, right = ((const struct named_lines *)b)->lines;
  return left > right ? -1 : left < right;
}

void names_tell(const void *object, struct named_lines kept[NAMES_KEPT]) {
  static struct named_lines kinds[KINDS];
  const char *profile = find_profile();
  int count = 0;
  load_symbols(object);
  memset(kinds, 0, sizeof kinds);
  for (uint32_t i = 0; i < NOTES; i++) {
    char name[NAME_BYTES];
    int at = 0;
    if (notes[i].count == 0)
      continue;
    name_note(profile, &notes[i], name);
    while (at < count && strcmp(kinds[at].name, name) != 0)
      at++;
    if (at == KINDS)
      continue;
    count += at == count;
    snprintf(kinds[at].name, NAME_BYTES, "%s", name);
    kinds[at].lines += (double)notes[i].count;
  }
  qsort(kinds, (size_t)count, sizeof *kinds, by_lines);
  memcpy(kept, kinds, NAMES_KEPT * sizeof *kinds);
}
