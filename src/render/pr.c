/* A comment for a pull request: the verdict, the rules that do not hold, and, folded, the tables
 * behind them, with the command that shows the same. */
#include "render/markdown.h"

static bool render_pr(const mp_document *document, const mp_diagnostics *diagnostics,
                      const mp_style *style, FILE *file, mp_error *error)
{
    (void)error;
    mp_arena arena = {0};
    mp_checks checks = mp_checks_of(document, diagnostics, style->dashes, &arena);
    mp_markdown to = mp_markdown_begin(file, document, style, true, true);
    to.folds = true;
    if (checks.count)
        mp_markdown_put_checks(&to, document, &checks, true);
    else if (document->title)
        mp_markdown_put_title(&to, document->title);
    mp_markdown_put_tables(&to, document);
    mp_markdown_end(&to);
    mp_arena_free(&arena);
    return true;
}

const mp_renderer mp_renderer_pr = {
    .name = "pr",
    .summary = "a comment for a pull request: the verdict, and folded what is behind it",
    .render = render_pr};
