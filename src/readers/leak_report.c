#include "readers/leak_report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/diagnose.h"

void leak_say(leak_report *report, mp_diagnostic_id id, const char *format, ...)
{
    char text[400];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    mp_diagnose(report->diagnostics, id, report->model->inputs.items[report->summary].path,
                mp_input_line_number(report->input), "%s", text);
}

leak_report *leak_report_open(mp_model *model, mp_diagnostics *diagnostics,
                              const mp_load_options *options)
{
    leak_report *report = mp_alloc_zero(1, sizeof *report);
    report->model = model;
    report->diagnostics = diagnostics;
    report->code = (native_code){.stacks = {.model = model, .options = options}};
    model->holds |= MP_HOLDS_NATIVE;
    return report;
}

void leak_report_close(leak_report *report)
{
    mp_stack_builder_free(&report->code.stacks);
    free(report->rows.items);
    free(report);
}

void leak_report_begin(leak_report *report, mp_input *input, uint32_t summary)
{
    MP_ADD(&report->model->sessions)->states_leaks = true;
    report->session.i = report->model->sessions.count - 1;
    report->input = input;
    report->summary = summary;
    report->rows.count = 0;
    (void)MP_ADD(&report->rows);
    report->sum = (mp_census_share){0, 0};
    report->records = report->indirect_records = report->cut_stacks = 0;
    leak_drop_frames(report);
    mp_census_open(&report->census, report->model, report->session);
}

void leak_add_frame(leak_report *report, native_frame frame)
{
    if (report->depth < LEAK_FRAMES)
        report->frames[report->depth++] = frame;
    else
        report->cut = true;
}

void leak_drop_frames(leak_report *report)
{
    report->depth = 0;
    report->cut = false;
}

static mp_type_id type_of(leak_report *report, leak_class class)
{
    static const struct {
        const char *name;
        mp_type_class class;
    } classes[LEAK_CLASSES] = {{"definitely lost", MP_TYPE_LOST},
                               {"indirectly lost", MP_TYPE_LOST_INDIRECTLY},
                               {"possibly lost", MP_TYPE_MAYBE_LOST},
                               {"still reachable", MP_TYPE_REACHABLE}};
    mp_type_id *type = &report->types[class];
    if (!type->i) {
        mp_type *added = MP_ADD(&report->model->types);
        added->name = mp_model_intern_text(report->model, classes[class].name);
        added->class = classes[class].class;
        added->number = class;
        type->i = report->model->types.count - 1;
    }
    return *type;
}

static mp_context context_of(leak_report *report, leak_class class)
{
    mp_stack_frame stack = {{0}, MP_NO_LINE};
    for (size_t i = report->depth; i-- > 0;)
        mp_stack_call(&report->code.stacks, &stack, report->frames[i].symbol,
                      report->frames[i].line);
    return (mp_context){.type = type_of(report, class),
                        .node = stack.node,
                        .line = stack.line,
                        .session = report->session};
}

void leak_end_record(leak_report *report, leak_class class, mp_census_share left, int64_t indirect)
{
    if (left.objects <= 0 || !mp_census_affords(&report->census, left.bytes) ||
        !mp_census_affords(&report->census, indirect) ||
        !mp_census_affords(&report->census, left.objects)) {
        leak_say(report, MP_DIAG_BAD_ROW,
                 "record has no blocks, or impossibly many bytes: record skipped");
        leak_drop_frames(report);
        return;
    }
    const mp_context context = context_of(report, class);
    const uint32_t id = mp_model_context(report->model, &context).i;
    uint32_t *place = mp_id_index_put(&report->row_index, id);
    if (!*place) {
        MP_ADD(&report->rows)->context = id;
        *place = report->rows.count - 1;
    }
    leak_row *row = &report->rows.items[*place];
    row->left.bytes += left.bytes;
    row->left.objects += left.objects;
    row->indirect += indirect;
    report->sum.bytes += left.bytes;
    report->sum.objects += left.objects;
    report->records++;
    report->indirect_records += class == LEAK_INDIRECT;
    report->cut_stacks += report->cut;
    leak_drop_frames(report);
}

static mp_snapshot_id begin_snapshot(leak_report *report, uint64_t number, const char *tag)
{
    mp_snapshot *snapshot = mp_model_begin_snapshot(report->model, report->session);
    snapshot->sequence = number;
    snapshot->tag = mp_model_intern_text(report->model, tag);
    return (mp_snapshot_id){report->model->snapshots.count - 1};
}

static void add_snapshots(leak_report *report)
{
    mp_model *model = report->model;
    mp_census_end(&report->census, begin_snapshot(report, 1, "start"));
    const mp_snapshot_id end = begin_snapshot(report, 2, "end");
    for (uint32_t i = 1; i < report->rows.count; i++) {
        leak_row *row = &report->rows.items[i];
        const mp_context context = model->contexts.items[row->context];
        if (!report->indirect_records)
            row->left.bytes += row->indirect;
        else if (row->indirect)
            *MP_ADD(&model->indirect_losses) = (mp_indirect_loss){{row->context}, row->indirect};
        mp_census_stock(&report->census, &context, end, row->left, NULL);
    }
    mp_census_count(&report->census, end);
    mp_census_end(&report->census, end);
}

void leak_report_end(leak_report *report, bool usable, bool whole)
{
    mp_input_summary *read = &report->model->inputs.items[report->summary];
    if (usable)
        add_snapshots(report);
    mp_census_close(&report->census);
    mp_id_index_free(&report->row_index);
    if (report->cut_stacks)
        leak_say(report, MP_DIAG_CUT_STACKS,
                 "%" PRIu64 " stacks have more than %d frames: only their innermost frames are "
                 "kept",
                 report->cut_stacks, LEAK_FRAMES);
    read->records = report->records;
    read->complete = usable && whole && mp_input_is_whole(report->input);
}
