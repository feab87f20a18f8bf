/* A heap profile for pprof, which is one of six moments of a program, or a profile of the program's
 * CPU time. Also its known answer.
 *
 * Source: profile.proto of github.com/google/pprof; "Encoding", Protocol Buffers documentation. */
#include <string.h>

#include "gen.h"

enum { PB_TYPES = 4, PB_MINUTE = 60 };
#define PB_START INT64_C(1772435730) /* 2026-03-02T07:15:30Z */
#define PB_PER_SECOND INT64_C(1000000000)

/* --- wire format --- */

typedef struct pb_buffer {
    char bytes[4096];
    size_t used;
} pb_buffer;

static void pb_varint(pb_buffer *buffer, uint64_t number)
{
    for (; number >= 0x80; number >>= 7)
        buffer->bytes[buffer->used++] = (char)(number | 0x80);
    buffer->bytes[buffer->used++] = (char)number;
}

static void pb_number(pb_buffer *buffer, unsigned field, int64_t number)
{
    if (!number)
        return;
    pb_varint(buffer, field << 3);
    pb_varint(buffer, (uint64_t)number);
}

static void pb_bytes(pb_buffer *buffer, unsigned field, const char *bytes, size_t size)
{
    pb_varint(buffer, field << 3 | 2);
    pb_varint(buffer, size);
    memcpy(buffer->bytes + buffer->used, bytes, size);
    buffer->used += size;
}

static void pb_message(pb_buffer *buffer, unsigned field, const pb_buffer *message)
{
    pb_bytes(buffer, field, message->bytes, message->used);
}

/* --- the plan --- */

typedef struct pb_site {
    const char *kind;
    int locations[5]; /* innermost first, ends with 0 */
    const char *stack[5];
    int line;
    int64_t size, alive, grows,
        made; /* bytes of an object; number of objects alive at first, and of further ones at each
                 moment; number of objects made at each moment */
} pb_site;

static const pb_site sites[] = {
    {"leak",
     {1, 2, 3},
     {"shop.placeOrder:155", "shop.(*Server).handle:61", "main.main:12"},
     155,
     512,
     0,
     20,
     20},
    {"filled",
     {4, 5, 2, 3},
     {"shop.fillPrices:55", "shop.placeOrder:157", "shop.(*Server).handle:61", "main.main:12"},
     55,
     96,
     300,
     0,
     0},
    /* Location 6 has two frames: parse is inlined in handle. */
    {"bounded",
     {6, 3},
     {"shop.parse:33", "shop.(*Server).handle:60", "main.main:12"},
     33,
     64,
     3,
     0,
     1000},
    {"bounded", {7, 8}, {"libshop.so+0x2234", "main.main:14"}, 0, 4096, 1, 0, 1},
};
enum { SITES = sizeof sites / sizeof *sites };

static const struct {
    const char *name, *file;
    int line;
} functions[] = {{"shop.placeOrder", "shop/order.go", 150},
                 {"shop.(*Server).handle", "shop/server.go", 50},
                 {"main.main", "main.go", 10},
                 {"shop.fillPrices", "shop/prices.go", 50},
                 {"shop.parse", "shop/parse.go", 30}};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static const struct {
    int function, line, caller, caller_line; /* function 0: an address of the library */
} locations[] = {{1, 155, 0, 0}, {2, 61, 0, 0},  {3, 12, 0, 0}, {4, 55, 0, 0},
                 {1, 157, 0, 0}, {5, 33, 2, 60}, {0, 0, 0, 0},  {3, 14, 0, 0}};
enum { LOCATIONS = sizeof locations / sizeof *locations };

static int64_t alive_of(const pb_site *site, int64_t moment)
{
    return site->alive + site->grows * moment;
}

static int64_t made_of(const pb_site *site, int64_t moment)
{
    return site->made ? site->made * moment : site->alive;
}

/* Stacks of the CPU profile, innermost location first, with their samples of 10 ms. The function of
 * the last stack calls itself. */
static const struct pb_stack {
    int64_t samples;
    int locations[5];
} stacks[] = {{40, {1, 2, 3}}, {25, {4, 5, 2, 3}}, {20, {6, 3}}, {10, {7, 8}}, {5, {1, 5, 2, 3}}};
enum { STACKS = sizeof stacks / sizeof *stacks };
#define PB_PERIOD INT64_C(10000000) /* nanoseconds */

/* --- the profile --- */

enum { TEXT_FUNCTIONS = 11, TEXT_COSTS = TEXT_FUNCTIONS + 2 * FUNCTIONS };

/* Write the fixed texts, and the names and files of functions. */
static void write_texts(pb_buffer *out)
{
    static const char *const texts[TEXT_FUNCTIONS] = {"",
                                                      "alloc_objects",
                                                      "count",
                                                      "alloc_space",
                                                      "bytes",
                                                      "inuse_objects",
                                                      "inuse_space",
                                                      "space",
                                                      "/opt/shop/shop",
                                                      "/opt/shop/libshop.so",
                                                      "inuse_space"};
    for (int i = 0; i < TEXT_FUNCTIONS; i++)
        pb_bytes(out, 6, texts[i], strlen(texts[i]));
    for (int i = 0; i < FUNCTIONS; i++) {
        pb_bytes(out, 6, functions[i].name, strlen(functions[i].name));
        pb_bytes(out, 6, functions[i].file, strlen(functions[i].file));
    }
}

static void write_value_type(pb_buffer *out, unsigned field, int type, int unit)
{
    pb_buffer message = {.used = 0};
    pb_number(&message, 1, type);
    pb_number(&message, 2, unit);
    pb_message(out, field, &message);
}

/* Write a sample of some of a site's objects. A label has the size of an object, which is Go's way
 * of writing it. */
static void write_sample(pb_buffer *out, const pb_site *site, int64_t made, int64_t alive)
{
    pb_buffer sample = {.used = 0}, packed = {.used = 0}, label = {.used = 0};
    for (int i = 0; site->locations[i]; i++)
        pb_varint(&packed, (uint64_t)site->locations[i]);
    pb_message(&sample, 1, &packed);
    packed.used = 0;
    pb_varint(&packed, (uint64_t)made);
    pb_varint(&packed, (uint64_t)(made * site->size));
    pb_varint(&packed, (uint64_t)alive);
    pb_varint(&packed, (uint64_t)(alive * site->size));
    pb_message(&sample, 2, &packed);
    pb_number(&label, 1, 4);
    pb_number(&label, 3, site->size);
    pb_message(&sample, 3, &label);
    pb_message(out, 2, &sample);
}

static void write_code(pb_buffer *out)
{
    for (int i = 0; i < 2; i++) {
        pb_buffer mapping = {.used = 0};
        pb_number(&mapping, 1, i + 1);
        pb_number(&mapping, 2, i ? 0x7f0000001000 : 0x400000);
        pb_number(&mapping, 3, i ? 0x7f0000009000 : 0x600000);
        pb_number(&mapping, 4, i ? 0x1000 : 0);
        pb_number(&mapping, 5, 8 + i);
        pb_message(out, 3, &mapping);
    }
    for (int i = 0; i < LOCATIONS; i++) {
        pb_buffer location = {.used = 0}, line = {.used = 0};
        pb_number(&location, 1, i + 1);
        pb_number(&location, 2, locations[i].function ? 1 : 2);
        pb_number(&location, 3, locations[i].function ? 0x401000 + i * 16 : 0x7f0000002234);
        pb_number(&line, 1, locations[i].function);
        pb_number(&line, 2, locations[i].line);
        if (line.used)
            pb_message(&location, 4, &line);
        line.used = 0;
        pb_number(&line, 1, locations[i].caller);
        pb_number(&line, 2, locations[i].caller_line);
        if (line.used)
            pb_message(&location, 4, &line);
        pb_message(out, 4, &location);
    }
    for (int i = 0; i < FUNCTIONS; i++) {
        pb_buffer function = {.used = 0};
        pb_number(&function, 1, i + 1);
        pb_number(&function, 2, TEXT_FUNCTIONS + 2 * i);
        pb_number(&function, 3, TEXT_FUNCTIONS + 2 * i);
        pb_number(&function, 4, TEXT_FUNCTIONS + 2 * i + 1);
        pb_number(&function, 5, functions[i].line);
        pb_message(out, 5, &function);
    }
}

/* Write a sample of CPU time. */
static void write_stack(pb_buffer *out, const struct pb_stack *stack, int64_t samples)
{
    pb_buffer sample = {.used = 0}, packed = {.used = 0};
    for (int i = 0; stack->locations[i]; i++)
        pb_varint(&packed, (uint64_t)stack->locations[i]);
    pb_message(&sample, 1, &packed);
    packed.used = 0;
    pb_varint(&packed, (uint64_t)samples);
    pb_varint(&packed, (uint64_t)(samples * PB_PERIOD));
    pb_message(&sample, 2, &packed);
    pb_message(out, 2, &sample);
}

static void write_cpu(gen_writer *writer)
{
    pb_buffer out = {.used = 0};
    static const char *const texts[] = {"samples", "cpu", "nanoseconds"};
    write_value_type(&out, 1, TEXT_COSTS, 2);
    write_value_type(&out, 1, TEXT_COSTS + 1, TEXT_COSTS + 2);
    for (int i = 0; i < STACKS; i++) {
        write_stack(&out, &stacks[i], stacks[i].samples - stacks[i].samples / 2);
        write_stack(&out, &stacks[i],
                    stacks[i].samples / 2); /* written as two samples, as happens with labels */
    }
    write_code(&out);
    write_texts(&out);
    for (int i = 0; i < 3; i++)
        pb_bytes(&out, 6, texts[i], strlen(texts[i]));
    pb_number(&out, 9, PB_START * PB_PER_SECOND);
    pb_number(&out, 10, 2 * PB_PER_SECOND);
    write_value_type(&out, 11, TEXT_COSTS + 1, TEXT_COSTS + 2);
    pb_number(&out, 12, PB_PERIOD);
    gen_bytes(writer, out.bytes, out.used);
}

void gen_pprof(const gen_options *options, gen_writer *writer)
{
    const int64_t moment = options->dump;
    pb_buffer out = {.used = 0};
    if (options->layout) {
        write_cpu(writer);
        return;
    }
    for (int i = 0; i < PB_TYPES; i++)
        write_value_type(&out, 1, (int[]){1, 3, 5, 6}[i], i % 2 ? 4 : 2);
    for (int i = 0; i < SITES; i++) {
        const pb_site *site = &sites[i];
        const int64_t made = made_of(site, moment), alive = alive_of(site, moment);
        write_sample(&out, site, made - made / 2, alive - alive / 2);
        if (alive > 1) /* written as two samples, which belong together */
            write_sample(&out, site, made / 2, alive / 2);
        else if (made / 2)
            write_sample(&out, site, made / 2, 0);
    }
    write_code(&out);
    write_texts(&out);
    pb_number(&out, 9, (PB_START + moment * PB_MINUTE) * PB_PER_SECOND);
    write_value_type(&out, 11, 7, 4);
    pb_number(&out, 12, 524288);
    pb_number(&out, 14, 10);
    gen_bytes(writer, out.bytes, out.used);
}

/* --- known answer --- */

/* Return true if a location has a frame of the function. Function 0: a location of the library. */
static bool is_in(int location, int function)
{
    return locations[location - 1].function == function ||
           (function && locations[location - 1].caller == function);
}

static void cpu_answer(gen_json *json)
{
    int64_t total = 0;
    gen_json_open(json, "methods", '[');
    for (int function = 0; function <= FUNCTIONS; function++) {
        int64_t exclusive = 0, inclusive = 0;
        for (int i = 0; i < STACKS; i++) {
            bool found = false;
            for (int k = 0; stacks[i].locations[k]; k++)
                found |= is_in(stacks[i].locations[k], function);
            inclusive += found ? stacks[i].samples : 0;
            exclusive +=
                locations[stacks[i].locations[0] - 1].function == function ? stacks[i].samples : 0;
        }
        total += exclusive;
        gen_json_open(json, NULL, '{');
        gen_json_text(json, "method",
                      function ? functions[function - 1].name : "libshop.so+0x2234");
        gen_json_text(json, "program", function ? functions[function - 1].file : "libshop.so");
        gen_json_number(json, "nanoseconds", exclusive * PB_PERIOD);
        gen_json_number(json, "inclusive_nanoseconds", inclusive * PB_PERIOD);
        gen_json_close(json);
    }
    gen_json_close(json);
    gen_json_number(json, "nanoseconds", total * PB_PERIOD);
}

/* For a heap profile: the answer for this profile and all earlier ones, as a series. */

void gen_pprof_answer(const gen_options *options, gen_json *json)
{
    const int64_t moment = options->dump;
    if (options->layout) {
        cpu_answer(json);
        return;
    }
    gen_sum live = {0, 0}, made = {0, 0};
    for (int i = 0; i < SITES; i++) {
        gen_add(&live, alive_of(&sites[i], moment), alive_of(&sites[i], moment) * sites[i].size);
        gen_add(&made, made_of(&sites[i], moment), made_of(&sites[i], moment) * sites[i].size);
    }
    gen_json_open(json, "totals", '{');
    gen_json_sum(json, "live", live);
    gen_json_sum(json, "created", made);
    gen_json_number(json, "deleted_objects", made.objects - live.objects);
    gen_json_close(json);
    gen_json_open(json, "sites", '[');
    for (int i = 0; i < SITES; i++) {
        const int64_t alive = alive_of(&sites[i], moment);
        gen_json_open(json, NULL, '{');
        gen_json_text(json, "kind", sites[i].kind);
        gen_json_number(json, "objects", alive);
        gen_json_number(json, "bytes", alive * sites[i].size);
        gen_json_number(json, "grown_objects", sites[i].grows * (moment - 1));
        gen_json_open(json, "stack", '[');
        for (int frame = 0; sites[i].stack[frame]; frame++)
            gen_json_text(json, NULL, sites[i].stack[frame]);
        gen_json_close(json);
        gen_json_number(json, "line", sites[i].line);
        gen_json_close(json);
    }
    gen_json_close(json);
}
