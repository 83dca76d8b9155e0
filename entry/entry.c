/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file entry.c
 * The wrappers, and all that libheddle-entry.so exports. While nobody measures they jump to the runtime, which then
 * sees the program's own return address.
 */
#include "entry/entries.h"

#include <stdbool.h>
#include <stddef.h>

#include "entry/target.h"

static __thread const struct heddle_inside *innermost __attribute__((tls_model("initial-exec")));

static const struct heddle_inside *get_innermost(void) {
  return innermost;
}

HD_EXPORTED struct heddle_entries heddle_entries_3 = {.innermost = get_innermost};

/* ---- before and after ---- */

struct passage {
  struct heddle_inside inside;
  enum heddle_entry entry;
  uint32_t begun;
  struct heddle_iterations chunk;
};

static inline bool is_observed(void) {
  return __builtin_expect(__atomic_load_n(&heddle_entries_3.begin, __ATOMIC_ACQUIRE) != NULL, 1);
}

static inline void go_in(struct passage *passage) {
  passage->inside.outer = innermost;
  innermost = &passage->inside;
  passage->begun = heddle_entries_3.begin(passage->entry);
}

static inline void come_out(const struct passage *passage) {
  if (passage->begun || passage->chunk.count)
    heddle_entries_3.end(passage->entry, passage->begun, &passage->chunk);
  innermost = passage->inside.outer;
}

/* Ends when the variable goes out of scope. `makes`: the loop that it makes ready, or NULL; `runtime`: with
 * schedule(runtime). */
#define PASSAGE(of, name, makes, runtime)                                                                              \
  __attribute__((cleanup(come_out))) struct passage name = {                                                           \
      .inside = {.caller = caller, .loop = (makes), .by_runtime = (runtime)}, .entry = HEDDLE_ENTRY_##of};             \
  go_in(&name)

#define WRAP(of, type, name, parameters, arguments)                                                                    \
  HD_EXPORTED type name parameters;                                                                                    \
  HD_EXPORTED type name parameters {                                                                                   \
    HD_FIND_NEXT(type, name, parameters);                                                                              \
    if (!is_observed())                                                                                                \
      return next arguments;                                                                                           \
    PASSAGE(of, passage, NULL, false);                                                                                 \
    return next arguments;                                                                                             \
  }

/* What makes a loop ready. `iterations`: of that loop; `runtime`: with schedule(runtime). */
#define WRAP_BEGIN(type, name, parameters, arguments, iterations, runtime)                                             \
  HD_EXPORTED type name parameters;                                                                                    \
  HD_EXPORTED type name parameters {                                                                                   \
    HD_FIND_NEXT(type, name, parameters);                                                                              \
    if (!is_observed())                                                                                                \
      return next arguments;                                                                                           \
    const struct heddle_iterations loop = iterations;                                                                  \
    PASSAGE(SCHEDULING, passage, &loop, runtime);                                                                      \
    return next arguments;                                                                                             \
  }

/* ---- loops ---- */

/* From `first` to `last`, or to the last one before it. */
static inline struct heddle_iterations from_to(uint64_t first, uint64_t last, int64_t step) {
  uint64_t count = 1;
  if (step == 1)
    count = last - first + 1;
  else if (step > 0)
    count = (last - first) / (uint64_t)step + 1;
  else if (step < 0)
    count = (first - last) / (0 - (uint64_t)step) + 1;
  return (struct heddle_iterations){first, step, count};
}

/* None if `last` lies before `first`: as their type has it. */
#define FROM_TO(first, last, step)                                                                                     \
  (((step) < 0 ? (last) <= (first) : (first) <= (last)) ? from_to((uint64_t)(first), (uint64_t)(last), (step))         \
                                                        : (struct heddle_iterations){(uint64_t)(first), (step), 0})

/* libomp's kmp_sch_runtime, the same of ordered loops, and both without merging, apart from what a modifier adds. */
static inline bool is_by_runtime(int32_t schedule) {
  const uint32_t kind = (uint32_t)schedule & ~(UINT32_C(3) << 29);
  return kind == 37 || kind == 69 || kind == 165 || kind == 197;
}

/* The bounds are those of a type's difference: as 64 bits, without a sign, they wrap around as they should. */
#define WRAP_LOOP(suffix, bound, difference)                                                                           \
  WRAP_BEGIN(                                                                                                          \
      void, __kmpc_dispatch_init_##suffix,                                                                             \
      (void *place, int32_t thread, int32_t schedule, bound lower, bound upper, difference stride, difference chunk),  \
      (place, thread, schedule, lower, upper, stride, chunk), FROM_TO(lower, upper, stride), is_by_runtime(schedule))  \
  HD_EXPORTED int __kmpc_dispatch_next_##suffix(void *place, int32_t thread, int32_t *last, bound *lower,              \
                                                bound *upper, difference *stride);                                     \
  HD_EXPORTED int __kmpc_dispatch_next_##suffix(void *place, int32_t thread, int32_t *last, bound *lower,              \
                                                bound *upper, difference *stride) {                                    \
    HD_FIND_NEXT(int, __kmpc_dispatch_next_##suffix, (void *, int32_t, int32_t *, bound *, bound *, difference *));    \
    if (!is_observed())                                                                                                \
      return next(place, thread, last, lower, upper, stride);                                                          \
    PASSAGE(SCHEDULING, passage, NULL, false);                                                                         \
    const int has_chunk = next(place, thread, last, lower, upper, stride);                                             \
    if (has_chunk)                                                                                                     \
      passage.chunk = from_to((uint64_t)*lower, (uint64_t)*upper, stride ? *stride : 1);                               \
    return has_chunk;                                                                                                  \
  }

WRAP_LOOP(4, int32_t, int32_t)
WRAP_LOOP(4u, uint32_t, int32_t)
WRAP_LOOP(8, int64_t, int64_t)
WRAP_LOOP(8u, uint64_t, int64_t)

/* ---- tasks ---- */

WRAP(TASK_CREATION, void *, __kmpc_omp_task_alloc,
     (void *place, int32_t thread, int32_t flags, size_t task_bytes, size_t shared_bytes, void *body),
     (place, thread, flags, task_bytes, shared_bytes, body))
WRAP(TASK_CREATION, int32_t, __kmpc_omp_task, (void *place, int32_t thread, void *task), (place, thread, task))
WRAP(TASK_CREATION, int32_t, __kmpc_omp_task_with_deps,
     (void *place, int32_t thread, void *task, int32_t count, void *dependences, int32_t others_count, void *others),
     (place, thread, task, count, dependences, others_count, others))
WRAP(TASK_CREATION, void, __kmpc_taskloop,
     (void *place, int32_t thread, void *task, int condition, uint64_t *lower, uint64_t *upper, int64_t stride,
      int no_group, int schedule, uint64_t grain, void *duplicate),
     (place, thread, task, condition, lower, upper, stride, no_group, schedule, grain, duplicate))
WRAP(TASK_CREATION, void, __kmpc_taskloop_5,
     (void *place, int32_t thread, void *task, int condition, uint64_t *lower, uint64_t *upper, int64_t stride,
      int no_group, int schedule, uint64_t grain, int modifier, void *duplicate),
     (place, thread, task, condition, lower, upper, stride, no_group, schedule, grain, modifier, duplicate))

/* ---- GCC's: libomp gets their chunks from its own __kmpc_dispatch_next_8 and _8u, as anybody does ---- */

/* Older versions of GCC pass the first eight arguments, and the runtime then does not look at the others. */
WRAP(TASK_CREATION, void, GOMP_task,
     (void *body, void *data, void *copy, long bytes, long alignment, bool condition, unsigned flags,
      void **dependences, int priority, void *event),
     (body, data, copy, bytes, alignment, condition, flags, dependences, priority, event))
WRAP(TASK_CREATION, void, GOMP_taskloop,
     (void *body, void *data, void *copy, long bytes, long alignment, unsigned flags, unsigned long tasks, int priority,
      long begin, long end, long step),
     (body, data, copy, bytes, alignment, flags, tasks, priority, begin, end, step))
WRAP(TASK_CREATION, void, GOMP_taskloop_ull,
     (void *body, void *data, void *copy, long bytes, long alignment, unsigned flags, unsigned long tasks, int priority,
      unsigned long long begin, unsigned long long end, unsigned long long step),
     (body, data, copy, bytes, alignment, flags, tasks, priority, begin, end, step))

/* Those that begin a loop: the bounds (the last iteration lies before `end`), the step, the chunk's size unless the
 * schedule is chosen at run time, and where the first chunk's bounds go. */
#define UP_TO(begin, end, step)                                                                                        \
  (((step) < 0 ? (end) < (begin) : (begin) < (end))                                                                    \
       ? from_to((uint64_t)(begin), (uint64_t)(end) + ((step) < 0 ? UINT64_C(1) : -UINT64_C(1)), (int64_t)(step))      \
       : (struct heddle_iterations){(uint64_t)(begin), (int64_t)(step), 0})
#define WRAP_START(kind)                                                                                               \
  WRAP_BEGIN(bool, GOMP_loop_##kind##_start, (long begin, long end, long step, long chunk, long *lower, long *upper),  \
             (begin, end, step, chunk, lower, upper), UP_TO(begin, end, step), false)                                  \
  WRAP_BEGIN(bool, GOMP_loop_ull_##kind##_start,                                                                       \
             (bool up, unsigned long long begin, unsigned long long end, unsigned long long step,                      \
              unsigned long long chunk, unsigned long long *lower, unsigned long long *upper),                         \
             (up, begin, end, step, chunk, lower, upper), UP_TO(begin, end, (int64_t)step), false)
#define WRAP_RUNTIME_START(kind)                                                                                       \
  WRAP_BEGIN(bool, GOMP_loop_##kind##_start, (long begin, long end, long step, long *lower, long *upper),              \
             (begin, end, step, lower, upper), UP_TO(begin, end, step), true)                                          \
  WRAP_BEGIN(bool, GOMP_loop_ull_##kind##_start,                                                                       \
             (bool up, unsigned long long begin, unsigned long long end, unsigned long long step,                      \
              unsigned long long *lower, unsigned long long *upper),                                                   \
             (up, begin, end, step, lower, upper), UP_TO(begin, end, (int64_t)step), true)

WRAP_START(dynamic)
WRAP_START(guided)
WRAP_START(nonmonotonic_dynamic)
WRAP_START(nonmonotonic_guided)
WRAP_START(ordered_static)
WRAP_START(ordered_dynamic)
WRAP_START(ordered_guided)
WRAP_RUNTIME_START(runtime)
WRAP_RUNTIME_START(nonmonotonic_runtime)
WRAP_RUNTIME_START(maybe_nonmonotonic_runtime)
WRAP_RUNTIME_START(ordered_runtime)
