/* Compiler from the text of an extended regular expression to a program, in one pass. */
#include "base/program.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/characters.h"
#include "base/memory.h"

enum { MOST_STEPS = 40000, MOST_LEVELS = 200, NO_END = -1 };

/* An open group. The lowest level is the whole expression. */
typedef struct level {
    size_t begin;       /* start of the group's code */
    size_t alternative; /* start of the code after the last "|" */
    /* last JUMP to the end of the group; each JUMP has a link to the previous one */
    size_t last_jump;
    unsigned group;
    bool has_jump;
} level;

typedef struct compiler {
    mp_program *program;
    const char *cursor;
    level levels[MOST_LEVELS + 1], *top;
    size_t atom; /* start of the code that a repetition applies to */
    bool has_atom;
    const char *reason; /* static; NULL: no error so far */
} compiler;

static const char too_large[] = "it is too large: expected at most 40000 steps with all "
                                "repetitions written out, and 200 levels";

static bool fail(compiler *state, const char *reason)
{
    state->reason = reason;
    return false;
}

static bool has_room(compiler *state, size_t more)
{
    mp_program *program = state->program;
    if (program->count + more > MOST_STEPS)
        return fail(state, too_large);
    mp_grow(&program->items, &program->capacity, program->count + more, sizeof *program->items);
    return true;
}

static bool put(compiler *state, mp_step step, int32_t x, int32_t y)
{
    if (!has_room(state, 1))
        return false;
    state->program->items[state->program->count++] = (mp_instruction){step, x, y};
    return true;
}

/* Insert an instruction at `index`. The code that is moved contains only jumps within itself, so
 * they stay valid. */
static bool insert(compiler *state, size_t index, mp_step step, int32_t x, int32_t y)
{
    if (!has_room(state, 1))
        return false;
    mp_instruction *instruction = state->program->items + index;
    memmove(instruction + 1, instruction, (state->program->count++ - index) * sizeof *instruction);
    *instruction = (mp_instruction){step, x, y};
    return true;
}

static bool put_atom(compiler *state, mp_step step, int32_t x)
{
    state->atom = state->program->count;
    state->has_atom = true;
    return put(state, step, x, 0);
}

/* Append an assertion. As in glibc, a repetition cannot apply to it. */
static bool put_assertion(compiler *state, char kind)
{
    state->has_atom = false;
    return put(state, MP_STEP_ASSERT, kind, 0);
}

/* --- groups and alternatives --- */

static bool open_group(compiler *state)
{
    if (state->top == state->levels + MOST_LEVELS)
        return fail(state, too_large);
    unsigned group = ++state->program->groups;
    *++state->top = (level){
        .begin = state->program->count, .alternative = state->program->count + 1, .group = group};
    state->has_atom = false;
    return put(state, MP_STEP_SAVE, (int32_t)(2 * group), 0);
}

static bool next_alternative(compiler *state)
{
    level *top = state->top;
    int32_t length = (int32_t)(state->program->count - top->alternative);
    if (!insert(state, top->alternative, MP_STEP_SPLIT, 1, length + 2))
        return false;
    size_t jump = state->program->count;
    state->has_atom = false;
    if (!put(state, MP_STEP_JUMP, top->has_jump ? (int32_t)(jump - top->last_jump) : 0, 0))
        return false;
    top->last_jump = jump;
    top->has_jump = true;
    top->alternative = state->program->count;
    return true;
}

static void end_alternatives(compiler *state)
{
    size_t jump = state->top->last_jump;
    for (int32_t back = state->top->has_jump; back;) {
        mp_instruction *instruction = &state->program->items[jump];
        back = instruction->x;
        instruction->x = (int32_t)(state->program->count - jump);
        jump -= (size_t)back;
    }
}

static bool close_group(compiler *state)
{
    end_alternatives(state);
    state->atom = state->top->begin;
    state->has_atom = true;
    return put(state, MP_STEP_SAVE, (int32_t)(2 * state->top--->group + 1), 0);
}

/* --- repetitions --- */

/* Repeat the last atom from `least` to `most` times; NO_END: without a maximum. */
static bool repeat(compiler *state, long least, long most)
{
    mp_program *program = state->program;
    size_t begin = state->atom, length = program->count - begin;
    int32_t size = (int32_t)length;
    long copies = most == NO_END ? least + !least : most;
    size_t optional = (size_t)(most == NO_END ? 1 : most - least);
    if (!has_room(state, length * (size_t)copies + optional + 1))
        return false;
    mp_instruction *atom = mp_alloc((length + 1) * sizeof *atom);
    memcpy(atom, program->items + begin, length * sizeof *atom);
    program->count = begin;
    for (long i = 0; i < copies; i++) {
        long left = copies - i;
        /* a{0,3} becomes (a(aa?)?)?: each copy needs the one before it */
        if (i >= least)
            put(state, MP_STEP_SPLIT, 1, most == NO_END ? size + 2 : (int32_t)(left * (size + 1)));
        memcpy(program->items + program->count, atom, length * sizeof *atom);
        program->count += length;
    }
    free(atom);
    if (most == NO_END && !least)
        return put(state, MP_STEP_JUMP, -size - 1, 0);
    return most != NO_END || put(state, MP_STEP_SPLIT, -size, 1);
}

/* Read a number of a repetition. Return `none` if there is no digit. */
static long take_number(compiler *state, long none)
{
    enum { MOST = 1000000 };
    long number = isdigit((unsigned char)*state->cursor) ? 0 : none;
    for (; isdigit((unsigned char)*state->cursor); state->cursor++)
        number = number < MOST ? number * 10 + (*state->cursor - '0') : number;
    return number;
}

/* Read the bounds of a repetition: "{2}", "{2,}", "{,3}" or "{2,3}". */
static bool take_bounds(compiler *state)
{
    static const char expected[] = "a { without what follows it in {2}, {2,}, {,3} or {2,3}";
    const char *begin = ++state->cursor;
    long least = take_number(state, 0), most = least;
    bool comma = *state->cursor == ',', any = state->cursor > begin;
    state->cursor += comma;
    if (comma)
        most = take_number(state, NO_END);
    if (*state->cursor++ != '}' || (!any && !comma))
        return fail(state, expected);
    if (most != NO_END && most < least)
        return fail(state, "a repetition whose maximum is less than its minimum");
    return repeat(state, least, most);
}

static bool take_repetition(compiler *state)
{
    if (!state->has_atom)
        return fail(state, "a repetition (* + ? {) of nothing: a backslash makes it a character");
    if (*state->cursor == '{')
        return take_bounds(state);
    char kind = *state->cursor++;
    return repeat(state, kind == '+', kind == '?' ? 1 : NO_END);
}

/* --- parsing --- */

static bool take_escaped(compiler *state)
{
    char kind = *++state->cursor;
    if (!kind)
        return fail(state, "a backslash at its end");
    if (kind >= '1' && kind <= '9')
        return fail(state, "a back-reference, which would take too long on long names");
    bool known = strchr("wWsSbB<>`'", kind) != NULL;
    if (!known)
        return put_atom(state, MP_STEP_CHARACTER, (int32_t)mp_character_take(&state->cursor));
    state->cursor++;
    if (strchr("wWsS", kind))
        return put_atom(state, MP_STEP_CLASS, kind);
    return put_assertion(state, kind == '`' ? '^' : kind == '\'' ? '$' : kind);
}

static bool take_set(compiler *state)
{
    bool in;
    const char *reason, *begin = state->cursor, *end = mp_set_read(begin, 0, 0, &in, &reason);
    if (!end)
        return fail(state, reason);
    state->cursor = end;
    return put_atom(state, MP_STEP_SET, (int32_t)(begin - state->program->text));
}

static bool take_piece(compiler *state)
{
    switch (*state->cursor) {
    case '(':
        state->cursor++;
        return open_group(state);
    case ')': /* an unmatched ")" is an ordinary character */
        state->cursor++;
        return state->top > state->levels ? close_group(state)
                                          : put_atom(state, MP_STEP_CHARACTER, ')');
    case '|':
        state->cursor++;
        return next_alternative(state);
    case '*':
    case '+':
    case '?':
    case '{':
        return take_repetition(state);
    case '[':
        return take_set(state);
    case '.':
        state->cursor++;
        return put_atom(state, MP_STEP_ANY, 0);
    case '^':
    case '$':
        return put_assertion(state, *state->cursor++);
    case '\\':
        return take_escaped(state);
    default:
        return put_atom(state, MP_STEP_CHARACTER, (int32_t)mp_character_take(&state->cursor));
    }
}

bool mp_program_compile(mp_program *program, const char *text, char *reason, size_t size)
{
    compiler state = {.program = program, .cursor = text};
    state.top = state.levels;
    *program = (mp_program){.text = text};
    while (*state.cursor && take_piece(&state))
        continue;
    if (!state.reason && state.top > state.levels)
        fail(&state, "a ( without its )");
    if (!state.reason) {
        end_alternatives(&state);
        put(&state, MP_STEP_MATCH, 0, 0);
    }
    if (state.reason)
        snprintf(reason, size, "%s", state.reason);
    return !state.reason;
}
