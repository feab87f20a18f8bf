/* Folded stacks of samples, and their known answer.
 *
 * Source: the scripts of FlameGraph, https://github.com/brendangregg/FlameGraph. */
#include "gen.h"

enum { DEPTH = 6, FRAMES = 11 };

/* --- the plan --- */

/* Frames in the form of the file, with an annotation of kernel or inlined code; and their names and
 * modules in memprof's reports. */
static const struct fd_frame {
    const char *written, *name, *module;
} frames[FRAMES] = {
    {"", "", NULL},
    {"shop", "shop", NULL},
    {"main", "main", NULL},
    {"serve(int)", "serve(int)", NULL},
    {"placeOrder(int)", "placeOrder(int)", NULL},
    {"parse(char const*)", "parse(char const*)", NULL},
    {"std::map<int, Price>::find(int const&)_[i]", "std::map<int, Price>::find(int const&)", NULL},
    {"fillPrices() (prices.cpp:55)", "fillPrices()", "prices.cpp"},
    {"report(int)", "report(int)", NULL},
    {"write_[k]", "write", "[kernel]"},
    {"wait_[k]", "wait", "[kernel]"},
};

/* Stacks, outermost frame first. The first and the last are equal, and one has no samples. */
static const struct fd_stack {
    int64_t samples;
    int frames[DEPTH]; /* 0: none */
} stacks[] = {
    {420, {1, 2, 3, 4, 5}}, {150, {1, 2, 3, 4, 9}}, {90, {1, 2, 3, 4, 6}}, {60, {1, 2, 7}},
    {30, {1, 2, 3}},        {20, {1, 2, 8, 9}},     {0, {1, 2, 10}},       {80, {1, 2, 3, 4, 5}},
};
enum { STACKS = sizeof stacks / sizeof *stacks };

void gen_folded(const gen_options *options, gen_writer *writer)
{
    (void)options;
    for (int i = 0; i < STACKS; i++) {
        for (int k = 0; k < DEPTH && stacks[i].frames[k]; k++)
            gen_print(writer, "%s%s", k ? ";" : "", frames[stacks[i].frames[k]].written);
        gen_print(writer, " %lld\n", (long long)stacks[i].samples);
    }
}

/* --- known answer --- */

void gen_folded_answer(const gen_options *options, gen_json *json)
{
    (void)options;
    int64_t total = 0;
    gen_json_open(json, "methods", '[');
    for (int frame = 1; frame < FRAMES; frame++) {
        int64_t exclusive = 0, inclusive = 0;
        for (int i = 0; i < STACKS; i++)
            for (int k = 0; k < DEPTH; k++)
                if (stacks[i].frames[k] == frame) {
                    inclusive += stacks[i].samples;
                    exclusive += k + 1 == DEPTH || !stacks[i].frames[k + 1] ? stacks[i].samples : 0;
                }
        total += exclusive;
        if (!inclusive)
            continue;
        gen_json_open(json, NULL, '{');
        gen_json_text(json, "method", frames[frame].name);
        if (frames[frame].module)
            gen_json_text(json, "program", frames[frame].module);
        gen_json_number(json, "samples", exclusive);
        gen_json_number(json, "inclusive_samples", inclusive);
        gen_json_close(json);
    }
    gen_json_close(json);
    gen_json_open(json, "totals", '{');
    gen_json_number(json, "samples", total);
    gen_json_close(json);
}
