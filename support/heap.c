/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/heap.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

/* Pieces of at least CHUNK_BYTES are mapped and unmapped one by one, smaller ones cut from chunks. */
enum { CHUNK_BYTES = 16384, CLASS_FIRST = 5, CLASS_CHUNK = 14 };

struct piece {
  uint64_t size_class; /* 2^size_class bytes, this header included */
  struct piece *next;  /* while it is free */
  char content[];
};
_Static_assert(sizeof(struct piece) == 16, "contents are aligned to 16 bytes");

static struct {
  pthread_mutex_t lock;
  struct piece *free[CLASS_CHUNK];
  char *chunk;
  size_t chunk_left;
} heap = {.lock = PTHREAD_MUTEX_INITIALIZER};

static unsigned class_of(size_t bytes) {
  unsigned size_class = CLASS_FIRST;
  while (((size_t)1 << size_class) < bytes)
    size_class++;
  return size_class;
}

static void *map(size_t bytes) {
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

/* What is left of a chunk that is too small for the next piece is lost: less than a piece. */
static struct piece *cut(unsigned size_class) {
  const size_t bytes = (size_t)1 << size_class;
  if (heap.chunk_left < bytes) {
    char *chunk = map(CHUNK_BYTES);
    if (!chunk)
      return NULL;
    heap.chunk = chunk;
    heap.chunk_left = CHUNK_BYTES;
  }
  struct piece *piece = (struct piece *)heap.chunk;
  heap.chunk += bytes;
  heap.chunk_left -= bytes;
  return piece;
}

static struct piece *take(unsigned size_class) {
  pthread_mutex_lock(&heap.lock);
  struct piece *piece = heap.free[size_class];
  if (piece) {
    heap.free[size_class] = piece->next;
    memset(piece, 0, (size_t)1 << size_class);
  } else {
    piece = cut(size_class);
  }
  pthread_mutex_unlock(&heap.lock);
  return piece;
}

void *hd_heap_allocate(size_t count, size_t bytes) {
  size_t total;
  if (__builtin_mul_overflow(count, bytes, &total) || total > SIZE_MAX / 4)
    return NULL;
  const unsigned size_class = class_of(total + sizeof(struct piece));
  struct piece *piece = size_class < CLASS_CHUNK ? take(size_class) : map((size_t)1 << size_class);
  if (!piece)
    return NULL;
  piece->size_class = size_class;
  return piece->content;
}

static struct piece *piece_of(void *memory) {
  return (struct piece *)((char *)memory - sizeof(struct piece));
}

void hd_heap_free(void *memory) {
  struct piece *piece = memory ? piece_of(memory) : NULL;
  if (!piece)
    return;
  if (piece->size_class >= CLASS_CHUNK) {
    munmap(piece, (size_t)1 << piece->size_class);
    return;
  }
  pthread_mutex_lock(&heap.lock);
  piece->next = heap.free[piece->size_class];
  heap.free[piece->size_class] = piece;
  pthread_mutex_unlock(&heap.lock);
}

void *hd_heap_resize(void *memory, size_t bytes) {
  const size_t room = memory ? ((size_t)1 << piece_of(memory)->size_class) - sizeof(struct piece) : 0;
  if (memory && bytes <= room)
    return memory;
  void *grown = hd_heap_allocate(1, bytes);
  if (!grown)
    return NULL;
  if (memory)
    memcpy(grown, memory, room);
  hd_heap_free(memory);
  return grown;
}
