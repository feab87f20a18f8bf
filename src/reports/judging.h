/* The judging of rules and limits, alike for all reports. */
#ifndef MP_REPORTS_JUDGING_H
#define MP_REPORTS_JUDGING_H

#include "compare/policy.h"
#include "reports/report.h"

/* Judge the rules of a policy, but nothing of a recording that breaks off, and nothing where the
 * selection fits nothing; put a check of each into the document. The caller has set what is judged
 * in the context, and releases the results with mp_rule_results_free. */
mp_rule_results mp_judge_rules(mp_document *document, const mp_request *request,
                               const mp_policy *policy, mp_rule_context *context);
/* The same of limits, as mp_rule_of_limit makes them. `note`: what a figure of leaks has in it, or
 * NULL. */
void mp_judge_limits(mp_document *document, const mp_request *request, mp_rule *limits,
                     size_t count, mp_rule_context *context, const char *note);
/* Judge a limit by figures that are known already; none of them is over it where there are none.
 * `refusal`: why they are not judged, or NULL. */
void mp_judge_figures(mp_document *document, const mp_rule *limit, const mp_rule_subject *figures,
                      size_t count, const char *refusal);
/* Return the check that a result is. Its texts live as long as the arena and the rule. */
mp_check mp_check_of(mp_arena *arena, const mp_rule_result *result);

#endif
