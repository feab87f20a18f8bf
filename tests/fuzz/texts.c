/* Targets for inputs that are not recordings: policies, suppressions, baselines, and rules that
 * rewrite names. */
#include <fnmatch.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/glob.h"
#include "base/pattern.h"
#include "base/text.h"
#include "compare/baseline.h"
#include "compare/policy.h"
#include "compare/substitution.h"
#include "fuzz/fuzz.h"
#include "query/suppression.h"

void fuzz_policy(const fuzz_target *target, mp_slice input)
{
    (void)target;
    fuzz_choice choice = fuzz_choose_by(input);
    mp_policy *policy = mp_policy_parse("input", input.start, input.length);
    fuzz_hold(policy->rule_count || policy->fault_count, "a policy has rules or faults", input);
    for (size_t i = 0; i < policy->fault_count && i < MP_POLICY_FAULTS; i++)
        fuzz_check_error(&policy->faults[i]);
    if (policy->fault_count)
        mp_policy_free(policy);
    else
        free(fuzz_ask(fuzz_small_recording(&choice), mp_report_find("gate"),
                      (fuzz_asked){.policy = policy}, &choice));
}

/* Read the suppressions. Return false after checking the error. */
static bool read_suppressions(mp_suppressions *suppressions, mp_slice text)
{
    mp_error error = {0};
    *suppressions = (mp_suppressions){.today = 20000};
    bool ok = mp_suppressions_parse(suppressions, "input", text, &error);
    if (!ok)
        fuzz_check_error(&error);
    return ok;
}

void fuzz_suppressions(const fuzz_target *target, mp_slice input)
{
    (void)target;
    fuzz_choice choice = fuzz_choose_by(input);
    mp_suppressions suppressions;
    if (read_suppressions(&suppressions, input))
        free(fuzz_ask(fuzz_small_heap(),
                      mp_report_find(fuzz_choose(&choice, 2) ? "leaks" : "analyze"),
                      (fuzz_asked){.suppressions = &suppressions}, &choice));
    mp_suppressions_free(&suppressions);
}

/* Return the text with the correct number of entries. Mutation would almost never find this
 * number. */
static mp_slice count_entries(mp_slice text, mp_arena *arena)
{
    static const char name[] = "\"entries\":";
    char *whole = mp_arena_copy(arena, text.start, text.length), *cursor = strstr(whole, name);
    size_t lines = 0;
    for (const char *p = whole; (p = strchr(p, '\n')); p++)
        lines++;
    if (!cursor || lines < 2)
        return text;
    const char *rest = cursor + sizeof name - 1;
    *cursor = '\0';
    return mp_slice_of(mp_arena_format(arena, "%s%s%zu%s", whole, name, lines - 2,
                                       rest + strspn(rest, "0123456789")));
}

/* Check that a baseline that was read is written with the same contents, and that a recording can
 * be compared with it. */
void fuzz_baseline(const fuzz_target *target, mp_slice input)
{
    (void)target;
    fuzz_choice choice = fuzz_choose_by(input);
    mp_error error = {0};
    mp_arena arena = {0};
    mp_slice text = fuzz_choose(&choice, 4) ? count_entries(input, &arena) : input;
    mp_dictionary *dictionary = mp_dictionary_new();
    mp_digest *base = mp_baseline_parse("input", text.start, text.length, dictionary, &error);
    if (base) {
        fuzz_check_baseline(base, dictionary);
        const char *asked = fuzz_choose(&choice, 2) ? "diff" : "gate";
        free(fuzz_ask(fuzz_small_recording(&choice), mp_report_find(asked),
                      (fuzz_asked){.base = base, .dictionary = dictionary}, &choice));
    } else {
        fuzz_check_error(&error);
    }
    mp_digest_free(base);
    mp_dictionary_free(dictionary);
    mp_arena_free(&arena);
}

/* The input has rules, one per text, up to a text that is not a rule; then names. */
void fuzz_substitution(const fuzz_target *target, mp_slice input)
{
    (void)target;
    const char *rules[8];
    size_t count = 0;
    mp_error error = {0};
    fuzz_bytes bytes = {.left = input};
    const char *text = fuzz_take_bytes(&bytes).start;
    while (count < sizeof rules / sizeof *rules && *text == 's' &&
           mp_substitution_check(text, &error)) {
        rules[count++] = text;
        text = fuzz_take_bytes(&bytes).start;
    }
    if (*text == 's' && count < sizeof rules / sizeof *rules)
        fuzz_check_error(&error);
    mp_substitutions *substitutions = mp_substitutions_new(rules, count);
    while (bytes.left.length) {
        const char *name = fuzz_take_text(&bytes);
        const char *made = mp_substitute(substitutions, name, &error);
        if (!made) {
            fuzz_check_error(&error);
            continue;
        }
        fuzz_hold(mp_utf8_valid(mp_slice_of(made)), "a rewritten name is UTF-8", mp_slice_of(made));
        fuzz_hold(count > 0 || made == name, "a name that no rule is for stays", mp_slice_of(made));
    }
    mp_substitutions_free(substitutions);
    mp_arena_free(&bytes.arena);
}

/* --- patterns, compared with those of the C library --- */

static void hold_alike(bool alike, const char *what, const char *pattern, const char *text)
{
    char line[512];
    if (alike)
        return;
    snprintf(line, sizeof line, "%s of the C library: %s in \"%s\"", what, pattern, text);
    fuzz_hold(false, line, (mp_slice){NULL, 0});
}

/* Return true if the C library's result can be compared. The text must be ASCII, and the pattern
 * small, because the C library is slow. */
static bool is_comparable(const char *pattern)
{
    const char *range = strchr(pattern, '['), *dash = range ? strchr(range, '-') : NULL;
    /* POSIX does not define [a-c-e] and [[:alpha:]-z]. */
    if (dash && (strchr(dash + 1, '-') || strstr(pattern, "[:")))
        return false;
    size_t length = strlen(pattern), repeats = 0;
    for (const char *p = pattern; *p; p++) {
        if ((unsigned char)*p >= 128 || (*p == '\\' && p[1] >= '1' && p[1] <= '9'))
            return false;
        /* Nested repetitions take the C library forever. */
        repeats += *p == '+' || *p == '*' || *p == '?';
    }
    return length < 30 && repeats < 6 && !strstr(pattern, "{");
}

static void compare_expression(mp_pattern *pattern, const regex_t *theirs, const char *expression,
                               const char *text)
{
    regmatch_t span;
    mp_span spans[MP_PATTERN_GROUPS];
    size_t looked;
    bool fits = mp_pattern_fits(pattern, text, 0);
    bool found = mp_pattern_find(pattern, text, 0, spans, &looked);
    hold_alike(fits == found, "where it matches is not whether it does, and not that", expression,
               text);
    fuzz_hold(!found || (spans[0].begin <= spans[0].end && spans[0].end <= strlen(text)),
              "a match is within the text", mp_slice_of(text));
    if (!theirs || !is_comparable(text))
        return;
    bool is_theirs = regexec(theirs, text, 1, &span, 0) == 0;
    hold_alike(found == is_theirs && (!found || (spans[0].begin == (size_t)span.rm_so &&
                                                 spans[0].end == (size_t)span.rm_eo)),
               "a match is not that", expression, text);
}

static void compare_glob(const char *glob, const char *text, unsigned flags)
{
    int theirs = (flags & MP_GLOB_ANY_CASE ? FNM_CASEFOLD : 0) |
                 (flags & MP_GLOB_NO_ESCAPES ? FNM_NOESCAPE : 0);
    bool fits = mp_glob_fits(glob, text, flags);
    /* fnmatch() accepts malformed classes, with nonsensical results */
    bool plain = !strstr(glob, "[:") && !strstr(glob, "[.") && !strstr(glob, "[=");
    /* POSIX: an unclosed bracket is a literal. fnmatch() takes the "-" in "[z-" as a range. */
    const char *open = strrchr(glob, '[');
    if (open && strchr(open, '-') && !strchr(open, ']'))
        return;
    /* fnmatch() converts both ends of a range to lower case, so that [Z-a] matches nothing, not
     * even "a" */
    if ((flags & MP_GLOB_ANY_CASE) && strchr(glob, '[') && strchr(glob, '-'))
        return;
    if (plain && is_comparable(glob) && is_comparable(text))
        hold_alike(fits == (fnmatch(glob, text, theirs) == 0), "a fit is not that", glob, text);
}

/* The input has a pattern, then texts, one per line. */
void fuzz_pattern(const fuzz_target *target, mp_slice input)
{
    (void)target;
    char reason[256] = "";
    mp_arena arena = {0};
    mp_slice line = {NULL, 0};
    regex_t regex;
    mp_slice_take_line(&input, &line);
    const char *text = mp_arena_copy(&arena, line.start, line.length);
    mp_pattern *pattern = mp_pattern_new(text, reason, sizeof reason);
    bool theirs = is_comparable(text) && regcomp(&regex, text, REG_EXTENDED) == 0;
    hold_alike((pattern != NULL) == theirs || !is_comparable(text), "an expression is none", text,
               reason);
    fuzz_check_text("a reason", mp_slice_of(reason));
    for (unsigned flags = 0; mp_slice_take_line(&input, &line) && flags < 20; flags++) {
        const char *name = mp_arena_copy(&arena, line.start, line.length);
        if (pattern)
            compare_expression(pattern, theirs ? &regex : NULL, text, name);
        compare_glob(text, name, flags % 4);
    }
    if (theirs)
        regfree(&regex);
    mp_pattern_free(pattern);
    mp_arena_free(&arena);
}
