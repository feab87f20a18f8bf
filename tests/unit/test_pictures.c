/* Layouts of pictures, calculated by hand, and checks of general properties. Pictures stay small
 * for any input. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/units.h"
#include "render/frame_name.h"
#include "render/squarify.h"
#include "render/svg.h"
#include "render/svg_draw.h"

/* --- areas --- */

/* The example of the paper: areas of 6, 6, 4, 3, 2, 2 and 1 in a box of 6 by 4. The two areas of 6
 * fill the left half. 4 and 3 are at the top of the right half and take 7/12 of its height. Below
 * them, the first 2 takes 2/5 of the width, the other 2 takes 2/3 of the remaining width, and 1
 * takes the last part. */
static void squares_by_hand(void **state)
{
    (void)state;
    static const int64_t amounts[] = {6, 6, 4, 3, 2, 2, 1};
    static const mp_box boxes[] = {{0, 0, 300, 200},   {0, 200, 300, 200},   {300, 0, 171, 233},
                                   {471, 0, 129, 233}, {300, 233, 120, 167}, {420, 233, 120, 167},
                                   {540, 233, 60, 167}};
    enum { COUNT = sizeof amounts / sizeof *amounts };
    mp_box found[COUNT];
    mp_squarify(amounts, COUNT, (mp_box){0, 0, 600, 400}, found);
    for (size_t i = 0; i < COUNT; i++) {
        assert_int_equal(found[i].x, boxes[i].x);
        assert_int_equal(found[i].y, boxes[i].y);
        assert_int_equal(found[i].width, boxes[i].width);
        assert_int_equal(found[i].height, boxes[i].height);
    }
}

static int descending(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return a > b ? -1 : a < b;
}

/* Check that each point of the box is in exactly one of the boxes, and that the area of each box
 * matches its amount, except for rounded sides. */
static void check_boxes(const int64_t *amounts, size_t count, mp_box in)
{
    mp_box *boxes = mp_alloc(count * sizeof *boxes);
    unsigned char *taken = mp_alloc_zero((size_t)in.width, (size_t)in.height);
    int64_t area = 0, whole = (int64_t)in.width * in.height;
    double total = 0;
    for (size_t i = 0; i < count; i++)
        total += (double)amounts[i];
    mp_squarify(amounts, count, in, boxes);
    for (size_t i = 0; i < count; i++) {
        const mp_box *box = &boxes[i];
        assert_true(box->width >= 0 && box->height >= 0);
        assert_true(box->x >= in.x && box->x + box->width <= in.x + in.width);
        assert_true(box->y >= in.y && box->y + box->height <= in.y + in.height);
        for (int32_t y = box->y; y < box->y + box->height; y++)
            for (int32_t x = box->x; x < box->x + box->width; x++)
                assert_false(taken[(y - in.y) * in.width + x - in.x]++);
        int64_t found = (int64_t)box->width * box->height;
        double expected = (double)amounts[i] / total * (double)whole;
        double rounded = 2.0 * (box->width + box->height + 2);
        assert_true((double)found <= expected + rounded && (double)found >= expected - rounded);
        area += found;
    }
    assert_int_equal(area, whole);
    free(taken);
    free(boxes);
}

static void squares_by_law(void **state)
{
    (void)state;
    static const mp_box in[] = {{0, 0, 1176, 620}, {12, 62, 90, 700}, {5, 5, 300, 7}, {0, 0, 1, 1}};
    enum { COUNT = 60 };
    uint32_t random = 1;
    for (size_t round = 0; round < 12; round++) {
        int64_t amounts[COUNT];
        for (size_t i = 0; i < COUNT; i++) {
            random = random * 1664525u + 1013904223u;
            /* similar, very different, and maximum amounts */
            amounts[i] = round % 3 == 0   ? 100 + (int64_t)(random >> 28)
                         : round % 3 == 1 ? (int64_t)1 << (random >> 27)
                                          : INT64_MAX / COUNT - (int64_t)(random >> 20);
        }
        qsort(amounts, COUNT, sizeof *amounts, descending);
        check_boxes(amounts, 1 + round * 5, in[round % 4]);
    }
}

/* --- axes --- */

static void axes_by_hand(void **state)
{
    (void)state;
    static const struct {
        int64_t low, high;
        mp_unit unit;
        int64_t steps, step, end;
        int64_t mark; /* amount of the mark with this text */
        const char *text;
    } cases[] = {
        {0, 255226, MP_BYTES, 6, 50 * 1024, 250 * 1024, 50 * 1024, "50 KiB"},
        {0, 17190144, MP_BYTES, 3, 10 << 20, 20 << 20, 20 << 20, "20 MiB"},
        {0, 1700, MP_BYTES, 5, 512, 2048, 1536, "1.5 KiB"},
        {0, 1000, MP_BYTES, 5, 256, 1024, 768, "0.75 KiB"},
        {0, 0, MP_BYTES, 5, 1, 1, 0, "0"},
        {-16384, 37581, MP_BYTES, 5, 20 * 1024, 40 * 1024, 20 * 1024, "+20 KiB"},
        {-16384, 37581, MP_BYTES, 5, 20 * 1024, 40 * 1024, -20 * 1024, "-20 KiB"},
        {60125000, 373266000, MP_TIME, 8, 60000000, 373266000, 120000000, "0:02:00"},
        {0, 612000, MP_TIME, 8, 100000, 612000, 300000, "0:00:00.3"},
        {2587954, 2617030, MP_TIME, 8, 5000, 2617030, 2590000, "0:00:02.590"},
        {0, 90000LL * 1000000, MP_TIME, 8, 21600LL * 1000000, 90000LL * 1000000, 86400LL * 1000000,
         "24:00:00"},
        {1, 3, MP_NUMBER, 8, 1, 3, 2, "2"},
        {1, 40000, MP_NUMBER, 8, 5000, 40000, 10000, "10000"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[MP_UNIT_TEXT];
        mp_axis axis = mp_axis_of(cases[i].low, cases[i].high, cases[i].unit, cases[i].steps);
        mp_axis_text(&axis, cases[i].mark, text);
        assert_int_equal(axis.step, cases[i].step);
        assert_int_equal(axis.high, cases[i].end);
        assert_string_equal(text, cases[i].text);
    }
}

/* Axes of each length that have seven steps, with space for eight. The next shorter step would give
 * too many. */
static void steps_of_time(void **state)
{
    (void)state;
    static const int64_t seconds[] = {1,   2,   5,    10,   15,   30,    60,    120,   300,
                                      600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400};
    for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++) {
        const int64_t step = seconds[i] * 1000000;
        mp_axis axis = mp_axis_of(0, 7 * step, MP_TIME, 8);
        assert_int_equal(axis.step, step);
    }
}

/* The axis of any range has few marks, and contains the range. */
static void axes_by_law(void **state)
{
    (void)state;
    static const int64_t ends[] = {INT64_MIN + 1, -1, 0, 1, 999, 1023, 1 << 20, INT64_MAX};
    static const mp_unit units[] = {MP_BYTES, MP_TIME, MP_NUMBER, MP_COUNT};
    enum { ENDS = sizeof ends / sizeof *ends, LONG = 1000, STEPS = 7 };
    for (size_t i = 0; i < ENDS * ENDS * 4; i++) {
        int64_t low = ends[i / 4 % ENDS], high = ends[i / 4 / ENDS];
        if (low > high)
            continue;
        char text[MP_UNIT_TEXT];
        mp_axis axis = mp_axis_of(low, high, units[i % 4], STEPS);
        int64_t marks = 0, last = -1;
        assert_true(axis.low < axis.high);
        for (int64_t mark = mp_axis_first(&axis); mark <= axis.high; mark += axis.step) {
            int64_t place = mp_axis_place(&axis, mark, LONG);
            mp_axis_text(&axis, mark, text);
            assert_true(place >= last && place <= LONG);
            last = place;
            marks++;
        }
        assert_true(marks <= STEPS + 2);
        if (low > -MP_AXIS_MOST / 2 && high < MP_AXIS_MOST / 2)
            assert_int_equal(mp_axis_place(&axis, axis.high, LONG), LONG);
    }
}

/* --- sizes --- */

enum { MOST_BYTES = 1000000 };

/* Return the picture, and check that it is complete. Release with free(). */
static char *picture_of(void (*draw)(mp_svg *, const mp_figure *), const mp_figure *figure)
{
    char *text = NULL;
    size_t size = 0;
    mp_svg svg = {.file = open_memstream(&text, &size), .alone = true};
    draw(&svg, figure);
    assert_int_equal(fclose(svg.file), 0);
    assert_true(size > 7 && strcmp(text + size - 7, "</svg>\n") == 0);
    return text;
}

/* Return the size of the picture in bytes. */
static size_t size_of(void (*draw)(mp_svg *, const mp_figure *), const mp_figure *figure)
{
    char *text = picture_of(draw, figure);
    size_t size = strlen(text);
    free(text);
    return size;
}

static char *long_name(void)
{
    enum { LONG = 65536 };
    char *name = mp_alloc(LONG + 1);
    memset(name, '<', LONG);
    name[LONG] = '\0';
    return name;
}

static void lines_stay_small(void **state)
{
    (void)state;
    enum { MOMENTS = 40000, LINES = 10 };
    char *name = long_name();
    int64_t *place = mp_alloc(MOMENTS * sizeof *place),
            *values = mp_alloc(MOMENTS * sizeof *values);
    const char **names = mp_alloc(MOMENTS * sizeof *names);
    struct mp_mark *marks = mp_alloc(2 * MOMENTS * sizeof *marks);
    struct mp_line_of lines[LINES];
    for (int i = 0; i < MOMENTS; i++) {
        place[i] = i * 1000000LL;
        values[i] = i % 7 == 3 ? MP_UNKNOWN : (int64_t)i * i % 99991 * 100000 - 9999;
        names[i] = i % 3 ? name : NULL;
        marks[2 * i] = (struct mp_mark){place[i], MP_UNKNOWN, MP_UNKNOWN, "tag", name};
        marks[2 * i + 1] =
            (struct mp_mark){place[i], MOMENTS / 2 * 1000000LL, MP_UNKNOWN, "request", name};
    }
    for (int i = 0; i < LINES; i++)
        lines[i] =
            (struct mp_line_of){"x", name, i ? "changes" : NULL, MP_BYTES, i == 5 ? place : values};
    mp_figure figure = {.kind = MP_FIGURE_LINES, .name = "x", .title = "x"};
    static const size_t counts[] = {0, 1, 2, 3, 400, 2000, MOMENTS};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        figure.lines = (mp_line_figure){.moments = counts[i],
                                        .times = place,
                                        .moment_unit = i % 2 ? MP_TIME : MP_NUMBER,
                                        .moment_of = "snapshot",
                                        .names = names,
                                        .lines = lines,
                                        .line_count = LINES,
                                        .marks = marks,
                                        .mark_count = 2 * counts[i]};
        assert_true(size_of(mp_svg_lines, &figure) < MOST_BYTES);
        figure.lines.line_count = 0;
        assert_true(size_of(mp_svg_lines, &figure) < MOST_BYTES);
    }
    free(marks);
    free(names);
    free(values);
    free(place);
    free(name);
}

/* If many tags have the same name, a tag with another name gets a label. */
static void rare_tags_are_named(void **state)
{
    (void)state;
    enum { MOMENTS = 400 };
    static int64_t positions[MOMENTS], values[MOMENTS];
    static struct mp_mark marks[MOMENTS];
    static const char *names[MOMENTS];
    static struct mp_line_of line = {"x", "alive", NULL, MP_BYTES, values};
    for (int i = 0; i < MOMENTS; i++) {
        positions[i] = i * 1000000LL;
        marks[i] = (struct mp_mark){positions[i], MP_UNKNOWN, MP_UNKNOWN, "tag",
                                    i == 2 * MOMENTS / 3 ? "deploy" : "every second"};
    }
    mp_figure figure = {.kind = MP_FIGURE_LINES, .name = "x", .title = "x"};
    figure.lines = (mp_line_figure){.moments = MOMENTS,
                                    .times = positions,
                                    .moment_unit = MP_TIME,
                                    .moment_of = "snapshot",
                                    .names = names,
                                    .lines = &line,
                                    .line_count = 1,
                                    .marks = marks,
                                    .mark_count = MOMENTS};
    char *text = picture_of(mp_svg_lines, &figure);
    assert_non_null(strstr(text, ">deploy<"));
    assert_non_null(strstr(text, ">every second<"));
    free(text);
}

/* an amount with all its digits leaves no space for the name before it */
static void names_without_room_are_left_out(void **state)
{
    (void)state;
    mp_arena arena = {0};
    static const int64_t rooms[] = {INT64_MIN / 2, -1000, -1, 0, 1, 9};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
        assert_string_equal(mp_fit_name(&arena, "shop.OrderService", 11, rooms[i]), "");
    assert_string_equal(mp_fit_name(&arena, "", 11, -1), "");
    mp_arena_free(&arena);
}

static void spans_stay_small(void **state)
{
    (void)state;
    enum { SPANS = 200000, DEEP = 64000 };
    char *name = long_name();
    struct mp_span *spans = mp_alloc(SPANS * sizeof *spans);
    mp_figure figure = {.kind = MP_FIGURE_SPANS, .name = "x", .title = name};
    for (int i = 0; i < SPANS; i++)
        spans[i] = (struct mp_span){i * 10, i * 10 + i % 20, (uint32_t)i % 50, name};
    for (size_t count = 0; count <= SPANS; count = count ? count * 200 : 1) {
        figure.spans = (mp_span_figure){spans, count};
        assert_true(size_of(mp_svg_spans, &figure) < MOST_BYTES);
    }
    figure.spans = (mp_span_figure){spans, SPANS};
    assert_true(size_of(mp_svg_spans, &figure) < MOST_BYTES);
    for (int i = 0; i < DEEP; i++)
        spans[i] = (struct mp_span){i, 2 * DEEP - i, (uint32_t)i, "deep"};
    figure.spans = (mp_span_figure){spans, DEEP};
    assert_true(size_of(mp_svg_spans, &figure) < MOST_BYTES);
    free(spans);
    free(name);
}

static void maps_stay_small(void **state)
{
    (void)state;
    enum { PLACES = 200000 };
    char *name = long_name();
    mp_place *places = mp_alloc_zero(PLACES, sizeof *places);
    mp_figure figure = {.kind = MP_FIGURE_MAP, .name = "x", .title = name};
    for (uint32_t i = 1; i < PLACES; i++) {
        uint32_t parent = i <= 300 ? 0 : i % 300 + 1;
        places[i] = (mp_place){.parent = parent, .label = name, .kind = MP_PLACE_TYPE};
        if (parent) {
            places[i].self = places[i].total = PLACES - i;
            places[parent].total += places[i].total;
            places[0].total += places[i].total;
        }
    }
    places[0].label = name;
    for (uint32_t count = 0; count <= PLACES; count = count ? count * 10 : 2) {
        figure.tree = (mp_tree_figure){.items = places, .count = count, .unit = MP_BYTES};
        assert_true(size_of(mp_svg_map, &figure) < MOST_BYTES);
    }
    free(places);
    free(name);
}

/* Ten thousand equal areas. Each is large enough to be visible, but most are merged. */
static void maps_have_few_areas(void **state)
{
    (void)state;
    enum { PLACES = 10000, MOST_AREAS = 2200 };
    static mp_place places[PLACES + 1];
    static const char area[] = "<g class=\"area";
    places[0] = (mp_place){.total = PLACES, .label = "all"};
    for (int i = 1; i <= PLACES; i++)
        places[i] = (mp_place){.self = 1, .total = 1, .label = "x", .kind = MP_PLACE_TYPE};
    mp_figure figure = {.kind = MP_FIGURE_MAP, .name = "x", .title = "x"};
    figure.tree = (mp_tree_figure){.items = places, .count = PLACES + 1, .unit = MP_BYTES};
    char *text = picture_of(mp_svg_map, &figure);
    size_t areas = 0;
    for (const char *cursor = text; (cursor = strstr(cursor, area)); cursor += strlen(area))
        areas++;
    assert_in_range(areas, 1, MOST_AREAS);
    free(text);
}

/* --- names --- */

/* The same cases are in tests/flame_script.py. */
static void names_lose_what_tells_least(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool is_type;
        const char *names[MP_FRAME_NAMES];
    } cases[] = {
        {"placeOrder shop.OrderService:97",
         false,
         {"placeOrder shop.OrderService:97", "placeOrder \u2026OrderService:97",
          "placeOrder \u2026OrderService:97", "placeOrder\u2026", "placeOrder\u2026",
          "placeOrder"}},
        {"shop/main.p:52",
         false,
         {"shop/main.p:52", "shop/main.p:52", "\u2026main.p:52", "shop/main.p:52",
          "\u2026main.p:52", "main.p:52"}},
        {"Shop::Cart<A::B, C>::add(D::E, int)",
         false,
         {"Shop::Cart<A::B, C>::add(D::E, int)", "Shop::Cart<A::B, C>::add(D::E, int)",
          "\u2026add(D::E, int)", "Shop::Cart<A::B, C>::add(D::E, int)", "\u2026add(D::E, int)",
          "add(D::E, int)"}},
        {"OOABL Obj shop.OrderEvent",
         true,
         {"OOABL Obj shop.OrderEvent", "OOABL Obj shop.OrderEvent", "OOABL Obj \u2026OrderEvent",
          "\u2026shop.OrderEvent", "\u2026OrderEvent", "OrderEvent"}},
        {"DB Connection shopdb",
         true,
         {"DB Connection shopdb", "DB Connection shopdb", "DB Connection shopdb", "\u2026shopdb",
          "\u2026shopdb", "shopdb"}},
        {"", false, {"", "", "", "", "", ""}},
        {" ", true, {" ", " ", " ", "\u2026", "\u2026", ""}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mp_arena arena = {0};
        const char *names[MP_FRAME_NAMES];
        assert_int_equal(mp_frame_names(&arena, cases[i].name, cases[i].is_type, names),
                         MP_FRAME_NAMES);
        for (size_t k = 0; k < MP_FRAME_NAMES; k++)
            assert_string_equal(names[k], cases[i].names[k]);
        mp_arena_free(&arena);
    }
}

static void long_texts_lose_their_middle(void **state)
{
    (void)state;
    mp_arena arena = {0};
    assert_string_equal(mp_svg_short(&arena, "abcdef", 6), "abcdef");
    assert_string_equal(mp_svg_short(&arena, "abcdefg", 6), "abc\u2026efg");
    assert_string_equal(mp_svg_short(&arena, "abcdefg", 5), "ab\u2026efg");
    assert_string_equal(mp_svg_short(&arena, "\u00e4\u4e2d\u00f6\u00fc\u00df", 2),
                        "\u00e4\u2026\u00df");
    assert_string_equal(mp_svg_short(&arena, "", 2), "");
    mp_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(squares_by_hand),
        cmocka_unit_test(squares_by_law),
        cmocka_unit_test(axes_by_hand),
        cmocka_unit_test(steps_of_time),
        cmocka_unit_test(axes_by_law),
        cmocka_unit_test(lines_stay_small),
        cmocka_unit_test(rare_tags_are_named),
        cmocka_unit_test(spans_stay_small),
        cmocka_unit_test(maps_stay_small),
        cmocka_unit_test(maps_have_few_areas),
        cmocka_unit_test(names_without_room_are_left_out),
        cmocka_unit_test(names_lose_what_tells_least),
        cmocka_unit_test(long_texts_lose_their_middle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
