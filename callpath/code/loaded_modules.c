/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "callpath/code/loaded_modules.h"

#include <dlfcn.h>
#include <string.h>

struct search {
  uintptr_t address;
  struct hd_loaded *loaded;
};

static bool has_segment(const struct dl_phdr_info *info, uintptr_t address, struct hd_loaded *loaded) {
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    const uintptr_t begin = info->dlpi_addr + segment->p_vaddr;
    if (segment->p_type != PT_LOAD || address - begin >= segment->p_memsz)
      continue;
    loaded->info = (struct dl_phdr_info){.dlpi_addr = info->dlpi_addr,
                                         .dlpi_name = info->dlpi_name,
                                         .dlpi_phdr = info->dlpi_phdr,
                                         .dlpi_phnum = info->dlpi_phnum};
    loaded->begin = begin;
    loaded->end = begin + segment->p_memsz;
    return true;
  }
  return false;
}

static int contains(struct dl_phdr_info *info, size_t size, void *data) {
  const struct search *search = data;
  (void)size;
  return has_segment(info, search->address, search->loaded);
}

static bool find_under_lock(uintptr_t address, struct hd_loaded *loaded) {
  struct search search = {address, loaded};
  return dl_iterate_phdr(contains, &search);
}

#ifdef DLFO_STRUCT_HAS_EH_DBASE /* glibc 2.35 and later declare it; whether there is one, is known when the program    \
                                   runs */
static int (*find_object)(void *address, struct dl_find_object *found);

void hd_loaded_init(void) {
  void *symbol = dlsym(RTLD_DEFAULT, "_dl_find_object");
  memcpy(&find_object, &symbol, sizeof find_object); /* ISO C knows no such conversion */
}

/* The module's first page has its headers, whatever linked it; else the lock it is. */
static bool has_headers(const struct dl_find_object *object, struct dl_phdr_info *info) {
  const char *begin = object->dlfo_map_start;
  const ElfW(Ehdr) *header = (const void *)begin;
  const size_t bytes = (size_t)((const char *)object->dlfo_map_end - begin);
  if (bytes < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_phoff > bytes ||
      header->e_phnum > (bytes - header->e_phoff) / sizeof *info->dlpi_phdr)
    return false;
  info->dlpi_addr = object->dlfo_link_map->l_addr;
  info->dlpi_name = object->dlfo_link_map->l_name;
  info->dlpi_phdr = (const void *)(begin + header->e_phoff);
  info->dlpi_phnum = header->e_phnum;
  return true;
}

bool hd_loaded_find(uintptr_t address, struct hd_loaded *loaded) {
  struct dl_find_object object;
  struct dl_phdr_info info;
  *loaded = (struct hd_loaded){0};
  if (!find_object)
    return find_under_lock(address, loaded);
  if (find_object((void *)address, &object))
    return false;
  return has_headers(&object, &info) ? has_segment(&info, address, loaded) : find_under_lock(address, loaded);
}
#else
void hd_loaded_init(void) {}

bool hd_loaded_find(uintptr_t address, struct hd_loaded *loaded) {
  *loaded = (struct hd_loaded){0};
  return find_under_lock(address, loaded);
}
#endif

static int take_unloads(struct dl_phdr_info *info, size_t size, void *data) {
  if (size >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs)
    *(unsigned long long *)data = info->dlpi_subs;
  return 1; /* all modules say the same */
}

unsigned long long hd_loaded_unloads(void) {
  unsigned long long unloads = 0;
  dl_iterate_phdr(take_unloads, &unloads);
  return unloads;
}

static void each_in(const char *notes, size_t bytes, hd_note_taker *take, void *context) {
  while (bytes >= sizeof(ElfW(Nhdr))) {
    const ElfW(Nhdr) *note = (const void *)notes;
    const size_t name_bytes = (note->n_namesz + 3u) & ~3u;
    const size_t total = sizeof *note + name_bytes + ((note->n_descsz + 3u) & ~3u);
    if (total > bytes)
      return;
    take(context, note, (const char *)(note + 1), (const char *)(note + 1) + name_bytes);
    notes += total;
    bytes -= total;
  }
}

void hd_loaded_each_note(const struct dl_phdr_info *info, hd_note_taker *take, void *context) {
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    if (segment->p_type == PT_NOTE)
      each_in((const char *)(info->dlpi_addr + segment->p_vaddr), segment->p_memsz, take, context);
  }
}
