/* All headers for queries about heaps. */
#pragma once

#include "query/group.h"
#include "query/labels.h"
#include "query/leaks.h"
#include "query/platform.h"
#include "query/requests.h"
#include "query/window.h"
