/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/metrics/formula.h"

#include <ctype.h>
#include <dlfcn.h>
#include <fenv.h>
#include <math.h>
#include <muParserDLL.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support/command/edit_distance.h"

static struct {
  __typeof__(mupCreate) *create;
  __typeof__(mupRelease) *release;
  __typeof__(mupSetExpr) *set_expression;
  __typeof__(mupDefineVar) *define_variable;
  __typeof__(mupDefineNameChars) *define_name_characters;
  __typeof__(mupEvalMulti) *evaluate_all;
  __typeof__(mupEval) *evaluate;
  __typeof__(mupError) *take_error; /* whether there was one, once */
  __typeof__(mupGetErrorMsg) *error_message;
  __typeof__(mupGetErrorCode) *error_code;
  __typeof__(mupGetErrorPos) *error_position;
  __typeof__(mupGetExprVarNum) *used_count;
  __typeof__(mupGetExprVar) *used;
} mup;

static const struct {
  const char *name;
  void *pointer;
} functions[] = {
    {"mupCreate", &mup.create},
    {"mupRelease", &mup.release},
    {"mupSetExpr", &mup.set_expression},
    {"mupDefineVar", &mup.define_variable},
    {"mupDefineNameChars", &mup.define_name_characters},
    {"mupEvalMulti", &mup.evaluate_all},
    {"mupEval", &mup.evaluate},
    {"mupError", &mup.take_error},
    {"mupGetErrorMsg", &mup.error_message},
    {"mupGetErrorCode", &mup.error_code},
    {"mupGetErrorPos", &mup.error_position},
    {"mupGetExprVarNum", &mup.used_count},
    {"mupGetExprVar", &mup.used},
};

enum { ERROR_UNKNOWN_TOKEN = 1 }; /* muParser's ecUNASSIGNABLE_TOKEN */

/* ---- opening the library ---- */

/* libgomp comes with it and must not see the variables that are meant for the program. */
static void *open_library(void) {
  static char *none[] = {NULL};
  char **const saved = environ;
  environ = none;
  void *library = dlopen("libmuparser.so.2", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    library = dlopen("libmuparser.so", RTLD_NOW | RTLD_LOCAL);
  environ = saved;
  return library;
}

static bool find_functions(void *library) {
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    void *found = dlsym(library, functions[i].name);
    if (!found)
      return false;
    memcpy(functions[i].pointer, &found, sizeof found);
  }
  return true;
}

bool hd_formula_open(char *why, size_t why_bytes) {
  static bool tried, opened;
  static char reason[256];
  if (!tried) {
    void *library = open_library();
    opened = library && find_functions(library);
    if (!opened) {
      const char *words = dlerror();
      snprintf(reason, sizeof reason, "formulas need libmuparser (Debian: libmuparser2v5): %s", words ? words : "?");
    }
    tried = true;
  }
  if (!opened)
    snprintf(why, why_bytes, "%s", reason);
  return opened;
}

/* ---- names ---- */

static bool begins_name(char c) {
  return isalpha((unsigned char)c) || c == '_';
}

static bool continues_name(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

static size_t name_length(const char *text) {
  size_t length = 0;
  if (begins_name(text[0]))
    while (continues_name(text[length]))
      length++;
  return length;
}

/* Of a name as the formula's writer sees it. */
static size_t dotted_length(const char *text, const struct hd_formula_scope *scope) {
  size_t length = name_length(text);
  while (scope->dotted && length > 0 && (continues_name(text[length]) || text[length] == '.'))
    length++;
  return length;
}

bool hd_formula_is_identifier(const char *name) {
  const size_t length = name_length(name);
  return length > 0 && name[length] == '\0';
}

/* A formula without variables. False: it cannot be evaluated. */
static bool evaluate_constant(const char *formula, double *value, int *code) {
  void *parser = mup.create(muBASETYPE_FLOAT);
  if (!parser)
    return false;
  mup.set_expression(parser, formula);
  bool failed = mup.take_error(parser);
  if (!failed) {
    *value = mup.evaluate(parser);
    failed = mup.take_error(parser);
  }
  *code = failed ? mup.error_code(parser) : 0;
  mup.release(parser);
  return !failed;
}

/* There is no list of muParser's functions to ask for, but it complains otherwise of a name that it does not know. */
const char *hd_formula_meaning(const char *name) {
  char call[HD_ALIAS_BYTES_MOST + 8];
  double value;
  int code = 0;
  if (evaluate_constant(name, &value, &code))
    return "a constant";
  snprintf(call, sizeof call, "%s(1)", name);
  return evaluate_constant(call, &value, &code) || code != ERROR_UNKNOWN_TOKEN ? "a function" : NULL;
}

/* ---- what muParser would let pass ---- */

static bool refuse(struct hd_formula_error *error, size_t position, const char *why) {
  error->position = (int)position;
  snprintf(error->why, sizeof error->why, "%s", why);
  return false;
}

/* Formulas that changed the counts would depend on who came before. */
static bool assigns_nothing(const char *formula, struct hd_formula_error *error) {
  for (size_t i = 0; formula[i]; i++) {
    if (formula[i] != '=')
      continue;
    if (formula[i + 1] == '=')
      i++;
    else if (i == 0 || !strchr("<>!", formula[i - 1]))
      return refuse(error, i, "a formula cannot assign; == compares");
  }
  return true;
}

static size_t skip_blanks(const char *text, size_t at) {
  return at + strspn(text + at, " \t");
}

static size_t skip_parentheses(const char *text, size_t at) {
  unsigned open = 0;
  for (; text[at]; at++) {
    open += text[at] == '(';
    open -= text[at] == ')';
    if (open == 0)
      return at + 1;
  }
  return at;
}

static size_t skip_number(const char *text, size_t at) {
  while (isdigit((unsigned char)text[at]) || text[at] == '.')
    at++;
  if (text[at] == 'e' || text[at] == 'E') {
    const size_t digits = at + 1 + (text[at + 1] == '+' || text[at + 1] == '-');
    if (isdigit((unsigned char)text[digits]))
      for (at = digits; isdigit((unsigned char)text[at]);)
        at++;
  }
  return at;
}

/* Behind the operand that begins at `at`: signs, then a number, a name, a call or parentheses, with its powers. */
static size_t skip_operand(const char *text, size_t at) {
  for (;;) {
    at = skip_blanks(text, at);
    while (text[at] == '-' || text[at] == '+')
      at = skip_blanks(text, at + 1);
    if (begins_name(text[at])) {
      at += name_length(text + at);
      const size_t next = skip_blanks(text, at);
      at = text[next] == '(' ? skip_parentheses(text, next) : at;
    } else if (text[at] == '(') {
      at = skip_parentheses(text, at);
    } else {
      at = skip_number(text, at);
    }
    const size_t next = skip_blanks(text, at);
    if (text[next] != '^')
      return at;
    at = next + 1;
  }
}

/* What a formula divides by without any count in it must not be 0: it would never have a value. */
static bool divides_by_no_zero(const char *formula, struct hd_formula_error *error) {
  char divisor[HD_FORMULA_BYTES_MOST + 1];
  double value = 1;
  int code = 0;
  for (size_t i = 0; formula[i]; i++) {
    if (formula[i] != '/')
      continue;
    const size_t length = skip_operand(formula, i + 1) - (i + 1);
    memcpy(divisor, formula + i + 1, length);
    divisor[length] = '\0';
    if (evaluate_constant(divisor, &value, &code) && value == 0)
      return refuse(error, i, "division by zero");
  }
  return true;
}

/* ---- muParser's own errors ---- */

/* The nearest name that the formula could have meant; NULL: none is near. */
static const char *nearest_name(const struct hd_formula_scope *scope, const char *name) {
  const char *nearest = NULL;
  unsigned least = 0;
  for (size_t i = 0; i < scope->count; i++) {
    const char *candidate = scope->variables[i].name;
    const unsigned distance = hd_edit_distance(name, candidate);
    if (hd_edit_is_near(name, candidate) && (!nearest || distance < least)) {
      nearest = candidate;
      least = distance;
    }
  }
  return nearest;
}

static void explain_unknown(const struct hd_formula_scope *scope, const char *name, size_t length,
                            struct hd_formula_error *error) {
  char unknown[HD_ALIAS_BYTES_MOST + 1];
  snprintf(unknown, sizeof unknown, "%.*s", (int)(length < sizeof unknown ? length : sizeof unknown - 1), name);
  const char *nearest = nearest_name(scope, unknown);
  const char *otherwise = scope->otherwise ? scope->otherwise : "";
  snprintf(error->why, sizeof error->why, "'%s' is no %s%s%s", unknown, scope->what,
           nearest ? "; nearest: " : otherwise, nearest ? nearest : "");
}

/* muParser's words without its "at position N", which counts from the formula's begin, and without the blank that it
 * adds at the end. */
static void explain_in_its_words(void *parser, struct hd_formula_error *error) {
  static const char *const phrases[] = {" found at position ", " at expression position ", " at position "};
  char *why = error->why;
  snprintf(why, sizeof error->why, "%s", mup.error_message(parser));
  for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++) {
    char *phrase = strstr(why, phrases[i]);
    if (!phrase)
      continue;
    char *end = phrase + strlen(phrases[i]);
    end += strspn(end, "-0123456789");
    memmove(phrase, end, strlen(end) + 1);
  }
  char *quote = strrchr(why, '"');
  if (quote && quote > why && quote[-1] == ' ')
    memmove(quote - 1, quote, strlen(quote) + 1);
  const size_t length = strlen(why);
  if (length > 0 && why[length - 1] == '.')
    why[length - 1] = '\0';
}

static bool explain(void *parser, const struct hd_formula_scope *scope, const char *formula,
                    struct hd_formula_error *error) {
  const size_t length = strlen(formula);
  error->position = mup.error_position(parser);
  if (error->position > (int)length)
    error->position = (int)length;
  const char *rest = error->position >= 0 ? formula + error->position : "";
  const size_t name = dotted_length(rest, scope);
  if (mup.error_code(parser) == ERROR_UNKNOWN_TOKEN && name > 0)
    explain_unknown(scope, rest, name, error);
  else
    explain_in_its_words(parser, error);
  return false;
}

/* ---- compiling ---- */

static void define_names(void *parser, const struct hd_formula_scope *scope) {
  if (scope->dotted)
    mup.define_name_characters(parser, "0123456789_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.");
  for (size_t i = 0; i < scope->count; i++)
    mup.define_variable(parser, scope->variables[i].name, scope->variables[i].value);
}

/* The first evaluation compiles, and finds what is wrong. */
static bool try_out(void *parser, const struct hd_formula_scope *scope, const char *formula,
                    struct hd_formula_error *error) {
  int results = 0;
  mup.set_expression(parser, formula);
  bool failed = mup.take_error(parser);
  if (!failed) {
    mup.evaluate_all(parser, &results);
    failed = mup.take_error(parser);
  }
  if (failed)
    return explain(parser, scope, formula, error);
  return results == 1 || refuse(error, strcspn(formula, ","), "',' stands only between a function's arguments");
}

void *hd_formula_new(const char *formula, const struct hd_formula_scope *scope, struct hd_formula_error *error) {
  if (!assigns_nothing(formula, error))
    return NULL;
  void *parser = mup.create(muBASETYPE_FLOAT);
  if (!parser) {
    refuse(error, 0, "out of memory");
    return NULL;
  }
  define_names(parser, scope);
  if (!try_out(parser, scope, formula, error) || !divides_by_no_zero(formula, error)) {
    mup.release(parser);
    return NULL;
  }
  return parser;
}

bool hd_formula_uses(void *parser, const double *value) {
  const int count = mup.used_count(parser);
  for (int i = 0; i < count; i++) {
    const char *name;
    double *variable = NULL;
    mup.used(parser, (unsigned)i, &name, &variable);
    if (variable == value)
      return true;
  }
  return false;
}

void hd_formula_free(void *parser) {
  if (parser)
    mup.release(parser);
}

/* A division by zero deep in a formula may still come out as a number, 1 / (a / 0) as 0: the flags tell. */
double hd_formula_value(void *parser) {
  fenv_t before;
  feholdexcept(&before);
  const double value = mup.evaluate(parser);
  const bool failed = mup.take_error(parser) || fetestexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW) != 0;
  fesetenv(&before);
  return failed || !isfinite(value) ? NAN : value;
}
