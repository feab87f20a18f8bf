/* libmemprof: everything that the command does.
 *
 *   mp_diagnostics *diagnostics = mp_diagnostics_new(5);
 *   mp_model *model = mp_model_new();
 *   mp_load(model, diagnostics, paths, count, &(mp_load_options){0});
 *   mp_sessions_cut(model, diagnostics); // at the snapshots that FILE@SNAPSHOT named
 *   mp_window window;
 *   if (mp_window_resolve(model, NULL, NULL, &window, &error)) {
 *       mp_leaks leaks = mp_leaks_find(&window);
 *       ...
 *   }
 *
 * Numbers are printed and read as the C locale has them: leave LC_NUMERIC at "C". Widths of text
 * follow LC_CTYPE, which should be one of UTF-8. A model, its diagnostics and its documents are for
 * one thread at a time; mp_load may use a second one inside. */
#ifndef MEMPROF_MEMPROF_H
#define MEMPROF_MEMPROF_H

#include "query/graph_query.h"
#include "query/lifetimes.h"
#include "query/profile_costs.h"
#include "query/query.h"
/* "0.1.0"; static. */
const char *mp_version(void);

#endif
