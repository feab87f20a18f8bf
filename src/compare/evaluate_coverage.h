/* Rules on coverage. */
#ifndef MP_COMPARE_EVALUATE_COVERAGE_H
#define MP_COMPARE_EVALUATE_COVERAGE_H

#include "compare/decide.h"

/* Judge a rule on the share of lines that were executed. */
void mp_evaluation_of_coverage(mp_evaluation *evaluation);

#endif
