/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "callpath/callpath.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

#include "support/inprocess/heap.h"

#define HASH_NONFATAL_OOM 1
#define uthash_malloc(bytes) hd_heap_allocate(1, bytes)
#define uthash_free(memory, bytes) hd_heap_free(memory)
#include <uthash.h>

#include "callpath/known_steps.h"
#include "callpath/modules.h"
#include "support/inprocess/memory_budget.h"

struct site {
  const void *address;
  uint32_t module;    /* an address may come to mean another place when its module is unloaded */
  uint16_t kind;      /* HD_KIND_LOOP for all loops: hd_kind_of_site() */
  uint16_t shortened; /* 1: stands for all callpaths that end so, as far as they have no profile of their own */
  uint16_t told;      /* the kind that the runtime told. Not part of the key */
};

struct key {
  const struct hd_profile *parent;
  struct site site;
};

enum { KEY_BYTES = offsetof(struct key, site) + offsetof(struct site, told) };

struct hd_profile {
  struct key key;
  struct hd_profile_record *record;
  bool is_counted; /* in header->shortened_paths */
  UT_hash_handle hh;
};

struct phase {
  UT_hash_handle hh;
  char name[];
};

/* Profiles by number lie in parts, each as long as all before it, that never move: who knows a number finds its profile
 * without the lock. */
enum { FIRST_IDS_BITS = 8, ID_PARTS = 32 - FIRST_IDS_BITS + 1 };

static struct {
  pthread_mutex_t lock;
  struct hd_store *store;
  struct hd_store_cursor cursor;
  struct hd_store_cursor texts;
  struct phase *phases; /* by name */
  struct hd_profile *table;
  struct hd_profile *root;
  struct hd_profile **by_id[ID_PARTS];
  uint64_t depth_limit;
  uint64_t cycle_limit;
  uint32_t count;
} callpaths = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct hd_profile *find(struct key key) {
  struct hd_profile *profile;
  HASH_FIND(hh, callpaths.table, &key, KEY_BYTES, profile);
  return profile;
}

static uint32_t part_of(uint32_t id) {
  return id >> FIRST_IDS_BITS ? 32 - FIRST_IDS_BITS - (uint32_t)__builtin_clz(id) : 0;
}

static uint32_t part_begin(uint32_t part) {
  return part ? UINT32_C(1) << (FIRST_IDS_BITS + part - 1) : 0;
}

static struct hd_profile **place_by_id(uint32_t id) {
  const uint32_t part = part_of(id);
  return &callpaths.by_id[part][id - part_begin(part)];
}

static struct hd_profile *by_id(uint32_t id) {
  return *place_by_id(id);
}

static bool make_room_by_id(void) {
  const uint32_t part = part_of(callpaths.count);
  const size_t length = part ? part_begin(part) : (size_t)1 << FIRST_IDS_BITS;
  if (!callpaths.by_id[part])
    callpaths.by_id[part] = hd_heap_allocate(length, sizeof **callpaths.by_id);
  return callpaths.by_id[part];
}

static struct hd_place place_of(enum hd_kind kind, const void *address) {
  if (kind == HD_KIND_PHASE) /* no code's address: its name stands for it */
    return (struct hd_place){.module = HD_NONE};
  return hd_modules_find(address, kind != HD_KIND_ROUTINE);
}

static void fill_record(struct hd_profile *profile) {
  struct hd_profile_record *record = profile->record;
  const struct hd_profile *parent = profile->key.parent ? profile->key.parent : profile;
  const struct site *site = &profile->key.site;
  struct hd_place place = place_of((enum hd_kind)site->kind, site->address);
  record->id = record->target = callpaths.count++;
  record->parent = parent->record->id;
  record->kind = site->told;
  record->depth = parent == profile ? 0 : parent->record->depth + 1;
  record->module = place.module;
  record->offset = place.offset;
  record->address = site->kind == HD_KIND_PHASE ? 0 : (uint64_t)(uintptr_t)site->address;
  record->flags =
      (uint16_t)((place.in_runtime ? HD_PROFILE_IN_RUNTIME : 0) | (site->shortened ? HD_PROFILE_SHORTENED : 0));
  if (site->kind == HD_KIND_PHASE) {
    const char *name = site->address;
    hd_store_add_text(callpaths.store, &callpaths.texts, HD_TEXT_PHASE, record->id, name, strlen(name));
  }
}

static bool is_region(uint32_t kind) {
  return kind == HD_KIND_PARALLEL || kind == HD_KIND_TEAMS;
}

/* NULL: no memory, or the file cannot grow. */
static struct hd_profile *add(struct key key) {
  struct hd_profile *profile = make_room_by_id() ? hd_heap_allocate(1, sizeof *profile) : NULL;
  if (!profile)
    return NULL;
  profile->key = key;
  HASH_ADD(hh, callpaths.table, key, KEY_BYTES, profile);
  if (!profile->hh.tbl) /* uthash had no memory and left it out */
    goto out;
  profile->record =
      hd_store_add(callpaths.store, &callpaths.cursor, HD_BLOCK_PROFILES, HD_NONE, sizeof(struct hd_profile_record));
  if (!profile->record) {
    HASH_DEL(callpaths.table, profile);
    goto out;
  }
  *place_by_id(callpaths.count) = profile;
  fill_record(profile);
  hd_store_publish(&callpaths.cursor);
  hd_memory_promise(HD_MEMORY_TALLY, is_region(key.site.kind) ? 2 : 1);
  return profile;
out:
  hd_heap_free(profile);
  return NULL;
}

/* With its record, its name and its share of all tables. */
static size_t bytes_of(const struct site *site) {
  enum { PROFILE_BYTES = 640 };
  return PROFILE_BYTES + (site->kind == HD_KIND_PHASE ? strlen(site->address) : 0);
}

/* libomp chooses a loop's schedule by its length and team: what it tells may be another one the next time. */
static struct hd_profile *note_kind(struct hd_profile *profile, const struct site *site) {
  if (profile && profile->key.site.told != site->told) {
    profile->key.site.told = HD_KIND_LOOP;
    __atomic_store_n(&profile->record->kind, HD_KIND_LOOP, __ATOMIC_RELAXED);
  }
  return profile;
}

/* Under the lock; others read them without. */
static void add_flags(const struct hd_profile *profile, unsigned flags) {
  __atomic_fetch_or(&profile->record->flags, (uint16_t)flags, __ATOMIC_RELAXED);
}

/* NULL: no room for a new one. */
static struct hd_profile *find_or_add(struct hd_profile *parent, struct site site, enum hd_memory_use use) {
  struct key key = {.parent = parent, .site = site};
  struct hd_profile *profile = note_kind(find(key), &site);
  return profile || !hd_memory_has_room(use, bytes_of(&site)) ? profile : add(key);
}

/* What a path of so many sites is given room as. */
static enum hd_memory_use use_of(uint64_t sites) {
  return sites > 2 ? HD_MEMORY_PATH : sites == 2 ? HD_MEMORY_SHORT_PATH : HD_MEMORY_SITE;
}

/* ---- paths for which there is no room ---- */

static struct hd_profile *count_shortened(struct hd_profile *profile) {
  if (profile && !profile->is_counted) {
    profile->is_counted = true;
    callpaths.store->header->shortened_paths++;
  }
  return profile;
}

static struct hd_profile *shortened_to_one(struct site site) {
  site.shortened = 1;
  return find_or_add(callpaths.root, site, HD_MEMORY_SITE);
}

/* All paths that end in these two sites; if there is no room for that, in the last one. */
static struct hd_profile *shortened_to_two(struct site last_but_one, struct site last) {
  struct hd_profile *profile = NULL;
  last.shortened = 1;
  if (hd_memory_has_room(HD_MEMORY_SHORT_PATH, bytes_of(&last_but_one) + bytes_of(&last))) {
    struct hd_profile *parent = shortened_to_one(last_but_one);
    profile = parent ? find_or_add(parent, last, HD_MEMORY_SHORT_PATH) : NULL;
  } else {
    last_but_one.shortened = 1;
    const struct hd_profile *parent = find((struct key){.parent = callpaths.root, .site = last_but_one});
    profile = parent ? note_kind(find((struct key){.parent = parent, .site = last}), &last) : NULL;
  }
  return count_shortened(profile ? profile : shortened_to_one(last));
}

/* The profile itself, or a shorter path that ends alike. */
static struct hd_profile *step_of_any_length(struct hd_profile *parent, struct site site) {
  const bool shortened = parent->key.site.shortened;
  struct hd_profile *profile = shortened ? NULL : find_or_add(parent, site, use_of(parent->record->depth + 1));
  return profile ? profile : parent == callpaths.root ? NULL : shortened_to_two(parent->key.site, site);
}

/* ---- bounded and recursive paths ---- */

/* The path of the last `keep` sites up to and including `profile`, built from the root. */
static struct hd_profile *last_sites(const struct hd_profile *profile, uint64_t keep) {
  struct hd_profile *parent = callpaths.root;
  if (keep == 0 || profile == callpaths.root)
    return parent;
  if (profile->record->depth > 1)
    parent = last_sites(profile->key.parent, keep - 1);
  return parent ? find_or_add(parent, profile->key.site, use_of(parent->record->depth + 1)) : NULL;
}

static bool is_same(const struct site *a, const struct site *b) {
  return a->kind == b->kind && a->module == b->module && a->address == b->address;
}

/* Whether the last sites of `path` and `site` are the last ones of `earlier`, which lies above or is `path`. */
static bool ends_alike(const struct hd_profile *path, const struct site *site, const struct hd_profile *earlier) {
  for (uint64_t left = callpaths.cycle_limit; left > 0; left--) {
    if (earlier == callpaths.root || !is_same(site, &earlier->key.site))
      return false;
    site = &path->key.site;
    path = path->key.parent;
    earlier = earlier->key.parent;
  }
  return true;
}

/* Where a path that repeats itself folds to; NULL: it does not. */
static struct hd_profile *earlier_round(struct hd_profile *path, const struct site *site) {
  for (struct hd_profile *earlier = path; earlier != callpaths.root; earlier = (struct hd_profile *)earlier->key.parent)
    if (ends_alike(path, site, earlier))
      return earlier;
  return NULL;
}

static struct hd_profile *bounded_step(struct hd_profile *parent, struct site site) {
  struct hd_profile *above = parent;
  if (parent->record->depth >= callpaths.depth_limit && !parent->key.site.shortened)
    above = last_sites(parent, callpaths.depth_limit - 1);
  if (above)
    return step_of_any_length(above, site);
  return shortened_to_two(parent->key.site, site);
}

/* Behind a path that was shortened no earlier round can be seen. */
static struct hd_profile *step_below(struct hd_profile *parent, struct site site) {
  if (callpaths.depth_limit)
    return bounded_step(parent, site);
  struct hd_profile *earlier = parent->key.site.shortened ? NULL : earlier_round(parent, &site);
  if (!earlier)
    return step_of_any_length(parent, site);
  add_flags(earlier, HD_PROFILE_RECURSIVE);
  return note_kind(earlier, &site);
}

static struct hd_step step_to(struct hd_profile *parent, const struct hd_profile *profile) {
  if (profile)
    return (struct hd_step){.profile = profile->record->id,
                            .counter = profile->record->id,
                            .in_runtime = profile->record->flags & HD_PROFILE_IN_RUNTIME};
  add_flags(parent, HD_PROFILE_FOLDED);
  callpaths.store->header->folded_paths++;
  return (struct hd_step){.profile = parent->record->id, .counter = HD_NONE};
}

static bool is_known(const struct hd_step_key *key, struct hd_step *step) {
  struct hd_step_ends ends;
  if (!hd_known_steps_find(key, __atomic_load_n(&hd_modules_unloads, __ATOMIC_ACQUIRE), &ends))
    return false;
  *step = (struct hd_step){.profile = ends.profile,
                           .counter = ends.counter,
                           .in_runtime = hd_callpath_flags(by_id(ends.profile)->record) & HD_PROFILE_IN_RUNTIME};
  return true;
}

/* Not where it leads for want of room only: there may be some later. */
static void remember(const struct hd_step_key *key, const struct hd_profile *profile, struct hd_step step) {
  if (profile && !profile->key.site.shortened)
    hd_known_steps_add(key, hd_modules_unloads, (struct hd_step_ends){step.profile, step.counter});
}

struct hd_step hd_callpath_step(uint32_t parent_id, enum hd_kind kind, const void *address) {
  const struct hd_step_key key = {.address = address, .parent = parent_id, .kind = (uint16_t)kind};
  struct hd_step step;
  if (is_known(&key, &step))
    return step;
  pthread_mutex_lock(&callpaths.lock);
  struct hd_profile *parent = by_id(parent_id);
  struct site site = {.kind = (uint16_t)hd_kind_of_site(kind),
                      .told = (uint16_t)kind,
                      .module = place_of(kind, address).module,
                      .address = address};
  const struct hd_profile *profile = step_below(parent, site);
  step = step_to(parent, profile);
  remember(&key, profile, step);
  pthread_mutex_unlock(&callpaths.lock);
  return step;
}

/* The path folded: its calls are counted in a leaf below the caller. */
static uint32_t back_leaf(struct hd_profile *parent, struct site site, const struct hd_profile *target) {
  struct hd_profile *leaf = find_or_add(parent, site, HD_MEMORY_PATH);
  if (!leaf)
    return target->record->id;
  leaf->record->target = target->record->id;
  add_flags(leaf, HD_PROFILE_BACK);
  return leaf->record->id;
}

struct hd_step hd_callpath_call(uint32_t parent_id, const void *function) {
  const struct hd_step_key key = {.address = function, .parent = parent_id, .kind = HD_KIND_ROUTINE, .is_call = true};
  struct hd_step step;
  if (is_known(&key, &step))
    return step;
  pthread_mutex_lock(&callpaths.lock);
  struct hd_profile *parent = by_id(parent_id);
  struct site site = {.kind = HD_KIND_ROUTINE,
                      .told = HD_KIND_ROUTINE,
                      .module = place_of(HD_KIND_ROUTINE, function).module,
                      .address = function};
  struct hd_profile *profile = step_below(parent, site);
  step = step_to(parent, profile);
  if (profile)
    add_flags(profile, HD_PROFILE_CALLED);
  if (profile && !callpaths.depth_limit && profile->key.parent != parent && !profile->key.site.shortened)
    step.counter = back_leaf(parent, site, profile);
  remember(&key, profile, step);
  pthread_mutex_unlock(&callpaths.lock);
  return step;
}

static struct hd_profile *shorter(const struct hd_profile *profile) {
  if (profile->record->depth < 2 || (profile->record->flags & HD_PROFILE_BACK))
    return NULL;
  struct hd_profile *found = profile->record->depth > 2
                                 ? shortened_to_two(profile->key.parent->key.site, profile->key.site)
                                 : count_shortened(shortened_to_one(profile->key.site));
  if (found)
    add_flags(found, profile->record->flags & HD_PROFILE_CALLED);
  return found;
}

uint32_t hd_callpath_shorter(uint32_t profile) {
  pthread_mutex_lock(&callpaths.lock);
  const struct hd_profile *found = shorter(by_id(profile));
  pthread_mutex_unlock(&callpaths.lock);
  return found ? found->record->id : HD_NONE;
}

const struct hd_profile_record *hd_callpath_record(uint32_t profile) {
  return by_id(profile)->record;
}

void hd_callpath_mark_tail_call(uint32_t profile) {
  pthread_mutex_lock(&callpaths.lock);
  add_flags(by_id(profile), HD_PROFILE_TAIL_CALL);
  pthread_mutex_unlock(&callpaths.lock);
}

uint32_t hd_callpath_module(const void *code) {
  pthread_mutex_lock(&callpaths.lock);
  const struct hd_place place = hd_modules_find(code, false);
  pthread_mutex_unlock(&callpaths.lock);
  return place.module;
}

void hd_callpath_notice_unloads(void) {
  hd_callpath_module((const void *)(uintptr_t)hd_callpath_notice_unloads);
}

static struct phase *add_phase(const char *name, size_t length) {
  const size_t bytes = sizeof(struct phase) + length + 1;
  struct phase *phase = hd_memory_has_room(HD_MEMORY_SHORT_PATH, bytes) ? hd_heap_allocate(1, bytes) : NULL;
  if (!phase)
    return NULL;
  memcpy(phase->name, name, length);
  HASH_ADD_STR(callpaths.phases, name, phase);
  if (phase->hh.tbl)
    return phase;
  hd_heap_free(phase);
  return NULL;
}

const char hd_callpath_other_phases[] = "(other phases)";

const char *hd_callpath_phase(const char *name) {
  struct phase *phase;
  pthread_mutex_lock(&callpaths.lock);
  HASH_FIND_STR(callpaths.phases, name, phase);
  if (!phase)
    phase = add_phase(name, strlen(name));
  pthread_mutex_unlock(&callpaths.lock);
  return phase ? phase->name : hd_callpath_other_phases;
}

bool hd_callpath_init(struct hd_store *store, uint64_t depth, uint64_t cycle_limit) {
  callpaths.store = store;
  callpaths.depth_limit = depth;
  callpaths.cycle_limit = cycle_limit ? cycle_limit : 1;
  store->header->cycle_limit = cycle_limit > UINT32_MAX ? UINT32_MAX : (uint32_t)callpaths.cycle_limit;
  store->header->callpath_depth = depth > UINT32_MAX ? UINT32_MAX : (uint32_t)depth;
  hd_modules_init(store);
  callpaths.root = add((struct key){.site = {.kind = HD_KIND_PROGRAM, .told = HD_KIND_PROGRAM}});
  return callpaths.root;
}
