/* Public functions that read a document. */
#include "document/document.h"

const char *mp_document_title(const mp_document *document)
{
    return document->title;
}

size_t mp_document_table_count(const mp_document *document)
{
    return document->table_count;
}

const mp_table *mp_document_table_at(const mp_document *document, size_t place)
{
    return &document->tables[place];
}

static const mp_table *main_without(const mp_document *document, unsigned flag)
{
    for (size_t i = 0; i < document->table_count; i++)
        if (document->tables[i].main && !(document->tables[i].flags & flag))
            return &document->tables[i];
    return NULL;
}

const mp_table *mp_document_main_table(const mp_document *document)
{
    const mp_table *table = main_without(document, MP_FOR_PEOPLE);
    return table ? table : main_without(document, 0);
}

size_t mp_document_first_tables(const mp_document *document)
{
    size_t place = 0, count = 0;
    for (; place < document->table_count; place++) {
        const bool shown = !(document->tables[place].flags & MP_FOR_PROGRAMS);
        if (shown && document->first_tables && count == document->first_tables)
            break;
        count += shown;
    }
    return place;
}

const mp_table *mp_document_shown_main(const mp_document *document)
{
    return main_without(document, MP_FOR_PROGRAMS);
}

const mp_said *mp_document_said(const mp_document *document, size_t *count)
{
    *count = document->said_count;
    return document->said;
}

const mp_check *mp_document_checks(const mp_document *document, size_t *count)
{
    *count = document->check_count;
    return document->checks;
}

mp_verdict mp_document_verdict(const mp_document *document)
{
    return document->failed     ? MP_VERDICT_FAIL
           : document->unjudged ? MP_VERDICT_ERROR
                                : MP_VERDICT_PASS;
}

const char *mp_table_name(const mp_table *table)
{
    return table->name;
}

const char *mp_table_title(const mp_table *table)
{
    return table->title;
}

bool mp_table_is_record(const mp_table *table)
{
    return table->shape == MP_RECORD;
}

size_t mp_table_row_count(const mp_table *table)
{
    return table->row_count;
}

size_t mp_table_rows_left_out(const mp_table *table)
{
    return table->footer.rest.kind == MP_REST_MORE ? table->footer.rest.count : 0;
}

size_t mp_table_column_count(const mp_table *table)
{
    return table->column_count;
}

const char *mp_table_column_name(const mp_table *table, size_t column)
{
    return table->columns[column].name;
}

mp_unit mp_table_column_unit(const mp_table *table, size_t column)
{
    return table->columns[column].unit;
}

const char *mp_table_column_title(const mp_table *table, size_t column)
{
    return table->columns[column].title;
}

mp_audience mp_table_column_audience(const mp_table *table, size_t column)
{
    unsigned flags = table->columns[column].flags;
    return flags & MP_FOR_PEOPLE     ? MP_AUDIENCE_PEOPLE
           : flags & MP_FOR_PROGRAMS ? MP_AUDIENCE_PROGRAMS
                                     : MP_AUDIENCE_ALL;
}

size_t mp_table_column_find(const mp_table *table, const char *name)
{
    return mp_column_find(table->columns, table->column_count, name);
}

mp_value mp_table_value(const mp_table *table, size_t row, size_t column)
{
    const mp_cell found = mp_table_cell(table, row, column), *cell = &found;
    if (!cell->known)
        return (mp_value){0};
    const mp_column *state = &table->columns[column];
    mp_value value = {.known = true};
    if (mp_cell_is_list(state, cell)) {
        value.list = cell->list;
        value.count = cell->count;
    } else if (mp_cell_is_text(state, cell)) {
        value.text = cell->text;
    } else if (mp_unit_is_real(state->unit)) {
        value.real = cell->real;
    } else {
        value.number = cell->number;
    }
    return value;
}
