/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/inprocess/heap.h"

#include <string.h>
#include <sys/mman.h>

#include "support/inprocess/free_list.h"

/* Larger pieces are mapped and unmapped one by one, in pages; smaller ones cut from chunks. */
enum { CHUNK_BYTES = 16384, CUT_MOST = 8192, PAGE_BYTES = 4096 };

/* Four sizes between powers of two, so that at most a fifth is lost; the small ones in steps of 16. */
enum { SMALLEST = 32, STEP = 16, STEPS_TO = 128, STEP_CLASSES = (STEPS_TO - SMALLEST) / STEP + 1 };
enum { CLASSES = STEP_CLASSES + 4 * 6 }; /* 128 * 2^6 is CUT_MOST */

struct piece {
  uint64_t bytes; /* this header included */
  void *next;     /* while it is free */
  char content[];
};
_Static_assert(sizeof(struct piece) == 16, "contents are aligned to 16 bytes");

/* What is not cut off yet lies from `used` on. Never unmapped. */
struct chunk {
  uint64_t used; /* with these words */
  uint64_t bytes;
};

/* No thread waits for another, who may have lost its processor. */
static struct {
  struct hd_free_list free[CLASSES];
  struct chunk *chunk;
} heap;

static size_t class_bytes(unsigned class) {
  if (class < STEP_CLASSES)
    return SMALLEST + class * STEP;
  const unsigned above = class - STEP_CLASSES;
  return ((size_t)STEPS_TO / 4 * (5 + above % 4)) << above / 4;
}

/* The smallest that has room. */
static unsigned class_of(size_t bytes) {
  unsigned class = 0;
  while (class_bytes(class) < bytes)
    class ++;
  return class;
}

/* Beyond the limit if need be; up to the limit; else an enum hd_memory_use: as long as there is room for it. */
enum { SURELY = -2, WITHIN_LIMIT = -1 };

static void *map(size_t bytes, int claim) {
  if (claim >= 0 && !hd_memory_has_room((enum hd_memory_use)claim, bytes))
    return NULL;
  if (claim == SURELY)
    hd_memory_take_surely(bytes);
  else if (!hd_memory_take(bytes))
    return NULL;
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory != MAP_FAILED)
    return memory;
  hd_memory_give(bytes);
  return NULL;
}

static void put_aside(struct piece *piece, unsigned class) {
  hd_free_list_put(&heap.free[class], piece, piece, offsetof(struct piece, next));
}

/* So many bytes of a chunk, or the rest of it if that is all: `bytes` says how many. NULL: there are not so many. */
static char *cut_from(struct chunk *chunk, uint64_t least, uint64_t *bytes) {
  uint64_t used = chunk ? __atomic_load_n(&chunk->used, __ATOMIC_RELAXED) : 0;
  do {
    if (!chunk || chunk->bytes - used < least)
      return NULL;
    if (*bytes > chunk->bytes - used)
      *bytes = chunk->bytes - used;
  } while (!__atomic_compare_exchange_n(&chunk->used, &used, used + *bytes, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return (char *)chunk + used;
}

/* What is left of a chunk serves smaller pieces. */
static void use_up(struct chunk *chunk) {
  uint64_t left = chunk ? chunk->bytes : 0;
  char *at = cut_from(chunk, SMALLEST, &left);
  for (unsigned class = CLASSES; at && class --> 0;)
    for (; left >= class_bytes(class); left -= class_bytes(class), at += class_bytes(class))
      put_aside((struct piece *)at, class);
}

/* Of several threads that find the chunk too small the first one's new chunk counts. False: no memory. */
static bool next_chunk(struct chunk *small, size_t bytes, int claim) {
  struct chunk *chunk = map(bytes, claim);
  if (!chunk)
    return false;
  *chunk = (struct chunk){.used = sizeof *chunk, .bytes = bytes};
  if (__atomic_compare_exchange_n(&heap.chunk, &small, chunk, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
    use_up(small);
    return true;
  }
  munmap(chunk, bytes);
  hd_memory_give(bytes);
  return true;
}

/* Close to the limit there is room for a smaller chunk, perhaps. */
static struct piece *cut(size_t bytes, int claim) {
  const size_t pages = (sizeof(struct chunk) + bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
  for (;;) {
    struct chunk *chunk = __atomic_load_n(&heap.chunk, __ATOMIC_ACQUIRE);
    uint64_t wanted = bytes;
    char *piece = cut_from(chunk, bytes, &wanted);
    if (piece)
      return (struct piece *)piece;
    if (!next_chunk(chunk, CHUNK_BYTES, claim == SURELY ? WITHIN_LIMIT : claim) && !next_chunk(chunk, pages, claim))
      return NULL;
  }
}

static struct piece *take(unsigned class, int claim) {
  const size_t bytes = class_bytes(class);
  struct piece *piece = hd_free_list_take(&heap.free[class], offsetof(struct piece, next));
  if (piece)
    memset(piece, 0, bytes);
  else
    piece = cut(bytes, claim);
  if (piece)
    piece->bytes = bytes;
  return piece;
}

static struct piece *map_piece(size_t bytes, int claim) {
  bytes = (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
  struct piece *piece = map(bytes, claim);
  if (piece)
    piece->bytes = bytes;
  return piece;
}

static void *allocate(size_t bytes, int claim) {
  const size_t total = bytes + sizeof(struct piece);
  struct piece *piece = total <= CUT_MOST ? take(class_of(total), claim) : map_piece(total, claim);
  return piece ? piece->content : NULL;
}

static void *allocate_all(size_t count, size_t bytes, int claim) {
  size_t total;
  if (__builtin_mul_overflow(count, bytes, &total) || total > SIZE_MAX / 4)
    return NULL;
  return allocate(total, claim);
}

void *hd_heap_allocate(size_t count, size_t bytes) {
  return allocate_all(count, bytes, WITHIN_LIMIT);
}

void *hd_heap_allocate_for(enum hd_memory_use use, size_t count, size_t bytes) {
  return allocate_all(count, bytes, (int)use);
}

static struct piece *piece_of(void *memory) {
  return (struct piece *)((char *)memory - sizeof(struct piece));
}

void hd_heap_free(void *memory) {
  struct piece *piece = memory ? piece_of(memory) : NULL;
  if (!piece)
    return;
  if (piece->bytes > CUT_MOST) {
    const size_t bytes = piece->bytes;
    munmap(piece, bytes);
    hd_memory_give(bytes);
    return;
  }
  put_aside(piece, class_of(piece->bytes));
}

void *hd_heap_resize(void *memory, size_t bytes, bool surely) {
  const size_t room = memory ? piece_of(memory)->bytes - sizeof(struct piece) : 0;
  if (memory && bytes <= room)
    return memory;
  void *grown = bytes > SIZE_MAX / 4 ? NULL : allocate(bytes, surely ? SURELY : WITHIN_LIMIT);
  if (!grown)
    return NULL;
  if (memory)
    memcpy(grown, memory, room);
  hd_heap_free(memory);
  return grown;
}

bool hd_heap_grow(void *array, uint32_t *limit, uint32_t needed, size_t bytes) {
  enum { FIRST = 16 };
  char *items;
  if (needed <= *limit)
    return true;
  uint32_t wanted = *limit ? *limit : FIRST;
  while (wanted < needed)
    wanted *= 2;
  memcpy(&items, array, sizeof items);
  items = hd_heap_resize(items, wanted * bytes, false);
  if (!items)
    return false;
  memset(items + *limit * bytes, 0, (wanted - *limit) * bytes);
  memcpy(array, &items, sizeof items);
  *limit = wanted;
  return true;
}
