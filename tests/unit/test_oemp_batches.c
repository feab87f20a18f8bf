/* A recording gives the same model and the same diagnostics, in the same order, whether it is
 * replayed by a thread of its own or not, and however large the batches are. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "readers/oemp.h"
#include "support/memory_reader.h"
#include "unit/recording.h"

extern const mp_reader mp_reader_oemp;

enum { SNAPSHOTS = 60, ROWS = 120, IDS = 500 };

/* SplitMix64 with its published constants, so that every run is the same. */
static uint64_t any(uint64_t *seed, uint64_t below)
{
    uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (z ^ z >> 31) % below;
}

/* --- a recording with all kinds of faults --- */

static void fault(FILE *out, uint64_t *seed)
{
    static const char *const rows[] = {
        "7 41\n",                                        /* too short for every section but one */
        "damaged\n",                                     /* not a number */
        "-3 41 5 0 0 6000 1 2 3 0 0 1 0 0 0 0\n",        /* numbers that are read one by one */
        "4 41 -5 0 0 6000 1 2 3 0 0 1 0 0 0 0\n",        /* a size below 0 */
        "5 41 5 0 0 60 1 99999999999 3 0 0 1 0 0 0 0\n", /* a source line that no file has */
    };
    if (any(seed, 20) == 0)
        fputs(rows[any(seed, sizeof rows / sizeof *rows)], out);
}

static void object(FILE *out, uint64_t *seed)
{
    static const int types[] = {34, 41, 66, 68, 72, 80, 99};
    char row[200];
    snprintf(row, sizeof row, "%d %d %d 0 0 %d %d %d %d 0 %d %d %d 0 %d 0\n", (int)any(seed, IDS),
             types[any(seed, 7)], (int)any(seed, 5000), (int)any(seed, 100000), (int)any(seed, 30),
             (int)any(seed, 5), (int)any(seed, 9), (int)(any(seed, 3) ? 0 : any(seed, IDS)),
             (int)any(seed, 2), (int)any(seed, 9), (int)any(seed, 9));
    for (uint64_t times = any(seed, 30) == 0 ? 2 : 1; times > 0; times--)
        fputs(row, out);
}

static void objects(FILE *out, uint64_t *seed)
{
    for (uint64_t rows = any(seed, ROWS); rows > 0; rows--, fault(out, seed))
        object(out, seed);
    fputs(END, out);
}

static void changes(FILE *out, uint64_t *seed)
{
    for (uint64_t rows = any(seed, ROWS / 4); rows > 0; rows--, fault(out, seed))
        fprintf(out, "%d 41 %d 0 0 %d\n", (int)any(seed, IDS), (int)any(seed, 5000),
                (int)any(seed, 2));
    fputs(END, out);
}

static void deletions(FILE *out, uint64_t *seed)
{
    for (uint64_t rows = any(seed, ROWS); rows > 0; rows--, fault(out, seed))
        fprintf(out, "%d %d\n", (int)any(seed, IDS), (int)any(seed, 100000));
    fputs(END, out);
}

static void header(FILE *out, int number)
{
    fprintf(out,
            "2 3277 %d " STAMP
            " \"AVM-Client\" \"tag\" %s \"\" 0 %s \"\" 0 \"shop\" ? 0.5 \"12.8\" "
            "\"\" \"\"\n",
            number, number % 3 ? "?" : "\"request\"", number % 7 ? UUID : OTHER_UUID);
}

static void trailer(FILE *out, uint64_t *seed, int number)
{
    fprintf(out, "%d %d 849 %d 7 4 0 1 1000 \"%s\" %d\n", number * 1000 + 1000, (int)any(seed, IDS),
            (int)any(seed, 5000), any(seed, 9) ? "tag" : "other", number);
}

static void snapshot(FILE *out, uint64_t *seed, int number)
{
    for (uint64_t times = any(seed, 8) ? 1 : 2; times > 0; times--)
        header(out, number);
    fprintf(out, END "%s" END "%s" END "%s" END "1 %d 0 0\n" END, number % 5 ? "" : PLATFORMS,
            number % 5 == 1 ? TYPES : "", number % 5 ? "" : BUILT_INS, (int)any(seed, 5000));
    fprintf(out, "%d \"name\" %d\n" END END "%d %d %d 7\n" END, (int)any(seed, 9),
            (int)any(seed, 2), (int)any(seed, 30), (int)any(seed, 9), (int)any(seed, 30));
    objects(out, seed);
    changes(out, seed);
    deletions(out, seed);
    if (any(seed, 20) == 0)
        return;                                                 /* truncated */
    for (uint64_t times = any(seed, 10); times > 0; times /= 5) /* usually 1; 0, or 2 */
        trailer(out, seed, number);
    fputs(END, out);
}

/* Return a recording; release with free(). */
static char *recording(uint64_t seed)
{
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    for (int number = 1; number <= SNAPSHOTS; number++)
        snapshot(out, &seed, any(&seed, 20) ? number : number / 2);
    assert_int_equal(fclose(out), 0);
    return text;
}

/* --- what was read --- */

static void print_model(FILE *out, const mp_model *model)
{
    for (uint32_t i = 1; i < model->snapshots.count; i++) {
        const mp_snapshot *s = &model->snapshots.items[i];
        fprintf(out,
                "snapshot %u %d %" PRIu64 " %u %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64
                " %" PRId64 " %" PRId64 " %" PRId64 "\n",
                s->ordinal, s->whole, s->sequence, s->request.i, s->time_us, s->created_objects,
                s->deleted_objects, s->changed_objects, s->live_bytes, s->reusable_bytes,
                s->platform_bytes);
    }
    for (uint32_t i = 1; i < model->contexts.count; i++) {
        const mp_context *c = &model->contexts.items[i];
        fprintf(out, "context %u %u %u %u %u %u %d\n", c->type.i, c->node.i, c->line, c->name.i,
                c->owner.i, c->session.i, c->reusable);
    }
    for (uint32_t i = 1; i < model->generations.count; i++) {
        const mp_generation *g = &model->generations.items[i];
        fprintf(out, "generation %u %u %u\n", g->context.i, g->born.i, g->owner.i);
    }
    for (uint32_t i = 1; i < model->deltas.count; i++) {
        const mp_delta *d = &model->deltas.items[i];
        fprintf(out, "delta %u %u %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\n",
                d->generation.i, d->snapshot.i, (int64_t)d->cost.created, (int64_t)d->cost.deleted,
                d->cost.bytes, (int64_t)d->cost.idle);
    }
    for (uint32_t i = 1; i < model->types.count; i++)
        fprintf(out, "type %" PRIu64 " %u\n", model->types.items[i].number,
                model->types.items[i].name.i);
    for (uint32_t i = 1; i < model->nodes.count; i++)
        fprintf(out, "node %" PRIu64 " %u\n", model->nodes.items[i].number,
                model->nodes.items[i].parent.i);
    for (uint32_t i = 1; i < model->symbols.count; i++)
        fprintf(out, "symbol %" PRIu64 " %u\n", model->symbols.items[i].number,
                model->symbols.items[i].name.i);
}

/* Return everything that was read, as text; release with free(). */
static char *result(const mp_reader *reader, const char *text)
{
    reading r = read_text(reader, "a.oemp", text, 4096);
    char *printed;
    size_t length;
    FILE *out = open_memstream(&printed, &length);
    assert_non_null(out);
    print_model(out, r.model);
    const mp_diagnostic *kept;
    for (size_t i = 0, count = mp_diagnostics_kept(r.diagnostics, &kept); i < count; i++)
        fprintf(out, "%" PRIu64 ": %s\n", kept[i].line, kept[i].message);
    assert_int_equal(fclose(out), 0);
    reading_free(&r);
    return printed;
}

/* --- ways of reading --- */

static void *open_alone(mp_model *model, mp_diagnostics *diagnostics,
                        const mp_load_options *options)
{
    oemp_state *state = mp_reader_oemp.open(model, diagnostics, options);
    mp_pipeline_alone(state->pipeline);
    return state;
}

static void *open_small(mp_model *model, mp_diagnostics *diagnostics,
                        const mp_load_options *options)
{
    oemp_state *state = mp_reader_oemp.open(model, diagnostics, options);
    state->batch_bytes = 128;
    return state;
}

static void *open_odd(mp_model *model, mp_diagnostics *diagnostics, const mp_load_options *options)
{
    oemp_state *state = mp_reader_oemp.open(model, diagnostics, options);
    state->batch_bytes = 1000;
    return state;
}

static void batches_change_nothing(void **unused)
{
    (void)unused;
    mp_reader alone = mp_reader_oemp, small = mp_reader_oemp, odd = mp_reader_oemp;
    alone.open = open_alone;
    small.open = open_small;
    odd.open = open_odd;
    const mp_reader *const ways[] = {&alone, &small, &odd};
    for (uint64_t seed = 1; seed <= 20; seed++) {
        char *text = recording(seed), *expected = result(&mp_reader_oemp, text);
        assert_non_null(strstr(expected, "delta"));
        assert_non_null(strstr(expected, "already alive"));
        for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
            char *got = result(ways[way], text);
            assert_string_equal(got, expected);
            free(got);
        }
        free(text);
        free(expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
