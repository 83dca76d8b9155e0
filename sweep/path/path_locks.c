/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What one thread holds at a time: locks, critical sections, ordered blocks. In the order in which it happened: whoever
 * gets one goes on from whoever had it last. */
#include "support/inprocess/heap.h"
#include "sweep/path/path_internal.h"

struct lock {
  struct hd_path_item item;
  struct hd_chain *chain; /* of its last holder when that gave it back */
  uint64_t team;          /* that holder's serial number; 0: it was in none */
  uint32_t holder;        /* its ring's index + 1; 0: nobody has it */
};

static uint64_t team_of(const struct hd_path_ring *ring) {
  const struct hd_path_team *team = hd_path_top(ring)->team;
  return team ? team->serial : 0;
}

static uint32_t number_of(const struct hd_path_book *book, const struct hd_path_ring *ring) {
  return (uint32_t)(ring - book->rings) + 1;
}

static struct lock *find_or_make(struct hd_path_book *book, uint64_t key) {
  struct lock *lock = hd_path_find(&book->locks, key);
  if (!lock)
    lock = hd_path_make(&book->locks, key, sizeof *lock);
  book->chains.has_failed |= !lock;
  return lock;
}

/* Of a region only what its own threads did may be in its span: so what another team did is not followed. */
static void go_on_from(struct hd_path_book *book, struct hd_path_ring *ring, struct hd_chain *chain, uint64_t team) {
  struct hd_path_strand *strand = hd_path_current(ring);
  if (team == team_of(ring))
    hd_chain_take_longer(&book->chains, &strand->chain, chain);
  else if (hd_chain_ticks(chain) > hd_chain_ticks(strand->chain))
    book->header->path_flags |= HD_PATH_TEAMS;
}

/* The runtime says that a lock was given back when it is already another's. */
void hd_path_acquire(struct hd_path_book *book, struct hd_path_ring *ring, uint64_t key, uint64_t now) {
  struct lock *lock = find_or_make(book, key);
  if (!lock)
    return;
  struct hd_path_ring *holder = lock->holder ? &book->rings[lock->holder - 1] : NULL;
  if (holder && holder != ring) {
    hd_path_reach(book, holder, now);
    go_on_from(book, ring, hd_path_current(holder)->chain, team_of(holder));
  }
  go_on_from(book, ring, lock->chain, lock->team);
  lock->holder = number_of(book, ring);
}

void hd_path_give_lock(struct hd_path_book *book, const struct hd_path_ring *ring, uint64_t key) {
  struct lock *lock = hd_path_find(&book->locks, key);
  if (!lock || lock->holder != number_of(book, ring))
    return; /* it was another's already */
  hd_chain_release(&book->chains, lock->chain);
  lock->chain = hd_chain_hold(hd_path_current(ring)->chain);
  lock->team = team_of(ring);
  lock->holder = 0;
}

void hd_path_free_locks(struct hd_path_book *book) {
  for (struct lock *lock; (lock = hd_path_any(&book->locks));) {
    hd_chain_release(&book->chains, lock->chain);
    hd_path_take_out(&book->locks, &lock->item);
    hd_heap_free(lock);
  }
  hd_path_free_index(&book->locks);
}
