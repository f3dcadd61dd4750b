#include "children/reports.h"

#include <errno.h>

#include "base/log.h"
#include "base/text.h"
#include "children/child.h"

/* -- Blocks --------------------------------------------------------------------------------- */

struct block_reader {
    struct children *children;
    struct child *child;
    const struct message_block *block;
    struct report_header header;
    struct moment now;
    const char *why;     /* NULL: nothing is wrong */
    bool no_memory;      /* the block itself is valid */
    bool values, alarms; /* which parts of it count */
    bool octets;         /* the block is handed on, if it is valid */
    bool relays;         /* its values are relayed */
    uint32_t series;     /* entries of series so far: those read before and those taken now */
    uint32_t relayed;    /* likewise: those relayed before and those relayed now */
    bool too_many, too_many_alarms, too_many_records;
    uint64_t work;
};

static uint64_t work_of(const struct report_entry *entry)
{
    if (entry->kind == REPORT_ALARM)
        return WORK_OF_ALARM;
    if (entry->kind == REPORT_KEYS)
        return WORK_OF_ENTRY + WORK_OF_KEY * entry->keys.n;
    const struct histogram *histogram =
        entry->kind == REPORT_WINDOW ? entry->window.histogram : NULL;
    if (!histogram)
        return WORK_OF_ENTRY;
    return WORK_OF_ENTRY +
           (uint64_t)(histogram->positive.size + histogram->negative.size) / WORK_OF_COUNTERS;
}

/* Whether the next entry of a series was taken when the block first came and memory ran out for a
 * later entry: a sample must count only once. */
static bool was_taken(struct block_reader *reader)
{
    const struct child_cursor *cursor = &reader->child->cursor;
    if (reader->block->sequence != cursor->starved || reader->series >= cursor->taken)
        return false;
    reader->series++;
    return true;
}

static void take_series_entry(struct block_reader *reader, const struct report_entry *entry)
{
    if (!child_take_entry(reader->children, reader->child, entry, reader->now)) {
        reader->no_memory = child_has_room(reader->child);
        reader->too_many |= !reader->no_memory;
    }
    reader->series += !reader->no_memory;
}

/* If memory runs out, a record is lost, and the entries behind it are not held up. */
static void take_record_entry(struct block_reader *reader, const struct report_entry *entry)
{
    reader->too_many_records |= !child_take_record(reader->children, reader->child,
                                                   reader->block->sequence, entry, reader->now);
    reader->series++;
}

static void take_alarm_entry(struct block_reader *reader, const struct report_entry *entry)
{
    if (child_alarms_take(reader->children, reader->child, entry))
        return;
    if (child_alarms_have_room(reader->child))
        reader->no_memory = true;
    else
        reader->too_many_alarms = true;
}

/* Comes after what is done with the entry here, because then its series has begun. */
static void relay_entry(struct block_reader *reader, const struct report_entry *entry)
{
    uint32_t n = reader->relayed++;
    reader->relays = child_relay_take(reader->children, reader->child, reader->block->sequence, n,
                                      entry, reader->now);
}

/* A report_entry_fn; the header of the block has been read before. */
static int read_entry(void *context, const struct report_entry *entry)
{
    struct block_reader *reader = context;
    reader->work += work_of(entry);
    if (reader->header.boot != reader->child->cursor.boot)
        reader->why = "it says that it is of another boot";
    else if (reader->header.sequence != reader->block->sequence)
        reader->why = "it says that it is another block";
    if (reader->why)
        return 1;
    bool of_series =
        entry->kind == REPORT_VALUE || entry->kind == REPORT_WINDOW || entry->kind == REPORT_KEYS;
    bool of_step = entry->kind == REPORT_RECORD;
    if (of_series && reader->values && !was_taken(reader))
        take_series_entry(reader, entry);
    else if (of_step && reader->values && !was_taken(reader))
        take_record_entry(reader, entry);
    else if (!of_series && !of_step && reader->alarms)
        take_alarm_entry(reader, entry);
    if (reader->relays && of_series && !reader->no_memory)
        relay_entry(reader, entry);
    return reader->no_memory || child_is_beyond(reader->children, reader->child);
}

static void say_too_many_alarms(struct child *child, struct moment now)
{
    static const char text[] = "it has too many active alarms, further ones are left out";
    child_complain(child, text, text, now);
}

/* Whether memory ran out for the next block when it came. */
static bool is_starved(const struct child *child)
{
    return child->cursor.starved && child->cursor.starved == child->cursor.next_block;
}

/* Blocks are taken in their order: if memory ran out for one, those behind it wait for it. */
static bool waits_for_another(const struct child *child, uint32_t sequence)
{
    return is_starved(child) && sequence > child->cursor.starved;
}

static void decode_block(struct block_reader *reader)
{
    const struct message_block *block = reader->block;
    struct child_cursor *cursor = &reader->child->cursor;
    const char *why = NULL;
    int error =
        report_decode(block->bytes, block->length, &reader->header, read_entry, reader, &why);
    if (error)
        reader->why = why;
    reader->no_memory |= error == ENOMEM;
    if (reader->no_memory)
        reader->why = "there is no memory for what it tells";
    if (!reader->values)
        return;
    cursor->next_block = reader->no_memory ? block->sequence : block->sequence + 1;
    cursor->starved = reader->no_memory ? block->sequence : 0;
    cursor->taken = reader->series;
}

/* Whether the block is handed on: a new block is, and one that comes again if the taker lacks
 * it. */
static bool hands_on(const struct children *children, struct child *child, uint32_t sequence)
{
    const struct block_taker *taker = children->blocks;
    struct child_cursor *cursor = &child->cursor;
    bool is_new = sequence >= cursor->next_block;
    if (cursor->again_until && (is_new || sequence + 1 >= cursor->again_until))
        cursor->again_until = 0;
    return taker && (is_new || taker->wants(taker->context, child, sequence));
}

void child_take_block(struct children *children, struct child *child,
                      const struct message_block *block, struct moment now)
{
    struct block_reader reader = {
        .children = children, .child = child, .block = block, .now = now, .work = block->length};
    char text[CHILD_ERROR_SIZE];
    if (waits_for_another(child, block->sequence))
        return;
    reader.octets = hands_on(children, child, block->sequence);
    reader.values = block->sequence >= child->cursor.next_block;
    reader.alarms = child_alarms_follow(children, child, block->sequence, now.mono_ns);
    reader.relays = child_relay_wants(children, child, block->sequence);
    if (!reader.values && !reader.alarms && !reader.octets && !reader.relays)
        return;
    decode_block(&reader);
    if (reader.relays && reader.no_memory)
        child_relay_stop(child, block->sequence, reader.relayed);
    else if (reader.relays)
        child_relay_pass(child, block->sequence);
    if (reader.octets && !reader.why)
        children->blocks->take(children->blocks->context, child, block);
    child->alarms.suspect |= reader.why != NULL;
    child->cursor.bad_block = reader.why && !reader.no_memory;
    child->cursor.blocks += !reader.why;
    if (reader.why)
        text_format(text, sizeof text, "report block %u: %s", block->sequence, reader.why);
    if (child->cursor.bad_block) {
        child_series_doubt(child, now.mono_ns);
        child_say_bad(child, reader.why, text, now);
    } else if (reader.why) {
        child_complain(child, reader.why, text, now); /* it is not the child's fault */
    }
    child_work(children, child, reader.work, now.mono_ns);
    if (reader.too_many)
        child_say_too_many(child, now);
    if (reader.too_many_alarms)
        say_too_many_alarms(child, now);
    if (reader.too_many_records)
        child_say_records_lost(child, now);
}

void child_catch_up(struct children *children, struct child *child, uint32_t last,
                    struct moment now)
{
    bool has_all = child->cursor.next_block > last;
    if (child->cursor.replays && (has_all || last == 0))
        child_end_replay(children, child, now);
    if ((has_all && child_alarms_caught_up(children, child, now)) || is_starved(child))
        child_read_again(children, child);
}

/* -- Answers -------------------------------------------------------------------------------- */

static void begin_boot(struct children *children, struct child *child, uint32_t boot,
                       struct moment now)
{
    if (child->cursor.boot != 0 && child_may_log(child, "boot", now))
        log_info("collect", "child %s has started again: boot %u", child->name, boot);
    child_work(children, child, WORK_OF_BOOT * child->series.n_named, now.mono_ns);
    child_records_end(children, child);
    child_begin_boot(children, child, now);
    child_alarms_restart(children, child, now.mono_ns);
    child_relay_begin_boot(children, child);
    child->cursor.boot = boot;
    child->cursor.next_block = 0;
    child->cursor.starved = 0;
    child->cursor.kept = 0;
    child->cursor.again_until = 0;
}

/* Another engine at the address is another node, even if it states the same boot. */
static void take_answer_head(struct children *children, struct child *child,
                             const struct message_answer *answer, struct moment now)
{
    const struct child_answer contact = {.round_trip_us = answer->round_trip_us,
                                         .engine_id = answer->engine_id,
                                         .engine_id_len = answer->engine_id_len,
                                         .engine_boots = answer->engine_boots};
    bool is_another = child_take_contact(children, child, &contact, now);
    bool is_first = child->cursor.boot == 0;
    bool is_starved_lost = child->cursor.starved && answer->first > child->cursor.starved;
    child->cursor.lost += answer->lost;
    if (is_starved_lost)
        child->cursor.starved = 0; /* the child does not keep that block any more */
    if (answer->lost > 0 || is_starved_lost)
        child_series_doubt(child, now.mono_ns);
    if (is_another || child->cursor.boot != answer->report_boot)
        begin_boot(children, child, answer->report_boot, now);
    if (is_first)
        child->cursor.kept = answer->last;
    child_relay_told(children, child, answer->first);
    if (children->blocks)
        children->blocks->told(children->blocks->context, child, answer->first, answer->last,
                               now.mono_ns);
}

void child_take_answer(struct children *children, struct child *child,
                       const struct message_answer *answer, struct moment now)
{
    const struct message_block *block;
    take_answer_head(children, child, answer, now);
    for (uint32_t i = 0; (block = message_block(answer, i)) && !child_is_beyond(children, child);
         i++)
        child_take_block(children, child, block, now);
    child_catch_up(children, child, answer->last, now);
    child_end_previous(children, child, now);
    child_settle_state(children, child, now);
    child_look_up(children, child, now.mono_ns);
    child_relay_go_on(children, child);
}

void child_take_name(struct children *children, struct child *child,
                     const struct message_series *series, struct moment now)
{
    const char *fault = child_dictionary_take(children, child, series, now);
    child_records_named(children, child, series->series, now);
    child_work(children, child, WORK_OF_SERIES, now.mono_ns);
    child->dictionary.bad_name = fault != NULL;
    child->dictionary.bad_look_up = false;
    if (fault) {
        child_say_bad(child, fault, fault, now);
        child_not_up(child);
    }
    if (child->dictionary.n_asked == 0)
        child_look_up(children, child, now.mono_ns);
    child_relay_go_on(children, child);
}
