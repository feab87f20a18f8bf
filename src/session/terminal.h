/* The only internal header for terminal programs: the session's internals, the tables of options
 * and formats, answers as lines of text, and the tools of all layers for memory, text, units and
 * output. It does not give access to readers, models and analyses, which tests/layers.py
 * enforces. */
#pragma once

#include "base/diagnose.h"
#include "base/error.h"
#include "base/json.h"
#include "base/late.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/text.h"
#include "base/units.h"
#include "base/whole.h"
#include "document/checks.h"
#include "export/clickhouse.h"
#include "export/formats.h"
#include "render/cell.h"
#include "render/text.h"
#include "render/wrap.h"
#include "session/archive.h"
#include "session/save.h"
#include "session/session.h"
#include "session/side_files.h"
#include "session/watch.h"
