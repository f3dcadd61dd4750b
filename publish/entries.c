#include "publish/entries.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"

struct reader {
    const struct sink_block *block;
    entry_fn *each;
    void *context;
    uint64_t *nameless;
    uint32_t line; /* of the next entry */
    int error;
};

static bool is_of_series(enum report_kind kind)
{
    return kind == REPORT_VALUE || kind == REPORT_WINDOW || kind == REPORT_RECORD ||
           kind == REPORT_KEYS;
}

static uint32_t lines_of(const struct report_entry *report)
{
    return report->kind == REPORT_KEYS ? (uint32_t)report->keys.n : 1;
}

/* The block and the stream that a relayed entry is told to belong to. */
struct relayed_block {
    struct sink_block block;
    struct sink_stream stream;
    char path[2 * ALARM_PATH_SIZE];
};

static void make_relayed(struct relayed_block *relayed, const struct sink_block *block,
                         const char *below)
{
    const char *above = block->stream->path;
    text_format(relayed->path, sizeof relayed->path, "%s%s%s", above, above[0] ? "/" : "", below);
    const char *slash = strrchr(relayed->path, '/');
    relayed->block = *block;
    relayed->block.stream = &relayed->stream;
    relayed->stream = (struct sink_stream){.boot = block->stream->boot,
                                           .path = relayed->path,
                                           .name = slash ? slash + 1 : relayed->path,
                                           .group = ""};
}

/* A report_entry_fn. */
static int read_entry(void *context, const struct report_entry *report)
{
    struct reader *reader = context;
    const struct sink_block *block = reader->block;
    struct relayed_block relayed;
    struct entry entry = {.block = block, .report = report, .line = reader->line};
    reader->line += lines_of(report);
    if (is_of_series(report->kind)) {
        entry.words = block->words(block->context, report->series);
        if (!entry.words) {
            ++*reader->nameless;
            return 0;
        }
        if (entry.words->path[0]) {
            make_relayed(&relayed, block, entry.words->path);
            entry.block = &relayed.block;
        }
    }
    reader->error = reader->each(reader->context, &entry);
    return reader->error;
}

int entries_each(const struct sink_block *block, entry_fn *each, void *context, uint64_t *nameless)
{
    struct reader reader = {.block = block, .each = each, .context = context, .nameless = nameless};
    struct report_header header;
    const char *why;
    int error = report_decode(block->octets, block->len, &header, read_entry, &reader, &why);
    return error ? error : reader.error;
}
