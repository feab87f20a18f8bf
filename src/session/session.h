/* Internals of a session that the command line uses besides the public library. */
#pragma once

#include <pthread.h>

#include "base/diagnose.h"
#include "export/formats.h"
#include "memprof/memprof.h"
#include "session/answer.h"

/* Zero-initialise, then call mp_session_begin. Release with mp_session_end. */
struct mp_session {
    mp_reading reading;
    mp_argument_texts paths;
    mp_alias *aliases; /* user-visible names of the copies */
    int *copies;       /* descriptors of inputs that were copied because they have no path */
    size_t copy_count, alias_capacity, copy_capacity;
    mp_arena texts;     /* texts of the paths and the aliases */
    size_t kept;        /* maximum diagnostics of each code that are kept with their place */
    const char *dashes; /* text before option names in messages, such as "--" */
    mp_progress progress, watcher; /* the user's progress function; the session's own function,
                                      which calls the user's */
    pthread_mutex_t watching;      /* held while the user's function is called */
    bool cancelled;                /* the current question is cancelled */
    mp_diagnostics *finding;       /* diagnostics of finding the inputs */
    mp_diagnostics
        *diagnostics;      /* diagnostics of the last question: of finding and reading the inputs */
    mp_file_groups groups; /* groups of the files, valid for `report` and similar reports */
    const mp_report *report;
    bool grouped, found; /* `groups` is set; all named files were found */
    mp_held held;        /* recording of the only group */
    mp_held
        *joint; /* recordings by group, after a question about all groups together; NULL: none */
    struct mp_asked *asked;
    mp_error error; /* error of the last failure */
    char error_line[1600];
};

/* Clear the session's error at the start of a call, and return it for the call to fill in. At the
 * end of the call, mp_session_told copies it to the caller's `error` if the call failed; `error`
 * may be NULL. */
mp_error *mp_session_tells(mp_session *session);
bool mp_session_told(const mp_session *session, bool ok, mp_error *error);

/* Set up a zeroed session, and release what a session owns. */
void mp_session_begin(mp_session *session);
void mp_session_end(mp_session *session);

/* Find and group the files for a report; NULL: for any report. `judges` is true if limits or rules
 * apply. Return false, with diagnostics, if some or all files are missing. */
bool mp_session_find(mp_session *session, const mp_report *report, bool judges);
/* Find and group the files for a question. Drop the recording in memory if it lacks data that the
 * question needs. Set `needs` to the options with which the recording must be read. Return false
 * with an error if a stream would have to be read again. */
bool mp_session_find_for(mp_session *session, const mp_question *question, mp_load_options *needs,
                         mp_error *error);
/* Ask a question about the groups from mp_session_find; the question's own files were read before.
 * Return false with an error if the report does not take several groups. Release the answers with
 * mp_answers_free, before the session. */
bool mp_session_answer(mp_session *session, const mp_question *question,
                       const mp_merge_style *style, mp_answers *answers, mp_error *error);
/* Read the only group from mp_session_find with the data that a question needs. Return false if it
 * could not be read completely. */
bool mp_session_read(mp_session *session, const mp_load_options *needs);
/* Return true if the recording in memory can answer questions: it is not empty and, if reading is
 * strict, complete. */
bool mp_session_is_askable(const mp_session *session);
/* Like mp_session_is_askable, for a recording of one of several groups. */
bool mp_session_can_ask(const mp_session *session, const mp_held *held);

/* Answer a question from the recording in memory, which must be askable. Return NULL with an
 * error. */
mp_document *mp_session_answer_one(const mp_session *session, const mp_question *question,
                                   mp_error *error);
/* Return the kind of the recording in memory as a bit: 1 << mp_kind. */
unsigned mp_session_kind(const mp_session *session);
/* Export the recording in memory. An exporter of several recordings reads each group from
 * mp_session_find with the data that the question needs. `path` NULL is standard output. Return a
 * document about the written data. Return NULL with an error, or without an error if diagnostics
 * give the reason; an existing file is then unchanged. */
mp_document *mp_session_write(mp_session *session, const mp_question *question,
                              const mp_exporter *exporter, const char *path,
                              const mp_load_options *needs, mp_error *error);

/* Return a document that lists the supported input formats. */
mp_document *mp_formats_document(void);

/* Set an error because a command that takes one recording got several groups. `asked` is the name
 * of the command. */
bool mp_session_refuse_many(const mp_session *session, const char *asked, mp_error *error);
