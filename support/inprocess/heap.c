/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/inprocess/heap.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "support/inprocess/memory_budget.h"

/* Larger pieces are mapped and unmapped one by one, in pages; smaller ones cut from chunks. */
enum { CHUNK_BYTES = 16384, CUT_MOST = 8192, PAGE_BYTES = 4096 };

/* Four sizes between powers of two, so that at most a fifth is lost; the small ones in steps of 16. */
enum { SMALLEST = 32, STEP = 16, STEPS_TO = 128, STEP_CLASSES = (STEPS_TO - SMALLEST) / STEP + 1 };
enum { CLASSES = STEP_CLASSES + 4 * 6 }; /* 128 * 2^6 is CUT_MOST */

struct piece {
  uint64_t bytes;     /* this header included */
  struct piece *next; /* while it is free */
  char content[];
};
_Static_assert(sizeof(struct piece) == 16, "contents are aligned to 16 bytes");

static struct {
  pthread_mutex_t lock;
  struct piece *free[CLASSES];
  char *chunk;
  size_t chunk_left;
} heap = {.lock = PTHREAD_MUTEX_INITIALIZER};

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

static void *map(size_t bytes, bool surely) {
  if (surely)
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
  piece->next = heap.free[class];
  heap.free[class] = piece;
}

/* What is left of the chunk serves smaller pieces. */
static void use_up_chunk(void) {
  for (unsigned class = CLASSES; class --> 0;)
    while (heap.chunk_left >= class_bytes(class)) {
      put_aside((struct piece *)heap.chunk, class);
      heap.chunk += class_bytes(class);
      heap.chunk_left -= class_bytes(class);
    }
}

static bool next_chunk(size_t bytes, bool surely) {
  char *chunk = map(bytes, surely);
  if (!chunk)
    return false;
  use_up_chunk();
  heap.chunk = chunk;
  heap.chunk_left = bytes;
  return true;
}

/* Close to the limit there is room for a smaller chunk, perhaps. */
static struct piece *cut(size_t bytes, bool surely) {
  const size_t pages = (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
  if (heap.chunk_left < bytes && !next_chunk(CHUNK_BYTES, false) && !next_chunk(pages, surely))
    return NULL;
  struct piece *piece = (struct piece *)heap.chunk;
  heap.chunk += bytes;
  heap.chunk_left -= bytes;
  return piece;
}

static struct piece *take(unsigned class, bool surely) {
  const size_t bytes = class_bytes(class);
  pthread_mutex_lock(&heap.lock);
  struct piece *piece = heap.free[class];
  if (piece) {
    heap.free[class] = piece->next;
    memset(piece, 0, bytes);
  } else {
    piece = cut(bytes, surely);
  }
  pthread_mutex_unlock(&heap.lock);
  if (piece)
    piece->bytes = bytes;
  return piece;
}

static struct piece *map_piece(size_t bytes, bool surely) {
  bytes = (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
  struct piece *piece = map(bytes, surely);
  if (piece)
    piece->bytes = bytes;
  return piece;
}

static void *allocate(size_t bytes, bool surely) {
  const size_t total = bytes + sizeof(struct piece);
  struct piece *piece = total <= CUT_MOST ? take(class_of(total), surely) : map_piece(total, surely);
  return piece ? piece->content : NULL;
}

void *hd_heap_allocate(size_t count, size_t bytes) {
  size_t total;
  if (__builtin_mul_overflow(count, bytes, &total) || total > SIZE_MAX / 4)
    return NULL;
  return allocate(total, false);
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
  pthread_mutex_lock(&heap.lock);
  put_aside(piece, class_of(piece->bytes));
  pthread_mutex_unlock(&heap.lock);
}

static void *resize(void *memory, size_t bytes, bool surely) {
  const size_t room = memory ? piece_of(memory)->bytes - sizeof(struct piece) : 0;
  if (memory && bytes <= room)
    return memory;
  void *grown = bytes > SIZE_MAX / 4 ? NULL : allocate(bytes, surely);
  if (!grown)
    return NULL;
  if (memory)
    memcpy(grown, memory, room);
  hd_heap_free(memory);
  return grown;
}

void *hd_heap_resize(void *memory, size_t bytes) {
  return resize(memory, bytes, false);
}

void *hd_heap_resize_surely(void *memory, size_t bytes) {
  return resize(memory, bytes, true);
}
