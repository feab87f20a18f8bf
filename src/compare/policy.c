/* Policies: lines, names, faults. */
#include "compare/policy.h"

#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "compare/measures.h"
#include "compare/rule.h"

enum { MOST_BYTES = 1 << 20 };

static void add_fault(mp_policy *policy, uint32_t line, uint32_t column, const char *message)
{
    mp_grow(&policy->faults, &policy->fault_capacity, policy->fault_count + 1,
            sizeof *policy->faults);
    policy->faults[policy->fault_count++] = (mp_policy_fault){line, column, message};
}

/* --- names --- */

typedef struct name_search {
    const mp_policy *policy;
    const char *name;
} name_search;

static bool same_name(const void *opaque, uint32_t value)
{
    const name_search *search = opaque;
    return strcmp(search->policy->rules[value - 1].name, search->name) == 0;
}

/* The line of the rule that has this name already; 0: none has, and now this one does. */
static uint32_t take_name(mp_policy *policy, mp_hash_index *names, const char *name)
{
    name_search search = {policy, name};
    uint64_t hash = mp_hash_bytes(name, strlen(name));
    size_t place;
    uint32_t found = mp_hash_index_find(names, hash, same_name, &search, &place);
    if (found)
        return policy->rules[found - 1].line;
    mp_hash_index_set(names, place, hash, (uint32_t)policy->rule_count + 1);
    return 0;
}

/* --- lines --- */

static void parse_line(mp_policy *policy, mp_hash_index *names, mp_slice line, uint32_t number)
{
    mp_rule rule = {.line = number};
    mp_rule_fault fault;
    const char *control = mp_slice_control(line);
    mp_token first = mp_token_at(line, line.at);
    if (control) {
        add_fault(policy, number, mp_slice_column(line, control),
                  "a control character, expected text");
        return;
    }
    if (first.kind == MP_TOKEN_END)
        return;
    if (!mp_rule_parse(policy->arena, line, &rule, &fault)) {
        add_fault(policy, number, mp_slice_column(line, fault.at), fault.message);
        return;
    }
    uint32_t other = take_name(policy, names, rule.name);
    if (other) {
        add_fault(policy, number, mp_slice_column(line, first.text.at),
                  mp_arena_format(policy->arena,
                                  "line %u has a rule of this name, expected another name",
                                  (unsigned)other));
        return;
    }
    mp_grow(&policy->rules, &policy->rule_capacity, policy->rule_count + 1, sizeof *policy->rules);
    policy->rules[policy->rule_count++] = rule;
}

static void parse_lines(mp_policy *policy, mp_slice text)
{
    mp_hash_index names = {0};
    mp_slice line;
    text = mp_slice_without_mark(text);
    for (uint32_t number = 1; mp_slice_take_line(&text, &line); number++)
        parse_line(policy, &names, line, number);
    mp_hash_index_free(&names);
    if (!policy->rule_count && !policy->fault_count)
        add_fault(policy, 1, 1, "there is no rule, expected one a line");
}

mp_policy *mp_policy_parse(const char *path, const char *text, size_t length)
{
    bool converted = false;
    mp_policy *policy = mp_alloc_zero(1, sizeof *policy);
    policy->arena = mp_alloc_zero(1, sizeof *policy->arena);
    policy->path = mp_arena_copy(policy->arena, path, strlen(path));
    if (length > MOST_BYTES)
        add_fault(policy, 1, 1, "the file is larger than 1 MiB, expected a policy");
    else
        parse_lines(policy,
                    mp_utf8_from_bytes(policy->arena, (mp_slice){text, length}, &converted));
    return policy;
}

void mp_policy_free(mp_policy *policy)
{
    if (!policy)
        return;
    free(policy->rules);
    free(policy->faults);
    mp_arena_free(policy->arena);
    free(policy->arena);
    free(policy);
}

bool mp_rule_needs_base(const mp_rule *rule)
{
    return rule->bound.reference == MP_OF_BASE || mp_measure_rows[rule->measure].is_new;
}
