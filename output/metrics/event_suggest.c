/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/metrics/event_suggest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "counters/event_sets.h"
#include "support/command/edit_distance.h"

enum { NAME_BYTES = 128, NEAREST_MOST = 16 };

/* Of what somebody may have meant; the fewer, the likelier. */
struct candidate {
  unsigned rank;
  char name[NAME_BYTES];
};

struct search {
  char plain[NAME_BYTES];
  char bare[NAME_BYTES];
  uint32_t most;
  uint32_t count;
  struct candidate nearest[NEAREST_MOST];
};

/* In small letters; blanks and hyphens are underscores. */
static void make_plain(char *plain, const char *name) {
  size_t i = 0;
  for (; i < NAME_BYTES - 1 && name[i]; i++)
    plain[i] = (char)(strchr("- ", name[i]) ? '_' : tolower((unsigned char)name[i]));
  plain[i] = '\0';
}

/* Without what tells whose it is: papi_, perf::, component:::. */
static const char *make_bare(const char *plain) {
  static const char *const prefixes[] = {"papi_", "perf_count_sw_", "perf_count_hw_", "perf_"};
  const char *colons = strstr(plain, "::");
  const char *bare = colons ? colons + strspn(colons, ":") : plain;
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (!strncmp(bare, prefixes[i], strlen(prefixes[i])))
      return bare + strlen(prefixes[i]);
  return bare;
}

/* Letters that differ; UINT32_MAX: too many for it to have been meant. A third of what is not prefix may. */
static unsigned differing(const struct search *search, const char *meant, const char *name) {
  const size_t length = strlen(search->bare);
  const unsigned most = length < 6 ? 1 : (unsigned)(length / 3);
  const unsigned distance = hd_edit_distance(meant, name);
  return distance <= most ? distance : UINT32_MAX;
}

/* A part of a name stands behind all that differ by letters. */
static unsigned distance_of(const struct search *search, const char *name) {
  enum { PART_LENGTH_LEAST = 3, PART = NAME_BYTES };
  char plain[NAME_BYTES];
  make_plain(plain, name);
  const char *bare = make_bare(plain);
  const unsigned whole = differing(search, search->plain, plain);
  const unsigned core = differing(search, search->bare, bare);
  if (whole != UINT32_MAX || core != UINT32_MAX)
    return whole < core ? whole : core;
  if (strlen(search->bare) >= PART_LENGTH_LEAST && strstr(bare, search->bare))
    return PART + (unsigned)(strlen(bare) - strlen(search->bare));
  return UINT32_MAX;
}

/* Several sources may have an event of that name: the best rank counts. */
static bool is_listed(struct search *search, unsigned rank, const char *name) {
  for (uint32_t i = 0; i < search->count; i++) {
    struct candidate *same = &search->nearest[i];
    if (strcasecmp(same->name, name))
      continue;
    if (same->rank <= rank)
      return true;
    memmove(same, same + 1, (--search->count - i) * sizeof *same);
    return false;
  }
  return false;
}

static void insert(struct search *search, unsigned rank, const char *name) {
  uint32_t at = search->count;
  while (at > 0 && search->nearest[at - 1].rank > rank)
    at--;
  if (at == search->most)
    return;
  if (search->count < search->most)
    search->count++;
  memmove(&search->nearest[at + 1], &search->nearest[at], (search->count - 1 - at) * sizeof *search->nearest);
  search->nearest[at].rank = rank;
  snprintf(search->nearest[at].name, NAME_BYTES, "%s", name);
}

/* Among those equally near, what can be counted here comes first, and PAPI's presets before the processor's own. */
static bool consider(void *context, const struct hd_counter_event *event, bool available, const char *why) {
  struct search *search = context;
  const unsigned distance = distance_of(search, event->name);
  const bool is_special = event->source == &hd_source_papi && strncasecmp(event->name, "PAPI_", strlen("PAPI_"));
  const unsigned rank = distance * 4 + (available ? 0 : 2) + is_special;
  (void)why;
  if (distance != UINT32_MAX && !is_listed(search, rank, event->name))
    insert(search, rank, event->name);
  return true;
}

uint32_t hd_event_suggest(const char *name, uint32_t most, char (*names)[128]) {
  struct search search = {.most = most < NEAREST_MOST ? most : NEAREST_MOST};
  make_plain(search.plain, name);
  snprintf(search.bare, sizeof search.bare, "%s", make_bare(search.plain));
  for (const struct hd_source *const *source = hd_sources; *source; source++)
    (*source)->each(consider, &search);
  for (uint32_t i = 0; i < search.count; i++)
    snprintf(names[i], NAME_BYTES, "%s", search.nearest[i].name);
  return search.count;
}
