/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/symbols/function_names.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "output/symbols/fortran_names.h"
#include "output/symbols/readable_names.h"
#include "output/symbols/symbol_scopes.h"
#include "support/command/memory.h"

enum { DIE_DEPTH_MAX = 32 };

const char *hd_function_linkage_name(Dwarf_Die *die) {
  Dwarf_Attribute attribute;
  if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) ||
      dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute))
    return dwarf_formstring(&attribute);
  return dwarf_diename(die);
}

/* Not libdw's dwarf_decl_file: it takes DWARF 5's file 0, the unit's own, for none, and aborts when a unit's list of
 * files cannot be read (GCC's split debug information). */
const char *hd_function_file(Dwarf_Die *die) {
  Dwarf_Attribute attribute;
  Dwarf_Files *files = NULL;
  Dwarf_Die unit;
  Dwarf_Half version = 0;
  Dwarf_Word number = 0;
  size_t count = 0;
  if (!dwarf_attr_integrate(die, DW_AT_decl_file, &attribute) || dwarf_formudata(&attribute, &number) != 0 ||
      !dwarf_cu_die(attribute.cu, &unit, &version, NULL, NULL, NULL, NULL, NULL) || (number == 0 && version < 5) ||
      dwarf_getsrcfiles(&unit, &files, &count) != 0 || number >= count)
    return NULL;
  return dwarf_filesrc(files, number, NULL, NULL);
}

/* Not those within others. */
static void each_function(Dwarf_Die *parent, void (*take)(Dwarf_Die *die, void *context), void *context, int depth) {
  Dwarf_Die die;
  if (depth > DIE_DEPTH_MAX || dwarf_child(parent, &die) != 0)
    return;
  do {
    const int tag = dwarf_tag(&die);
    if (tag == DW_TAG_subprogram)
      take(&die, context);
    else if (tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
             tag == DW_TAG_module)
      each_function(&die, take, context, depth + 1);
  } while (dwarf_siblingof(&die, &die) == 0);
}

/* ---- Fortran ---- */

enum { FORTRAN_18 = 0x2d }; /* DW_LANG_Fortran18; older libdw have no name for it */

static bool is_fortran(Dwarf_Die *whole_unit) {
  switch (dwarf_srclang(whole_unit)) {
  case DW_LANG_Fortran77:
  case DW_LANG_Fortran90:
  case DW_LANG_Fortran95:
  case DW_LANG_Fortran03:
  case DW_LANG_Fortran08:
  case FORTRAN_18:
    return true;
  default:
    return false;
  }
}

struct procedure {
  const char *linkage_name;
  const char *name; /* NULL: not found yet */
};

/* gfortran calls the main program MAIN__, which its debug information does not say. */
static void match(Dwarf_Die *die, void *context) {
  struct procedure *procedure = context;
  const char *name = hd_function_linkage_name(die);
  if ((name && strcmp(name, procedure->linkage_name) == 0) ||
      (strcmp(procedure->linkage_name, "MAIN__") == 0 && dwarf_hasattr(die, DW_AT_main_subprogram)))
    procedure->name = dwarf_diename(die);
}

/* The source's name of a procedure outside modules: the linker's has one more underscore. NULL: it is another's. */
static const char *find_name(Dwarf_Die *unit, const char *linkage_name) {
  struct procedure procedure = {.linkage_name = linkage_name};
  Dwarf_Die whole = hd_scopes_whole_unit(unit);
  char *mangled = is_fortran(&whole) ? hd_fortran_name(linkage_name) : NULL;
  if (is_fortran(&whole) && !mangled)
    each_function(&whole, match, &procedure, 0);
  free(mangled);
  return procedure.name;
}

/* "outside" for "outside_", "outside._omp_fn.0" for "outside_._omp_fn.0". */
static char *as_in_source(Dwarf_Die *unit, const char *linkage_name) {
  const size_t length = strcspn(linkage_name, ".");
  char *procedure = hd_print("%.*s", (int)length, linkage_name);
  const char *name = unit ? find_name(unit, procedure) : NULL;
  char *made = name ? hd_print("%s%s", name, linkage_name + length) : hd_print("%s", linkage_name);
  free(procedure);
  return made;
}

char *hd_function_readable(Dwarf_Die *unit, const char *linkage_name) {
  char *name = as_in_source(unit, linkage_name), *made = hd_symbols_readable(name);
  free(name);
  return made;
}

char *hd_function_routine_name(Dwarf_Die *unit, const char *linkage_name) {
  char *name = as_in_source(unit, linkage_name), *made = hd_symbols_routine_name(name);
  free(name);
  return made;
}

/* ---- by place ---- */

struct around {
  const char *file;
  int line;
  int best_line;
  const char *best;
};

static void consider(Dwarf_Die *die, void *context) {
  struct around *around = context;
  int line = 0;
  const char *file = hd_function_file(die);
  const char *name = hd_function_linkage_name(die);
  if (!file || !name || dwarf_decl_line(die, &line) != 0 || line > around->line || line <= around->best_line)
    return;
  if (dwarf_hasattr(die, DW_AT_declaration) || dwarf_hasattr_integrate(die, DW_AT_artificial) ||
      strcmp(file, around->file) != 0)
    return;
  char *readable = hd_symbols_readable(name);
  if (readable) {
    around->best_line = line;
    around->best = name;
  }
  free(readable);
}

char *hd_function_around(Dwarf_Die *unit, const char *file, int line) {
  struct around around = {.file = file, .line = line};
  Dwarf_Die whole = hd_scopes_whole_unit(unit);
  each_function(&whole, consider, &around, 0);
  return around.best ? hd_symbols_readable(around.best) : NULL;
}
