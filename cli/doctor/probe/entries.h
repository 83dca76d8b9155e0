/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file entries.h
 * The entry points of libomp (openmp/runtime/src/kmp.h) that compiled code calls and the probe needs, with what they
 * take. They have not changed since libomp 3.
 */
#ifndef HEDDLE_CLI_DOCTOR_PROBE_ENTRIES_H
#define HEDDLE_CLI_DOCTOR_PROBE_ENTRIES_H

#include <stdint.h>

/** ident_t: where a construct is, and which: flags. */
struct hd_kmp_ident {
  int32_t reserved_1;
  int32_t flags;
  int32_t reserved_2;
  int32_t reserved_3;
  const char *source; /* ";file;function;line;column;;" */
};
enum {
  HD_KMP_C = 0x02,
  HD_KMP_BARRIER_EXPLICIT = 0x20,
  HD_KMP_BARRIER_LOOP = 0x40,
  HD_KMP_BARRIER_SECTIONS = 0xc0,
  HD_KMP_BARRIER_SINGLE = 0x140,
  HD_KMP_LOOP = 0x200,
  HD_KMP_SECTIONS = 0x400,
  HD_KMP_DISTRIBUTE = 0x800
};

/** enum sched_type. */
enum {
  HD_KMP_STATIC = 34,
  HD_KMP_DYNAMIC = 35,
  HD_KMP_GUIDED = 36,
  HD_KMP_ORDERED_DYNAMIC = 67,
  HD_KMP_DISTRIBUTE_STATIC = 92
};

/** kmp_dim: one loop of a doacross nest. */
struct hd_kmp_bounds {
  int64_t lower, upper, stride;
};

/** kmp_task_t, followed by what a taskloop's tasks have more. */
struct hd_kmp_task {
  void *shareds;
  int32_t (*routine)(int32_t thread, void *task);
  int32_t part;
  void *data[2];
  uint64_t lower, upper;
  int64_t stride;
  int32_t last;
  void *reductions;
};
enum { HD_KMP_TIED = 1 };

typedef void hd_kmp_body(int32_t *thread, int32_t *bound, ...);
typedef int32_t hd_kmp_task_body(int32_t thread, void *task);
typedef int32_t hd_kmp_name[8]; /* kmp_critical_name */

#define HD_KMP_AT const struct hd_kmp_ident *at

/* result, name, parameters */
#define HD_KMP_ENTRIES(_)                                                                                              \
  _(int32_t, __kmpc_global_thread_num, (HD_KMP_AT))                                                                    \
  _(void, __kmpc_push_num_threads, (HD_KMP_AT, int32_t thread, int32_t count))                                         \
  _(void, __kmpc_fork_call, (HD_KMP_AT, int32_t argument_count, hd_kmp_body *, ...))                                   \
  _(void, __kmpc_barrier, (HD_KMP_AT, int32_t thread))                                                                 \
  _(void, __kmpc_for_static_init_4,                                                                                    \
    (HD_KMP_AT, int32_t thread, int32_t schedule, int32_t *last, int32_t *lower, int32_t *upper, int32_t *stride,      \
     int32_t increment, int32_t chunk))                                                                                \
  _(void, __kmpc_for_static_fini, (HD_KMP_AT, int32_t thread))                                                         \
  _(void, __kmpc_dispatch_init_4,                                                                                      \
    (HD_KMP_AT, int32_t thread, int32_t schedule, int32_t lower, int32_t upper, int32_t stride, int32_t chunk))        \
  _(int, __kmpc_dispatch_next_4,                                                                                       \
    (HD_KMP_AT, int32_t thread, int32_t *last, int32_t *lower, int32_t *upper, int32_t *stride))                       \
  _(void, __kmpc_dispatch_fini_4, (HD_KMP_AT, int32_t thread))                                                         \
  _(int32_t, __kmpc_single, (HD_KMP_AT, int32_t thread))                                                               \
  _(void, __kmpc_end_single, (HD_KMP_AT, int32_t thread))                                                              \
  _(int32_t, __kmpc_master, (HD_KMP_AT, int32_t thread))                                                               \
  _(void, __kmpc_end_master, (HD_KMP_AT, int32_t thread))                                                              \
  _(void, __kmpc_critical, (HD_KMP_AT, int32_t thread, hd_kmp_name *))                                                 \
  _(void, __kmpc_end_critical, (HD_KMP_AT, int32_t thread, hd_kmp_name *))                                             \
  _(void, __kmpc_ordered, (HD_KMP_AT, int32_t thread))                                                                 \
  _(void, __kmpc_end_ordered, (HD_KMP_AT, int32_t thread))                                                             \
  _(void, __kmpc_doacross_init, (HD_KMP_AT, int32_t thread, int32_t loops, const struct hd_kmp_bounds *))              \
  _(void, __kmpc_doacross_wait, (HD_KMP_AT, int32_t thread, const int64_t *iteration))                                 \
  _(void, __kmpc_doacross_post, (HD_KMP_AT, int32_t thread, const int64_t *iteration))                                 \
  _(void, __kmpc_doacross_fini, (HD_KMP_AT, int32_t thread))                                                           \
  _(void, __kmpc_atomic_start, (void))                                                                                 \
  _(void, __kmpc_atomic_end, (void))                                                                                   \
  _(int32_t, __kmpc_reduce,                                                                                            \
    (HD_KMP_AT, int32_t thread, int32_t count, size_t bytes, void *data, void (*add)(void *, void *), hd_kmp_name *))  \
  _(void, __kmpc_end_reduce, (HD_KMP_AT, int32_t thread, hd_kmp_name *))                                               \
  _(struct hd_kmp_task *, __kmpc_omp_task_alloc,                                                                       \
    (HD_KMP_AT, int32_t thread, int32_t flags, size_t bytes, size_t shared_bytes, hd_kmp_task_body *))                 \
  _(int32_t, __kmpc_omp_task, (HD_KMP_AT, int32_t thread, struct hd_kmp_task *))                                       \
  _(int32_t, __kmpc_omp_taskwait, (HD_KMP_AT, int32_t thread))                                                         \
  _(void, __kmpc_taskgroup, (HD_KMP_AT, int32_t thread))                                                               \
  _(void, __kmpc_end_taskgroup, (HD_KMP_AT, int32_t thread))                                                           \
  _(void, __kmpc_taskloop,                                                                                             \
    (HD_KMP_AT, int32_t thread, struct hd_kmp_task *, int32_t condition, uint64_t *lower, uint64_t *upper,             \
     int64_t stride, int32_t nogroup, int32_t schedule, uint64_t grain, void *duplicate))                              \
  _(void, __kmpc_push_num_teams, (HD_KMP_AT, int32_t thread, int32_t teams, int32_t threads))                          \
  _(void, __kmpc_fork_teams, (HD_KMP_AT, int32_t argument_count, hd_kmp_body *, ...))                                  \
  _(void, omp_init_lock, (void **lock))                                                                                \
  _(void, omp_set_lock, (void **lock))                                                                                 \
  _(void, omp_unset_lock, (void **lock))                                                                               \
  _(int, omp_control_tool, (int command, int modifier, void *argument))

#endif
