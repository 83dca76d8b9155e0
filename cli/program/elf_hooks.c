/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file elf_hooks.c
 * Does a program's or library's file call Heddle by itself: routines compiled with -finstrument-functions, or markers?
 */
#include "cli/program/elf_hooks.h"

#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

#include "heddle.h"

/* Among the dynamic symbols: an import, or defined. */
static bool has_symbol(Elf *elf, const char *wanted, bool defined) {
  Elf_Scn *section = NULL;
  GElf_Shdr header;
  GElf_Sym symbol;
  while ((section = elf_nextscn(elf, section))) {
    if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNSYM)
      continue;
    Elf_Data *data = elf_getdata(section, NULL);
    for (int i = 1; data && gelf_getsym(data, i, &symbol); i++) {
      const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
      if ((symbol.st_shndx != SHN_UNDEF) == defined && name && strcmp(name, wanted) == 0)
        return true;
    }
  }
  return false;
}

static bool defines(Elf *elf, const char *symbol) {
  return has_symbol(elf, symbol, true);
}

/* A program that brings hooks of its own needs none of ours. */
static bool has_hooks(Elf *elf, bool defined) {
  return has_symbol(elf, "__cyg_profile_func_enter", defined) || has_symbol(elf, "__cyg_profile_func_exit", defined);
}

static bool is_marker_note(const Elf_Data *notes, const GElf_Nhdr *note, size_t name) {
  return note->n_type == HEDDLE_NOTE_TYPE && note->n_namesz == sizeof HEDDLE_NOTE_NAME &&
         memcmp((const char *)notes->d_buf + name, HEDDLE_NOTE_NAME, sizeof HEDDLE_NOTE_NAME) == 0;
}

static bool has_marker_note(Elf *elf, const GElf_Phdr *segment) {
  const Elf_Type type = segment->p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR;
  Elf_Data *notes = elf_getdata_rawchunk(elf, (int64_t)segment->p_offset, segment->p_filesz, type);
  GElf_Nhdr note;
  size_t name;
  size_t content;
  for (size_t at = 0; notes && (at = gelf_getnote(notes, at, &note, &name, &content)) > 0;)
    if (is_marker_note(notes, &note, name))
      return true;
  return false;
}

static bool has_markers(Elf *elf) {
  size_t count = 0;
  GElf_Phdr segment;
  if (elf_getphdrnum(elf, &count) != 0)
    return false;
  for (size_t i = 0; i < count; i++)
    if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_NOTE && has_marker_note(elf, &segment))
      return true;
  return false;
}

static bool calls_heddle(Elf *elf) {
  return has_markers(elf) || has_hooks(elf, false);
}

static bool has_own_hooks(Elf *elf) {
  return has_hooks(elf, true);
}

/* libomp has a definition of its own, which looks for one elsewhere. */
static bool has_tool(Elf *elf) {
  return defines(elf, "ompt_start_tool") && !defines(elf, "__kmpc_fork_call");
}

static bool holds(const char *path, bool is_so(Elf *)) {
  const int fd = elf_version(EV_CURRENT) != EV_NONE ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (fd < 0)
    return false;
  Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
  const bool so = elf && elf_kind(elf) == ELF_K_ELF && is_so(elf);
  elf_end(elf);
  close(fd);
  return so;
}

bool hd_elf_calls_heddle(const char *path) {
  return holds(path, calls_heddle);
}

bool hd_elf_has_tool(const char *path) {
  return holds(path, has_tool);
}

bool hd_elf_has_own_hooks(const char *path) {
  return holds(path, has_own_hooks);
}
