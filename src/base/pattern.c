#include "base/pattern.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/characters.h"
#include "base/index.h"
#include "base/memory.h"
#include "base/program.h"

/* Kind of character before a position; assertions depend on it. */
typedef enum context {
    BEFORE_ALL,
    BEFORE_WORD,
    BEFORE_OTHER,
} context;

enum {
    END = 0x7fffffff, /* code of the end of the text; no character matches it */
    ASCII = 128,
    OTHERS = 128,     /* number of cache entries for other characters, by code modulo 128 */
    STATES = 400,     /* maximum number of cached states */
    PLACES = 1 << 18, /* maximum total of their places; the cache is cleared before it exceeds
                       * STATES or PLACES */
};

/* Special values in `next` below. Other values are indexes of states. */
enum { NOT_KNOWN, MATCHED, NOWHERE, FIRST_STATE };

/* A state of the cached automaton: a set of places in the program, and the state that each
 * character leads to. */
typedef struct state {
    uint32_t first,
        count; /* range in `places`; jumps and assertions at these places are not followed yet */
    context before;
    signed char at_end; /* 1 if the text matches when it ends here, 0 if not, -1 if not computed
                         * yet */
    uint32_t next[ASCII + OTHERS];
    uint32_t codes[OTHERS]; /* characters of the last OTHERS entries of `next` */
} state;

/* Threads of the search for the best match. Each has a place in the program, and saved slots. */
typedef struct threads {
    uint32_t *items;
    size_t *saved; /* `slots` positions per thread */
    size_t count, at_capacity, saved_capacity;
} threads;

/* An entry on the stack of follow(): a place to follow, or old values of two slots to restore. */
typedef struct pending {
    uint32_t instruction;
    int32_t slot; /* slot to restore; -1: the entry is a place to follow */
    size_t begin, end;
} pending;

struct mp_pattern {
    mp_program program;
    char *text;
    bool anchored; /* matches only at the beginning of the text */
    uint32_t *seen, *put, round;
    uint32_t *stack;
    uint32_t *copied;
    size_t into_count;
    state *states;
    uint64_t *hashes;
    size_t state_count, state_capacity, hash_capacity;
    uint32_t *places;
    size_t place_count, place_capacity;
    size_t slots;
    threads now, then;
    pending *pending;
    uint32_t *order;
    size_t order_capacity;
};

mp_pattern *mp_pattern_new(const char *text, char *reason, size_t size)
{
    mp_pattern *p = mp_alloc_zero(1, sizeof *p);
    mp_program *program = &p->program;
    p->text = mp_alloc(strlen(text) + 1);
    memcpy(p->text, text, strlen(text) + 1);
    if (!mp_program_compile(program, p->text, reason, size)) {
        mp_pattern_free(p);
        return NULL;
    }
    p->anchored = program->items[0].step == MP_STEP_ASSERT && program->items[0].x == '^';
    p->seen = mp_alloc_zero(program->count, sizeof *p->seen);
    p->put = mp_alloc_zero(program->count, sizeof *p->put);
    p->stack = mp_alloc((2 * program->count + 2) * sizeof *p->stack);
    p->copied = mp_alloc(program->count * sizeof *p->copied);
    p->slots =
        2 * (1 + (program->groups < MP_PATTERN_GROUPS ? program->groups : MP_PATTERN_GROUPS - 1));
    p->state_count = FIRST_STATE;
    return p;
}

/* Return the part of a literal run that every match contains. It is the whole run, without the last
 * character if a repetition follows that may make it optional. */
static mp_slice sure_of(const char *run, size_t length)
{
    if (run[length] && strchr("*+?{", run[length]))
        while (length && ((unsigned char)run[--length] & 0xc0) == 0x80)
            ;
    return (mp_slice){run, length};
}

mp_slice mp_pattern_core(const char *text)
{
    mp_slice core = {text, 0};
    size_t depth = 0;
    if (strchr(text, '|'))
        return core;
    for (const char *cursor = text; *cursor && *cursor != '[' && *cursor != '{';) {
        const size_t length = strcspn(cursor, ".[](){}*+?|^$\\");
        const mp_slice sure = sure_of(cursor, length);
        if (!depth && sure.length > core.length)
            core = sure;
        cursor += length;
        if (*cursor == ')' && !depth)
            break;
        depth += (size_t)(*cursor == '(') - (size_t)(*cursor == ')');
        if (*cursor == '\\' && cursor[1])
            cursor += 2; /* skip the escaped character, or the first byte of one */
        else if (*cursor && *cursor != '[' && *cursor != '{')
            cursor++;
    }
    return core;
}

void mp_pattern_free(mp_pattern *p)
{
    if (!p)
        return;
    MP_FREE(p->program.items, p->text, p->seen, p->put, p->stack, p->copied, p->states, p->hashes,
            p->places, p->now.items, p->now.saved, p->then.items, p->then.saved, p->pending,
            p->order, p);
}

/* --- matching of one character --- */

static bool takes(const mp_pattern *p, const mp_instruction *instruction, uint32_t code)
{
    bool in = false;
    const char *reason;
    if (code == END)
        return false;
    switch (instruction->step) {
    case MP_STEP_CHARACTER:
        return code == (uint32_t)instruction->x;
    case MP_STEP_SET:
        mp_set_read(p->text + instruction->x, code, 0, &in, &reason);
        return in;
    case MP_STEP_CLASS:
        in = instruction->x == 'w' || instruction->x == 'W' ? mp_character_in_word(code)
                                                            : mp_character_is_space(code);
        return in == (instruction->x == 'w' || instruction->x == 's');
    default:
        return true;
    }
}

static context before_of(uint32_t code)
{
    return mp_character_in_word(code) ? BEFORE_WORD : BEFORE_OTHER;
}

static bool holds(int32_t kind, context before, uint32_t code)
{
    bool behind = before == BEFORE_WORD, ahead = code != END && mp_character_in_word(code);
    switch (kind) {
    case '^':
        return before == BEFORE_ALL;
    case '$':
        return code == END;
    case '<':
        return !behind && ahead;
    case '>':
        return behind && !ahead;
    default:
        return (behind != ahead) == (kind == 'b');
    }
}

static void next_round(mp_pattern *p)
{
    if (++p->round)
        return;
    memset(p->seen, 0, p->program.count * sizeof *p->seen);
    memset(p->put, 0, p->program.count * sizeof *p->put);
    p->round = 1;
}

static void before_at(const char *text, size_t from, context *before)
{
    const char *cursor = text + from;
    *before = BEFORE_ALL;
    if (!from)
        return;
    for (cursor--; cursor > text && ((unsigned char)*cursor & 0xc0) == 0x80;)
        cursor--;
    *before = before_of(mp_character_take(&cursor));
}

/* --- search for any match --- */

static void put_into(mp_pattern *p, uint32_t place)
{
    if (p->put[place] == p->round)
        return;
    p->put[place] = p->round;
    p->copied[p->into_count++] = place;
}

/* Follow all places of a state over one character, and collect the places reached in `copied`.
 * Return true if there is a match before this character. */
static bool walk(mp_pattern *p, const state *self, uint32_t code)
{
    bool matched = false;
    size_t depth = 0;
    next_round(p);
    p->into_count = 0;
    for (uint32_t i = 0; i < self->count && !matched; i++) {
        p->stack[depth++] = p->places[self->first + i];
        while (depth) {
            uint32_t place = p->stack[--depth];
            const mp_instruction *instruction = &p->program.items[place];
            if (p->seen[place] == p->round)
                continue;
            p->seen[place] = p->round;
            if (instruction->step == MP_STEP_MATCH)
                matched = true;
            else if (instruction->step == MP_STEP_SPLIT)
                p->stack[depth++] = (uint32_t)((int32_t)place + instruction->y);
            if (instruction->step == MP_STEP_SPLIT || instruction->step == MP_STEP_JUMP)
                p->stack[depth++] = (uint32_t)((int32_t)place + instruction->x);
            else if (instruction->step == MP_STEP_SAVE ||
                     (instruction->step == MP_STEP_ASSERT &&
                      holds(instruction->x, self->before, code)))
                p->stack[depth++] = place + 1;
            else if (instruction->step < MP_STEP_ASSERT && takes(p, instruction, code))
                put_into(p, place + 1);
        }
    }
    return matched;
}

/* Return the state with the places in `copied`, new or cached. */
static uint32_t state_of_places(mp_pattern *p, context before)
{
    size_t size = p->into_count * sizeof *p->copied;
    uint64_t hash = mp_hash_bytes(p->copied, size) + (uint64_t)before;
    for (size_t i = FIRST_STATE; i < p->state_count; i++) {
        const state *one = &p->states[i];
        if (p->hashes[i] == hash && one->before == before && one->count == p->into_count &&
            memcmp(p->places + one->first, p->copied, size) == 0)
            return (uint32_t)i;
    }
    if (p->state_count == STATES || p->place_count + p->into_count > PLACES) {
        p->state_count = FIRST_STATE;
        p->place_count = 0;
    }
    mp_grow(&p->states, &p->state_capacity, p->state_count + 1, sizeof *p->states);
    mp_grow(&p->hashes, &p->hash_capacity, p->state_count + 1, sizeof *p->hashes);
    mp_grow(&p->places, &p->place_capacity, p->place_count + p->into_count, sizeof *p->places);
    p->hashes[p->state_count] = hash;
    p->states[p->state_count] = (state){.first = (uint32_t)p->place_count,
                                        .count = (uint32_t)p->into_count,
                                        .before = before,
                                        .at_end = -1};
    memcpy(p->places + p->place_count, p->copied, size);
    p->place_count += p->into_count;
    return (uint32_t)p->state_count++;
}

/* Compute the state that a character leads to, and cache it. */
static uint32_t learn(mp_pattern *p, uint32_t from, uint32_t code)
{
    uint32_t result = MATCHED;
    if (!walk(p, &p->states[from], code)) {
        if (!p->anchored)
            put_into(p, 0);
        size_t known = p->state_count;
        result = p->into_count ? state_of_places(p, before_of(code)) : NOWHERE;
        if (p->state_count < known)
            return result; /* the cache was cleared and has no state `from` any more */
    }
    state *self = &p->states[from];
    if (code >= ASCII)
        self->codes[code % OTHERS] = code;
    self->next[code < ASCII ? code : ASCII + code % OTHERS] = result;
    return result;
}

bool mp_pattern_fits(mp_pattern *p, const char *text, size_t from)
{
    context before;
    before_at(text, from, &before);
    next_round(p);
    p->into_count = 0;
    put_into(p, 0);
    uint32_t current = state_of_places(p, before);
    for (const char *cursor = text + from; *cursor;) {
        const state *self = &p->states[current];
        uint32_t code = mp_character_take(&cursor);
        uint32_t next = self->next[code < ASCII ? code : ASCII + code % OTHERS];
        if (!next || (code >= ASCII && self->codes[code % OTHERS] != code))
            next = learn(p, current, code);
        if (next < FIRST_STATE)
            return next == MATCHED;
        current = next;
    }
    if (p->states[current].at_end < 0)
        p->states[current].at_end = (signed char)walk(p, &p->states[current], END);
    return p->states[current].at_end;
}

/* --- search for the best match and its groups --- */

static size_t *put_thread(const mp_pattern *p, threads *self, uint32_t place)
{
    mp_grow(&self->items, &self->at_capacity, self->count + 1, sizeof *self->items);
    mp_grow(&self->saved, &self->saved_capacity, (self->count + 1) * p->slots, sizeof *self->saved);
    self->items[self->count] = place;
    return self->saved + p->slots * self->count++;
}

/* Return true if thread `a` is better than `b`: it starts further left, or the first slot that
 * differs is the end of a group and is later in `a`. The end of an open group counts as the latest,
 * because the group may still grow. In all other cases the thread that was added first is better,
 * because it took the longer repetitions. */
static bool is_better(const size_t *a, const size_t *b, size_t slots)
{
    if (a[0] != b[0])
        return a[0] < b[0];
    for (size_t i = 2; i < slots; i++)
        if (a[i] != b[i])
            return i % 2 && a[i] > b[i];
    return false;
}

/* Sort the indexes of the threads, best first. The sort is stable. */
static void sort_threads(mp_pattern *p, const threads *self)
{
    mp_grow(&p->order, &p->order_capacity, 2 * self->count, sizeof *p->order);
    uint32_t *from = p->order, *to = p->order + self->count;
    size_t slots = p->slots, count = self->count;
    bool sorted = true;
    for (uint32_t i = 0; i < count; i++) {
        from[i] = i;
        sorted &= !i || !is_better(self->saved + i * slots, self->saved + (i - 1) * slots, slots);
    }
    for (size_t width = sorted ? count : 1; width < count; width *= 2) {
        for (size_t begin = 0; begin < count; begin += 2 * width) {
            size_t middle = begin + width < count ? begin + width : count;
            size_t end = middle + width < count ? middle + width : count;
            for (size_t a = begin, b = middle, out = begin; out < end; out++) {
                bool second =
                    a == middle || (b < end && is_better(self->saved + from[b] * slots,
                                                         self->saved + from[a] * slots, slots));
                to[out] = second ? from[b++] : from[a++];
            }
        }
        uint32_t *swapped = from;
        from = to;
        to = swapped;
    }
    if (from != p->order)
        memcpy(p->order, from, count * sizeof *from);
}

/* Follow one place over one character, and add the places reached to `then`. Return true if there
 * is a match before this character; its slots are then in `best`. */
static bool follow(mp_pattern *p, uint32_t place, size_t *saved, context before, uint32_t code,
                   size_t here, size_t *best)
{
    bool matched = false;
    size_t depth = 0;
    p->pending[depth++] = (pending){.instruction = place, .slot = -1};
    while (depth) {
        pending one = p->pending[--depth];
        const mp_instruction *instruction = &p->program.items[one.instruction];
        if (one.slot >= 0) {
            saved[one.slot] = one.begin;
            saved[one.slot | 1] = one.end;
            continue;
        }
        if (p->seen[one.instruction] == p->round)
            continue;
        p->seen[one.instruction] = p->round;
        if (instruction->step == MP_STEP_MATCH) {
            memcpy(best, saved, p->slots * sizeof *best);
            best[1] = here;
            matched = true;
        }
        if (instruction->step == MP_STEP_SPLIT)
            p->pending[depth++] = (pending){
                .instruction = (uint32_t)((int32_t)one.instruction + instruction->y), .slot = -1};
        if (instruction->step == MP_STEP_SAVE && (size_t)instruction->x < p->slots) {
            int32_t slot = instruction->x & ~1;
            p->pending[depth++] =
                (pending){.slot = slot, .begin = saved[slot], .end = saved[slot | 1]};
            saved[instruction->x] = here;
            if (instruction->x == slot)
                saved[slot | 1] = MP_NOWHERE;
        }
        if (instruction->step == MP_STEP_SPLIT || instruction->step == MP_STEP_JUMP)
            p->pending[depth++] = (pending){
                .instruction = (uint32_t)((int32_t)one.instruction + instruction->x), .slot = -1};
        else if (instruction->step == MP_STEP_SAVE ||
                 (instruction->step == MP_STEP_ASSERT && holds(instruction->x, before, code)))
            p->pending[depth++] = (pending){.instruction = one.instruction + 1, .slot = -1};
        else if (instruction->step < MP_STEP_ASSERT && takes(p, instruction, code) &&
                 p->put[one.instruction + 1] != p->round) {
            p->put[one.instruction + 1] = p->round;
            memcpy(put_thread(p, &p->then, one.instruction + 1), saved, p->slots * sizeof *saved);
        }
    }
    return matched;
}

bool mp_pattern_find(mp_pattern *p, const char *text, size_t from,
                     mp_span groups[MP_PATTERN_GROUPS], size_t *looked)
{
    size_t best[2 * MP_PATTERN_GROUPS] = {0}, here = from;
    bool found = false;
    context before;
    *looked = from + strlen(text + from);
    if (!mp_pattern_fits(p, text, from))
        return false;
    before_at(text, from, &before);
    if (!p->pending)
        p->pending = mp_alloc((3 * p->program.count + 3) * sizeof *p->pending);
    p->now.count = 0;
    for (bool over = false; !over;) {
        const char *next = text + here;
        uint32_t code = *next ? mp_character_take(&next) : END;
        if (!found && (here == from || !p->anchored)) {
            size_t *saved = put_thread(p, &p->now, 0);
            for (size_t i = 0; i < p->slots; i++)
                saved[i] = i ? MP_NOWHERE : here;
        }
        sort_threads(p, &p->now);
        next_round(p);
        p->then.count = 0;
        for (size_t i = 0; i < p->now.count; i++) {
            uint32_t thread = p->order[i];
            size_t *saved = p->now.saved + thread * p->slots;
            if (!found || saved[0] <= best[0])
                found |= follow(p, p->now.items[thread], saved, before, code, here, best);
        }
        threads swapped = p->now;
        p->now = p->then;
        p->then = swapped;
        *looked = here;
        over = code == END || (found && !p->now.count);
        before = code == END ? before : before_of(code);
        here = (size_t)(next - text);
    }
    for (size_t i = 0; i < MP_PATTERN_GROUPS; i++) {
        bool set = 2 * i < p->slots && best[2 * i] != MP_NOWHERE && best[2 * i + 1] != MP_NOWHERE;
        groups[i] =
            set ? (mp_span){best[2 * i], best[2 * i + 1]} : (mp_span){MP_NOWHERE, MP_NOWHERE};
    }
    return found;
}
