/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "callpath/loaded_modules.h"

struct search {
  uintptr_t address;
  struct hd_loaded *loaded;
};

static int contains(struct dl_phdr_info *info, size_t size, void *data) {
  const struct search *search = data;
  struct hd_loaded *loaded = search->loaded;
  if (size >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs)
    loaded->unloaded = info->dlpi_subs;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    const uintptr_t begin = info->dlpi_addr + segment->p_vaddr;
    if (segment->p_type != PT_LOAD || search->address - begin >= segment->p_memsz)
      continue;
    loaded->info = *info;
    loaded->begin = begin;
    loaded->end = begin + segment->p_memsz;
    return 1;
  }
  return 0;
}

bool hd_loaded_find(uintptr_t address, struct hd_loaded *loaded) {
  struct search search = {address, loaded};
  *loaded = (struct hd_loaded){0};
  return dl_iterate_phdr(contains, &search);
}

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
