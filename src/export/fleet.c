#include "export/fleet.h"

#include <stdlib.h>

#include "relation/source.h"

void mp_fleet_init(mp_fleet *fleet, const mp_fleet_format *format, const char *path)
{
    size_t count;
    (void)mp_relations(&count);
    fleet->format = format;
    fleet->path = path;
    fleet->totals = mp_nothing_written;
    fleet->rows = mp_alloc(count * sizeof *fleet->rows);
    for (size_t i = 0; i < count; i++)
        fleet->rows[i] = MP_UNKNOWN;
}

void mp_fleet_free(mp_fleet *fleet)
{
    free(fleet->rows);
}

/* --- recordings --- */

static void add(int64_t *total, int64_t more)
{
    *total = *total == MP_UNKNOWN ? more : *total + more;
}

static void add_totals(mp_fleet *fleet, const mp_request *request, const mp_window *window)
{
    mp_written_totals *sums = &fleet->totals;
    fleet->uncounted |= (request->model->holds & MP_HOLDS_UNCOUNTED) != 0;
    if (window) {
        const mp_totals totals = mp_totals_of(window);
        add(&sums->live_objects, totals.live_objects);
        add(&sums->live_bytes, totals.live_bytes);
    } else {
        mp_written_add_profile(sums, request->filter);
    }
}

static bool put_relations(mp_fleet *fleet, mp_relation_source *source)
{
    size_t count;
    const mp_relation *const *relations = mp_relations(&count);
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        int64_t rows = 0;
        if (!mp_relation_fits(relations[i], source))
            continue;
        mp_cursor cursor = mp_cursor_open(relations[i], source);
        ok = fleet->format->put_rows(fleet, i, &cursor, &rows);
        mp_cursor_free(&cursor);
        add(&fleet->rows[i], rows);
    }
    return ok;
}

static bool put_recording(mp_fleet *fleet, const mp_request *request, mp_relation_source *source)
{
    bool known = false;
    if (!fleet->is_open && !fleet->format->open(fleet))
        return false;
    fleet->is_open = true;
    if (!fleet->format->find(fleet, &known))
        return false;
    if (known) {
        fleet->known++;
        return true;
    }
    const bool ok = put_relations(fleet, source);
    add_totals(fleet, request, source->window);
    fleet->added++;
    return ok;
}

bool mp_fleet_add(const mp_request *request, mp_document *document, mp_error *error)
{
    (void)document;
    mp_fleet *fleet = request->sink;
    mp_arena names = {0};
    mp_relation_source *source =
        mp_export_is_whole(request, error) ? mp_request_relations(request, error) : NULL;
    if (!source)
        return false;
    fleet->error = error;
    fleet->recording = mp_recording_name(request->model, &names);
    const bool ok = put_recording(fleet, request, source);
    mp_arena_free(&names);
    return ok;
}

/* --- description --- */

/* Return a sentence such as "tables of 3 more recordings, one for each file, 1 was
 * there already". Reports read the dumps of a process together, so they count fewer recordings. */
static const char *title_of(mp_document *document, const mp_fleet *fleet)
{
    if (!fleet->added)
        return fleet->known == 1 ? "not changed, it has this recording already"
                                 : "not changed, it has these recordings already";
    const char *more = fleet->format->adds ? "more " : "";
    const char *added =
        fleet->added == 1
            ? mp_document_text(document, "tables of one %srecording", more)
            : mp_document_text(document, "tables of %zu %srecordings, one for each file",
                               fleet->added, more);
    return fleet->known ? mp_document_text(document, "%s, %zu %s there already", added,
                                           fleet->known, fleet->known == 1 ? "was" : "were")
                        : added;
}

void mp_fleet_describe(const mp_fleet *fleet, mp_document *document)
{
    size_t count;
    const mp_relation *const *relations = mp_relations(&count);
    mp_written_totals totals = fleet->totals;
    if (fleet->uncounted)
        totals.live_objects = MP_UNKNOWN;
    mp_written(document, &(mp_request){.path = fleet->path}, title_of(document, fleet), &totals);
    mp_table *written = mp_written_table(document);
    for (size_t i = 0; i < count; i++)
        if (fleet->rows[i] != MP_UNKNOWN)
            mp_written_rows(document, written, relations[i]->name, fleet->rows[i]);
    if (!fleet->added)
        mp_written_rows(document, written, "recordings", 0);
}

const mp_heap_arguments mp_fleet_defaults;

const mp_argument mp_fleet_arguments[MP_FLEET_ARGUMENTS] = {
    MP_SHARES("slices", MP_FLEET_LOGS),
    MP_SHARES("reorder", MP_FLEET_LOGS),
};
