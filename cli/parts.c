/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/parts.h"

#include <limits.h>

#include "cli/program/find_libraries.h"
#include "cli/top/screen/screen.h"
#include "counters/papi_library.h"
#include "output/metrics/formula.h"
#include "output/views/export/export.h"
#include "output/views/html/frame.h"

/* `missing` NULL: it is there; `which`: what of it, or "". */
static void print_part(const char *part, const char *missing, const char *which, FILE *out) {
  fprintf(out, "  %-24s %s%s%s\n", part, missing ? "no: " : "yes", missing || !*which ? "" : ", ",
          missing ? missing : which);
}

/* In front of which MPI Heddle can stand. */
static void print_mpi(FILE *out) {
  static const char missing[] = "was left out of this build, which found no mpi.h of it";
  char library[PATH_MAX], path[PATH_MAX];
  const bool is_there = hd_library_choose(NULL, library);
  print_part("ranks of Open MPI", is_there && hd_mpi_wrappers_find(library, HD_MPI_OPEN_MPI, path) ? NULL : missing, "",
             out);
  print_part("ranks of MPICH", is_there && hd_mpi_wrappers_find(library, HD_MPI_MPICH, path) ? NULL : missing, "", out);
}

void hd_parts_print(FILE *out) {
  const char *charts = hd_html_charts();
  char papi[512], formulas[512];
  const bool counts = hd_papi_open(papi, sizeof papi), computes = hd_formula_open(formulas, sizeof formulas);
  print_part("screen of heddle top", hd_top_has_screen ? NULL : "was left out of this build, which found no ncurses",
             "", out);
  print_part("charts of heddle html", charts ? NULL : "were left out of this build, which found no D3 (node-d3)",
             charts ? charts : "", out);
  print_part("heddle export -f pprof", hd_exporter_find("pprof")->missing, "", out);
  print_part("heddle export -f otf2", hd_exporter_find("otf2")->missing, "", out);
  print_part("metrics of event groups", computes ? NULL : formulas, "", out);
  print_part("events of PAPI", counts ? NULL : papi, "", out);
  print_mpi(out);
}
