#include "session/digests.h"

#include "base/diagnose.h"

mp_digest *mp_model_digest(const mp_model *model, const mp_question *question,
                           const mp_reading *reading, mp_dictionary *dictionary,
                           mp_diagnostics *diagnostics, mp_error *error)
{
    if (!mp_model_is_usable(model) || (reading->strict && !mp_model_is_whole(model, diagnostics)))
        return NULL;
    mp_request request = mp_question_request(question, model, diagnostics, dictionary, NULL);
    return mp_report_digest(&request, error);
}

mp_digest *mp_file_group_digest(const mp_file_group *group, const mp_question *question,
                                const mp_reading *reading, mp_dictionary *dictionary,
                                mp_diagnostics *diagnostics, bool *loaded, mp_error *error)
{
    mp_model *model = mp_model_new();
    *loaded = mp_file_group_load(group, &reading->load, model, diagnostics);
    mp_digest *digest = mp_model_digest(model, question, reading, dictionary, diagnostics, error);
    mp_model_free(model);
    return digest;
}

mp_digest *mp_recording_digest(const char *path, const mp_question *question,
                               const mp_reading *reading, mp_dictionary *dictionary,
                               mp_diagnostics *diagnostics, mp_error *error)
{
    mp_file_groups groups;
    mp_digest *digest = NULL;
    bool loaded = false;
    if (mp_is_folder(path)) {
        mp_input_close(mp_input_open(path, diagnostics, &reading->load)); /* reports the reason */
        return NULL;
    }
    bool found = mp_file_groups_find(&groups, &path, 1, reading, question->report, diagnostics);
    if (groups.count > 1)
        mp_diagnose(diagnostics, MP_DIAG_IS_DIRECTORY, path, 0,
                    "is an archive of %zu recordings, expected one: name it as ARCHIVE:MEMBER",
                    groups.count);
    else if (groups.count)
        digest = mp_file_group_digest(&groups.items[0], question, reading, dictionary, diagnostics,
                                      &loaded, error);
    if (digest && !(found && loaded)) {
        mp_digest_free(digest);
        digest = NULL;
    }
    mp_file_groups_free(&groups);
    return digest;
}

void mp_base_read(mp_base *base, const mp_question *question, const mp_reading *reading)
{
    const mp_load_options *how = &reading->load;
    bool of_bytes = mp_argument_find(&question->report->arguments, "against") != NULL;
    if (of_bytes || mp_file_is_baseline(question->base, how))
        base->digest = mp_baseline_read(question->base, how, base->dictionary,
                                        of_bytes ? NULL : base->diagnostics, &base->error);
    else
        base->digest = mp_recording_digest(question->base, question, reading, base->dictionary,
                                           base->diagnostics, &base->error);
}

void mp_base_free(mp_base *base)
{
    mp_digest_free(base->digest);
    mp_dictionary_free(base->dictionary);
    mp_diagnostics_free(base->diagnostics);
    *base = (mp_base){.digest = NULL};
}
