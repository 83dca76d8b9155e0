/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file heddle.h
 * Markers: what a program may tell Heddle about itself. Header only; there is no library to link.
 *
 *     #include <heddle.h>
 *
 *     heddle_phase_begin("assemble");
 *     ...                                  // everything in here, regions included, hangs below the phase "assemble"
 *     heddle_phase_end("assemble");
 *
 * Without Heddle a marker does nothing and costs one load and a branch that is not taken. `heddle run` sees that a
 * program has markers and loads Heddle at the program's start; with OMP_TOOL_LIBRARIES alone they count from the first
 * OpenMP construct on. Those of a library that is opened (dlopen) after Heddle's start do nothing.
 *
 * For C99 and later and C++11 and later, on 64-bit ELF systems (GCC, clang and what is compatible); elsewhere the
 * functions are there and do nothing.
 *
 * Any thread may call them at any time, in and outside parallel regions, but not from a signal handler. None of them
 * blocks for long, fails or changes errno.
 */
#ifndef HEDDLE_H
#define HEDDLE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Never a function of its own, which would stand between a phase and the routine that begins it. */
#if defined(__GNUC__)
#define HEDDLE_INLINE static inline __attribute__((always_inline, no_instrument_function))
#else
#define HEDDLE_INLINE static inline
#endif

/** What Heddle puts behind the markers. Constant once published; a later version only appends. */
struct heddle_functions {
  uint32_t version; /* HEDDLE_FUNCTIONS_VERSION of the tool */
  uint32_t reserved;
  void (*phase_begin)(const char *name);
  void (*phase_end)(const char *name);
  void (*pause)(void);
  void (*resume)(void);
};
#define HEDDLE_FUNCTIONS_VERSION 1u

/*
 * How Heddle finds the pointer, in the executable and in every shared library whose files include this header: each has
 * a pointer of its own, and notes (PT_NOTE, section .note.heddle) that lead to it. A note's name is "Heddle", its type
 * HEDDLE_NOTE_TYPE, its descriptor one signed 64-bit number: the distance in bytes from the descriptor to the pointer,
 * so that nothing in it needs relocation and it stays in read-only memory. Every file that includes this header adds
 * one such note; those of one module lead to the same pointer. The tool stores the address of its table there with
 * release order, once, and never takes it back.
 */
#define HEDDLE_NOTE_NAME "Heddle"
#define HEDDLE_NOTE_TYPE 1u

#if defined(__ELF__) && defined(__LP64__) && defined(__GNUC__) && !defined(__CUDA_ARCH__) && !defined(__AMDGCN__)
#define HEDDLE_HAS_MARKERS 1

extern const struct heddle_functions *heddle_functions_of_module;
/* Weak: one for all files of a module. Hidden: read without a detour, and never taken for another module's. Used: the
 * assembler's reference to it is not seen by link-time optimisation. */
__attribute__((weak, used, visibility("hidden"))) const struct heddle_functions *heddle_functions_of_module;

__asm__(".pushsection .note.heddle,\"a\",%note\n"
        "\t.balign 4\n"
        "\t.4byte 7\n"          /* bytes of the name */
        "\t.4byte 8\n"          /* bytes of the descriptor */
        "\t.4byte 1\n"          /* HEDDLE_NOTE_TYPE */
        "\t.asciz \"Heddle\"\n" /* HEDDLE_NOTE_NAME */
        "\t.balign 4\n"
        "\t.8byte heddle_functions_of_module - .\n"
        "\t.popsection");

/** The tool's functions; null while there is no tool. */
HEDDLE_INLINE const struct heddle_functions *heddle_functions_get(void) {
  const struct heddle_functions *functions = __atomic_load_n(&heddle_functions_of_module, __ATOMIC_ACQUIRE);
  return __builtin_expect(functions != 0, 0) ? functions : 0;
}

#else
HEDDLE_INLINE const struct heddle_functions *heddle_functions_get(void) {
  return 0;
}
#endif

/**
 * From here to the matching heddle_phase_end() the calling thread is in the phase `name`: a callpath of its own below
 * whatever the thread is in, with everything that the thread does there, and with the parallel regions that it opens,
 * whoever runs them. Other threads are not concerned. Phases nest, also in themselves.
 *
 * `name` is text that ends in a zero byte; phases with the same text are the same phase. It is copied when it is seen
 * for the first time. With Heddle a marker costs about what entering a parallel construct costs Heddle: some 50 ns.
 */
HEDDLE_INLINE void heddle_phase_begin(const char *name) {
  const struct heddle_functions *functions = heddle_functions_get();
  if (functions)
    functions->phase_begin(name);
}

/**
 * Ends the innermost phase `name` that the calling thread is in, and with it the phases begun inside it and not ended;
 * null: the innermost phase. It may be another routine than the one that began it (a helper, a destructor). But a phase
 * does not outlive the parallel region, construct or task in which it began. What does not match (an end without a
 * begin, a begin without an end) is counted, and the profile's notes say so.
 */
HEDDLE_INLINE void heddle_phase_end(const char *name) {
  const struct heddle_functions *functions = heddle_functions_get();
  if (functions)
    functions->phase_end(name);
}

/**
 * Stops Heddle's clock for the whole program until heddle_resume(): the time between is left out of all numbers, and
 * what is entered there is not counted. Does nothing while it is stopped already: pauses do not nest. Meant for the
 * serial parts of a program: the clock of all threads stops at this instant, whatever they are doing.
 */
HEDDLE_INLINE void heddle_pause(void) {
  const struct heddle_functions *functions = heddle_functions_get();
  if (functions)
    functions->pause();
}

/** Lets the clock run again. Does nothing while it runs. */
HEDDLE_INLINE void heddle_resume(void) {
  const struct heddle_functions *functions = heddle_functions_get();
  if (functions)
    functions->resume();
}

#ifdef __cplusplus
}
#endif

#endif
