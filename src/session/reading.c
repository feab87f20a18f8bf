#include "session/reading.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "readers/reader.h"

/* --- options --- */

/* Kinds of texts: those of other options, and those that only options for reading have. */
enum {
    FLAG = MP_ARGUMENT_FLAG,
    NAME = MP_ARGUMENT_NAME,
    NAMES = MP_ARGUMENT_NAMES,
    FOLDERS = MP_ARGUMENT_FOLDERS,
    ROOM = MP_ARGUMENT_ROOM,
    NUMBER = MP_ARGUMENT_NUMBER,
    MOMENT = MP_ARGUMENT_KINDS,
    SLICES,
    TEMPORARY,
    REORDER,
    READER,
    ENCODING,
    GROUPING,
    NESTING, /* int64_t, 1 to 16 */
};

#define AT(member) offsetof(mp_reading, member)

static const mp_reading_option table[] = {
#define MP_OPTION(name, argument, help, takes, kind, place, ...) {name, help, takes, kind, place},
#define MP_ASKED(...)
#define MP_SHARED(...)
#define CLI_OPTION(...)
#include "session/options.def"
#undef MP_OPTION
#undef MP_ASKED
#undef MP_SHARED
#undef CLI_OPTION
};
enum { OPTIONS = sizeof table / sizeof *table };

const mp_reading_option *mp_reading_options(size_t *count)
{
    *count = OPTIONS;
    return table;
}

const mp_reading_option *mp_reading_option_find(const char *name)
{
    for (size_t i = 0; i < OPTIONS; i++)
        if (mp_text_is(table[i].name, name))
            return &table[i];
    return NULL;
}

/* Names of the groupings, in the order of mp_file_grouping from MP_GROUP_FILE on. */
static const char *const groupings[] = {"file", "agent", "all"};
enum { GROUPINGS = sizeof groupings / sizeof *groupings };

size_t mp_reading_option_words(const mp_reading_option *option, const char **words)
{
    size_t count = 0, total;
    if (option->kind == GROUPING)
        for (; count < GROUPINGS; count++)
            words[count] = groupings[count];
    else if (option->kind == READER)
        for (const mp_reader *const *reader = mp_readers(&total); count < total; count++)
            words[count] = reader[count]->name;
    return count;
}

static bool set_moment(mp_load_options *load, const char *text)
{
    int64_t us;
    load->moment = text;
    return mp_text_is(text, "peak") || mp_parse_time(text, &us);
}

static bool set_slices(mp_load_options *load, const char *text)
{
    int64_t number;
    load->slice_us = 0;
    if (!mp_parse_count(text, &number))
        return mp_parse_time(text, &load->slice_us) && load->slice_us > 0;
    load->slices = (uint32_t)number;
    return number > 0 && number <= 10000;
}

static bool set_temporary(mp_load_options *load, const char *text)
{
    load->temporary_is_time = !mp_parse_count(text, &load->temporary);
    return load->temporary_is_time ? mp_parse_time(text, &load->temporary) : load->temporary > 0;
}

static bool set_reorder(mp_load_options *load, const char *text)
{
    int64_t number;
    bool ok = mp_parse_count(text, &number) && number >= 0 && number <= 100000000;
    if (ok)
        load->reorder = number ? number : -1;
    return ok;
}

static bool set_encoding(mp_reading *reading, const char *text)
{
    const char *unheard;
    reading->load.encoding = text;
    mp_encoding_close(reading->encoding);
    reading->encoding = mp_encoding_open(text, &unheard);
    return reading->encoding != NULL;
}

static bool set_grouping(mp_reading *reading, const char *text)
{
    size_t i = 0;
    while (i < GROUPINGS && strcmp(groupings[i], text) != 0)
        i++;
    if (i < GROUPINGS)
        reading->grouping = MP_GROUP_FILE + (unsigned)i;
    return i < GROUPINGS;
}

static bool set(mp_reading *reading, const mp_reading_option *option, const char *text)
{
    mp_load_options *load = &reading->load;
    void *place = (char *)reading + option->offset;
    switch (option->kind) {
    case MOMENT:
        return set_moment(load, text);
    case SLICES:
        return set_slices(load, text);
    case TEMPORARY:
        return set_temporary(load, text);
    case REORDER:
        return set_reorder(load, text);
    case READER:
        load->format = text;
        return mp_reader_find(text) != NULL;
    case ENCODING:
        return set_encoding(reading, text);
    case GROUPING:
        return set_grouping(reading, text);
    case NESTING:
        return mp_argument_parse(MP_ARGUMENT_NUMBER, text, place) && *(int64_t *)place <= 16;
    default:
        return mp_argument_parse((mp_argument_kind)option->kind, text, place);
    }
}

bool mp_reading_set(mp_reading *reading, const mp_reading_option *option, const char *text)
{
    bool ok = set(reading, option, text);
    reading->load.source_folders = reading->listings.items;
    reading->load.source_folder_count = reading->listings.count;
    reading->load.skips = reading->skips.items;
    reading->load.skip_count = reading->skips.count;
    return ok;
}

void mp_reading_begin(mp_reading *reading)
{
    *reading = (mp_reading){.load = {.inputs = mp_inputs_new()}};
}

void mp_reading_free(mp_reading *reading)
{
    mp_inputs_free(reading->load.inputs);
    mp_encoding_close(reading->encoding);
    free(reading->listings.items);
    free(reading->skips.items);
}

/* --- needs --- */

/* Return the last text that was given for an option; NULL: not given. */
static const char *given(const mp_question *question, const char *name)
{
    for (size_t i = question->given_count; i-- > 0;)
        if (strcmp(question->given[i].spelled, name) == 0)
            return question->given[i].text;
    return NULL;
}

/* Return true if the question needs the thread that created each object. */
static bool asks_for_threads(const mp_question *question)
{
    const char *by = given(question, "by");
    bool asks = question->suppression_paths.count || question->report->wants_threads ||
                (by && mp_text_is(by, "thread"));
    for (size_t i = 0; i < question->selection.count; i++)
        asks |= question->criteria[i].subject == MP_SUBJECT_THREAD;
    return asks;
}

void mp_reading_suit(mp_load_options *load, const mp_question *question)
{
    const mp_report *report = question->report;
    load->keep_objects = report->wants_objects &&
                         (!report->lists_objects || report->lists_objects(question->arguments));
    load->threads_as_one = !report->wants_objects && !asks_for_threads(question);
    load->traces_folded = !report->wants_traces;
    load->dumps_apart = !report->wants_holders;
    load->keep_ages = report->wants_ages;
    load->request_peaks = report->wants_request_peaks;
    load->checksums |= report->wants_checksums || given(question, "against") != NULL ||
                       (report->names_recordings && report->names_recordings(question->arguments));
    load->within = question->selection.within;
}

bool mp_reading_suits(const mp_load_options *had, const mp_load_options *wanted)
{
    return had->keep_objects >= wanted->keep_objects && had->keep_ages >= wanted->keep_ages &&
           had->request_peaks >= wanted->request_peaks && had->checksums >= wanted->checksums &&
           had->threads_as_one <= wanted->threads_as_one &&
           had->dumps_apart <= wanted->dumps_apart && had->traces_folded <= wanted->traces_folded &&
           mp_time_range_is(&had->within, &wanted->within);
}
