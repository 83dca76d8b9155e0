/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "store/profile_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/seal.h"

enum { MOST_SUFFIXES = 10000, PATH_BYTES = 1024 };

struct path {
  char *text;
  size_t bytes;
  size_t used;
};

static bool append(struct path *path, const char *text) {
  const size_t length = strlen(text);
  if (path->used + length + 1 > path->bytes)
    return false;
  memcpy(path->text + path->used, text, length + 1);
  path->used += length;
  return true;
}

/* What `letter` stands for, in `buffer` if it has to be made; NULL: nothing. */
static const char *expansion(char letter, const struct hd_file_header *header, char *buffer, size_t bytes) {
  switch (letter) {
  case 'p':
    snprintf(buffer, bytes, "%u", header->pid);
    return buffer;
  case 'r':
    snprintf(buffer, bytes, "%d", header->rank);
    return header->rank == HD_RANK_ALL ? "all" : header->rank < 0 ? "none" : buffer;
  case 'h':
    return header->host;
  case 'n':
    return header->program;
  case '%':
    return "%";
  default:
    return NULL;
  }
}

static bool expand(struct path *path, const char *pattern, const struct hd_file_header *header) {
  for (; *pattern; pattern++) {
    char single[2] = {*pattern, 0};
    char number[16];
    const char *text = *pattern == '%' ? expansion(pattern[1], header, number, sizeof number) : NULL;
    if (text)
      pattern++;
    char *c = path->text + path->used;
    if (!append(path, text ? text : single))
      return false;
    for (; text && (c = strchr(c, '/')); c++)
      *c = '_'; /* what a file says does not lead elsewhere */
  }
  return true;
}

static bool is_directory(const char *path, size_t length) {
  struct stat status;
  return (length && path[length - 1] == '/') || (stat(path, &status) == 0 && S_ISDIR(status.st_mode));
}

static bool names(const char *pattern, char letter) {
  const char *at = pattern;
  while ((at = strchr(at, '%')) && at[1] && at[1] != letter)
    at += 2;
  return at && at[1] == letter;
}

/* Processes that one pattern was meant for do not take each other's names: each has its number in its own. */
static bool add_number(const char *pattern, const char *number, char *own, size_t bytes) {
  static const char ending[] = ".heddle";
  struct stat status;
  const size_t length = strlen(pattern);
  const size_t cut =
      length > sizeof ending && !strcmp(pattern + length - (sizeof ending - 1), ending) ? sizeof ending - 1 : 0;
  if (stat(pattern, &status) == 0 && !S_ISREG(status.st_mode))
    return snprintf(own, bytes, "%s", pattern) < (int)bytes;
  return snprintf(own, bytes, "%.*s%s%s", (int)(length - cut), pattern, number, pattern + length - cut) < (int)bytes;
}

bool hd_profile_file_expand_name(const char *pattern, const struct hd_file_header *header, char *text, size_t bytes) {
  struct path path = {.text = text, .bytes = bytes};
  char of_rank[PATH_BYTES], of_child[PATH_BYTES];
  if (header->rank >= 0 && header->ranks != 1 && !names(pattern, 'r')) {
    if (!add_number(pattern, ".rank%r", of_rank, sizeof of_rank))
      return false;
    pattern = of_rank;
  }
  if (header->parent_pid && !names(pattern, 'p')) {
    if (!add_number(pattern, ".%p", of_child, sizeof of_child))
      return false;
    pattern = of_child;
  }
  if (*pattern != '/' && getcwd(text, bytes)) {
    path.used = strlen(text);
    if (!append(&path, "/"))
      return false;
  }
  return expand(&path, pattern, header) &&
         (!is_directory(text, path.used) || (append(&path, "/") && expand(&path, HD_SAVE_DEFAULT_NAME, header)));
}

/* A name of its own beside the final one: what dies while it copies leaves nothing that looks like a profile. */
static int create_temporary(const char *path, char *temporary, size_t bytes) {
  const char *slash = strrchr(path, '/');
  int directory = slash ? (int)(slash + 1 - path) : 0;
  int length = snprintf(temporary, bytes, "%.*s.heddle.%d.part", directory, path, (int)getpid());
  if (length < 0 || (size_t)length >= bytes) {
    errno = ENAMETOOLONG;
    return -1;
  }
  unlink(temporary); /* of a process that had this pid */
  int to = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (to >= 0)
    fchmod(to, 0600); /* whatever the program's umask is */
  return to;
}

/* Where there are no links: the name is taken by an empty file first. */
static bool rename_to_new(const char *from, const char *to) {
  int fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0)
    return false;
  close(fd);
  return rename(from, to) == 0;
}

/* Never over an existing file. */
static bool move_to_new(const char *from, const char *to) {
  if (link(from, to) == 0) {
    unlink(from);
    return true;
  }
  return errno != EEXIST && rename_to_new(from, to);
}

static bool move_to_free_name(const char *from, const char *path, char *final_path, size_t final_bytes) {
  struct stat status;
  if (!stat(path, &status) && !S_ISREG(status.st_mode)) { /* beside a device nobody looks for files */
    errno = ENOTSUP;
    return false;
  }
  for (int i = 0; i < MOST_SUFFIXES; i++) {
    int length =
        i ? snprintf(final_path, final_bytes, "%s.%d", path, i) : snprintf(final_path, final_bytes, "%s", path);
    if (length < 0 || (size_t)length >= final_bytes) {
      errno = ENAMETOOLONG;
      return false;
    }
    if (move_to_new(from, final_path))
      return true;
    if (errno != EEXIST)
      return false;
  }
  return false;
}

static bool write_all(int to, const char *bytes, size_t count) {
  while (count) {
    ssize_t written = write(to, bytes, count);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    bytes += written;
    count -= (size_t)written;
  }
  return true;
}

/* A live file is larger than what is in it: there is no more than the header claims. */
static bool claimed_bytes(const struct hd_file_header *header, off_t *bytes) {
  if (memcmp(header->magic, HD_MAGIC, sizeof header->magic) != 0)
    return false;
  const uint32_t blocks = __atomic_load_n(&header->block_count, __ATOMIC_ACQUIRE);
  *bytes = (off_t)(HD_HEADER_BYTES + (uint64_t)blocks * HD_BLOCK_BYTES);
  return true;
}

/* The header is copied first: it claims no more than is copied after it, though more may come meanwhile. It is written
 * again at the end, when the blocks are sealed. */
struct copying {
  const char *mapped; /* NULL: from a file */
  int from, to;
  union {
    struct hd_file_header header;
    char first[HD_HEADER_BYTES];
  };
  bool seals; /* it is a whole profile, and not a sealed one */
  struct hd_seal block;
  off_t block_at; /* where it begins */
  off_t flushed;
  size_t used;
  char *bytes;
};

enum { COPY_BYTES = 64 * 1024 };
static char copied_bytes[COPY_BYTES]; /* not on the stack of whatever thread ends the program; one save at a time */

static bool fetch(const struct copying *copying, char *to, size_t bytes, off_t at) {
  if (copying->mapped) {
    memcpy(to, copying->mapped + at, bytes);
    return true;
  }
  while (bytes) {
    const ssize_t count = pread(copying->from, to, bytes, at);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    to += count;
    at += count;
    bytes -= (size_t)count;
  }
  return true;
}

static bool flush(struct copying *copying) {
  if (!write_all(copying->to, copying->bytes, copying->used))
    return false;
  copying->flushed += (off_t)copying->used;
  copying->used = 0;
  return true;
}

static bool write_at(int to, const void *bytes, size_t count, off_t at) {
  return pwrite(to, bytes, count, at) == (ssize_t)count;
}

/* The unit lies at the end of what has been copied, up to `end` there is more. Whoever still writes to the profile does
 * not write to the copy: it is what is summed up. */
static bool seal_unit(struct copying *copying, char *unit, off_t at, off_t end) {
  if (copying->block.left == 0)
    copying->block_at = at;
  if (!hd_seal_add_unit(&copying->block, unit, (uint32_t)((end - at) / HD_BLOCK_BYTES))) {
    copying->seals = false; /* damaged: the reader says where */
    return true;
  }
  if (copying->block.left > 0)
    return true;
  const off_t place = copying->block_at + (off_t)offsetof(struct hd_block_header, checksum);
  const uint32_t sum = copying->block.sum;
  if (place < copying->flushed)
    return write_at(copying->to, &sum, sizeof sum, place);
  memcpy(copying->bytes + (place - copying->flushed), &sum, sizeof sum);
  return true;
}

static bool copy_up_to(struct copying *copying, off_t end) {
  for (off_t at = copying->flushed; at < end;) {
    char *to = copying->bytes + copying->used;
    const size_t bytes = end - at < HD_BLOCK_BYTES ? (size_t)(end - at) : HD_BLOCK_BYTES;
    if (!fetch(copying, to, bytes, at) || (copying->seals && !seal_unit(copying, to, at, end)))
      return false;
    copying->used += bytes;
    at += (off_t)bytes;
    if (copying->used > COPY_BYTES - HD_BLOCK_BYTES && !flush(copying))
      return false;
  }
  return flush(copying);
}

static bool copy_profile(struct copying *copying, off_t end) {
  copying->seals = copying->seals && copying->header.seal == 0;
  copying->flushed = sizeof copying->first;
  if (!write_all(copying->to, copying->first, sizeof copying->first) || !copy_up_to(copying, end))
    return false;
  if (!copying->seals)
    return true;
  hd_seal_header(copying->first);
  return write_at(copying->to, copying->first, sizeof copying->first, 0);
}

/* Of a file that is no profile everything is copied. */
static bool copy(int from, int to) {
  struct copying copying = {.from = from, .to = to, .bytes = copied_bytes};
  struct stat status;
  off_t end;
  if (fstat(from, &status))
    return false;
  if (status.st_size < HD_HEADER_BYTES || !fetch(&copying, copying.first, sizeof copying.first, 0) ||
      !claimed_bytes(&copying.header, &end))
    return copy_up_to(&copying, status.st_size);
  copying.seals = end <= status.st_size;
  return copy_profile(&copying, copying.seals ? end : status.st_size);
}

static bool copy_mapped(const char *base, int to) {
  struct copying copying = {.mapped = base, .to = to, .bytes = copied_bytes, .seals = true};
  off_t end;
  memcpy(copying.first, base, sizeof copying.first);
  return claimed_bytes(&copying.header, &end) && copy_profile(&copying, end);
}

bool hd_profile_file_to_free_name(int from, const char *mapped, const char *path, char *final_path,
                                  size_t final_bytes) {
  char temporary[PATH_BYTES + 32];
  int to = create_temporary(path, temporary, sizeof temporary);
  if (to < 0)
    return false;
  bool copied = mapped ? copy_mapped(mapped, to) : copy(from, to);
  copied = !close(to) && copied; /* NFS tells of a full disk here */
  bool saved = copied && move_to_free_name(temporary, path, final_path, final_bytes);
  int error = errno;
  if (!saved)
    unlink(temporary);
  errno = error;
  return saved;
}

/* In `directory`, under the last part of `path`. */
static bool save_in(const char *directory, int from, const char *mapped, const char *path, char *final_path,
                    size_t final_bytes) {
  char other[PATH_BYTES];
  const char *slash = strrchr(path, '/');
  const int length = snprintf(other, sizeof other, "%s/%s", directory, slash ? slash + 1 : path);
  return length > 0 && (size_t)length < sizeof other &&
         hd_profile_file_to_free_name(from, mapped, other, final_path, final_bytes);
}

bool hd_profile_file_somewhere(int from, const char *mapped, const char *path, char *final_path, size_t final_bytes,
                               int *error) {
  char current[PATH_BYTES];
  *error = 0;
  if (hd_profile_file_to_free_name(from, mapped, path, final_path, final_bytes))
    return true;
  *error = errno;
  const char *places[] = {getcwd(current, sizeof current), secure_getenv("TMPDIR"), "/tmp"};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    if (places[i] && *places[i] && save_in(places[i], from, mapped, path, final_path, final_bytes))
      return true;
  return false;
}
