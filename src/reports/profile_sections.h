/* Tables of an execution profile. */
#pragma once

#include "base/error.h"
#include "document/document.h"
#include "query/profile_costs.h"
#include "reports/sections.h"

/* Arguments of a table of costs. */
typedef struct mp_costs_asked {
    /* by: NULL = by line, or by method if lines are not recorded; sort: NULL = by cost */
    const char *by, *sort;
    int64_t min_calls; /* minimum number of calls, or of samples */
    size_t rows;       /* maximum rows; 0 = all */
} mp_costs_asked;

/* Return the line of a cost; MP_UNKNOWN if lines are not recorded. */
static inline int64_t mp_line_of_cost(const mp_code_cost *cost)
{
    return (uint32_t)cost->line == MP_NO_LINE ? MP_UNKNOWN : cost->line;
}
/* Return true if at least some costs have lines. */
bool mp_costs_have_lines(const mp_profile_costs *costs);

/* Orders of lines, and orders of methods and modules. */
extern const mp_order mp_line_orders[4], mp_method_orders[5];
/* Return true if a profile with these MP_HOLDS_... can sort or show costs by this word. Otherwise
 * return false with an error about the argument: a profile of times has no samples, a profile of
 * samples has no times, and profiles by sampling have no calls. */
bool mp_cost_word_fits(const char *word, unsigned holds, const char *argument, mp_error *error);
/* Return true if a profile with these MP_HOLDS_... can restrict rows to a minimum count of calls or
 * samples. Otherwise return false with an error. 0: no minimum. */
bool mp_cost_minimum_fits(int64_t min_count, unsigned holds, mp_error *error);
/* Values of --by: "line", "method", "module". */
extern const char *const mp_profile_groups[3];

/* Add the hottest line to the answer. Also add, among the methods that take over half of the total,
 * the one with the least inclusive time. The order of `costs` does not change. */
void mp_section_profile_answer(mp_document *document, const mp_model *model,
                               const mp_profile_costs *costs);
/* Add the head, the session and the totals, for programs only. */
void mp_section_profile(mp_document *document, const mp_request *request);
void mp_section_profile_totals(mp_document *document, const mp_filter *filter, bool shown);
/* Add the hottest lines, methods or programs. Sorts the costs. Return false with an error. */
bool mp_section_profile_top(mp_document *document, const mp_model *model, mp_profile_costs *costs,
                            const mp_costs_asked *asked, mp_error *error);
/* Add the methods, sorted by time including callees if it is known. */
void mp_section_methods(mp_document *document, const mp_model *model, mp_profile_costs *costs,
                        const mp_costs_asked *asked);
