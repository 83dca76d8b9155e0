/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file papi_library.h
 * libpapi, opened when events are asked for that the kernel's software events (kernel.c) do not have: $HEDDLE_PAPI,
 * else what the dynamic linker finds. It must be of the version whose header this was compiled with.
 *
 * The program may use PAPI, too, and PAPI permits one running event set for each thread and component: hence an
 * instance of our own (private_library.h), always, for the program may also open its own later. It is never unloaded
 * nor shut down: threads may still read while the program ends, and PAPI leaves nothing behind to run at exit. The
 * libraries below it (libpfm) are shared; they are asked for names alone, before threads count.
 */
#ifndef HEDDLE_COUNTERS_PAPI_LIBRARY_H
#define HEDDLE_COUNTERS_PAPI_LIBRARY_H

#include <papi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "counters/source.h"

#define HD_PAPI_FUNCTIONS(_)                                                                                           \
  _(library_init)                                                                                                      \
  _(thread_init)                                                                                                       \
  _(register_thread)                                                                                                   \
  _(unregister_thread)                                                                                                 \
  _(get_opt)                                                                                                           \
  _(strerror)                                                                                                          \
  _(num_components)                                                                                                    \
  _(get_component_info)                                                                                                \
  _(event_name_to_code)                                                                                                \
  _(event_code_to_name)                                                                                                \
  _(query_event)                                                                                                       \
  _(get_event_info)                                                                                                    \
  _(get_event_component)                                                                                               \
  _(enum_event)                                                                                                        \
  _(enum_cmp_event)                                                                                                    \
  _(create_eventset)                                                                                                   \
  _(assign_eventset_component)                                                                                         \
  _(add_event)                                                                                                         \
  _(start)                                                                                                             \
  _(read)                                                                                                              \
  _(stop)                                                                                                              \
  _(cleanup_eventset)                                                                                                  \
  _(destroy_eventset)

#define HD_PAPI_MEMBER(name) __typeof__(PAPI_##name) *name;

/** PAPI_read() is hd_papi.read(), and so on; after hd_papi_open(). */
extern struct hd_papi_functions {
  HD_PAPI_FUNCTIONS(HD_PAPI_MEMBER)
} hd_papi;

/** Opens it, once; later calls answer the same. Any thread. */
bool hd_papi_open(char *why, size_t why_bytes);

/** Whether this thread opened it: PAPI knows that one without being told. */
bool hd_papi_is_opener(pthread_t thread);

/** Opens it, and writes one line about it for people: why it cannot be opened, or what it lacks. */
enum hd_source_state hd_papi_describe(char *text, size_t bytes);

#endif
