/* Reports of objects: the lists of objects. */
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "base/diagnose.h"
#include "readers/ablobjects.h"

/* --- values --- */

/* A number that may be missing, null or in quotes. */
typedef struct abl_number {
    uint64_t value;
    bool known, bad;
} abl_number;

/* Members of all kinds of rows. Members that a row does not have stay 0. */
typedef struct abl_fields {
    mp_string_id session, group, type, name, source, pool, action;
    uint64_t id; /* hash of the id */
    abl_number session_id, line, size, count;
    bool deleted;
} abl_fields;

static bool read_number(abl_state *state, void *place)
{
    abl_number *number = place;
    mp_json_cursor *json = &state->json;
    const int byte = mp_scan_peek(json);
    *number = (abl_number){.known = byte != 'n'};
    if (byte == '"') {
        if (!mp_scan_text(json))
            return false;
        const mp_slice text = mp_text_of(&json->text);
        number->known = text.length > 0;
        for (size_t i = 0; i < text.length; i++) {
            const unsigned digit = (unsigned)text.start[i] - '0';
            number->bad |= digit > 9 || number->value > (UINT64_MAX - 9) / 10;
            number->value = number->bad ? 0 : number->value * 10 + digit;
        }
        return true;
    }
    if (byte < '0' || byte > '9') {
        number->bad = byte != 'n';
        return mp_scan_skip(json);
    }
    number->bad = !mp_scan_unsigned(json, &number->value);
    const int next = mp_scan_peek(json);
    number->bad |= next != ',' && next != '}';
    return next == ',' || next == '}' || mp_scan_skip(json);
}

/* Read a text into json.text. A number is read as its digits; any other value is read as
 * empty. */
static bool read_value(abl_state *state)
{
    const int byte = mp_scan_peek(&state->json);
    mp_text_buffer *value = &state->json.text;
    value->length = 0;
    if (byte == '"')
        return mp_scan_text(&state->json);
    if (byte < '0' || byte > '9')
        return mp_scan_skip(&state->json);
    for (int digit = byte; digit >= '0' && digit <= '9'; digit = mp_scan_byte(&state->json)) {
        if (value->length < MP_LONGEST_NAME)
            mp_text_put(value, &(char){(char)digit}, 1);
        state->json.next++;
    }
    return true;
}

static bool read_text(abl_state *state, void *place)
{
    if (!read_value(state))
        return false;
    *(mp_string_id *)place = dyn_intern(&state->names, mp_text_of(&state->json.text));
    return true;
}

/* Ids are not names of the model, because each object has a different id. */
static bool read_id(abl_state *state, void *place)
{
    if (!read_value(state))
        return false;
    const mp_slice id = mp_text_of(&state->json.text);
    *(uint64_t *)place = id.length ? mp_hash_bytes(id.start, id.length) | 1 : 0;
    return true;
}

/* Note if one of the entries that belong to an object says that it was deleted. */
static bool read_related(abl_state *state, void *place)
{
    bool *deleted = place;
    const bool many = mp_scan_peek(&state->json) == '[';
    if (!many && mp_scan_peek(&state->json) != '{')
        return mp_scan_skip(&state->json);
    if (many && !mp_scan_enter(&state->json, '['))
        return false;
    do {
        if (many && !mp_scan_more(&state->json, ']'))
            return !state->json.bad;
        if (!mp_scan_enter(&state->json, '{'))
            return false;
        while (mp_scan_member(&state->json)) {
            const bool action = abl_is_member(state, "action");
            if (!(action ? read_value(state) : mp_scan_skip(&state->json)))
                return false;
            *deleted |= action && mp_slice_is(mp_text_of(&state->json.text), "DELETE");
        }
        if (state->json.bad)
            return false;
    } while (many);
    return true;
}

/* A member that is used, and the function that reads it into a place in the fields. */
typedef struct abl_column {
    const char *name;
    size_t place;
    bool (*read)(abl_state *state, void *place);
} abl_column;

#define COLUMN(name, member, read)                                                                 \
    {                                                                                              \
        name, offsetof(abl_fields, member), read                                                   \
    }

/* Read an object with its members. Return false if it is truncated or malformed. */
static bool read_fields(abl_state *state, const abl_column *columns, abl_fields *fields)
{
    if (!mp_scan_enter(&state->json, '{'))
        return false;
    while (mp_scan_member(&state->json)) {
        const abl_column *column = columns;
        while (column->name && !abl_is_member(state, column->name))
            column++;
        if (!(column->name ? column->read(state, (char *)fields + column->place)
                           : mp_scan_skip(&state->json)))
            return false;
    }
    return !state->json.bad;
}

/* --- objects --- */

/* Report a row that is skipped. */
static void skip_row(abl_state *state, const char *wrong)
{
    mp_diagnose(state->diagnostics, MP_DIAG_BAD_ROW, state->path, 0,
                "object %" PRIu64 " of the report is skipped: %s", state->objects, wrong);
}

/* Describe a session by its name: "013309 AS-1" of an agent, "P-024712" of a client, or "AS-3". */
static void describe_session(mp_model *model, mp_recorded_session *session, mp_string_id name)
{
    enum { MOST_DIGITS = 10 };
    const char *text = mp_model_text(model, name);
    const char *digits = strncmp(text, "P-", 2) == 0 ? text + 2 : text;
    const size_t length = strspn(digits, "0123456789");
    const char *rest = digits + length + strspn(digits + length, " ");
    session->session_id = name;
    if (!length || length > MOST_DIGITS || (*rest && strncmp(rest, "AS-", 3) != 0))
        return;
    session->has_process_id = true;
    for (size_t i = 0; i < length; i++)
        session->process_id = session->process_id * 10 + (uint64_t)(digits[i] - '0');
    session->session_id = mp_model_intern_text(model, rest);
}

uint32_t abl_session_of(abl_state *state, mp_string_id name)
{
    mp_model *model = state->model;
    uint32_t *place = mp_id_index_put(&state->sessions, name.i);
    if (!*place && state->session_count == ABL_MOST_SESSIONS)
        *place = UINT32_MAX;
    if (*place)
        return *place == UINT32_MAX ? 0 : *place;
    state->session_count++;
    mp_recorded_session *session = MP_ADD(&model->sessions);
    *place = model->sessions.count - 1;
    describe_session(model, session, name);
    return model->sessions.count - 1;
}

uint32_t abl_row_of(abl_state *state, uint32_t session, uint32_t context)
{
    uint32_t *place = mp_id_index_put(&state->row_index, (uint64_t)session << 32 | context);
    if (!*place) {
        *MP_ADD(&state->rows) =
            (abl_row){.session = session, .report = state->reports.count - 1, .context = context};
        *place = state->rows.count - 1;
    }
    return *place;
}

/* Add an object to the row of its context, and return the row. */
static uint32_t add_object(abl_state *state, uint32_t session, abl_object *object)
{
    object->context.session.i = session;
    const uint32_t place =
        abl_row_of(state, session, mp_model_context(state->model, &object->context).i);
    mp_census_share *alive = &state->rows.items[place].alive;
    alive->objects++;
    alive->bytes += object->bytes;
    return place;
}

/* Set the type, name and bytes of an object. Return false, after a diagnostic, if they are damaged.
 */
static bool describe(abl_state *state, const abl_fields *fields, abl_object *object)
{
    if (!fields->type.i || fields->line.bad || fields->line.value > INT32_MAX || fields->size.bad ||
        fields->size.value > INT64_MAX ||
        !mp_census_affords(&state->census, (int64_t)fields->size.value)) {
        skip_row(state, !fields->type.i ? "it has no type, expected a text"
                        : fields->line.bad || fields->line.value > INT32_MAX
                            ? "its line is no number of a line, expected up to 2147483647"
                            : "its size is no number of bytes, or a sum that 64 bits cannot hold");
        return false;
    }
    const mp_symbol_id source = dyn_symbol(&state->names, fields->source, fields->source);
    *object = (abl_object){
        .context = {.type = dyn_type(&state->names,
                                     mp_slice_of(mp_model_text(state->model, fields->type))),
                    .node = dyn_running_node(&state->names, &state->calls, source),
                    .line = !source.i            ? 0
                            : fields->line.value ? (uint32_t)fields->line.value
                                                 : MP_NO_LINE,
                    .name = dyn_symbol(&state->names, fields->name, fields->name)},
        .bytes = (int64_t)fields->size.value};
    return true;
}

/* --- tracked objects --- */

static bool read_objects(abl_state *state)
{
    static const abl_column columns[] = {
        COLUMN("ObjType", type, read_text),  COLUMN("Name", name, read_text),
        COLUMN("Source", source, read_text), COLUMN("Line", line, read_number),
        COLUMN("Size", size, read_number),   {0}};
    if (!mp_scan_enter(&state->json, '['))
        return mp_scan_skip(&state->json);
    while (mp_scan_more(&state->json, ']')) {
        abl_fields fields = {0};
        abl_object object;
        if (!read_fields(state, columns, &fields))
            return false;
        state->objects++;
        if (describe(state, &fields, &object))
            *MP_ADD(&state->pending) = object;
    }
    return !state->json.bad;
}

/* Return the name of a session, as it is in the log of its agent. */
static mp_string_id name_of_session(abl_state *state, const abl_number *id)
{
    if (!id->known || id->bad)
        return (mp_string_id){0};
    return mp_model_intern_format(state->model, "AS-%" PRIu64, id->value);
}

/* Read a session. Its id may come after its objects. */
static bool read_session(abl_state *state)
{
    bool ok = mp_scan_enter(&state->json, '{');
    abl_number id = {0};
    state->pending.count = 0;
    while (ok && mp_scan_member(&state->json))
        ok = abl_is_member(state, "AgentSessionId") ? read_number(state, &id)
             : abl_is_member(state, "Objects")      ? read_objects(state)
                                                    : mp_scan_skip(&state->json);
    ok &= !state->json.bad;
    if (!ok && !state->pending.count)
        return false;
    const uint32_t session = abl_session_of(state, name_of_session(state, &id));
    state->nameless += !id.known || id.bad ? state->pending.count : 0;
    state->beyond += session ? 0 : state->pending.count;
    if (session)
        (void)abl_row_of(state, session, 0);
    for (uint32_t i = 0; session && i < state->pending.count; i++)
        (void)add_object(state, session, &state->pending.items[i]);
    return ok;
}

bool abl_read_sessions(abl_state *state)
{
    state->has_list = true;
    if (!mp_scan_enter(&state->json, '['))
        return false;
    while (mp_scan_more(&state->json, ']'))
        if (!read_session(state))
            return false;
    return !state->json.bad;
}

/* --- LeakCheck --- */

/* Set the type and the name that these objects have in the log of dynamic objects. */
static void name_type(abl_state *state, abl_fields *fields)
{
    static const struct {
        const char *group, *type; /* NULL: the type is the row's type */
        bool named;               /* the type in the row is the name of the object */
    } groups[] = {{"PROCEDURE", "PROCEDURE", true},
                  {"PLO", "Progress.Lang.Object", true},
                  {"BLOB", "MEMPTR", false},
                  {"WIDGET-POOL", "Widget Pool", false}};
    const char *group = mp_model_text(state->model, fields->group);
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        if (strcmp(group, groups[i].group) != 0)
            continue;
        fields->name = groups[i].named                     ? fields->type
                       : strcmp(group, "WIDGET-POOL") == 0 ? fields->pool
                                                           : (mp_string_id){0};
        fields->type = mp_model_intern_text(state->model, groups[i].type);
        return;
    }
}

/* Split "placeOrder shop.OrderService @ 155" into code and line. */
static void split_place(abl_state *state, abl_fields *fields)
{
    mp_slice routine;
    uint32_t line;
    if (dyn_read_place(mp_slice_of(mp_model_text(state->model, fields->source)), &routine, &line)) {
        fields->line.value = line;
        fields->source = dyn_intern(&state->names, routine);
    }
}

/* Count an object that was created. A later row may say that the object was deleted. */
static void create(abl_state *state, abl_fields *fields, uint64_t key)
{
    abl_object object;
    name_type(state, fields);
    split_place(state, fields);
    if (!describe(state, fields, &object))
        return;
    const uint32_t session = abl_session_of(state, fields->session);
    state->beyond += !session;
    if (!session)
        return;
    (void)abl_row_of(state, session, 0);
    if (fields->deleted)
        return;
    *MP_ADD(&state->creations) = (abl_creation){add_object(state, session, &object), object.bytes};
    if (fields->id)
        *mp_id_index_put(&state->creation_index, key) = state->creations.count - 1;
}

/* Stop counting an object. */
static void take_away(abl_state *state, uint64_t key)
{
    const uint32_t number = mp_id_index_get(&state->creation_index, key);
    abl_creation *creation = &state->creations.items[number];
    if (!number || !creation->row) {
        state->older++;
        return;
    }
    mp_census_share *alive = &state->rows.items[creation->row].alive;
    alive->objects--;
    alive->bytes -= creation->bytes;
    creation->row = 0;
}

static void take_leak(abl_state *state, abl_fields *fields)
{
    const char *action = mp_model_text(state->model, fields->action);
    const uint64_t words[] = {mp_joined(fields->session.i, fields->group.i), fields->type.i,
                              fields->id, 0};
    const uint64_t key = mp_hash_words(words, 4);
    state->listed_objects++;
    state->listed_bytes += fields->size.value;
    if (!*action || strcmp(action, "CREATE") == 0)
        create(state, fields, key);
    else if (strcmp(action, "DELETE") == 0)
        take_away(state, key);
    else if (strcmp(action, "DELETE-PENDING") != 0)
        skip_row(state, "it has an unknown action, expected CREATE, DELETE or DELETE-PENDING");
}

bool abl_read_leaks(abl_state *state)
{
    static const abl_column columns[] = {COLUMN("session", session, read_text),
                                         COLUMN("group", group, read_text),
                                         COLUMN("grp", group, read_text),
                                         COLUMN("type", type, read_text),
                                         COLUMN("id", id, read_id),
                                         COLUMN("info", source, read_text),
                                         COLUMN("size", size, read_number),
                                         COLUMN("pool", pool, read_text),
                                         COLUMN("action", action, read_text),
                                         COLUMN("rel", deleted, read_related),
                                         {0}};
    state->has_list = state->of_leaks = true;
    if (!mp_scan_enter(&state->json, '['))
        return false;
    while (mp_scan_more(&state->json, ']')) {
        abl_fields fields = {0};
        if (!read_fields(state, columns, &fields))
            return false;
        state->objects++;
        take_leak(state, &fields);
    }
    return !state->json.bad;
}

bool abl_read_groups(abl_state *state)
{
    static const abl_column columns[] = {
        COLUMN("cnt", count, read_number), COLUMN("size", size, read_number), {0}};
    state->has_sums = true;
    if (!mp_scan_enter(&state->json, '{'))
        return false;
    while (mp_scan_member(&state->json)) {
        abl_fields fields = {0};
        if (!read_fields(state, columns, &fields))
            return false;
        state->stated_objects += fields.count.value;
        state->stated_bytes += fields.size.value;
    }
    return !state->json.bad;
}
