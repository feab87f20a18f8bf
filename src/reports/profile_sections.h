/* Tables of an execution profile. */
#ifndef MP_REPORTS_PROFILE_SECTIONS_H
#define MP_REPORTS_PROFILE_SECTIONS_H

#include "base/error.h"
#include "document/document.h"
#include "query/profile_costs.h"
#include "reports/sections.h"

/* Arguments of a table of costs. */
typedef struct mp_costs_asked {
    const char *by, *sort; /* by: NULL = by line; sort: NULL = by seconds */
    int64_t min_calls;
    size_t rows; /* maximum rows; 0 = all */
} mp_costs_asked;

/* Orders of lines; orders of methods and modules. */
extern const mp_order mp_line_orders[3], mp_method_orders[4];
/* Values of --by: "line", "method", "module". */
extern const char *const mp_profile_groups[3];

/* Add the hottest line to the answer, and the method with the least inclusive time among those
 * that take over half of the total. The order of `costs` does not change. */
void mp_section_profile_answer(mp_document *document, const mp_model *model,
                               const mp_profile_costs *costs);
void mp_section_profile_totals(mp_document *document, const mp_filter *filter, bool shown);
/* Add the hottest lines, methods or programs. Sorts the costs. Return false with an error. */
bool mp_section_profile_top(mp_document *document, const mp_model *model, mp_profile_costs *costs,
                            const mp_costs_asked *asked, mp_error *error);
/* Add the methods, by time including callees if it is known. */
void mp_section_methods(mp_document *document, const mp_model *model, mp_profile_costs *costs,
                        const mp_costs_asked *asked);

#endif
