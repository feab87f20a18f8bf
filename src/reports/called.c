#include "reports/called.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Split "name:12" into the name and the line. */
static void split_line(mp_called *called)
{
    const char *colon = strrchr(called->word, ':');
    char *end = NULL;
    long line = colon ? strtol(colon + 1, &end, 10) : 0;
    if (!colon || colon == called->word || end == colon + 1 || *end || colon[1] == ' ' ||
        colon[1] == '+' || line < INT32_MIN || line > INT32_MAX)
        return;
    called->has_line = true;
    called->line = (int32_t)line;
    called->code =
        mp_document_text(called->document, "%.*s", (int)(colon - called->word), called->word);
}

mp_called mp_called_begin(mp_document *document, const mp_model *model, const char *word,
                          bool of_bytes)
{
    mp_called called = {.document = document, .model = model, .word = word, .of_bytes = of_bytes};
    if (word)
        split_line(&called);
    return called;
}

static int costliest_first(const void *left, const void *right, void *opaque)
{
    const mp_calls *calls = opaque;
    uint32_t x = *(const uint32_t *)left, y = *(const uint32_t *)right;
    const mp_callable *a = &calls->items[x], *b = &calls->items[y];
    int order = MP_COMPARE(b->sites, a->sites);
    order = order ? order : MP_COMPARE(b->self.cost, a->self.cost);
    order = order ? order : MP_COMPARE(b->total.cost, a->total.cost);
    order = order ? order : strcmp(a->name, b->name);
    order = order ? order : MP_COMPARE(a->start_line, b->start_line);
    return order ? order : MP_COMPARE(x, y);
}

static void sort_places(const mp_calls *calls, uint32_t *places, size_t count)
{
    if (count)
        qsort_r(places, count, sizeof *places, costliest_first, (void *)(uintptr_t)calls);
}

/* Return the places of the callables, sorted by their own cost, highest first. The session of a
 * profile is excluded. */
static uint32_t *busiest(const mp_called *called, size_t *count)
{
    uint32_t *places = mp_alloc(((size_t)called->calls->count + 1) * sizeof *places);
    *count = 0;
    for (uint32_t i = 0; i < called->calls->count; i++)
        if (called->of_bytes || called->calls->items[i].program.i ||
            called->calls->items[i].method.i)
            places[(*count)++] = i;
    sort_places(called->calls, places, *count);
    return places;
}

static bool nothing_named(const mp_called *called, const char *code, mp_error *error)
{
    enum { NAMED = 3 };
    size_t count, used = 0;
    const char *names[NAMED];
    uint32_t *places = busiest(called, &count);
    for (size_t i = 0; i < count && used < NAMED;
         i++) /* the word is part of the name, in any case */
        if (strcasestr(called->calls->items[places[i]].shown, code))
            names[used++] = called->calls->items[places[i]].shown;
    bool none = !used;
    for (size_t i = 0; none && i < count && i < NAMED; i++)
        names[used++] = called->calls->items[places[i]].shown;
    free(places);
    mp_fail(error, MP_ERROR_ARGUMENT, "nothing that was called matches the name \"%s\"", code);
    size_t length = (size_t)snprintf(error->advice, sizeof error->advice, "for example ");
    mp_text_list(names, used, "and", error->advice + length, sizeof error->advice - length);
    if (!used)
        *error->advice = '\0';
    return false;
}

/* Return true if `code` is how other answers show the callable. They show a method with its
 * defining class, for all its runtime classes together, and with its first line: "save shop.Order
 * (from 20)". */
static bool is_shown_as(const mp_callable *callable, const char *code)
{
    static const char from[] = " (from ";
    const char *name = callable->name, *first = strstr(code, from);
    const size_t length = first ? (size_t)(first - code) : strlen(code);
    if (!memchr(code, ' ', length) || strncmp(name, code, length) != 0 ||
        (first && strtoul(first + sizeof from - 1, NULL, 10) != callable->start_line))
        return false;
    return !name[length] ||
           (callable->program.i && name[length] == ' ' && !strchr(name + length + 1, ' '));
}

/* Return the places of the callables that `code` names, of `wanted` if that is not NULL. It may be
 * the name as displayed; otherwise, a name as other answers show it; otherwise, a pattern that
 * matches the recorded name. */
static uint32_t *named(const mp_called *called, const char *code, const bool *wanted, size_t *count)
{
    uint32_t *places = mp_alloc(((size_t)called->calls->count + 1) * sizeof *places);
    *count = 0;
    for (uint32_t i = 0; i < called->calls->count; i++)
        if ((!wanted || wanted[i]) && (strcmp(called->calls->items[i].name, code) == 0 ||
                                       strcmp(called->calls->items[i].shown, code) == 0))
            places[(*count)++] = i;
    for (uint32_t i = 0, exact = (uint32_t)*count; !exact && i < called->calls->count; i++)
        if ((!wanted || wanted[i]) && is_shown_as(&called->calls->items[i], code))
            places[(*count)++] = i;
    if (*count)
        return places;
    free(places);
    return mp_calls_named(called->calls, called->model, code, wanted, count);
}

/* Return the class of a file such as "shop/Order.cls"; NULL if the name is not such a file. */
static const char *class_of(mp_document *document, const char *code)
{
    static const char ending[] = ".cls";
    const size_t length = strlen(code), tail = sizeof ending - 1;
    if (length <= tail || strcmp(code + length - tail, ending) != 0)
        return NULL;
    char *name = mp_arena_copy(document->arena, code, length - tail);
    for (char *letter = name; *letter; letter++)
        *letter = *letter == '/' || *letter == '\\' ? '.' : *letter;
    return name;
}

/* Like named(), for the name of a file too. */
static void look_up(mp_called *called, const char *code, const bool *wanted)
{
    free(called->places);
    called->places = named(called, code, wanted, &called->count);
    const char *class = called->count ? NULL : class_of(called->document, code);
    if (class) {
        free(called->places);
        called->places = named(called, class, wanted, &called->count);
    }
}

/* Look up the complete word first. If nothing matches, look it up without the line number at its
 * end, first among the callables that have the line: the line of a class is one of its methods. */
bool mp_called_find(mp_called *called, const mp_calls *calls, mp_error *error)
{
    size_t count = 0;
    called->calls = calls;
    if (!called->word) {
        called->places = busiest(called, &count);
        called->count = count ? 1 : 0;
        return count || nothing_named(called, "", error);
    }
    if (!*called->word) /* an empty word would match every callable that has no method or no program
                         */
        return nothing_named(called, "", error);
    look_up(called, called->word, NULL);
    called->has_line &= called->count == 0;
    if (called->has_line)
        look_up(called, called->code, called->at_line);
    if (called->has_line && !called->count)
        look_up(called, called->code, NULL);
    sort_places(calls, called->places, called->count);
    return called->count || nothing_named(called, called->word, error);
}

void mp_called_free(mp_called *called)
{
    free(called->places);
}
