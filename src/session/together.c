/* Ask one question about several recordings: read all of them, and give a single answer. */
#include <stdlib.h>

#include "base/memory.h"
#include "session/answer.h"

/* Requests about the groups that the question applies to. */
typedef struct together {
    mp_held *held;        /* recordings, by group */
    mp_request *requests; /* `count` requests */
    size_t *places;       /* group of each request */
    size_t count;
} together;

/* Read a group, and add a request about it if the question applies to it. */
static void add_group(together *joint, const mp_file_groups *groups, size_t place,
                      const mp_question *question, const mp_reading *reading,
                      mp_diagnostics *diagnostics, mp_group_answer *answer)
{
    mp_held *held = &joint->held[place];
    mp_held_read(held, &groups->items[place], reading, diagnostics);
    bool ok = held->loaded;
    if (!mp_model_is_usable(held->model)) {
        ok = false;
    } else {
        mp_request request =
            mp_question_request(question, held->model, held->diagnostics, NULL, NULL);
        mp_request_watch(&request, reading);
        ok &= !reading->strict || mp_model_is_whole(held->model, held->diagnostics);
        if (!mp_group_is_passed_over(&groups->items[place], &request, diagnostics, answer)) {
            joint->requests[joint->count] = request;
            joint->places[joint->count++] = place;
        }
    }
    answer->outcome = ok ? MP_GROUP_READ : MP_GROUP_UNREAD;
}

static void answer_together(const together *joint, const mp_question *question,
                            const mp_reading *reading, mp_answers *answers)
{
    mp_error error = {0};
    size_t wrong = joint->count;
    answers->document = mp_document_new(question->report->name);
    answers->document->exact_bytes = reading->exact_bytes;
    if (mp_report_run_together(question->report, joint->requests, joint->count, answers->document,
                               &wrong, &error))
        return;
    mp_document_free(answers->document);
    answers->document = NULL;
    const bool general = wrong == joint->count; /* the error is not about one particular group */
    mp_group_answer *answer = &answers->groups[joint->places[general ? 0 : wrong]];
    answer->error = mp_alloc(sizeof error);
    *answer->error = error;
    answer->of_file = general;
    if (general)
        answer->outcome = error.code == MP_ERROR_INPUT ? MP_GROUP_UNREAD : MP_GROUP_REFUSED;
}

void mp_groups_ask_together(const mp_file_groups *groups, const mp_question *question,
                            const mp_reading *reading, mp_held *held, mp_diagnostics *diagnostics,
                            mp_answers *answers)
{
    mp_reading named = *reading;
    together joint = {.held = held,
                      .requests = mp_alloc_zero(groups->count, sizeof *joint.requests),
                      .places = mp_alloc_zero(groups->count, sizeof *joint.places)};
    *answers = (mp_answers){.merged = true,
                            .groups = mp_alloc_zero(groups->count, sizeof *answers->groups),
                            .count = groups->count};
    named.load.checksums = true; /* checksums identify the recordings */
    for (size_t i = 0; i < groups->count; i++)
        add_group(&joint, groups, i, question, &named, diagnostics, &answers->groups[i]);
    if (joint.count)
        answer_together(&joint, question, reading, answers);
    free(joint.requests);
    free(joint.places);
}
