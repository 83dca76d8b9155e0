/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file profiles.h
 * All profiles: a table by (parent, site), a list by number, and a record of each in the store.
 *
 * Threads add to it at the same time, and none waits for another, who may have lost its processor in the middle. So
 * any thread that finds a change half done finishes it: all threads would store the same values. Profiles are
 * added and never removed.
 *
 * - The table is a trie over the hash: a free branch is taken by a compare-and-swap.
 * - The next number goes to the profile that is first put into the list at that place. A profile has a number when its
 *   record is complete and published; without (there was no room) it counts as not there.
 */
#ifndef HEDDLE_CALLPATH_PROFILES_H
#define HEDDLE_CALLPATH_PROFILES_H

#include <stdbool.h>
#include <stdint.h>

#include "store/store.h"

struct hd_site {
  const void *address;
  uint32_t module;    /* an address may come to mean another place when its module is unloaded */
  uint16_t kind;      /* HD_KIND_LOOP for all loops: hd_kind_of_site() */
  uint16_t shortened; /* 1: stands for all callpaths that end so, as far as they have no profile of their own */
  uint16_t told;      /* the kind that the runtime told at first. Not part of the key */
};

struct hd_profile {
  struct hd_profile *parent; /* NULL: the program */
  struct hd_site site;
  struct hd_profile_record *record; /* NULL: it has no number */
  struct hd_profile *branches[4];
  /* callpath.c's: */
  bool is_counted; /* in header->shortened_paths */
  bool is_noted;   /* what else is done when there is a new one, has been or is about to be */
};

void hd_profiles_init(struct hd_store *store);

/** NULL: there is none. */
struct hd_profile *hd_profiles_find(struct hd_profile *parent, const struct hd_site *site);

/** The profile, which is new unless another thread adds it, too. NULL: no memory, or the file cannot grow. */
struct hd_profile *hd_profiles_add(struct hd_profile *parent, const struct hd_site *site);

/** The profile with this number, which some thread has got from this module. */
struct hd_profile *hd_profiles_by_id(uint32_t id);

/** How many there are; all have lower numbers. */
uint32_t hd_profiles_count(void);

#endif
