/* All headers for queries about heaps. */
#ifndef MP_QUERY_QUERY_H
#define MP_QUERY_QUERY_H

#include "query/group.h"
#include "query/labels.h"
#include "query/leaks.h"
#include "query/platform.h"
#include "query/requests.h"
#include "query/window.h"

#endif
