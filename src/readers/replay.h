/* Replay of the events of a heap log, with snapshots at the ends of time slices.
 *
 * The reader's thread hands events over to another thread, which replays them. Times are
 * microseconds since the first event. */
#pragma once

#include "base/pipeline.h"
#include "input/input.h"
#include "model/blocks.h"

typedef struct mp_replay {
    mp_blocks blocks;
    /* Expected time of the last event (the reader sets it before the first event; slices divide the
     * time up to it), and latest time so far. */
    int64_t last_us, highest_us;
    uint32_t slices, slice;    /* number of slices; number of the current slice (0: the start) */
    int64_t slice_us;          /* length of a slice; 0: determined by `slices` */
    int64_t until_us;          /* end of the current slice; INT64_MIN: not begun */
    bool asks_time, asks_line; /* the requested moment is still to come */
    int64_t asked_us;          /* time of the requested moment */
    uint64_t asked_line;       /* line of the request; the moment is after this line */
    mp_string_id start_tag, asked_tag;
    int64_t late_events;     /* number of events that are older than their predecessor */
    uint64_t events;         /* number of events handed over */
    uint32_t first_anomaly;  /* number of anomalies before this log */
    mp_pipeline *pipeline;   /* pipeline of batches */
    size_t batched;          /* number of events in the batch that is being filled */
    size_t first_diagnostic; /* number of diagnostics before this log */
} mp_replay;

/* Find the line of the peak: read the input into `model`, and return the line. */
typedef uint64_t mp_peak_finder(const void *opaque, mp_model *model, mp_diagnostics *diagnostics,
                                mp_input *input);
/* Make it possible to read the input as often as `options` require. If they request the peak, find
 * its line with `find_peak`, in a model that is discarded together with its diagnostics. Otherwise
 * the line is 0. Return false after a diagnostic. */
bool mp_replay_prepare(mp_input *input, const mp_load_options *options, mp_peak_finder *find_peak,
                       const void *opaque, uint64_t *peak_line);
/* Start a log as a separate session; `path` is the path of the last input of the model. All
 * arguments must outlive the replay. Release with mp_replay_close. */
void mp_replay_open(mp_replay *replay, mp_model *model, mp_diagnostics *diagnostics,
                    const mp_load_options *options, const char *path, uint64_t peak_line);
/* Hand over an event, whose time is `time_us`. */
void mp_replay_event(mp_replay *replay, const mp_event *event, int64_t time_us);
/* Wait until all events so far are replayed. Call it before reporting a diagnostic, and before
 * accessing anything else that both threads use. */
void mp_replay_resolve(mp_replay *replay);
/* End all snapshots, and the log. The end is `time_us`, but not before the last event. */
void mp_replay_end(mp_replay *replay, int64_t time_us);
/* Sort anomalies and diagnostics by line. Call it after the end. A reader may report its own before
 * the replay reports those of earlier events. */
void mp_replay_sort_findings(mp_replay *replay);
/* Release the replay and complete model->events. The figures in `blocks` remain. */
void mp_replay_close(mp_replay *replay);

/* Read an input, of which nothing was consumed, as far as needed to find its latest time, and
 * rewind it. The input must be kept. `time_of` returns true and sets the time if a line has a time.
 * Return 0 if no line has one. */
int64_t mp_last_time(mp_input *input, bool (*time_of)(mp_slice line, int64_t *time_us));
