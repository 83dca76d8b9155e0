/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file cmd_completion.c
 * `heddle completion bash|zsh|fish`: rules for the shell, from the commands' tables of options.
 */
#include "cli/command.h"

#include <stdio.h>
#include <string.h>

#include "support/command/help.h"
#include "support/command/output_stream.h"

static const char *const shells[] = {"bash", "zsh", "fish"};

static const struct hd_option options[] = {{0}};

static const struct hd_usage usage = {
    .command = "completion",
    .synopsis = "bash|zsh|fish",
    .description = "Prints the rules by which a shell completes heddle's commands and options.",
    .options = options,
    .epilogue = "bash: source <(heddle completion bash)\n"
                "zsh:  source <(heddle completion zsh)\n"
                "fish: heddle completion fish | source\n"
                "An installed Heddle needs none of these.",
    .none = "missing the shell's name",
    .several = "one shell at a time",
};

/* What each command's --help prints in this form. */
static void put_options(enum hd_help_form form) {
  hd_help_set_form(form, "");
  for (size_t i = 0; hd_commands[i].name; i++) {
    char name[32], help[] = "--help";
    snprintf(name, sizeof name, "%s", hd_commands[i].name);
    hd_commands[i].run(2, (char *[]){name, help, NULL});
  }
}

static void put_bash(void) {
  fputs("# bash completion for heddle\n"
        "_heddle() {\n"
        "  local word=\"${COMP_WORDS[COMP_CWORD]}\" options='' i\n"
        "  COMPREPLY=()\n"
        "  for ((i = 1; i < COMP_CWORD; i++)); do\n" /* behind -- a program's own arguments stand */
        "    [ \"${COMP_WORDS[i]}\" != -- ] || return 0\n"
        "  done\n"
        "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
        "    mapfile -t COMPREPLY < <(compgen -W 'help",
        stdout);
  for (size_t i = 0; hd_commands[i].name; i++)
    printf(" %s", hd_commands[i].name);
  fputs("' -- \"$word\")\n"
        "    return 0\n"
        "  fi\n"
        "  [[ $word == -* ]] || return 0\n" /* files, by -o default */
        "  case \"${COMP_WORDS[1]}\" in\n",
        stdout);
  put_options(HD_HELP_BASH);
  fputs("  esac\n"
        "  mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
        "}\n"
        "complete -o default -F _heddle heddle\n",
        stdout);
}

static void put_zsh(void) {
  fputs("#compdef heddle\n"
        "_heddle() {\n"
        "  local -a commands=(\n",
        stdout);
  for (size_t i = 0; hd_commands[i].name; i++) {
    printf("    '%s:", hd_commands[i].name);
    for (const char *at = hd_commands[i].summary; *at; at++)
      printf(*at == '\'' ? "'\\''" : "%c", *at);
    puts("'");
  }
  fputs("  )\n"
        "  if ((CURRENT == 2)); then\n"
        "    _describe command commands\n"
        "    return\n"
        "  fi\n"
        "  shift words\n"
        "  ((CURRENT--))\n"
        "  case $words[1] in\n",
        stdout);
  put_options(HD_HELP_ZSH);
  fputs("  esac\n"
        "}\n"
        "compdef _heddle heddle\n",
        stdout);
}

static void put_fish(void) {
  fputs("# fish completion for heddle\n", stdout);
  for (size_t i = 0; hd_commands[i].name; i++) {
    printf("complete -c heddle -f -n __fish_use_subcommand -a %s -d '", hd_commands[i].name);
    for (const char *at = hd_commands[i].summary; *at; at++)
      printf(*at == '\'' ? "\\'" : "%c", *at);
    puts("'");
  }
  put_options(HD_HELP_FISH);
}

int hd_cmd_completion(int argc, char **argv) {
  static void (*const put[])(void) = {put_bash, put_zsh, put_fish};
  int first = 0, status = HD_EXIT_OK;
  if (!hd_options_read(&usage, argc, argv, NULL, &first, &status))
    return status;
  for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
    if (strcmp(argv[first], shells[i]) == 0) {
      put[i]();
      return hd_stream_finish(stdout, "standard output") ? HD_EXIT_OK : HD_EXIT_FAILED;
    }
  hd_usage_complain(&usage, "knows no '%s'; there is: bash, zsh, fish", argv[first]);
  return HD_EXIT_USAGE;
}
