/* The relation of requests: the objects that each request of a server created and left behind. */
#include "relation/relation.h"

#include "query/requests.h"
#include "relation/source.h"

typedef struct request_row {
    mp_served served; /* first, because its columns are also those of the row */
    const char *request, *request_api;
    int64_t session_number, first_sequence, last_sequence;
} request_row;

#define SERVED(member, name, unit, meaning)                                                        \
    {                                                                                              \
        name, "", unit, 0, offsetof(mp_served, member), meaning                                    \
    }

static const mp_column columns[] = {
    {"session", "", MP_NUMBER, 0, offsetof(request_row, session_number),
     "session, where there are several"},
    MP_FIELD(request_row, request, MP_TEXT, "request, as the file names it"),
    MP_FIELD(request_row, request_api, MP_TEXT, "what the request called"),
    MP_FIELD(request_row, first_sequence, MP_NUMBER, "first snapshot that belongs to it"),
    MP_FIELD(request_row, last_sequence, MP_NUMBER, "last snapshot that belongs to it"),
    SERVED(start_us, "start_us", MP_TIME, "time at which it began"),
    SERVED(duration_us, "duration_us", MP_AGE, "time that it took"),
    SERVED(created_objects, "created_objects", MP_COUNT, "objects that it created"),
    SERVED(created_bytes, "created_bytes", MP_BYTES, "their bytes"),
    SERVED(left_objects, "left_objects", MP_COUNT, "objects of it that are alive at the end"),
    SERVED(left_bytes, "left_bytes", MP_BYTES, "their bytes"),
};

static const mp_requests *requests_of(mp_relation_source *source)
{
    if (!source->requests) {
        source->requests = mp_alloc(sizeof *source->requests);
        *source->requests = mp_requests_of(source->window, false);
    }
    return source->requests;
}

static uint64_t count_requests(mp_relation_source *source)
{
    return requests_of(source)->count;
}

static bool request_at(mp_relation_source *source, uint64_t place, uint64_t wanted, mp_arena *texts,
                       void *row)
{
    (void)wanted, (void)texts;
    const mp_model *model = source->model;
    const mp_served *served = &requests_of(source)->items[place];
    request_row made = {
        .served = *served,
        .session_number = mp_session_number(model, served->session),
        .request = mp_model_text(model, served->request),
        .request_api = mp_model_text(model, served->api),
        .first_sequence = mp_snapshot_number(model, served->first),
        .last_sequence = mp_snapshot_number(model, served->last),
    };
    if (!served->ended) /* its objects are still in use */
        made.served.left_objects = made.served.left_bytes = MP_UNKNOWN;
    *(request_row *)row = made;
    return true;
}

const mp_relation mp_relation_requests = {
    .name = "requests",
    .meaning = "each request of a server",
    .needs = MP_HOLDS_HISTORY | MP_HOLDS_RUNTIME,
    MP_FIELDS(columns, request_row),
    .count = count_requests,
    .row = request_at,
    .key = MP_NO_KEY,
};
