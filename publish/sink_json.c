#include "publish/sink_json.h"

#include "publish/json.h"
#include "publish/sink_file.h"

static const struct file_format format = {.suffix = "json", .header = "", .add = json_add};

static int open_json(const struct outlet_sink *settings, int64_t now_ms, struct sink **sink,
                     char error[SINK_ERROR_SIZE])
{
    (void)now_ms;
    return sink_file_open(&format, settings, sink, error);
}

const struct sink_type sink_json = {.abi = SINK_ABI,
                                    .kind = "json",
                                    .directory = "json",
                                    .has_own = true,
                                    .open = open_json,
                                    .close = sink_file_close,
                                    .cursors = sink_file_cursors,
                                    .block = sink_file_block,
                                    .commit = sink_file_commit};
