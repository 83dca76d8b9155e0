/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "callpath/callpath.h"

#include <pthread.h>
#include <stdlib.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "callpath/modules.h"

struct site {
  uint64_t kind; /* wide, so that the key has no padding */
  const void *address;
};

struct key {
  const struct hd_profile *parent;
  struct site site;
};

struct hd_profile {
  struct key key;
  struct hd_profile_record *record;
  UT_hash_handle hh;
};

static struct {
  pthread_mutex_t lock;
  struct hd_store *store;
  struct hd_store_cursor cursor;
  struct hd_profile *table;
  struct hd_profile *root;
  struct hd_profile **by_id;
  uint64_t depth_limit;
  uint32_t count;
  uint32_t by_id_limit;
} callpaths = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct hd_profile *find(struct key key) {
  struct hd_profile *profile;
  HASH_FIND(hh, callpaths.table, &key, sizeof key, profile);
  return profile;
}

static bool make_room_by_id(void) {
  if (callpaths.count < callpaths.by_id_limit)
    return true;
  uint32_t limit = callpaths.by_id_limit ? callpaths.by_id_limit * 2 : 256;
  struct hd_profile **grown = realloc(callpaths.by_id, limit * sizeof *grown);
  if (!grown)
    return false;
  callpaths.by_id = grown;
  callpaths.by_id_limit = limit;
  return true;
}

static void fill_record(struct hd_profile *profile) {
  struct hd_profile_record *record = profile->record;
  const struct hd_profile *parent = profile->key.parent ? profile->key.parent : profile;
  struct hd_place place = hd_modules_find(profile->key.site.address);
  record->id = callpaths.count++;
  record->parent = parent->record->id;
  record->kind = (uint16_t)profile->key.site.kind;
  record->depth = parent == profile ? 0 : parent->record->depth + 1;
  record->module = place.module;
  record->offset = place.offset;
  record->address = (uint64_t)(uintptr_t)profile->key.site.address;
  record->flags = place.in_runtime ? HD_PROFILE_IN_RUNTIME : 0;
}

/* NULL: no memory, or the file cannot grow. */
static struct hd_profile *add(struct key key) {
  struct hd_profile *profile = make_room_by_id() ? calloc(1, sizeof *profile) : NULL;
  if (!profile)
    return NULL;
  profile->key = key;
  HASH_ADD(hh, callpaths.table, key, sizeof key, profile);
  if (!profile->hh.tbl) /* uthash had no memory and left it out */
    goto out;
  profile->record =
      hd_store_add(callpaths.store, &callpaths.cursor, HD_BLOCK_PROFILES, HD_NONE, sizeof(struct hd_profile_record));
  if (!profile->record) {
    HASH_DEL(callpaths.table, profile);
    goto out;
  }
  callpaths.by_id[callpaths.count] = profile;
  fill_record(profile);
  hd_store_publish(&callpaths.cursor);
  return profile;
out:
  free(profile);
  return NULL;
}

static struct hd_profile *find_or_add(struct hd_profile *parent, struct site site) {
  struct key key = {.parent = parent, .site = site};
  struct hd_profile *profile = find(key);
  return profile ? profile : add(key);
}

/* The path of the last `keep` sites up to and including `profile`, built from the root. */
static struct hd_profile *shortened(const struct hd_profile *profile, uint64_t keep) {
  struct hd_profile *parent = callpaths.root;
  if (keep == 0 || profile == callpaths.root)
    return parent;
  if (profile->record->depth > 1)
    parent = shortened(profile->key.parent, keep - 1);
  return parent ? find_or_add(parent, profile->key.site) : NULL;
}

static struct hd_profile *same_site_above(struct hd_profile *profile, struct site site) {
  for (; profile != callpaths.root; profile = (struct hd_profile *)profile->key.parent)
    if (profile->key.site.kind == site.kind && profile->key.site.address == site.address)
      return profile;
  return NULL;
}

static struct hd_profile *bounded_step(struct hd_profile *parent, struct site site) {
  if (parent->record->depth >= callpaths.depth_limit)
    parent = shortened(parent, callpaths.depth_limit - 1);
  return parent ? find_or_add(parent, site) : NULL;
}

static struct hd_profile *step_below(struct hd_profile *parent, struct site site) {
  if (callpaths.depth_limit)
    return bounded_step(parent, site);
  struct hd_profile *ancestor = same_site_above(parent, site);
  if (!ancestor)
    return find_or_add(parent, site);
  ancestor->record->flags |= HD_PROFILE_RECURSIVE;
  return ancestor;
}

struct hd_step hd_callpath_step(uint32_t parent_id, enum hd_kind kind, const void *address) {
  struct hd_step step = {.profile = parent_id};
  pthread_mutex_lock(&callpaths.lock);
  struct hd_profile *parent = callpaths.by_id[parent_id];
  struct hd_profile *profile = step_below(parent, (struct site){.kind = kind, .address = address});
  if (profile) {
    step.profile = profile->record->id;
    step.in_runtime = profile->record->flags & HD_PROFILE_IN_RUNTIME;
  } else {
    parent->record->flags |= HD_PROFILE_FOLDED;
    callpaths.store->header->folded_paths++;
  }
  pthread_mutex_unlock(&callpaths.lock);
  return step;
}

bool hd_callpath_init(struct hd_store *store, uint64_t depth) {
  callpaths.store = store;
  callpaths.depth_limit = depth;
  store->header->callpath_depth = depth > UINT32_MAX ? UINT32_MAX : (uint32_t)depth;
  hd_modules_init(store);
  callpaths.root = add((struct key){.site = {.kind = HD_KIND_PROGRAM}});
  return callpaths.root;
}
