/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/inprocess/pristine.h"
#include "support/lasting.h"

#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include "support/inprocess/memory_budget.h"

#define HIDDEN __attribute__((visibility("hidden")))

/* Words: the sanitizers' own loops and functions would look at the gaps between variables. */
typedef volatile uint64_t word;
enum { WORD = sizeof(word), PAGE_BYTES = 4096 };

/* The linker's names for the ends of that section. */
extern char __start_hd_lasting[] HIDDEN, __stop_hd_lasting[] HIDDEN;

/* Of this library in memory: what is written after it was loaded and relocated. */
static struct {
  uintptr_t begin;
  uintptr_t zeros; /* from here on all was 0 */
  uintptr_t end;
  const word *copy; /* up to `zeros` */
} image HD_LASTING = {0};

static bool contains(const struct dl_phdr_info *info, const ElfW(Phdr) * segment, uintptr_t address) {
  return segment->p_type == PT_LOAD && (segment->p_flags & PF_W) &&
         address - (info->dlpi_addr + segment->p_vaddr) < segment->p_memsz;
}

/* The part that is read-only after relocation lies before. */
static void leave_out_relro(const struct dl_phdr_info *info) {
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    const uintptr_t end = info->dlpi_addr + segment->p_vaddr + segment->p_memsz;
    if (segment->p_type == PT_GNU_RELRO && end > image.begin && end < image.end)
      image.begin = end;
  }
}

static int find_image(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size, (void)data;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    if (!contains(info, segment, (uintptr_t)&image))
      continue;
    const uintptr_t begin = info->dlpi_addr + segment->p_vaddr;
    image.begin = begin;
    image.zeros = (begin + segment->p_filesz + WORD - 1) / WORD * WORD;
    image.end = (begin + segment->p_memsz + WORD - 1) / WORD * WORD;
    leave_out_relro(info);
    image.begin = image.begin / WORD * WORD;
    return 1;
  }
  return 0;
}

#define BARE __attribute__((no_sanitize("address", "thread", "undefined"), noinline))

/* From `from`; NULL: zeros. */
BARE static void set(uintptr_t begin, uintptr_t end, const word *from) {
  for (word *to = (word *)begin; (uintptr_t)to < end; to++) /* NOLINT(performance-no-int-to-ptr) */
    *to = from ? *from++ : 0;
}

BARE static void copy(word *to, uintptr_t begin, uintptr_t end) {
  for (const word *from = (const word *)begin; (uintptr_t)from < end; from++) /* NOLINT(performance-no-int-to-ptr) */
    *to++ = *from;
}

/* The sanitizers put room around each variable: that is no memory of Heddle's. */
#ifdef HD_SANITIZED
static const bool is_own = false;
#else
static const bool is_own = true;
#endif

bool hd_pristine_keep(void) {
  if (image.copy)
    return true;
  if (!dl_iterate_phdr(find_image, NULL) || image.zeros <= image.begin)
    return false;
  const size_t bytes = (image.zeros - image.begin + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return false;
  hd_memory_take_surely(is_own ? bytes : 0); /* before the copy: a child has its copy of it, too */
  copy(memory, image.begin, image.zeros);
  image.copy = memory;
  return true;
}

bool hd_pristine_restore(void) {
  const uintptr_t lasting = (uintptr_t)__start_hd_lasting;
  const uintptr_t after = (uintptr_t)__stop_hd_lasting;
  if (!image.copy)
    return false;
  set(image.begin, lasting, image.copy);
  set(after, image.zeros, image.copy + (after - image.begin) / WORD);
  set(image.zeros, image.end, NULL);
  return true;
}
