/* What is read beside recordings: policies, suppressions, baselines, rules that rewrite names. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
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
    mp_policy *policy = mp_policy_parse("input", input.at, input.length);
    fuzz_hold(policy->rule_count || policy->fault_count, "a policy has rules or faults", input);
    for (size_t i = 0; i < policy->fault_count && i < MP_POLICY_FAULTS; i++)
        fuzz_check_error(&policy->faults[i]);
    if (policy->fault_count)
        mp_policy_free(policy);
    else
        free(fuzz_ask(fuzz_small_recording(&choice), mp_report_find("gate"),
                      (fuzz_asked){.policy = policy}, &choice));
}

/* Read them; false with a checked error. */
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

/* What is read is written so that it reads the same, and can be compared with. */
void fuzz_baseline(const fuzz_target *target, mp_slice input)
{
    (void)target;
    fuzz_choice choice = fuzz_choose_by(input);
    mp_error error = {0};
    mp_dictionary *dictionary = mp_dictionary_new();
    mp_digest *base = mp_baseline_parse("input", input.at, input.length, dictionary, &error);
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
}

/* Rules, each a text, up to one of another kind; then names. */
void fuzz_substitution(const fuzz_target *target, mp_slice input)
{
    (void)target;
    const char *rules[8];
    size_t count = 0;
    mp_error error = {0};
    fuzz_bytes bytes = {.left = input};
    const char *text = fuzz_take_bytes(&bytes).at;
    while (count < sizeof rules / sizeof *rules && *text == 's' &&
           mp_substitution_check(text, &error)) {
        rules[count++] = text;
        text = fuzz_take_bytes(&bytes).at;
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
