/* Coverage as structs, for exporters. */
#pragma once

#include "document/document.h"
#include "query/coverage.h"
#include "reports/answers.h"

/* Return the answer, which lives as long as the document. */
const mp_coverage_answer *mp_coverage_answer_of(mp_document *document, const mp_model *model,
                                                const mp_coverage *coverage);
