/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/trace/trace.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/model/format_names.h"
#include "output/model/lazy_rows.h"
#include "output/trace/names.h"
#include "support/command/memory.h"

/* ---- one thread's ---- */

struct led {
  uint32_t node;
  uint32_t team; /* HD_NONE: it has joined */
};

/* A thread's blocks are read one after the other. */
struct log {
  uint32_t thread;
  const struct hd_reader_block **blocks; /* in their order */
  uint32_t block_count, block;           /* the next one */
  const uint8_t *at, *end;
  struct hd_trace_entry next;
  uint64_t told_names[HD_TRACE_NAMES];
  uint32_t told_team;   /* HD_TRACE_SAME_TEAM */
  uint32_t team;        /* that the thread joined last */
  bool waits;           /* for its end */
  bool has_stay;        /* `next` is what the thread had not told yet, and the last */
  uint32_t next_number; /* of its next block, if none is missing */
  struct led *led;      /* regions that the thread leads, the outermost first */
  uint32_t led_count, led_limit;
  bool knows_led;    /* else there may be others */
  bool is_cut;       /* blocks are missing before this one */
  uint32_t waits_in; /* `next` says only where the thread is after what is missing: hd_trace_record; else HD_NONE */
};

struct walk {
  const struct hd_model *model;
  const struct hd_reader_block **blocks;
  struct log *logs;  /* by thread */
  struct log **heap; /* by time */
  uint32_t log_count, heap_count;
  uint64_t from_ticks; /* it is whole from then on; 0: from the begin */
  bool failed;
  char *error;
  size_t error_bytes;
};

static bool fail(struct walk *walk, const struct log *log, const char *why) {
  if (!walk->failed)
    snprintf(walk->error, walk->error_bytes, "%s: damaged: the trace of thread %u: %s", walk->model->path, log->thread,
             why);
  walk->failed = true;
  return false;
}

/* What is not there counts as 0: whoever asks looks at `at` afterwards. */
static uint32_t take_byte(struct log *log) {
  if (log->at < log->end)
    return *log->at++;
  log->at = log->end + 1;
  return 0;
}

static uint64_t take_long(struct log *log) {
  uint64_t number = 0;
  uint32_t byte = 0x80;
  for (unsigned shift = 0; shift < 64 && byte & 0x80 && log->at <= log->end; shift += 7) {
    byte = take_byte(log);
    number |= (uint64_t)(byte & 0x7f) << shift;
  }
  return number;
}

static uint32_t take_number(struct log *log) {
  const uint64_t number = take_long(log);
  return number <= UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}

static uint64_t take_time(struct log *log, unsigned length) {
  uint64_t ticks = 0;
  if (length == HD_TRACE_LONG)
    return take_long(log);
  for (unsigned i = 0; i <= length; i++)
    ticks |= (uint64_t)take_byte(log) << 8 * i;
  return ticks;
}

static uint64_t take_name(struct log *log, uint32_t kind) {
  const uint64_t number = kind == HD_TRACE_NO_NAME ? 0 : take_long(log);
  if (number == 0)
    return 0;
  return log->told_names[kind] += (number - 1) >> 1 ^ (0 - ((number - 1) & 1));
}

/* A node, unless it is something else. */
static bool names_node(uint32_t what) {
  return what != HD_WHAT_TEAM && what != HD_WHAT_ORDER && what != HD_WHAT_RETURN;
}

static bool take_mark(struct walk *walk, struct log *log, struct hd_trace_entry *entry) {
  const uint32_t mark = take_byte(log), what = mark & HD_TRACE_WHAT;
  struct hd_trace_names names = {HD_TRACE_NO_NAME, HD_TRACE_NO_NAME};
  entry->operand = mark & HD_TRACE_HERE ? entry->now.node : take_number(log);
  entry->what = what;
  entry->uncounted = mark & HD_TRACE_UNCOUNTED;
  if (what >= HD_TRACE_KIND_COUNT || (what == HD_WHAT_ORDER && entry->operand > HD_ORDER_FAILED))
    return fail(walk, log, "an event of no kind that is known");
  if (hd_trace_names_team(what) && !(mark & HD_TRACE_SAME_TEAM)) {
    const uint32_t ring = take_number(log);
    log->told_team = HD_TEAM(ring, take_number(log));
  }
  entry->team = log->told_team;
  if (hd_trace_has_number(what))
    entry->number = take_number(log);
  if (what == HD_WHAT_TEAM) {
    entry->regions_before = entry->number >> HD_LOG_BEFORE_SHIFT;
    entry->number &= (1u << HD_LOG_BEFORE_SHIFT) - 1;
  }
  if (what == HD_WHAT_ORDER)
    names = hd_trace_names_of((enum hd_order)entry->operand);
  else if (what == HD_TRACE_CHUNK)
    names = hd_trace_names_of_chunk;
  entry->a = hd_trace_is_work(what) ? take_long(log) : take_name(log, names.a);
  entry->b = hd_trace_is_work(what) ? take_long(log) : take_name(log, names.b);
  entry->told_a = entry->a;
  entry->told_b = entry->b;
  entry->gap_ticks = hd_trace_is_work(what) ? take_long(log) : 0;
  return !names_node(entry->what) || entry->operand < walk->model->node_count ||
         fail(walk, log, "a callpath that there is not");
}

/* What threads told while a running program's file was copied is later than the profile's end. */
static bool is_later(const struct hd_model *model, uint64_t ticks) {
  return ticks > model->end_ticks && (!model->ended || model->header.flags & HD_FILE_SNAPSHOT);
}

static bool end_log(struct log *log) {
  log->at = log->end;
  log->block = log->block_count;
  return false;
}

static bool take_entry(struct walk *walk, struct log *log) {
  struct hd_trace_entry entry = {.thread = log->thread, .before = log->next.now, .since_ticks = log->next.ticks};
  const uint32_t first = take_byte(log);
  const uint32_t code = first & HD_TRACE_STATE,
                 state = hd_trace_state_of(code == HD_TRACE_STATE ? take_byte(log) : code);
  const uint64_t ticks = take_time(log, first >> HD_TRACE_LENGTH_SHIFT);
  const uint32_t step = first & HD_TRACE_MOVES ? take_number(log) : 0;
  entry.ticks = log->next.ticks + ticks;
  entry.now = (struct hd_trace_place){log->next.now.node + (step >> 1 ^ (0 - (step & 1))), state};
  if (first & HD_TRACE_MARKS && !take_mark(walk, log, &entry))
    return false;
  if (log->at > log->end)
    return fail(walk, log, "a block ends within an event");
  if (is_later(walk->model, entry.ticks))
    return end_log(log);
  if (entry.ticks < log->next.ticks || entry.ticks > walk->model->end_ticks)
    return fail(walk, log, "a time after the end of the profile");
  if (entry.now.node >= walk->model->node_count)
    return fail(walk, log, "a callpath that there is not");
  log->next = entry;
  return true;
}

static struct hd_trace_record record_of(const struct hd_model *model, const struct hd_reader_block *block) {
  struct hd_trace_record record;
  memcpy(&record, (const char *)model->source->bytes + block->content, sizeof record);
  return record;
}

/* It has been read. */
static void drop(const struct hd_model *model, const struct hd_reader_block *block) {
  hd_row_source_drop(model->source, block->content, block->header->count);
}

/* A block begins where the one before ends, if that is there. */
static bool begin_block(struct walk *walk, struct log *log) {
  const struct hd_reader_block *block = log->blocks[log->block++];
  if (log->block > 1)
    drop(walk->model, log->blocks[log->block - 2]);
  const struct hd_trace_record record = record_of(walk->model, block);
  log->at = (const uint8_t *)walk->model->source->bytes + block->content + sizeof record;
  log->end = log->at + (block->header->count - sizeof record);
  log->told_team = HD_NONE;
  if (is_later(walk->model, record.ticks))
    return end_log(log);
  memset(log->told_names, 0, sizeof log->told_names);
  if (record.profile >= walk->model->node_count || record.state > HD_STATE_COUNT || record.ticks < log->next.ticks ||
      record.ticks > walk->model->end_ticks)
    return fail(walk, log, "a block does not go on where the one before ends");
  log->next = (struct hd_trace_entry){.ticks = record.ticks,
                                      .thread = log->thread,
                                      .before = log->next.now,
                                      .now = {record.profile, record.state},
                                      .since_ticks = log->next.ticks};
  log->is_cut = record.number != log->next_number;
  log->waits_in = log->is_cut ? record.waits_in : HD_NONE;
  log->next_number = record.number + 1;
  return true;
}

static bool may_be_told(const struct hd_model *model, uint32_t before, uint32_t now) {
  return !(model->header.flags & HD_FILE_TRACE_CONCURRENCY) || before == HD_STATE_COUNT ||
         (before == HD_BUSY) != (now == HD_BUSY);
}

/* A thread that was killed, or goes on, may have changed its state, and not told the trace yet. */
static bool take_stay(const struct walk *walk, struct log *log) {
  const struct hd_model *model = walk->model;
  const struct hd_stay *stay = &model->threads[log->thread].stay;
  const bool was_away = log->next.what == HD_TRACE_LEAVES;
  const uint64_t since = was_away && stay->since_ticks < log->next.ticks ? log->next.ticks : stay->since_ticks;
  if (log->has_stay || model->header.trace_full_ticks > 0 || !stay->known || since < log->next.ticks ||
      since > model->end_ticks || (log->next.now.state == HD_STATE_COUNT && !was_away) ||
      !may_be_told(model, log->next.now.state, stay->state))
    return false;
  log->has_stay = true;
  log->next = (struct hd_trace_entry){.ticks = since,
                                      .thread = log->thread,
                                      .before = log->next.now,
                                      .now = {stay->node, (uint32_t)stay->state},
                                      .since_ticks = log->next.ticks,
                                      .inferred = true};
  return true;
}

/* The log's next entry. False: there is none. */
static bool advance(struct walk *walk, struct log *log) {
  const struct hd_trace_place place = log->next.now;
  log->waits_in = HD_NONE;
  while (log->at == log->end && log->block < log->block_count) {
    if (!begin_block(walk, log))
      return false;
    if (log->waits_in != HD_NONE || log->next.now.node != place.node || log->next.now.state != place.state)
      return true; /* where a thread begins, or blocks are missing; others repeat where it is */
  }
  return log->at < log->end ? take_entry(walk, log) : log->block == log->block_count && take_stay(walk, log);
}

/* ---- all together ---- */

/* At one instant (all that happens in a pause happens at one) threads say first what they were in before a stretch; a
 * worker joins a team that has begun, and a team joins when all its workers have arrived. */
static int rank(const struct hd_trace_entry *entry) {
  return hd_trace_goes_on(entry->what) ? 0 : entry->what == HD_WHAT_JOIN ? 3 : entry->what == HD_WHAT_TEAM ? 2 : 1;
}

static bool precedes(const struct log *a, const struct log *b) {
  if (a->next.ticks != b->next.ticks)
    return a->next.ticks < b->next.ticks;
  const int a_rank = rank(&a->next), b_rank = rank(&b->next);
  return a_rank != b_rank ? a_rank < b_rank : a->thread < b->thread;
}

static void sift(struct walk *walk, uint32_t i) {
  struct log **heap = walk->heap, *log = heap[i];
  for (uint32_t child = 2 * i + 1; child < walk->heap_count; child = 2 * i + 1) {
    child += child + 1 < walk->heap_count && precedes(heap[child + 1], heap[child]);
    if (!precedes(heap[child], log))
      break;
    heap[i] = heap[child];
    i = child;
  }
  heap[i] = log;
}

/* A thread's blocks in the order in which it had them. */
struct block {
  const struct hd_reader_block *block;
  uint32_t owner, number;
};

static int by_owner(const void *a, const void *b) {
  const struct block *left = a, *right = b;
  if (left->owner != right->owner)
    return left->owner < right->owner ? -1 : 1;
  return (left->number > right->number) - (left->number < right->number);
}

/* Not those that were not yet begun when the program was killed. */
static uint32_t find_blocks(const struct hd_model *model, struct block *blocks) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < model->source->block_count; i++) {
    const struct hd_reader_block *block = &model->source->blocks[i];
    const struct hd_block_header *header = block->header;
    if (header->type != HD_BLOCK_TRACE || header->owner >= model->thread_count ||
        header->count < sizeof(struct hd_trace_record))
      continue;
    if (blocks)
      blocks[count] = (struct block){block, header->owner, record_of(model, block).number};
    count++;
  }
  if (blocks)
    qsort(blocks, count, sizeof *blocks, by_owner);
  return count;
}

static bool has_condition(const struct hd_model *model) {
  return model->header.flags & HD_FILE_TRACE_WHEN;
}

/* What is missing of a thread ends where the next block that is there begins; of a thread that has none, with itself:
 * unless it may never have had one. */
static uint64_t from_ticks(const struct hd_model *model, const struct block *blocks, uint32_t count) {
  uint64_t from = 0;
  for (uint32_t i = 0; i < count; i++) {
    const bool is_first = i == 0 || blocks[i].owner != blocks[i - 1].owner;
    const uint64_t ticks = record_of(model, blocks[i].block).ticks;
    if (blocks[i].number != (is_first ? 0 : blocks[i - 1].number + 1) && ticks > from)
      from = ticks;
  }
  for (uint32_t thread = 0, i = 0; from > 0 && !has_condition(model) && thread < model->thread_count; thread++) {
    if (i == count || blocks[i].owner != thread)
      from = model->threads[thread].end_ticks > from ? model->threads[thread].end_ticks : from;
    while (i < count && blocks[i].owner == thread)
      i++;
  }
  return from < model->end_ticks ? from : model->end_ticks;
}

/* ---- stretches ---- */

/* Where the trace was full, threads end there that tell no more. */
static uint64_t to_ticks(const struct hd_model *model) {
  const uint64_t full = model->header.trace_full_ticks;
  return full > 0 && full < model->end_ticks ? full : model->end_ticks;
}

/* What is left of it in what the trace has; each begins behind the one before. */
static void add_stretch(struct hd_trace_stretches *stretches, struct hd_trace_stretch stretch,
                        const struct hd_trace_stretch *whole) {
  const uint64_t least = stretches->count > 0 ? stretches->items[stretches->count - 1].to_ticks + 1 : whole->from_ticks;
  stretch.from_ticks = stretch.from_ticks > least ? stretch.from_ticks : least;
  stretch.to_ticks = stretch.to_ticks < whole->to_ticks ? stretch.to_ticks : whole->to_ticks;
  if (stretch.from_ticks <= stretch.to_ticks)
    stretches->items[stretches->count++] = stretch;
}

static struct hd_trace_stretches find_stretches(const struct hd_model *model, uint64_t from_ticks) {
  const struct hd_trace_stretch whole = {from_ticks, to_ticks(model)};
  struct hd_trace_stretches stretches = {.items = hd_new(1, sizeof *stretches.items)};
  if (!has_condition(model))
    add_stretch(&stretches, whole, &whole);
  for (struct hd_records at = hd_records_of(model->source, HD_BLOCK_TRACE_STRETCHES); hd_records_next(&at);) {
    const struct hd_trace_stretch_record *record = at.record;
    stretches.items = hd_grow(stretches.items, stretches.count + 1, sizeof *stretches.items);
    add_stretch(&stretches, (struct hd_trace_stretch){record->begin_ticks, record->end_ticks}, &whole);
  }
  return stretches;
}

void hd_trace_stretches_free(struct hd_trace_stretches *stretches) {
  free(stretches->items);
}

/* A thread that never wrote has been away, if there is a condition. */
static void make_logs(struct walk *walk, const struct block *blocks, uint32_t count) {
  walk->log_count = walk->model->thread_count;
  walk->blocks = hd_new((size_t)count + 1, sizeof *walk->blocks);
  walk->logs = hd_new((size_t)walk->log_count + 1, sizeof *walk->logs);
  walk->heap = hd_new((size_t)walk->log_count + 1, sizeof *walk->heap);
  for (uint32_t i = 0; i < walk->log_count; i++) {
    walk->logs[i].thread = i;
    walk->logs[i].next.now.state = HD_STATE_COUNT;
    walk->logs[i].next.what = has_condition(walk->model) ? HD_TRACE_LEAVES : HD_WHAT_NOTHING;
  }
  for (uint32_t i = 0; i < count; i++) {
    struct log *log = &walk->logs[blocks[i].owner];
    walk->blocks[i] = blocks[i].block;
    if (log->block_count++ == 0)
      log->blocks = &walk->blocks[i];
  }
  for (uint32_t i = 0; i < walk->log_count; i++)
    if (advance(walk, &walk->logs[i]))
      walk->heap[walk->heap_count++] = &walk->logs[i];
  for (uint32_t i = walk->heap_count / 2; i-- > 0;)
    sift(walk, i);
}

/* ---- what is inferred ---- */

/* The teams of a primary that joined last: in a pause many may at one instant. */
enum { JOINED_KEPT = 8 };
struct joined {
  uint32_t teams[JOINED_KEPT]; /* and 1; 0: none */
  uint32_t next;
};

struct visit {
  hd_trace_visitor *visit;
  void *context;
  struct hd_trace_entry *last; /* by thread: where it is, since when */
  struct joined *joined;       /* by ring */
  uint32_t ring_limit;
  struct hd_names *names; /* NULL: changes only */
  struct hd_trace_stretches stretches;
  uint32_t stretch; /* the present one, or the next */
  bool is_in;       /* only what is in one is told */
  bool goes_on;
};

static void tell(struct visit *visit, struct hd_trace_entry entry) {
  struct hd_trace_entry *last = &visit->last[entry.thread];
  entry.before = last->now;
  entry.since_ticks = last->ticks;
  *last = entry;
  if (visit->is_in)
    visit->goes_on = visit->goes_on && visit->visit(visit->context, &entry);
}

/* A worker's wait is over: it idles, outside all regions. */
static void tell_idle(struct visit *visit, uint64_t ticks, uint32_t thread) {
  tell(visit, (struct hd_trace_entry){.ticks = ticks, .thread = thread, .now = {0, HD_IDLE}, .inferred = true});
}

static void note_joined(struct visit *visit, uint32_t team) {
  const uint32_t ring = HD_TEAM_RING(team);
  if (ring >= visit->ring_limit) {
    visit->joined = hd_grow(visit->joined, ring + 1, sizeof *visit->joined);
    memset(visit->joined + visit->ring_limit, 0, (ring + 1 - visit->ring_limit) * sizeof *visit->joined);
    visit->ring_limit = ring + 1;
  }
  struct joined *joined = &visit->joined[ring];
  joined->teams[joined->next++ % JOINED_KEPT] = team + 1;
}

static bool has_joined(const struct visit *visit, uint32_t team) {
  const uint32_t ring = HD_TEAM_RING(team);
  for (uint32_t i = 0; i < JOINED_KEPT && ring < visit->ring_limit; i++)
    if (visit->joined[ring].teams[i] == team + 1)
      return true;
  return false;
}

static void join(struct walk *walk, struct visit *visit, const struct hd_trace_entry *entry) {
  note_joined(visit, entry->team);
  for (uint32_t i = 0; i < walk->log_count; i++) {
    struct log *log = &walk->logs[i];
    if (!log->waits || log->team != entry->team)
      continue;
    log->waits = false;
    tell_idle(visit, entry->ticks, log->thread);
  }
}

/* Whether the team's primary has not joined it. `otherwise`: that is not known. One that is not there has ended, unless
 * it is silent to the end. */
static bool may_be_led(const struct walk *walk, const struct visit *visit, uint32_t team, bool otherwise) {
  const uint32_t thread = HD_TEAM_RING(team);
  if (thread >= walk->log_count)
    return otherwise;
  const struct log *log = &walk->logs[thread];
  if (visit->last[thread].now.state == HD_STATE_COUNT && !walk->model->threads[thread].stay.known)
    return false;
  for (uint32_t i = 0; i < log->led_count; i++)
    if (log->led[i].team == team)
      return true;
  return !log->knows_led && otherwise;
}

/* Its arrival may be noted later than the team's join. Of one before the stretch the primary says whether it has
 * joined.
 */
static void finish(const struct walk *walk, struct visit *visit, struct log *log, bool is_earlier) {
  log->waits = !has_joined(visit, log->team);
  if (is_earlier) /* where the stretch begins all primaries will have said so */
    log->waits = !visit->is_in || may_be_led(walk, visit, log->team, log->waits);
  if (!log->waits)
    tell_idle(visit, visit->last[log->thread].ticks, log->thread);
}

/* ---- the regions that a thread leads ---- */

static void push_led(struct log *log, struct led led) {
  if (log->led_count == log->led_limit) {
    log->led_limit = 2 * log->led_limit + 4;
    log->led = hd_grow(log->led, log->led_limit, sizeof *log->led);
  }
  log->led[log->led_count++] = led;
}

static void pop_led(struct log *log, uint32_t node) {
  for (uint32_t i = log->led_count; i-- > 0;)
    if (log->led[i].node == node) {
      log->led_count = i;
      return;
    }
}

static void join_led(struct log *log, uint32_t team) {
  for (uint32_t i = 0; i < log->led_count; i++)
    if (log->led[i].team == team)
      log->led[i].team = HD_NONE;
}

/* A thread that begins leads none. */
static void note_led(struct log *log, const struct hd_trace_entry *entry, bool begins) {
  if (begins || log->is_cut || entry->what == HD_TRACE_LEAVES) {
    log->led_count = 0;
    log->knows_led = begins && !log->is_cut;
    log->is_cut = false;
  }
  if (hd_trace_is_begin(entry->what))
    push_led(log, (struct led){entry->operand, entry->team});
  else if (entry->what == HD_TRACE_LEADS)
    push_led(log, (struct led){entry->operand, entry->uncounted ? HD_NONE : entry->team});
  else if (entry->what == HD_WHAT_JOIN)
    join_led(log, entry->team);
  else if (entry->what == HD_WHAT_REGION_END || entry->what == HD_WHAT_NESTED_END)
    pop_led(log, entry->operand);
  log->knows_led |= hd_trace_goes_on(entry->what);
}

/* ---- where stretches begin and end ---- */

static bool is_in(const struct hd_model *model, uint32_t node, uint32_t around) {
  while (node > around)
    node = model->nodes[node].parent;
  return node == around;
}

static uint32_t region_of(const struct hd_model *model, uint32_t node) {
  while (node > 0 && !hd_kind_is_region(model->nodes[node].kind))
    node = model->nodes[node].parent;
  return node;
}

/* Somebody is in the region who is not a worker at its end; a primary that opens or closes it is alone. */
static bool goes_on(const struct walk *walk, const struct visit *visit, uint32_t region) {
  for (uint32_t i = 0; i < walk->log_count; i++) {
    const struct hd_trace_place *place = &visit->last[walk->logs[i].thread].now;
    const bool is_alone = place->state == HD_RUNTIME_FORK_JOIN && place->node == region;
    if (!walk->logs[i].waits && !is_alone && place->state < HD_IDLE && is_in(walk->model, place->node, region))
      return true;
  }
  return false;
}

static uint64_t begin_of(const struct visit *visit) {
  return visit->stretches.items[visit->stretch].from_ticks;
}

static uint64_t end_of(const struct visit *visit) {
  return visit->stretches.items[visit->stretch].to_ticks;
}

static void begin_here(struct walk *walk, struct visit *visit) {
  visit->is_in = true;
  for (uint32_t i = 0; i < walk->log_count; i++) {
    struct log *log = &walk->logs[i];
    struct hd_trace_entry *last = &visit->last[log->thread];
    /* That its team had joined may be among what is missing. */
    if (log->waits &&
        !may_be_led(walk, visit, log->team, goes_on(walk, visit, region_of(walk->model, last->now.node)))) {
      log->waits = false;
      last->now = (struct hd_trace_place){0, HD_IDLE};
    }
    const struct hd_trace_place now = last->now;
    last->now.state = HD_STATE_COUNT;
    if (now.state < HD_STATE_COUNT)
      tell(visit,
           (struct hd_trace_entry){.ticks = begin_of(visit), .thread = log->thread, .now = now, .is_bound = true});
  }
}

/* What they do is still known, unless they do something else before the next one begins. */
static void end_here(struct walk *walk, struct visit *visit) {
  for (uint32_t i = 0; i < walk->log_count; i++) {
    struct hd_trace_entry *last = &visit->last[walk->logs[i].thread];
    const struct hd_trace_place now = last->now;
    if (now.state == HD_STATE_COUNT)
      continue;
    tell(visit, (struct hd_trace_entry){.ticks = end_of(visit),
                                        .thread = walk->logs[i].thread,
                                        .now = {now.node, HD_STATE_COUNT},
                                        .is_bound = has_condition(walk->model)});
    last->now = now;
  }
  visit->is_in = false;
  visit->stretch++;
  if (visit->names)
    hd_names_forget_tasks(visit->names);
}

/* Of those at the time from which a trace of the run's end is whole some may be missing. Else what a thread says of the
 * time before the stretch comes first. */
static bool is_behind_begin(const struct walk *walk, const struct visit *visit, const struct hd_trace_entry *entry) {
  const bool is_cut = begin_of(visit) == walk->from_ticks && walk->from_ticks > 0;
  return entry->ticks > begin_of(visit) ||
         (entry->ticks == begin_of(visit) && !is_cut && !hd_trace_goes_on(entry->what));
}

/* Goes on to the stretch in which the entry lies, or to the one behind it. */
static void reach(struct walk *walk, struct visit *visit, const struct hd_trace_entry *entry) {
  while (visit->stretch < visit->stretches.count) {
    if (!visit->is_in && !is_behind_begin(walk, visit, entry))
      return;
    if (!visit->is_in)
      begin_here(walk, visit);
    if (entry->ticks <= end_of(visit))
      return;
    end_here(walk, visit);
  }
}

/* ---- all entries ---- */

static bool is_there(const struct visit *visit, const struct hd_trace_entry *entry) {
  const struct hd_trace_place *last = &visit->last[entry->thread].now;
  return last->node == entry->now.node && last->state == entry->now.state;
}

/* Whether a worker waits from then on, or did so before what is missing, at the end of its team. */
static bool waits_in_team(struct log *log, const struct hd_trace_entry *entry) {
  const bool waits = log->waits_in != HD_NONE || hd_trace_is_finish(entry->what) || entry->what == HD_TRACE_WAITS_ON;
  if (entry->what == HD_WHAT_TEAM || waits)
    log->team = log->waits_in != HD_NONE ? log->waits_in : entry->team;
  return waits;
}

/* A bound is nothing that happens. */
static void tell_all(struct walk *walk, struct visit *visit, struct log *log, struct hd_trace_entry entry) {
  const bool waits = waits_in_team(log, &entry), is_earlier = hd_trace_goes_on(entry.what);
  entry.is_bound = is_earlier || entry.what == HD_TRACE_LEAVES;
  if (entry.is_bound)
    entry.what = HD_WHAT_NOTHING;
  tell(visit, entry);
  if (waits)
    finish(walk, visit, log, is_earlier);
  else if (entry.what == HD_WHAT_JOIN)
    join(walk, visit, &entry);
}

static void take(struct walk *walk, struct visit *visit, struct log *log) {
  struct hd_trace_entry entry = log->next;
  if (entry.inferred && is_there(visit, &entry))
    return;
  reach(walk, visit, &entry);
  note_led(log, &entry, visit->last[log->thread].now.state == HD_STATE_COUNT && !hd_trace_goes_on(entry.what));
  if (entry.what == HD_TRACE_LEADS || (!hd_trace_is_change(entry.what) && !visit->names))
    return;
  if (!hd_trace_is_change(entry.what))
    entry.now = visit->last[log->thread].now; /* perhaps it idles since */
  else
    log->waits = false;
  if (entry.what == HD_WHAT_ORDER)
    hd_names_number(visit->names, &entry);
  tell_all(walk, visit, log, entry);
}

static void end_all(struct walk *walk, struct visit *visit) {
  const struct hd_trace_entry end = {.ticks = UINT64_MAX};
  reach(walk, visit, &end);
}

static void walk_all(struct walk *walk, struct visit *visit) {
  while (walk->heap_count > 0 && visit->stretch < visit->stretches.count && visit->goes_on && !walk->failed) {
    struct log *log = walk->heap[0];
    take(walk, visit, log);
    if (!advance(walk, log))
      walk->heap[0] = walk->heap[--walk->heap_count];
    if (walk->heap_count > 0)
      sift(walk, 0);
  }
  if (visit->goes_on && !walk->failed)
    end_all(walk, visit);
}

static bool walk_with(struct visit *visit, const struct hd_model *model, char *error, size_t error_bytes) {
  struct walk walk = {.model = model, .error = error, .error_bytes = error_bytes};
  const uint32_t count = find_blocks(model, NULL);
  struct block *blocks = hd_new((size_t)count + 1, sizeof *blocks);
  find_blocks(model, blocks);
  walk.from_ticks = from_ticks(model, blocks, count);
  visit->stretches = find_stretches(model, walk.from_ticks);
  visit->is_in = walk.from_ticks == 0 && !has_condition(model);
  visit->last = hd_new((size_t)model->thread_count + 1, sizeof *visit->last);
  for (uint32_t i = 0; i < model->thread_count; i++)
    visit->last[i].now.state = HD_STATE_COUNT;
  make_logs(&walk, blocks, count);
  walk_all(&walk, visit);
  hd_trace_stretches_free(&visit->stretches);
  for (uint32_t i = 0; i < walk.log_count; i++)
    free(walk.logs[i].led);
  free(walk.blocks);
  free(walk.logs);
  free(walk.heap);
  free(visit->last);
  free(visit->joined);
  free(blocks);
  return !walk.failed;
}

bool hd_trace_walk(const struct hd_model *model, hd_trace_visitor *visitor, void *context, char *error,
                   size_t error_bytes) {
  struct visit visit = {.visit = visitor, .context = context, .names = hd_names_new(), .goes_on = true};
  const bool whole = walk_with(&visit, model, error, error_bytes);
  hd_names_free(visit.names);
  return whole;
}

bool hd_trace_walk_changes(const struct hd_model *model, hd_trace_visitor *visitor, void *context, char *error,
                           size_t error_bytes) {
  struct visit visit = {.visit = visitor, .context = context, .goes_on = true};
  return walk_with(&visit, model, error, error_bytes);
}

/* ---- the rest ---- */

enum { BLOCK_MOST = 256 << 10 }; /* what the library asks for at once, at most */

static uint64_t taken_bytes(const struct block *blocks, uint32_t count) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < count; i++)
    bytes += (uint64_t)blocks[i].block->header->span * HD_BLOCK_BYTES;
  return bytes;
}

static void measure_stretches(const struct hd_model *model, struct hd_trace_size *size) {
  struct hd_trace_stretches stretches = find_stretches(model, size->from_ticks);
  size->stretch_count = stretches.count;
  for (uint32_t i = 0; i < stretches.count; i++)
    size->stretch_ticks += stretches.items[i].to_ticks - stretches.items[i].from_ticks;
  hd_trace_stretches_free(&stretches);
}

struct hd_trace_stretches hd_trace_stretches_find(const struct hd_model *model) {
  const uint32_t count = find_blocks(model, NULL);
  struct block *blocks = hd_new((size_t)count + 1, sizeof *blocks);
  find_blocks(model, blocks);
  const struct hd_trace_stretches stretches = find_stretches(model, from_ticks(model, blocks, count));
  free(blocks);
  return stretches;
}

bool hd_trace_size(const struct hd_model *model, struct hd_trace_size *size) {
  *size = (struct hd_trace_size){.bytes = model->renumbered ? 0 : model->trace_bytes,
                                 .limit_bytes = model->header.trace_limit_bytes,
                                 .full_ticks = model->header.trace_full_ticks,
                                 .has_condition = has_condition(model),
                                 .only_concurrency = model->header.flags & HD_FILE_TRACE_CONCURRENCY};
  if (model->renumbered || (size->bytes == 0 && !size->has_condition))
    return false;
  const uint32_t count = find_blocks(model, NULL);
  struct block *blocks = hd_new((size_t)count + 1, sizeof *blocks);
  find_blocks(model, blocks);
  size->from_ticks = from_ticks(model, blocks, count);
  measure_stretches(model, size);
  size->lacked_room = size->full_ticks > 0 && taken_bytes(blocks, count) + BLOCK_MOST <= size->limit_bytes;
  free(blocks);
  return true;
}

bool hd_trace_is_there(const struct hd_model *model) {
  struct hd_trace_size size;
  if (hd_trace_size(model, &size))
    return true;
  if (model->renumbered && model->trace_bytes > 0)
    fprintf(stderr, "heddle: %s: its trace has whole callpaths: leave --depth out\n", model->path);
  else
    fprintf(stderr, "heddle: %s has no trace: 'heddle run --trace' makes one\n", model->path);
  return false;
}

bool hd_trace_is_full(const struct hd_model *model) {
  if (!hd_trace_is_there(model))
    return false;
  if (model->header.flags & HD_FILE_TRACE_CONCURRENCY)
    fprintf(stderr,
            "heddle: %s: its trace has only changes of the number of busy threads: 'heddle run --trace' has all\n",
            model->path);
  return !(model->header.flags & HD_FILE_TRACE_CONCURRENCY);
}

double hd_trace_seconds(const struct hd_model *model, uint64_t ticks) {
  const double since = (double)ticks - (double)model->header.loaded_ticks;
  return (since + (double)model->before_ticks) * model->seconds_per_tick;
}
