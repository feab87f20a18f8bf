/* What of the leaks is suppressed, by which suppression, and which of them need a look. */
#include "query/suppression.h"

#include "reports/sections.h"

static const mp_column columns[] = {
    {"name", "Suppression", MP_TEXT, MP_SHORTEN, 0},
    {"status", "Status", MP_TEXT, 0, 0},
    {"bytes", "Matched", MP_BYTES, 0, 0},
    {"objects", "Objects", MP_COUNT, 0, 0},
    {"sites", "Sites", MP_COUNT, 0, 0},
    {"limit_bytes", "Limit", MP_BYTES, 0, 0},
    {"expires", "Expires", MP_TEXT, 0, 0},
    {"reason", "", MP_TEXT, MP_FOR_PROGRAMS, 0},
    {"path", "", MP_TEXT, MP_FOR_PROGRAMS, 0},
    {"line", "", MP_NUMBER, MP_FOR_PROGRAMS, 0},
    {"why", "", MP_LIST, MP_FOR_PEOPLE | MP_BELOW, 0},
    {"note", "", MP_LIST, MP_FOR_PEOPLE | MP_BELOW, 0},
};

/* What people should know of a suppression that suppresses nothing; NULL where it does. */
static const char *note_of(mp_document *document, const mp_suppression *suppression,
                           const mp_suppression_effect *effect)
{
    switch (effect->status) {
    case MP_SUPPRESSION_EXPIRED:
        return mp_document_text(document, "warning: expired on %s, suppresses nothing any more",
                                suppression->expires);
    case MP_SUPPRESSION_OVER_LIMIT:
        return mp_document_text(
            document, "warning: %s over its limit, suppresses nothing",
            mp_bytes_text(document, effect->bytes - suppression->limit_bytes, false));
    case MP_SUPPRESSION_UNUSED:
        return "warning: matches no leak that is not suppressed already";
    case MP_SUPPRESSION_USED:
        break;
    }
    return NULL;
}

void mp_section_suppressions(mp_document *document, const mp_window *window)
{
    const mp_suppressed *suppressed = window->suppressed;
    if (!suppressed)
        return;
    mp_table *table = MP_TABLE(document, "suppressions", NULL, MP_ROWS, columns);
    table->title =
        mp_document_text(document, "Suppressed: %s",
                         mp_amount_text(document, suppressed->objects, suppressed->bytes));
    table->title_of_many = "Suppressed";
    table->empty = "none";
    for (size_t i = 0; i < suppressed->suppressions->count; i++) {
        const mp_suppression *suppression = &suppressed->suppressions->at[i];
        const mp_suppression_effect *effect = &suppressed->effects[i];
        const char *note = note_of(document, suppression, effect);
        mp_table_row(table);
        mp_set_text(document, table, "name", suppression->name);
        mp_set_text(document, table, "status", mp_suppression_status_name(effect->status));
        mp_set_number(table, "bytes", effect->bytes);
        mp_set_number(table, "objects", effect->objects);
        mp_set_number(table, "sites", effect->sites);
        if (suppression->has_limit)
            mp_set_number(table, "limit_bytes", suppression->limit_bytes);
        mp_set_text(document, table, "expires", suppression->expires);
        mp_set_text(document, table, "reason", suppression->reason);
        mp_set_text(document, table, "path", suppression->path);
        mp_set_number(table, "line", (int64_t)suppression->line);
        mp_set_list(document, table, "why", &suppression->reason, 1);
        if (note)
            mp_set_list(document, table, "note", &note, 1);
    }
}

const char *mp_suppressions_lapsed(mp_document *document, const mp_window *window)
{
    const mp_suppressed *suppressed = window->suppressed;
    for (size_t i = 0; suppressed && i < suppressed->suppressions->count; i++) {
        const mp_suppression *suppression = &suppressed->suppressions->at[i];
        const mp_suppression_effect *effect = &suppressed->effects[i];
        if (!effect->sites || effect->status == MP_SUPPRESSION_USED)
            continue;
        if (effect->status == MP_SUPPRESSION_EXPIRED)
            return mp_document_text(document, "; suppression \"%s\" expired on %s",
                                    suppression->name, suppression->expires);
        return mp_document_text(
            document, "; suppression \"%s\" is %s over its limit", suppression->name,
            mp_bytes_text(document, effect->bytes - suppression->limit_bytes, false));
    }
    return "";
}
