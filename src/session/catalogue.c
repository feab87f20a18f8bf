/* Catalogues for programs: reports, formats and options. */
#include <string.h>

#include "session/session.h"

typedef struct entry {
    const char *name, *summary;
} entry;

static entry entry_at(mp_catalogue catalogue, size_t place)
{
    size_t count;
    const mp_reading_option *options;
    const mp_report *const *reports;
    const mp_reader *const *readers;
    const mp_renderer *const *renderers;
    const mp_exporter *const *exporters;
    switch (catalogue) {
    case MP_CATALOGUE_REPORTS:
        reports = mp_reports(&count);
        return place < count ? (entry){reports[place]->name, reports[place]->summary} : (entry){0};
    case MP_CATALOGUE_INPUT_FORMATS:
        readers = mp_readers(&count);
        return place < count ? (entry){readers[place]->name, readers[place]->summary} : (entry){0};
    case MP_CATALOGUE_OUTPUT_FORMATS:
        renderers = mp_renderers(&count);
        return place < count ? (entry){renderers[place]->name, renderers[place]->summary}
                             : (entry){0};
    case MP_CATALOGUE_EXPORT_FORMATS:
        exporters = mp_exporters(&count);
        return place < count ? (entry){exporters[place]->name, exporters[place]->report.summary}
                             : (entry){0};
    case MP_CATALOGUE_OPTIONS:
        options = mp_reading_options(&count);
        return place < count ? (entry){options[place].name, options[place].help} : (entry){0};
    default:
        return (entry){0};
    }
}

const char *mp_catalogue_name(mp_catalogue catalogue, size_t place)
{
    return entry_at(catalogue, place).name;
}

const char *mp_catalogue_summary(mp_catalogue catalogue, size_t place)
{
    return entry_at(catalogue, place).summary;
}

mp_document *mp_formats_document(void)
{
    typedef struct format_row {
        const char *name, *summary, *versions, *endings;
    } format_row;
    static const mp_column columns[] = {
        MP_COLUMN(format_row, name, "Name", MP_TEXT, 0),
        MP_COLUMN(format_row, summary, "Description", MP_TEXT, 0),
        MP_COLUMN(format_row, versions, "Versions", MP_TEXT, 0),
        MP_COLUMN(format_row, endings, "Files", MP_TEXT, 0),
    };
    size_t count;
    const mp_reader *const *readers = mp_readers(&count);
    mp_document *document = mp_document_new("formats");
    mp_table *table = MP_TABLE(document, "formats", NULL, MP_ROWS, columns);
    table->limited = true;
    table->main = true;
    for (size_t i = 0; i < count; i++)
        mp_table_put(document, table,
                     &(format_row){readers[i]->name, readers[i]->summary, readers[i]->versions,
                                   readers[i]->endings});
    return document;
}

/* Return the option at this index (from 0) of the argument "selection", which has several options;
 * NULL after the last. */
static const char *selecting(size_t place)
{
    return place < MP_SUBJECTS        ? mp_subject_name((mp_subject)place)
           : place == MP_SUBJECTS     ? "since"
           : place == MP_SUBJECTS + 1 ? "until"
                                      : NULL;
}

const char *mp_report_setting(const char *name, size_t place)
{
    const mp_exporter *exporter = mp_exporter_find(name);
    const mp_report *report = exporter ? &exporter->report : mp_report_find(name);
    for (size_t i = 0; report && i < report->arguments.count; i++) {
        const mp_argument *row = &report->arguments.items[i];
        bool shared = row->offset == MP_SHARED_ARGUMENT;
        if (shared && strcmp(row->name, "selection") == 0) {
            if (selecting(place))
                return selecting(place);
            place -= MP_SUBJECTS + 2;
        } else if (!shared || !mp_reading_option_find(row->name)) {
            if (place-- == 0)
                return row->name;
        }
    }
    return NULL;
}
