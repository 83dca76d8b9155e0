/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "callpath/profiles.h"

#include <string.h>

#include "callpath/code/modules.h"
#include "store/numbered.h"
#include "support/inprocess/heap.h"
#include "support/inprocess/list.h"
#include "support/inprocess/memory_budget.h"

static struct {
  struct hd_store *store;
  struct hd_profile *trie;
  struct hd_list by_id;
  struct hd_numbered records;
  uint32_t count;
} profiles = {.records = {.type = HD_BLOCK_PROFILES, .record_bytes = sizeof(struct hd_profile_record)}};

/* ---- the table ---- */

static uint64_t hash(const struct hd_profile *parent, const struct hd_site *site) {
  uint64_t mixed = (uint64_t)(uintptr_t)parent * 0x9E3779B97F4A7C15u;
  mixed = (mixed ^ mixed >> 29 ^ (uintptr_t)site->address) * 0xBF58476D1CE4E5B9u;
  mixed ^= (uint64_t)site->module << 32 | (uint64_t)site->kind << 16 | site->shortened;
  mixed = (mixed ^ mixed >> 32) * 0x94D049BB133111EBu;
  return mixed ^ mixed >> 31;
}

static bool is_same(const struct hd_profile *profile, const struct hd_profile *parent, const struct hd_site *site) {
  return profile->parent == parent && profile->site.address == site->address && profile->site.module == site->module &&
         profile->site.kind == site->kind && profile->site.shortened == site->shortened;
}

/* The one in the table. If there is none, `candidate` gets there; NULL: there is none. */
static struct hd_profile *find(struct hd_profile *parent, const struct hd_site *site, struct hd_profile *candidate) {
  struct hd_profile **branch = &profiles.trie;
  for (uint64_t way = hash(parent, site);; way <<= 2) {
    struct hd_profile *profile = __atomic_load_n(branch, __ATOMIC_ACQUIRE);
    if (!profile && (!candidate || __atomic_compare_exchange_n(branch, &profile, candidate, false, __ATOMIC_ACQ_REL,
                                                               __ATOMIC_ACQUIRE)))
      return candidate;
    if (is_same(profile, parent, site))
      return profile;
    branch = &profile->branches[way >> 62];
  }
}

/* ---- numbers and records ---- */

static bool has_number(const struct hd_profile *profile) {
  return __atomic_load_n(&profile->record, __ATOMIC_ACQUIRE);
}

struct hd_profile *hd_profiles_find(struct hd_profile *parent, const struct hd_site *site) {
  struct hd_profile *profile = find(parent, site, NULL);
  return profile && has_number(profile) ? profile : NULL;
}

static struct hd_profile_record describe(const struct hd_profile *profile, uint32_t id) {
  const struct hd_site *site = &profile->site;
  const struct hd_profile_record *parent = profile->parent ? profile->parent->record : NULL;
  const bool is_code = site->kind != HD_KIND_PHASE; /* its name stands for it */
  const struct hd_place code = is_code ? hd_modules_place(site->module, site->address) : (struct hd_place){0};
  return (struct hd_profile_record){
      .id = id,
      .target = id,
      .parent = parent ? parent->id : id,
      .kind = __atomic_load_n(&site->told, __ATOMIC_RELAXED),
      .depth = parent ? parent->depth + 1 : 0,
      .module = site->module,
      .offset = code.offset,
      .address = is_code ? (uint64_t)(uintptr_t)site->address : 0,
      .flags = (uint16_t)((code.in_runtime ? HD_PROFILE_IN_RUNTIME : 0) | (site->shortened ? HD_PROFILE_SHORTENED : 0)),
      .spared = parent ? __atomic_load_n(&parent->spared, __ATOMIC_RELAXED) : 0,
      .has_spared = 1,
  };
}

/* A compare-and-swap that comes late stores nothing; ThreadSanitizer takes it for a store. */
#define LATE_STORES_NOTHING __attribute__((noinline, no_sanitize("thread")))

/* Word by word, where nothing is yet. In each word that may change later something is from the first on: who comes late
 * changes nothing. */
LATE_STORES_NOTHING static void fill(struct hd_profile_record *record, const struct hd_profile_record *wanted) {
  typedef uint64_t __attribute__((may_alias)) word;
  word *to = (word *)record;
  const word *from = (const word *)wanted;
  for (size_t i = 0; i < sizeof *record / sizeof *to; i++) {
    uint64_t nothing = 0;
    __atomic_compare_exchange_n(&to[i], &nothing, from[i], false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  }
}

LATE_STORES_NOTHING static void set_record(struct hd_profile *profile, struct hd_profile_record *record) {
  struct hd_profile_record *none = NULL;
  __atomic_compare_exchange_n(&profile->record, &none, record, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static bool is_region(uint32_t kind) {
  return kind == HD_KIND_PARALLEL || kind == HD_KIND_TEAMS;
}

/* Regions, worksharing constructs, and what is left of waits at barriers. */
static bool has_totals(uint32_t kind) {
  return (kind >= HD_KIND_PARALLEL && kind <= HD_KIND_SCOPE) || kind == HD_KIND_WORKDISTRIBUTE ||
         (kind >= HD_KIND_BARRIER_EXPLICIT && kind <= HD_KIND_REDUCTION);
}

/* Whoever spares profiles (hd_callpath_spare) has passed this one by if it got its number later than it was filled. */
static void inherit_again(const struct hd_profile *profile, uint32_t spared) {
  if (!profile->parent)
    return;
  const uint32_t of_parent = __atomic_load_n(&profile->parent->record->spared, __ATOMIC_SEQ_CST);
  if (of_parent != spared)
    __atomic_compare_exchange_n(&profile->record->spared, &spared, of_parent, false, __ATOMIC_SEQ_CST,
                                __ATOMIC_RELAXED);
}

/* The profile that was put into the list at place `id` gets that number. Any thread may come here, the first one
 * counts. */
static void complete(struct hd_profile *profile, uint32_t id, struct hd_profile_record *record) {
  if (!has_number(profile)) {
    const struct hd_profile_record wanted = describe(profile, id);
    fill(record, &wanted);
    hd_numbered_publish(&profiles.records, id);
    set_record(profile, record);
  }
  const uint32_t spared = __atomic_load_n(&record->spared, __ATOMIC_RELAXED);
  if (!__atomic_compare_exchange_n(&profiles.count, &id, id + 1, false, __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE))
    return;
  inherit_again(profile, spared);
  hd_memory_promise(HD_MEMORY_TALLY, is_region(profile->site.kind) ? 2 : 1);
  hd_memory_promise(HD_MEMORY_TOTAL, has_totals(profile->site.kind));
  hd_memory_promise(HD_MEMORY_ENTRY, 1);
}

/* The count is read before the profile is looked at: if it has no number then, and that place is free, it is in no
 * place before, for the count passes a place only when its profile has its number. */
static bool give_number(struct hd_profile *profile) {
  for (;;) {
    const uint32_t next = __atomic_load_n(&profiles.count, __ATOMIC_ACQUIRE);
    if (has_number(profile))
      return true;
    struct hd_profile_record *record = hd_numbered_record(&profiles.records, profiles.store, next);
    if (!record || !hd_list_make_place(&profiles.by_id, next))
      return false;
    complete(hd_list_put(&profiles.by_id, next, profile), next, record);
  }
}

struct hd_profile *hd_profiles_add(struct hd_profile *parent, const struct hd_site *site) {
  struct hd_profile *profile = find(parent, site, NULL);
  if (!profile) {
    struct hd_profile *candidate = hd_heap_allocate(1, sizeof *candidate);
    if (!candidate)
      return NULL;
    candidate->parent = parent;
    candidate->site = *site;
    profile = find(parent, site, candidate);
    if (profile != candidate)
      hd_heap_free(candidate);
  }
  return give_number(profile) ? profile : NULL;
}

struct hd_profile *hd_profiles_by_id(uint32_t id) {
  return hd_list_at(&profiles.by_id, id);
}

uint32_t hd_profiles_count(void) {
  return __atomic_load_n(&profiles.count, __ATOMIC_SEQ_CST);
}

void hd_profiles_init(struct hd_store *store) {
  profiles.store = store;
}
