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

#include "callpath/code/modules.h"
#include "callpath/known_steps.h"
#include "callpath/profiles.h"
#include "callpath/unwind/libgcc_unwind.h"
#include "support/inprocess/memory_budget.h"

struct phase {
  UT_hash_handle hh;
  char name[];
};

/* Who makes a new callpath takes no lock (profiles.h). These are for what can be done without: */
static struct {
  pthread_mutex_t texts_lock; /* phases and their names, names of functions of MPI */
  pthread_mutex_t known_lock; /* nobody waits for it */
  struct hd_store *store;
  struct hd_store_cursor texts;
  struct phase *phases; /* by name */
  struct hd_profile *root;
  uint64_t depth_limit;
  uint64_t cycle_limit;
} callpaths = {.texts_lock = PTHREAD_MUTEX_INITIALIZER, .known_lock = PTHREAD_MUTEX_INITIALIZER};

static uint32_t module_of(enum hd_kind kind, const void *address) {
  return kind == HD_KIND_PHASE ? HD_NONE : hd_modules_find(address, kind != HD_KIND_ROUTINE);
}

static void record_name(enum hd_text_kind kind, uint32_t profile, const char *name) {
  pthread_mutex_lock(&callpaths.texts_lock);
  hd_store_add_text(callpaths.store, &callpaths.texts, kind, profile, name, strlen(name));
  pthread_mutex_unlock(&callpaths.texts_lock);
}

/* NULL: no memory, or the file cannot grow. */
static struct hd_profile *add(struct hd_profile *parent, const struct hd_site *site) {
  struct hd_profile *profile = hd_profiles_add(parent, site);
  if (!profile || __atomic_exchange_n(&profile->is_noted, true, __ATOMIC_RELAXED))
    return profile;
  if (site->kind == HD_KIND_PHASE)
    record_name(HD_TEXT_PHASE, profile->record->id, site->address);
  hd_modules_look_for_unloads();
  return profile;
}

/* With its record, its name and its share of all tables. */
static size_t bytes_of(const struct hd_site *site) {
  enum { PROFILE_BYTES = 640 };
  return PROFILE_BYTES + (site->kind == HD_KIND_PHASE ? strlen(site->address) : 0);
}

/* libomp chooses a loop's schedule by its length and team: what it tells may be another one the next time. */
static struct hd_profile *note_kind(struct hd_profile *profile, const struct hd_site *site) {
  if (profile && __atomic_load_n(&profile->site.told, __ATOMIC_RELAXED) != site->told) {
    __atomic_store_n(&profile->site.told, HD_KIND_LOOP, __ATOMIC_RELAXED);
    __atomic_store_n(&profile->record->kind, HD_KIND_LOOP, __ATOMIC_RELAXED);
  }
  return profile;
}

static void add_flags(const struct hd_profile *profile, unsigned flags) {
  __atomic_fetch_or(&profile->record->flags, (uint16_t)flags, __ATOMIC_RELAXED);
}

/* NULL: no room for a new one. */
static struct hd_profile *find_or_add(struct hd_profile *parent, struct hd_site site, enum hd_memory_use use) {
  struct hd_profile *profile = hd_profiles_find(parent, &site);
  if (!profile && hd_memory_has_room(use, bytes_of(&site)))
    profile = add(parent, &site);
  return note_kind(profile, &site);
}

/* What a path of so many sites is given room as. */
static enum hd_memory_use use_of(uint64_t sites) {
  return sites > 2 ? HD_MEMORY_PATH : sites == 2 ? HD_MEMORY_SHORT_PATH : HD_MEMORY_SITE;
}

/* ---- paths for which there is no room ---- */

static struct hd_profile *count_shortened(struct hd_profile *profile) {
  if (profile && !__atomic_exchange_n(&profile->is_counted, true, __ATOMIC_RELAXED))
    __atomic_fetch_add(&callpaths.store->header->shortened_paths, 1, __ATOMIC_RELAXED);
  return profile;
}

static struct hd_profile *shortened_to_one(struct hd_site site) {
  site.shortened = 1;
  return find_or_add(callpaths.root, site, HD_MEMORY_SITE);
}

/* All paths that end in these two sites; if there is no room for that, in the last one. */
static struct hd_profile *shortened_to_two(struct hd_site last_but_one, struct hd_site last) {
  struct hd_profile *profile = NULL;
  last.shortened = 1;
  if (hd_memory_has_room(HD_MEMORY_SHORT_PATH, bytes_of(&last_but_one) + bytes_of(&last))) {
    struct hd_profile *parent = shortened_to_one(last_but_one);
    profile = parent ? find_or_add(parent, last, HD_MEMORY_SHORT_PATH) : NULL;
  } else {
    last_but_one.shortened = 1;
    struct hd_profile *parent = hd_profiles_find(callpaths.root, &last_but_one);
    profile = parent ? note_kind(hd_profiles_find(parent, &last), &last) : NULL;
  }
  return count_shortened(profile ? profile : shortened_to_one(last));
}

/* The profile itself, or a shorter path that ends alike. */
static struct hd_profile *step_of_any_length(struct hd_profile *parent, struct hd_site site) {
  const bool shortened = parent->site.shortened;
  struct hd_profile *profile = shortened ? NULL : find_or_add(parent, site, use_of(parent->record->depth + 1));
  return profile ? profile : parent == callpaths.root ? NULL : shortened_to_two(parent->site, site);
}

/* ---- bounded and recursive paths ---- */

/* The path of the last `keep` sites up to and including `profile`, built from the root. */
static struct hd_profile *last_sites(const struct hd_profile *profile, uint64_t keep) {
  struct hd_profile *parent = callpaths.root;
  if (keep == 0 || profile == callpaths.root)
    return parent;
  if (profile->record->depth > 1)
    parent = last_sites(profile->parent, keep - 1);
  return parent ? find_or_add(parent, profile->site, use_of(parent->record->depth + 1)) : NULL;
}

static bool is_same(const struct hd_site *a, const struct hd_site *b) {
  return a->kind == b->kind && a->module == b->module && a->address == b->address;
}

/* Whether the last sites of `path` and `site` are the last ones of `earlier`, which lies above or is `path`. */
static bool ends_alike(const struct hd_profile *path, const struct hd_site *site, const struct hd_profile *earlier) {
  for (uint64_t left = callpaths.cycle_limit; left > 0; left--) {
    if (earlier == callpaths.root || !is_same(site, &earlier->site))
      return false;
    site = &path->site;
    path = path->parent;
    earlier = earlier->parent;
  }
  return true;
}

/* Where a path that repeats itself folds to; NULL: it does not. */
static struct hd_profile *earlier_round(struct hd_profile *path, const struct hd_site *site) {
  for (struct hd_profile *earlier = path; earlier != callpaths.root; earlier = earlier->parent)
    if (ends_alike(path, site, earlier))
      return earlier;
  return NULL;
}

/* In whose code the construct lies, from its first instruction on; NULL: not known, or it is the runtime's. */
static const void *function_of(const struct hd_site *site) {
  const bool is_users = site->module != HD_NONE && !hd_modules_place(site->module, site->address).in_runtime;
  return is_users && hd_unwinder_load() ? hd_unwinder_function((const char *)site->address - 1) : NULL;
}

/* The function that creates this task has created one that the path leads through: it has been called again, in there.
 * So the path goes on from where it was called first, as if its calls were on the path, too. */
static struct hd_profile *first_call(struct hd_profile *parent, const struct hd_site *site) {
  const bool is_asked = site->kind == HD_KIND_TASK && callpaths.cycle_limit == 1 && !parent->site.shortened;
  const void *function = is_asked ? function_of(site) : NULL;
  for (struct hd_profile *at = parent; function && at != callpaths.root; at = at->parent)
    if (at->site.kind == HD_KIND_TASK && function_of(&at->site) == function)
      return at->parent;
  return parent;
}

static struct hd_profile *bounded_step(struct hd_profile *parent, struct hd_site site) {
  struct hd_profile *above = parent;
  if (parent->record->depth >= callpaths.depth_limit && !parent->site.shortened)
    above = last_sites(parent, callpaths.depth_limit - 1);
  if (above)
    return step_of_any_length(above, site);
  return shortened_to_two(parent->site, site);
}

/* Behind a path that was shortened no earlier round can be seen. */
static struct hd_profile *step_below(struct hd_profile *parent, struct hd_site site) {
  if (callpaths.depth_limit)
    return bounded_step(parent, site);
  struct hd_profile *earlier = parent->site.shortened ? NULL : earlier_round(parent, &site);
  struct hd_profile *first = earlier ? NULL : first_call(parent, &site);
  struct hd_profile *profile = earlier ? note_kind(earlier, &site) : step_of_any_length(first, site);
  if (profile && first != parent)
    add_flags(profile, HD_PROFILE_RECURSIVE);
  return profile;
}

static struct hd_step step_to(struct hd_profile *parent, const struct hd_profile *profile) {
  if (profile)
    return (struct hd_step){profile->record->id, profile->record->id};
  add_flags(parent, HD_PROFILE_FOLDED);
  __atomic_fetch_add(&callpaths.store->header->folded_paths, 1, __ATOMIC_RELAXED);
  return (struct hd_step){parent->record->id, HD_NONE};
}

/* Not where it leads for want of room only: there may be some later. If another thread is at it, a thread that comes to
 * this step finds the profiles itself. */
static void remember(const struct hd_step_key *key, uint32_t unloads, const struct hd_profile *profile,
                     struct hd_step step) {
  if (!profile || profile->site.shortened || pthread_mutex_trylock(&callpaths.known_lock))
    return;
  hd_known_steps_add(key, unloads, step);
  pthread_mutex_unlock(&callpaths.known_lock);
}

static struct hd_site site_of(enum hd_kind kind, const void *address) {
  return (struct hd_site){.kind = (uint16_t)hd_kind_of_site(kind),
                          .told = (uint16_t)kind,
                          .module = module_of(kind, address),
                          .address = address};
}

/* The path folded: its calls are counted in a leaf below the caller. */
static uint32_t back_leaf(struct hd_profile *parent, struct hd_site site, const struct hd_profile *target) {
  struct hd_profile *leaf = find_or_add(parent, site, HD_MEMORY_PATH);
  if (!leaf)
    return target->record->id;
  __atomic_store_n(&leaf->record->target, target->record->id, __ATOMIC_RELAXED);
  add_flags(leaf, HD_PROFILE_BACK);
  return leaf->record->id;
}

static void count_call(struct hd_profile *parent, const struct hd_site *site, struct hd_profile *profile,
                       struct hd_step *step) {
  add_flags(profile, HD_PROFILE_CALLED);
  if (!callpaths.depth_limit && profile->parent != parent && !profile->site.shortened)
    step->counter = back_leaf(parent, *site, profile);
}

static struct hd_step find_step(const struct hd_step_key *key) {
  const uint32_t unloads = __atomic_load_n(&hd_modules_unloads, __ATOMIC_ACQUIRE);
  struct hd_step step;
  if (hd_known_steps_find(key, unloads, &step))
    return step;
  struct hd_profile *parent = hd_profiles_by_id(key->parent);
  const struct hd_site site = site_of(key->kind, key->address);
  struct hd_profile *profile = step_below(parent, site);
  step = step_to(parent, profile);
  if (profile && key->is_call)
    count_call(parent, &site, profile, &step);
  remember(key, unloads, profile, step);
  return step;
}

struct hd_step hd_callpath_step(uint32_t parent, enum hd_kind kind, const void *address) {
  return find_step(&(struct hd_step_key){.address = address, .parent = parent, .kind = (uint16_t)kind});
}

struct hd_step hd_callpath_call(uint32_t parent, const void *function) {
  return find_step(
      &(struct hd_step_key){.address = function, .parent = parent, .kind = HD_KIND_ROUTINE, .is_call = true});
}

static struct hd_profile *shorter(const struct hd_profile *profile) {
  const unsigned flags = hd_callpath_flags(profile->record);
  if (profile->record->depth < 2 || (flags & HD_PROFILE_BACK))
    return NULL;
  struct hd_profile *found = profile->record->depth > 2 ? shortened_to_two(profile->parent->site, profile->site)
                                                        : count_shortened(shortened_to_one(profile->site));
  if (found)
    add_flags(found, flags & HD_PROFILE_CALLED);
  return found;
}

uint32_t hd_callpath_shorter(uint32_t profile) {
  const struct hd_profile *found = shorter(hd_profiles_by_id(profile));
  return found ? found->record->id : HD_NONE;
}

const struct hd_profile_record *hd_callpath_record(uint32_t profile) {
  return hd_profiles_by_id(profile)->record;
}

uint32_t *hd_callpath_off(uint32_t profile) {
  return &hd_profiles_by_id(profile)->record->off;
}

/* Only one thread writes the word, but for its first value. */
static void spare(struct hd_profile_record *record, uint32_t classes, bool is_spared, uint64_t now) {
  const uint32_t before = is_spared ? __atomic_fetch_or(&record->spared, classes, __ATOMIC_SEQ_CST)
                                    : __atomic_fetch_and(&record->spared, ~classes, __ATOMIC_SEQ_CST);
  if (is_spared ? classes & ~before : classes & before)
    __atomic_store_n(&record->spared_ticks, now, __ATOMIC_RELAXED);
}

/* The count is read each time: a profile that is made meanwhile is counted, or takes after a parent that is spared. */
void hd_callpath_spare(uint32_t profile, uint32_t classes, bool is_spared, uint64_t now) {
  for (uint32_t i = profile; i < hd_profiles_count(); i++)
    if (hd_callpath_is_under(i, profile))
      spare(hd_profiles_by_id(i)->record, classes, is_spared, now);
}

/* Those above have lower numbers. */
bool hd_callpath_is_under(uint32_t profile, uint32_t ancestor) {
  const struct hd_profile *at = hd_profiles_by_id(profile);
  while (at->record->id > ancestor)
    at = at->parent;
  return at->record->id == ancestor;
}

uint32_t hd_callpath_count(void) {
  return hd_profiles_count();
}

void hd_callpath_mark_unheard(uint32_t profile, uint32_t classes) {
  __atomic_fetch_or(&hd_profiles_by_id(profile)->record->unheard, classes, __ATOMIC_RELAXED);
}

void hd_callpath_mark_tail_call(uint32_t profile) {
  add_flags(hd_profiles_by_id(profile), HD_PROFILE_TAIL_CALL);
}

/* Asked for once for each iteration, or task. */
static void mark_once(uint32_t profile, unsigned flag) {
  struct hd_profile *at = hd_profiles_by_id(profile);
  if (!(hd_callpath_flags(at->record) & flag))
    add_flags(at, flag);
}

void hd_callpath_mark_sinks(uint32_t profile) {
  mark_once(profile, HD_PROFILE_SINKS);
}

void hd_callpath_mark_depends(uint32_t profile) {
  mark_once(profile, HD_PROFILE_DEPENDS);
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
  pthread_mutex_lock(&callpaths.texts_lock);
  HASH_FIND_STR(callpaths.phases, name, phase);
  if (!phase)
    phase = add_phase(name, strlen(name));
  pthread_mutex_unlock(&callpaths.texts_lock);
  return phase ? phase->name : hd_callpath_other_phases;
}

void hd_callpath_name_mpi(uint32_t profile, const char *function) {
  uint16_t *flags = &hd_profiles_by_id(profile)->record->flags;
  if (!(__atomic_load_n(flags, __ATOMIC_RELAXED) & HD_PROFILE_NAMED) &&
      !(__atomic_fetch_or(flags, HD_PROFILE_NAMED, __ATOMIC_RELAXED) & HD_PROFILE_NAMED))
    record_name(HD_TEXT_MPI, profile, function);
}

bool hd_callpath_init(struct hd_store *store, uint64_t depth, uint64_t cycle_limit) {
  callpaths.store = store;
  callpaths.depth_limit = depth;
  callpaths.cycle_limit = cycle_limit ? cycle_limit : 1;
  store->header->cycle_limit = cycle_limit > UINT32_MAX ? UINT32_MAX : (uint32_t)callpaths.cycle_limit;
  store->header->callpath_depth = depth > UINT32_MAX ? UINT32_MAX : (uint32_t)depth;
  hd_modules_init(store);
  hd_profiles_init(store);
  callpaths.root =
      hd_profiles_add(NULL, &(struct hd_site){.kind = HD_KIND_PROGRAM, .told = HD_KIND_PROGRAM, .module = HD_NONE});
  return callpaths.root;
}
