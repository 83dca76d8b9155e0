/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file heddle.h
 * Markers, with which a program tells Heddle where its phases are. Header only; there is no library to link.
 *
 *     #include <heddle.h>
 *
 *     heddle_phase_begin("assemble");
 *     ...                                  // everything in here, regions included, belongs to the phase "assemble"
 *     heddle_phase_end("assemble");
 *
 * Without Heddle a marker does nothing and costs one load and a branch that is not taken. `heddle run` sees that a
 * program has markers and loads Heddle at the program's start; with OMP_TOOL_LIBRARIES alone markers count from the
 * first OpenMP construct on. Markers in a library that is opened (dlopen) after Heddle's start do nothing.
 *
 * For C99 and later and C++11 and later, on 64-bit ELF systems with GCC, clang or a compatible compiler; elsewhere the
 * functions do nothing.
 *
 * Any thread may call them at any time, in and outside parallel regions, but not from a signal handler. They never
 * fail, block for long or change errno.
 */
#ifndef HEDDLE_H
#define HEDDLE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Always inlined: a function of its own would stand between a phase and the routine that begins it. */
#if defined(__GNUC__)
#define HEDDLE_INLINE static inline __attribute__((always_inline, no_instrument_function))
#else
#define HEDDLE_INLINE static inline
#endif

/** Heddle's functions behind the markers. Constant once published; a later version only appends. */
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
 * one such note; all notes of a module lead to the same pointer. The tool stores the address of its table there once,
 * with release order, and never takes it back.
 */
#define HEDDLE_NOTE_NAME "Heddle"
#define HEDDLE_NOTE_TYPE 1u

#if defined(__ELF__) && defined(__LP64__) && defined(__GNUC__) && !defined(__CUDA_ARCH__) && !defined(__AMDGCN__)
#define HEDDLE_HAS_MARKERS 1

extern const struct heddle_functions *heddle_functions_of_module;
/* Weak: one for all files of a module. Hidden: read without a detour, and never confused with another module's. Used:
 * link-time optimisation does not see the assembler's reference to it. */
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
 * Begins the phase `name` on the calling thread, until the matching heddle_phase_end(). A phase is a callpath of its
 * own below whatever the thread is in. Everything that the thread does there belongs to it, and so do the parallel
 * regions that the thread opens, with their whole teams. Other threads are not affected. Phases nest, also in
 * themselves.
 *
 * `name` ends in a zero byte; phases with the same text are the same phase. Heddle copies it the first time. With
 * Heddle a marker costs some 50 ns, about as much as the begin of a parallel region.
 */
HEDDLE_INLINE void heddle_phase_begin(const char *name) {
  const struct heddle_functions *functions = heddle_functions_get();
  if (functions)
    functions->phase_begin(name);
}

/**
 * Ends the innermost phase `name` that the calling thread is in, and with it all phases inside it; null: the innermost
 * phase. Another routine than the one that began the phase may end it (a helper, a destructor), but a phase does not
 * outlive the parallel region, construct or task in which it began. Heddle counts begins and ends that do not match,
 * and the profile's notes report them.
 */
HEDDLE_INLINE void heddle_phase_end(const char *name) {
  const struct heddle_functions *functions = heddle_functions_get();
  if (functions)
    functions->phase_end(name);
}

/**
 * Stops Heddle's clock for the whole program until heddle_resume(): no number contains the time between, and what a
 * thread enters in it is not counted. Does nothing while the clock is stopped: pauses do not nest. Meant for the serial
 * parts of a program: the clock of all threads stops at this instant, whatever they are doing.
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
