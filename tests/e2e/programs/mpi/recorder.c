#define _GNU_SOURCE
#include "recorder.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
  const char *function;
  enum heddle_mpi_kind kind;
  uint64_t bytes;
} record;
static int depth, records, checked, wrong;

// In this module.
static int is_own(const void *address) {
  Dl_info its, own;
  return dladdr(address, &its) && dladdr(&record, &own) && its.dli_fbase == own.dli_fbase;
}

static uint32_t begin(enum heddle_mpi_kind kind, const char *function, const void *caller) {
  if (depth)
    return 0;
  depth = 1;
  record.function = function;
  record.kind = kind;
  record.bytes = UINT64_MAX;
  if (!is_own(caller)) {
    printf("%s was called from elsewhere\n", function);
    wrong++;
  }
  return 77;
}

static void end(uint32_t begun, uint64_t bytes) {
  wrong += begun != 77 || !depth;
  depth = 0;
  record.bytes = bytes;
  records++;
}

// With RECORD=0 the wrappers are there, but nobody measures.
__attribute__((constructor)) static void start(void) {
  struct heddle_mpi_calls *calls = dlsym(RTLD_DEFAULT, HEDDLE_MPI_CALLS);
  if (!calls || getenv("RECORD"))
    return;
  calls->end = end;
  __atomic_store_n(&calls->begin, begin, __ATOMIC_RELEASE);
}

void expect_after(int as_it_should, int line, const char *call, enum heddle_mpi_kind kind, uint64_t bytes) {
  const size_t length = strcspn(call, "( ");
  const int is_that = records == 1 && strlen(record.function) == length && !memcmp(record.function, call, length) &&
                      record.kind == kind && record.bytes == bytes;
  checked++;
  if (!as_it_should || (!is_that && !getenv("RECORD"))) {
    wrong++;
    printf("line %d: %s expected %.*s %d %lld, there were %d calls, last %s %d %lld\n", line,
           as_it_should ? "" : "not the result that was", (int)length, call, kind, (long long)bytes, records,
           records ? record.function : "none", record.kind, (long long)record.bytes);
  }
  forget();
}

void forget(void) {
  records = 0;
}

int finish(void) {
  if (!wrong)
    printf("checked %d\n", checked);
  return wrong != 0;
}

// For Fortran: call expect('MPI_Send', kind, bytes, __LINE__), forget, finish.
void expect_(const char *function, const int *kind, const int *bytes, const int *line, size_t length);
void expect_(const char *function, const int *kind, const int *bytes, const int *line, size_t length) {
  char name[64];
  snprintf(name, sizeof name, "%.*s", (int)length, function);
  expect_after(1, *line, name, (enum heddle_mpi_kind) * kind, (uint64_t)*bytes);
}
void forget_(void);
void forget_(void) {
  forget();
}
void finish_(void);
void finish_(void) {
  exit(finish());
}
