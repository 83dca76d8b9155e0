/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file account.h
 * The kernel's account of threads: for how long they had a processor, and for how long they could have run but had
 * none. A thread that spins while it waits wants a processor; one that sleeps does not.
 */
#ifndef HEDDLE_OUTPUT_MODEL_ACCOUNT_H
#define HEDDLE_OUTPUT_MODEL_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

struct hd_account {
  bool known; /* else all 0 */
  uint64_t ran_ns;
  uint64_t queued_ns;   /* ready to run, without a processor */
  uint64_t preemptions; /* how often the kernel took a processor away */
};

struct hd_model;
struct hd_thread_record;

/** Known if the kernel reported it for every thread that the record stands for. */
struct hd_account hd_account_of_record(const struct hd_thread_record *record);

/** Of all threads; known if each one's is. */
struct hd_account hd_account_of_program(const struct hd_model *model);

/** Adds `from`; the sum is unknown if either is. `to` begins as {.known = true}. */
void hd_account_add(struct hd_account *to, const struct hd_account *from);

/** The processor share: time on a processor / (that + time in the queue). NAN: not known. */
double hd_account_share(const struct hd_account *account);

/** That of the program's account. */
double hd_account_share_of_program(const struct hd_model *model);

/** Threads that begin on one processor take turns there until the kernel moves them: so long each, in ms. */
#define HD_ACCOUNT_START_MS 10

/** The program's account without that: short runs have little else. */
struct hd_account hd_account_after_start(const struct hd_model *model);

/** Below this share (after start) others took processors, or threads took them from each other. A little less than 1 is
 * nobody's fault: the system works, too. */
#define HD_ACCOUNT_SHARED 0.95

/** Below this one (after start, too) the queue for processors makes waits and gains as much as the program does. */
#define HD_ACCOUNT_LEAST_SHARE 0.90

/** Whether that share is known and below that. */
bool hd_account_is_disturbed(const struct hd_model *model);

#endif
