/* A session from inside: what the command line needs of it beside the public library. */
#ifndef MP_SESSION_SESSION_H
#define MP_SESSION_SESSION_H

#include "base/diagnose.h"
#include "export/formats.h"
#include "memprof/memprof.h"
#include "session/answer.h"

/* Zero-initialise and mp_session_begin; release with mp_session_end. */
struct mp_session {
    mp_reading reading;
    mp_argument_texts paths;
    mp_alias *aliases; /* aliases of the copies that have no path of their own */
    int *copies;       /* their descriptors */
    size_t copy_count, alias_capacity, copy_capacity;
    mp_arena texts;                /* texts of the paths and the aliases */
    size_t kept;                   /* diagnostics of each code that are kept with their place */
    const char *dashes;            /* in front of the names of options in messages */
    mp_progress progress, watcher; /* progress for the user; for the session itself */
    bool cancelled;                /* the current question is cancelled */
    mp_diagnostics *finding;       /* diagnostics of finding the inputs */
    mp_diagnostics *diagnostics;   /* diagnostics of the last question: the same, and of reading */
    mp_file_groups groups;         /* groups of the paths, for the reports like this one */
    const mp_report *report;
    bool grouped, found; /* all that was named is there */
    mp_held held;
    struct mp_asked *asked;
    mp_error error; /* error of the last failure */
    char error_line[1600];
};

/* The session's error, for what is about to be done; and the end of that, which gives the caller
 * the error if it is not NULL. */
mp_error *mp_session_tells(mp_session *session);
bool mp_session_told(const mp_session *session, bool ok, mp_error *error);

void mp_session_begin(mp_session *session);
void mp_session_end(mp_session *session);

/* Find and group the files for a report; NULL: for none in particular. `judges`: limits or rules
 * will judge them. False where nothing was found, or not all of it; session->diagnostics tell. */
bool mp_session_find(mp_session *session, const mp_report *report, bool judges);
/* Put a question, whose files beside recordings are read, to what mp_session_find found. False with
 * an error: it cannot be put to so many. Release the answers with mp_answers_free, before the
 * session. */
bool mp_session_answer(mp_session *session, const mp_question *question,
                       const mp_merge_style *style, mp_answers *answers, mp_error *error);
/* Read the one group that mp_session_find found, as a question needs it. False where not all could
 * be read. */
bool mp_session_read(mp_session *session, const mp_load_options *needs);
/* Return whether what was read can be asked: it holds something, and all of it where that is
 * wanted. */
bool mp_session_is_askable(const mp_session *session);
/* The same of a recording that was read from one of several groups. */
bool mp_session_can_ask(const mp_session *session, const mp_held *held);

/* Answer by what was read, which can be asked. NULL with an error. */
mp_document *mp_session_answer_one(const mp_session *session, const mp_question *question,
                                   mp_error *error);
/* Return the kind of the recording that was read: a bit, by its mp_kind. */
unsigned mp_session_kind(const mp_session *session);
/* Write the recording that was read as another tool's file, or, by an exporter of many, each group
 * that mp_session_find found, after reading it as the question needs it. A path of NULL is standard
 * output. Return a document that says what was written. NULL with an error, or without one where
 * diagnostics say what could not be read; what was at the path is then still there. */
mp_document *mp_session_write(mp_session *session, const mp_question *question,
                              const mp_exporter *exporter, const char *path,
                              const mp_load_options *needs, mp_error *error);

/* Make a document that lists the formats that are read. */
mp_document *mp_formats_document(void);

/* Fail as it is about one recording, where the groups are several. */
bool mp_session_refuse_many(const mp_session *session, const char *asked, mp_error *error);

#endif
