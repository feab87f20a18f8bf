/* From the text of an extended regular expression to a program, in one pass. */
#include "base/program.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/characters.h"
#include "base/memory.h"

enum { MOST_STEPS = 40000, MOST_LEVELS = 200, NO_END = -1 };

/* A "(" that is open, and at the bottom the whole. */
typedef struct level {
    size_t begin;       /* start of the group's code */
    size_t alternative; /* start of the code behind the last "|" */
    size_t last_jump;   /* to the end, behind an alternative: each holds how far back another is */
    unsigned group;
    bool has_jump;
} level;

typedef struct compiler {
    mp_program *program;
    const char *at;
    level levels[MOST_LEVELS + 1], *top;
    size_t atom; /* start of the code that a repetition would repeat */
    bool has_atom;
    const char *reason; /* NULL: nothing is wrong so far */
} compiler;

static const char too_large[] = "it is too large: expected at most 40000 steps with all "
                                "repetitions written out, and 200 levels";

static bool fail(compiler *of, const char *reason)
{
    of->reason = reason;
    return false;
}

static bool has_room(compiler *of, size_t more)
{
    mp_program *program = of->program;
    if (program->count + more > MOST_STEPS)
        return fail(of, too_large);
    mp_grow(&program->at, &program->capacity, program->count + more, sizeof *program->at);
    return true;
}

static bool put(compiler *of, mp_step step, int32_t x, int32_t y)
{
    if (!has_room(of, 1))
        return false;
    of->program->at[of->program->count++] = (mp_instruction){step, x, y};
    return true;
}

/* Before the code that begins there. What is moved jumps within itself. */
static bool insert(compiler *of, size_t at, mp_step step, int32_t x, int32_t y)
{
    if (!has_room(of, 1))
        return false;
    mp_instruction *to = of->program->at + at;
    memmove(to + 1, to, (of->program->count++ - at) * sizeof *to);
    *to = (mp_instruction){step, x, y};
    return true;
}

static bool put_atom(compiler *of, mp_step step, int32_t x)
{
    of->atom = of->program->count;
    of->has_atom = true;
    return put(of, step, x, 0);
}

/* As in glibc, nothing repeats an assertion. */
static bool put_assertion(compiler *of, char kind)
{
    of->has_atom = false;
    return put(of, MP_STEP_ASSERT, kind, 0);
}

/* --- groups and alternatives --- */

static bool open_group(compiler *of)
{
    if (of->top == of->levels + MOST_LEVELS)
        return fail(of, too_large);
    unsigned group = ++of->program->groups;
    *++of->top =
        (level){.begin = of->program->count, .alternative = of->program->count + 1, .group = group};
    of->has_atom = false;
    return put(of, MP_STEP_SAVE, (int32_t)(2 * group), 0);
}

static bool next_alternative(compiler *of)
{
    level *top = of->top;
    int32_t length = (int32_t)(of->program->count - top->alternative);
    if (!insert(of, top->alternative, MP_STEP_SPLIT, 1, length + 2))
        return false;
    size_t jump = of->program->count;
    of->has_atom = false;
    if (!put(of, MP_STEP_JUMP, top->has_jump ? (int32_t)(jump - top->last_jump) : 0, 0))
        return false;
    top->last_jump = jump;
    top->has_jump = true;
    top->alternative = of->program->count;
    return true;
}

static void end_alternatives(compiler *of)
{
    size_t jump = of->top->last_jump;
    for (int32_t back = of->top->has_jump; back;) {
        mp_instruction *at = &of->program->at[jump];
        back = at->x;
        at->x = (int32_t)(of->program->count - jump);
        jump -= (size_t)back;
    }
}

static bool close_group(compiler *of)
{
    end_alternatives(of);
    of->atom = of->top->begin;
    of->has_atom = true;
    return put(of, MP_STEP_SAVE, (int32_t)(2 * of->top--->group + 1), 0);
}

/* --- repetitions --- */

/* The atom so often, of which `least` must be there; `most` NO_END: any number more. */
static bool repeat(compiler *of, long least, long most)
{
    mp_program *program = of->program;
    size_t begin = of->atom, length = program->count - begin;
    int32_t size = (int32_t)length;
    long copies = most == NO_END ? least + !least : most;
    size_t optional = (size_t)(most == NO_END ? 1 : most - least);
    if (!has_room(of, length * (size_t)copies + optional + 1))
        return false;
    mp_instruction *atom = mp_alloc((length + 1) * sizeof *atom);
    memcpy(atom, program->at + begin, length * sizeof *atom);
    program->count = begin;
    for (long i = 0; i < copies; i++) {
        long left = copies - i;
        /* a{0,3} is (a(aa?)?)?: without one, there are none of the others */
        if (i >= least)
            put(of, MP_STEP_SPLIT, 1, most == NO_END ? size + 2 : (int32_t)(left * (size + 1)));
        memcpy(program->at + program->count, atom, length * sizeof *atom);
        program->count += length;
    }
    free(atom);
    if (most == NO_END && !least)
        return put(of, MP_STEP_JUMP, -size - 1, 0);
    return most != NO_END || put(of, MP_STEP_SPLIT, -size, 1);
}

/* A number of a repetition; `none` where there is no digit. */
static long take_number(compiler *of, long none)
{
    enum { MOST = 1000000 };
    long number = isdigit((unsigned char)*of->at) ? 0 : none;
    for (; isdigit((unsigned char)*of->at); of->at++)
        number = number < MOST ? number * 10 + (*of->at - '0') : number;
    return number;
}

/* "{2}", "{2,}", "{,3}", "{2,3}" */
static bool take_bounds(compiler *of)
{
    static const char expected[] = "a { without what follows it in {2}, {2,}, {,3} or {2,3}";
    const char *begin = ++of->at;
    long least = take_number(of, 0), most = least;
    bool comma = *of->at == ',', any = of->at > begin;
    of->at += comma;
    if (comma)
        most = take_number(of, NO_END);
    if (*of->at++ != '}' || (!any && !comma))
        return fail(of, expected);
    if (most != NO_END && most < least)
        return fail(of, "a repetition whose maximum is less than its minimum");
    return repeat(of, least, most);
}

static bool take_repetition(compiler *of)
{
    if (!of->has_atom)
        return fail(of, "a repetition (* + ? {) of nothing: a backslash makes it a character");
    if (*of->at == '{')
        return take_bounds(of);
    char kind = *of->at++;
    return repeat(of, kind == '+', kind == '?' ? 1 : NO_END);
}

/* --- one after the other --- */

static bool take_escaped(compiler *of)
{
    char kind = *++of->at;
    if (!kind)
        return fail(of, "a backslash at its end");
    if (kind >= '1' && kind <= '9')
        return fail(of, "a back-reference, which would take too long on long names");
    bool known = strchr("wWsSbB<>`'", kind) != NULL;
    if (!known)
        return put_atom(of, MP_STEP_CHARACTER, (int32_t)mp_character_take(&of->at));
    of->at++;
    if (strchr("wWsS", kind))
        return put_atom(of, MP_STEP_CLASS, kind);
    return put_assertion(of, kind == '`' ? '^' : kind == '\'' ? '$' : kind);
}

static bool take_set(compiler *of)
{
    bool in;
    const char *reason, *begin = of->at, *end = mp_set_read(begin, 0, 0, &in, &reason);
    if (!end)
        return fail(of, reason);
    of->at = end;
    return put_atom(of, MP_STEP_SET, (int32_t)(begin - of->program->text));
}

static bool take_piece(compiler *of)
{
    switch (*of->at) {
    case '(':
        of->at++;
        return open_group(of);
    case ')': /* one that closes nothing is a character */
        of->at++;
        return of->top > of->levels ? close_group(of) : put_atom(of, MP_STEP_CHARACTER, ')');
    case '|':
        of->at++;
        return next_alternative(of);
    case '*':
    case '+':
    case '?':
    case '{':
        return take_repetition(of);
    case '[':
        return take_set(of);
    case '.':
        of->at++;
        return put_atom(of, MP_STEP_ANY, 0);
    case '^':
    case '$':
        return put_assertion(of, *of->at++);
    case '\\':
        return take_escaped(of);
    default:
        return put_atom(of, MP_STEP_CHARACTER, (int32_t)mp_character_take(&of->at));
    }
}

bool mp_program_compile(mp_program *program, const char *text, char *reason, size_t size)
{
    compiler of = {.program = program, .at = text};
    of.top = of.levels;
    *program = (mp_program){.text = text};
    while (*of.at && take_piece(&of))
        continue;
    if (!of.reason && of.top > of.levels)
        fail(&of, "a ( without its )");
    if (!of.reason) {
        end_alternatives(&of);
        put(&of, MP_STEP_MATCH, 0, 0);
    }
    if (of.reason)
        snprintf(reason, size, "%s", of.reason);
    return !of.reason;
}
