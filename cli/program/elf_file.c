/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/program/elf_file.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "heddle.h"

#if defined __x86_64__
enum { OWN_MACHINE = EM_X86_64 };
#elif defined __aarch64__
enum { OWN_MACHINE = EM_AARCH64 };
#else
enum { OWN_MACHINE = EM_NONE }; /* nothing is foreign */
#endif

static const char *name_of_machine(unsigned machine) {
  switch (machine) {
  case EM_X86_64:
    return "x86-64";
  case EM_386:
    return "x86";
  case EM_AARCH64:
    return "AArch64";
  case EM_ARM:
    return "ARM";
  case EM_PPC64:
    return "POWER";
  case EM_RISCV:
    return "RISC-V";
  default:
    return "another";
  }
}

static void read_machine(Elf *elf, struct hd_elf_file *file) {
  GElf_Ehdr header;
  if (!gelf_getehdr(elf, &header))
    return;
  const int bits = gelf_getclass(elf) == ELFCLASS32 ? 32 : 64;
  snprintf(file->machine, sizeof file->machine, "%s, %d bits", name_of_machine(header.e_machine), bits);
  file->is_foreign = OWN_MACHINE != EM_NONE && (header.e_machine != OWN_MACHINE || bits != 8 * (int)sizeof(void *));
}

/* The table of sections is a file's end, or near it. */
static bool is_cut(int fd, Elf *elf) {
  GElf_Ehdr header;
  struct stat status;
  return gelf_getehdr(elf, &header) && fstat(fd, &status) == 0 &&
         header.e_shoff + (GElf_Off)header.e_shnum * header.e_shentsize > (GElf_Off)status.st_size;
}

/* ---- symbols ---- */

enum where { IMPORTED, DEFINED, EXPORTED /* defined for others */, IMPORTED_FAMILY /* all that begin so */ };

#define SETS(field) offsetof(struct hd_elf_file, field)

static const struct {
  const char *symbol;
  enum where where;
  size_t flag; /* of struct hd_elf_file, that it sets */
} known[] = {
    {"__kmpc_fork_call", DEFINED, SETS(defines_libomp)},
    {"GOMP_parallel", DEFINED, SETS(defines_libgomp)}, /* libomp defines it, too: ask for that first */
    {"__cyg_profile_func_enter", DEFINED, SETS(defines_hooks)},
    {"__cyg_profile_func_enter", IMPORTED, SETS(calls_heddle)},
    {"__cyg_profile_func_exit", IMPORTED, SETS(calls_heddle)},
    {"ompt_start_tool", EXPORTED, SETS(exports_tool)},
    {"__kmpc_dispatch_next_", IMPORTED_FAMILY, SETS(calls_entries)},
    {"__kmpc_omp_task_alloc", IMPORTED, SETS(calls_entries)}, /* and so the others for tasks */
    {"GOMP_loop_", IMPORTED_FAMILY, SETS(calls_gomp_entries)},
    {"GOMP_sections_", IMPORTED_FAMILY, SETS(calls_gomp_entries)},
    {"GOMP_task", IMPORTED, SETS(calls_gomp_entries)},
    {"GOMP_taskloop", IMPORTED_FAMILY, SETS(calls_gomp_entries)},
};

/* GOMP_loop_runtime_start, GOMP_parallel_loop_maybe_nonmonotonic_runtime, ... */
static bool is_gomp_runtime(const char *name) {
  return (strncmp(name, "GOMP_loop_", 10) == 0 || strncmp(name, "GOMP_parallel_loop_", 19) == 0) &&
         strstr(name, "runtime");
}

static void take_sanitizer(struct hd_elf_file *file, const char *name) {
  static const struct {
    const char *symbol, *name;
  } sanitizers[] = {
      {"__asan_init", "AddressSanitizer"}, {"__tsan_init", "ThreadSanitizer"}, {"__msan_init", "MemorySanitizer"}};
  for (size_t i = 0; i < sizeof sanitizers / sizeof *sanitizers; i++)
    if (strcmp(name, sanitizers[i].symbol) == 0)
      file->sanitizer = sanitizers[i].name;
}

static bool is_there(enum where where, bool defined, bool dynamic) {
  const bool wants_defined = where == DEFINED || where == EXPORTED;
  return wants_defined == defined && (where == DEFINED || dynamic);
}

static void take_symbol(struct hd_elf_file *file, const char *name, bool defined, bool dynamic) {
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    const char *symbol = known[i].symbol;
    const size_t bytes = strlen(symbol) + (known[i].where != IMPORTED_FAMILY);
    if (is_there(known[i].where, defined, dynamic) && strncmp(name, symbol, bytes) == 0)
      *(bool *)((char *)file + known[i].flag) = true;
  }
  file->calls_gomp_runtime |= !defined && dynamic && is_gomp_runtime(name);
  take_sanitizer(file, name);
}

static void read_symbols(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, struct hd_elf_file *file) {
  GElf_Sym symbol;
  Elf_Data *data = elf_getdata(section, NULL);
  for (int i = 1; data && gelf_getsym(data, i, &symbol); i++) {
    const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
    if (name)
      take_symbol(file, name, symbol.st_shndx != SHN_UNDEF, header->sh_type == SHT_DYNSYM);
  }
}

/* ---- what it links ---- */

static bool has_prefix(const char *text, const char *prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

enum hd_openmp hd_openmp_of(const char *library) {
  if (has_prefix(library, "libomp.") || has_prefix(library, "libomp-") || has_prefix(library, "libiomp5."))
    return HD_OPENMP_LLVM;
  return has_prefix(library, "libgomp.") || has_prefix(library, "libgomp-") ? HD_OPENMP_GCC : HD_OPENMP_NONE;
}

/* libmpi.so.12 is MPICH's interface under the name that others have agreed on. */
enum hd_mpi hd_mpi_of(const char *library) {
  if (has_prefix(library, "libmpich.") || strcmp(library, "libmpi.so.12") == 0 || has_prefix(library, "libmpi.so.12."))
    return HD_MPI_MPICH;
  return has_prefix(library, "libmpi.so") ? HD_MPI_OPEN_MPI : HD_MPI_NONE;
}

static void read_needed(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, struct hd_elf_file *file) {
  GElf_Dyn entry;
  Elf_Data *data = elf_getdata(section, NULL);
  for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++) {
    const char *name = entry.d_tag == DT_NEEDED ? elf_strptr(elf, header->sh_link, entry.d_un.d_val) : NULL;
    const enum hd_openmp openmp = name ? hd_openmp_of(name) : HD_OPENMP_NONE;
    file->needs_libomp |= openmp == HD_OPENMP_LLVM;
    file->needs_libgomp |= openmp == HD_OPENMP_GCC;
    if (name && file->needs_mpi == HD_MPI_NONE)
      file->needs_mpi = hd_mpi_of(name);
  }
}

/* ---- sections and segments ---- */

/* An entry is two addresses, the sled's kind and more (compiler-rt's XRaySledEntry): that of a function's entry, or of
 * one whose argument can be logged, is there once for each function. */
static void count_sleds(Elf_Scn *section, struct hd_elf_file *file) {
  enum { ENTRY_BYTES = 32, KIND_AT = 16, KIND_ENTRY = 0, KIND_ENTRY_WITH_ARGUMENT = 3 };
  const Elf_Data *data = elf_getdata(section, NULL);
  for (size_t at = 0; data && data->d_size - at >= ENTRY_BYTES; at += ENTRY_BYTES) {
    const char kind = ((const char *)data->d_buf)[at + KIND_AT];
    file->sleds += kind == KIND_ENTRY || kind == KIND_ENTRY_WITH_ARGUMENT;
  }
}

static void read_sections(Elf *elf, struct hd_elf_file *file) {
  Elf_Scn *section = NULL;
  GElf_Shdr header;
  size_t names = 0;
  if (elf_getshdrstrndx(elf, &names) != 0)
    return;
  while ((section = elf_nextscn(elf, section))) {
    if (!gelf_getshdr(section, &header))
      continue;
    const char *name = elf_strptr(elf, names, header.sh_name);
    file->has_lines |= name && (strcmp(name, ".debug_line") == 0 || strcmp(name, ".gnu_debuglink") == 0);
    if (name && strcmp(name, "xray_instr_map") == 0)
      count_sleds(section, file);
    file->has_symbols |= header.sh_type == SHT_SYMTAB;
    if (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM)
      read_symbols(elf, section, &header, file);
    else if (header.sh_type == SHT_DYNAMIC)
      read_needed(elf, section, &header, file);
  }
}

static bool has_marker_note(Elf *elf, const GElf_Phdr *segment) {
  const Elf_Type type = segment->p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR;
  Elf_Data *notes = elf_getdata_rawchunk(elf, (int64_t)segment->p_offset, segment->p_filesz, type);
  GElf_Nhdr note;
  size_t name;
  size_t content;
  for (size_t at = 0; notes && (at = gelf_getnote(notes, at, &note, &name, &content)) > 0;)
    if (note.n_type == HEDDLE_NOTE_TYPE && note.n_namesz == sizeof HEDDLE_NOTE_NAME &&
        memcmp((const char *)notes->d_buf + name, HEDDLE_NOTE_NAME, sizeof HEDDLE_NOTE_NAME) == 0)
      return true;
  return false;
}

static void read_segments(int fd, Elf *elf, struct hd_elf_file *file) {
  size_t count = 0;
  GElf_Phdr segment;
  if (elf_getphdrnum(elf, &count) != 0)
    return;
  for (size_t i = 0; i < count && gelf_getphdr(elf, (int)i, &segment); i++) {
    const size_t room = sizeof file->loader - 1;
    if (segment.p_type == PT_INTERP)
      (void)!pread(fd, file->loader, segment.p_filesz < room ? segment.p_filesz : room, (off_t)segment.p_offset);
    file->calls_heddle |= segment.p_type == PT_NOTE && has_marker_note(elf, &segment);
  }
}

static void read_build_id(Elf *elf, struct hd_elf_file *file) {
  const void *bytes = NULL;
  const ssize_t count = dwelf_elf_gnu_build_id(elf, &bytes);
  struct hd_module module = {0};
  if (count <= 0)
    return;
  module.build_id_bytes = (size_t)count < sizeof module.build_id ? (uint32_t)count : sizeof module.build_id;
  memcpy(module.build_id, bytes, module.build_id_bytes);
  hd_module_build_id(&module, sizeof file->build_id, file->build_id);
}

bool hd_elf_file_read(const char *path, struct hd_elf_file *file) {
  memset(file, 0, sizeof *file);
  const int fd = elf_version(EV_CURRENT) != EV_NONE ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (fd < 0)
    return false;
  Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
  file->is_elf = elf && elf_kind(elf) == ELF_K_ELF;
  if (file->is_elf) {
    read_machine(elf, file);
    read_build_id(elf, file);
    file->is_cut = is_cut(fd, elf);
    read_sections(elf, file);
    read_segments(fd, elf, file);
  }
  elf_end(elf);
  close(fd);
  return true;
}
