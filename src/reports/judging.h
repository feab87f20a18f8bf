/* Judge rules and limits, in the same way for all reports. */
#pragma once

#include "compare/policy.h"
#include "reports/report.h"

/* Judge the rules of a policy, and add a check for each to the document. Rules are not judged if
 * the recording is truncated, or if nothing matches the filters. The caller must have set the
 * figures to judge in `context`. Release the results with mp_rule_results_free. */
mp_rule_results mp_judge_rules(mp_document *document, const mp_request *request,
                               const mp_policy *policy, mp_rule_context *context);
/* Judge limits made by mp_rule_of_limit in the same way. `note` is a remark on figures of leaks, or
 * NULL. */
void mp_judge_limits(mp_document *document, const mp_request *request, mp_rule *limits,
                     size_t count, mp_rule_context *context, const char *note);
/* Judge a limit with given figures. Without figures, it is met. `refusal` is the reason why it
 * cannot be judged, or NULL. */
void mp_judge_figures(mp_document *document, const mp_rule *limit, const mp_rule_subject *figures,
                      size_t count, const char *refusal);
/* Warn if the base is the later recording. In the reverse order, a recording that got worse seems
 * to be better. */
void mp_say_base_order(mp_document *document, const mp_digest *base, const mp_digest *now);
/* Return the check of a result. Its texts live as long as the arena and the rule. */
mp_check mp_check_of(mp_arena *arena, const mp_rule_result *result);
