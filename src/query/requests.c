#include "query/requests.h"

#include <stdlib.h>

#include "base/index.h"

static bool is_same(const mp_served *served, const mp_snapshot *snapshot)
{
    return served && served->request.i == snapshot->request.i &&
           served->start_us == snapshot->request_start_us;
}

static mp_served *add(mp_requests *requests, mp_snapshot_id id, const mp_snapshot *snapshot,
                      bool peaks)
{
    mp_served *served = &requests->items[requests->count++];
    *served = (mp_served){.session = snapshot->session,
                          .request = snapshot->request,
                          .first = id,
                          .start_us = snapshot->request_start_us,
                          .duration_us = MP_UNKNOWN,
                          .peak_objects = peaks ? 0 : MP_UNKNOWN,
                          .peak_bytes = peaks ? 0 : MP_UNKNOWN};
    return served;
}

/* Add another snapshot to a request. */
static void extend(mp_served *served, const mp_model *model, mp_snapshot_id id,
                   const mp_snapshot *snapshot)
{
    served->last = id;
    if (snapshot->request_api.i)
        served->api = snapshot->request_api;
    if (served->peak_objects != MP_UNKNOWN && snapshot->request_peak_objects > served->peak_objects)
        served->peak_objects = snapshot->request_peak_objects;
    if (served->peak_bytes != MP_UNKNOWN && snapshot->request_peak_bytes > served->peak_bytes)
        served->peak_bytes = snapshot->request_peak_bytes;
    if (mp_model_is_request_end(model, snapshot->tag)) {
        served->ended = true;
        if (snapshot->time_us >= served->start_us)
            served->duration_us = snapshot->time_us - served->start_us;
    }
}

/* Find the requests of a session in the window. For each snapshot, set request_of to 1 + the index
 * of its request. A request has ended if the window has a later snapshot of another request. */
static void find_requests(const mp_window *window, uint32_t session, bool later,
                          mp_requests *requests, uint32_t *request_of)
{
    const mp_session_snapshots *snapshots = &window->filter->sessions;
    bool peaks = window->model->knows_request_peaks && !window->filter->selects;
    mp_served *served = NULL;
    for (uint32_t i = snapshots->first[session]; i < snapshots->first[session + 1]; i++) {
        mp_snapshot_id id = {snapshots->snapshots[i]};
        const mp_snapshot *snapshot = mp_window_snapshot(window, id.i);
        bool within = mp_window_before_to(window, id);
        if (served && !is_same(served, snapshot)) {
            served->ended |= within;
            served = NULL;
        }
        if (!within)
            break;
        if (!snapshot->request.i || (later && mp_window_before_from(window, id)))
            continue;
        if (!served)
            served = add(requests, id, snapshot, peaks);
        extend(served, window->model, id, snapshot);
        request_of[id.i] = (uint32_t)requests->count;
    }
}

static void count_objects(const mp_window *window, bool later, mp_requests *requests,
                          const uint32_t *request_of)
{
    const mp_model *model = window->model;
    const mp_balance *balances = mp_window_balances(window);
    for (uint32_t i = 1; i < model->generations.count; i++) {
        const mp_generation *generation = &model->generations.items[i];
        const mp_cost *cost = &balances[i].end;
        uint32_t request = request_of[generation->born.i];
        if (later && mp_window_before_from(window, generation->born))
            continue;
        if (!request || !mp_generation_is_of_request(model, generation)) {
            requests->created_objects += cost->created;
            requests->created_bytes += cost->created_bytes;
            continue;
        }
        mp_served *served = &requests->items[request - 1];
        served->created_objects += cost->created;
        served->created_bytes += cost->created_bytes;
        if (served->ended && !mp_window_accepts(window, generation->context)) {
            served->left_objects += mp_cost_live(*cost);
            served->left_bytes += cost->bytes;
        }
    }
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void add_call(mp_served_api *api, const mp_served *served)
{
    api->calls++;
    api->running_calls += !served->ended;
    api->leaving_calls += served->left_objects > 0;
    api->created_objects += served->created_objects;
    api->created_bytes += served->created_bytes;
    api->left_objects += served->left_objects;
    api->left_bytes += served->left_bytes;
    api->peak_objects = most(api->peak_objects, served->peak_objects);
    api->peak_bytes = most(api->peak_bytes, served->peak_bytes);
    api->longest_us = most(api->longest_us, served->duration_us);
    if (served->duration_us == MP_UNKNOWN)
        return;
    api->timed_calls++;
    api->duration_us = mp_sum_capped(most(api->duration_us, 0), served->duration_us);
}

static void add_up(mp_requests *requests)
{
    mp_id_index api_of = {0};
    requests->apis = mp_alloc((requests->count + 1) * sizeof *requests->apis);
    for (size_t i = 0; i < requests->count; i++) {
        const mp_served *served = &requests->items[i];
        uint32_t *place = mp_id_index_put(&api_of, served->api.i + 1);
        if (!*place) {
            requests->apis[requests->api_count] = (mp_served_api){.api = served->api,
                                                                  .duration_us = MP_UNKNOWN,
                                                                  .longest_us = MP_UNKNOWN,
                                                                  .peak_objects = MP_UNKNOWN,
                                                                  .peak_bytes = MP_UNKNOWN};
            *place = (uint32_t)++requests->api_count;
        }
        add_call(&requests->apis[*place - 1], served);
    }
    mp_id_index_free(&api_of);
}

mp_requests mp_requests_of(const mp_window *window, bool later)
{
    const mp_model *model = window->model;
    mp_requests requests = {.items = mp_alloc(model->snapshots.count * sizeof *requests.items)};
    uint32_t *request_of = mp_alloc_zero(model->snapshots.count, sizeof *request_of);
    for (uint32_t session = 1; session < model->sessions.count; session++)
        find_requests(window, session, later, &requests, request_of);
    count_objects(window, later, &requests, request_of);
    add_up(&requests);
    free(request_of);
    return requests;
}

void mp_requests_free(mp_requests *requests)
{
    free(requests->items);
    free(requests->apis);
    *requests = (mp_requests){0};
}
