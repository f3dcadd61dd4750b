#include "config/state_read.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "base/log.h"
#include "base/text.h"
#include "config/attributes.h"
#include "config/field.h"
#include "config/ordered_text.h"
#include "config/state_fields.h"
#include "config/xml_schema.h"

/* What one file says, kept here until all of it is known to be good. */
struct saved_state {
    struct xml_file file;
    struct state_head head;
    struct state state;
    struct config *config;
    struct alarms *alarms; /* into which the alarms are read */
};

typedef bool read_fn(struct saved_state *saved, const xmlNode *element);

static struct target target_of(void *base, const struct fields *fields)
{
    fields_reset(base, fields->fields, fields->n);
    return (struct target){.base = base, .fields = fields->fields, .n_fields = fields->n};
}

static bool read_elements(struct saved_state *saved, const char *list_name, const char *name,
                          read_fn *read)
{
    const xmlNode *root = xmlDocGetRootElement(saved->file.doc);
    for (const xmlNode *list = element_first(root); list; list = element_next(list)) {
        if (!element_is(list, list_name))
            continue;
        for (const xmlNode *each = element_first(list); each; each = element_next(each))
            if (element_is(each, name) && !read(saved, each))
                return false;
    }
    return true;
}

static bool read_row(struct saved_state *saved, const xmlNode *element)
{
    enum row_kind kind = list_kind(element->parent);
    struct row *row = attributes_row(&saved->file, element, kind, state_row_fields.fields,
                                     state_row_fields.n, true);
    if (!row)
        return false;
    row->changed = true;
    const char *fault = row->status == ROW_ACTIVE ? row_fault(row) : NULL;
    if (fault) {
        char place[XML_QUOTE_SIZE * 2];
        row_free(row);
        return xml_fail(&saved->file, EBADMSG, xml_line(element), "%s: is active, but: %s",
                        xml_place(place, element), fault);
    }
    return attributes_add_row(&saved->file, element, saved->config, row);
}

static bool read_rows(struct saved_state *saved)
{
    for (int kind = 0; kind < ROW_KINDS; kind++)
        if (!read_elements(saved, list_element((enum row_kind)kind),
                           row_type((enum row_kind)kind)->element, read_row))
            return false;
    return true;
}

static bool check_code(struct saved_state *saved, const xmlNode *element, int code)
{
    if (code == EEXIST)
        return xml_fail(&saved->file, EBADMSG, xml_line(element), "%s: is there already",
                        (const char *)element->name);
    return !code || xml_fail(&saved->file, code, 0, "%s", strerror(code));
}

static bool read_series(struct saved_state *saved, const xmlNode *element)
{
    struct saved_series series = {.threshold = ""};
    struct target target = target_of(&series, &state_series_fields);
    return attributes_read(&saved->file, element, &target, 1) &&
           check_code(saved, element, state_add_series(&saved->state, &series));
}

static bool read_child(struct saved_state *saved, const xmlNode *element)
{
    struct saved_child child = {.name = ""};
    struct target target = target_of(&child, &state_child_fields);
    return attributes_read(&saved->file, element, &target, 1) &&
           check_code(saved, element, state_add_child(&saved->state, &child));
}

/* Reads the octets of an element, which must have the given digest. */
static bool read_body(struct saved_state *saved, const xmlNode *element, const char *digest,
                      struct parcel **parcel)
{
    uint8_t octets[CONFIG_DIGEST];
    xmlChar *text = xmlNodeGetContent(element);
    int code = text ? parcel_from_base64((char *)text, (size_t)xmlStrlen(text), parcel) : ENOMEM;
    xmlFree(text);
    if (code == ENOMEM)
        return xml_fail(&saved->file, ENOMEM, 0, "out of memory");
    bool right = !code && hex_to_octets(digest, octets, sizeof octets) == sizeof octets &&
                 memcmp(octets, (*parcel)->digest, sizeof octets) == 0;
    return right ||
           xml_fail(&saved->file, EBADMSG, xml_line(element),
                    "%s: its SHA-256 is not digest=\"%s\"", (const char *)element->name, digest);
}

/* What was ordered but is not here is ordered anew by the root; but the order that there is to be
 * no document can be carried out. */
static bool read_document(struct saved_state *saved, const xmlNode *element)
{
    struct saved_document own = {.term = 0};
    struct target target = target_of(&own, &state_document_fields);
    if (!attributes_read(&saved->file, element, &target, 1))
        return false;
    struct ordered *document = &saved->state.documents[own.kind - 1];
    struct order *order = &document->order;
    if (order->term > 0)
        return check_code(saved, element, EEXIST);
    *order = (struct order){
        .term = own.term, .epoch = own.epoch, .is_empty = !own.ordered[0], .length = own.length};
    memcpy(order->root, own.root, sizeof order->root);
    hex_to_octets(own.ordered, order->digest, sizeof order->digest);
    if (own.digest[0] && !read_body(saved, element, own.digest, &document->in_force))
        return false;
    document->serial = own.serial;
    document->waits = order->is_empty && document->in_force;
    return true;
}

static bool read_previous(struct saved_state *saved, const xmlNode *element)
{
    struct saved_previous own = {.serial = 0};
    struct target target = target_of(&own, &state_previous_fields);
    struct ordered *document = &saved->state.documents[DOCUMENT_TREE - 1];
    if (!attributes_read(&saved->file, element, &target, 1))
        return false;
    if (document->previous)
        return check_code(saved, element, EEXIST);
    document->previous_serial = own.serial;
    return read_body(saved, element, own.digest, &document->previous);
}

static bool read_alarm(struct saved_state *saved, const xmlNode *element)
{
    struct alarm alarm = {.index = 0};
    struct target targets[] = {target_of(&alarm, &state_alarm_fields),
                               target_of(&alarm.facts, &state_facts_fields)};
    return attributes_read(&saved->file, element, targets, 2) &&
           check_code(
               saved, element,
               alarms_restore_active(saved->alarms, alarm.index, &alarm.facts, &alarm.memory));
}

static bool read_entry(struct saved_state *saved, const xmlNode *element)
{
    struct saved_entry own = {.number = 0};
    struct alarm_entry entry = {.sequence = 0};
    struct target targets[] = {target_of(&own, &state_entry_fields),
                               target_of(&entry.facts, &state_facts_fields)};
    if (!attributes_read(&saved->file, element, targets, 2))
        return false;
    entry.sequence = own.number;
    entry.wall_ms = own.wall_ms;
    entry.notified = own.notified != 0;
    entry.hold = own.hold;
    return check_code(saved, element, alarms_restore_entry(saved->alarms, &entry));
}

static bool read_notification(struct saved_state *saved, const xmlNode *element)
{
    struct notification notification = {.next = NULL};
    struct target targets[] = {target_of(&notification, &state_notification_fields),
                               target_of(&notification.facts, &state_facts_fields)};
    return attributes_read(&saved->file, element, targets, 2) &&
           check_code(saved, element, alarms_restore_queued(saved->alarms, &notification));
}

static bool read_clear(struct saved_state *saved, const xmlNode *element)
{
    struct saved_clear own = {.told = SEVERITY_CLEAR};
    struct notification notification = {.next = NULL};
    struct target targets[] = {target_of(&own, &state_clear_fields),
                               target_of(&notification, &state_notification_fields),
                               target_of(&notification.facts, &state_facts_fields)};
    return attributes_read(&saved->file, element, targets, 3) &&
           check_code(saved, element, alarms_restore_clear(saved->alarms, &notification, own.told));
}

static bool read_alarms(struct saved_state *saved, struct alarms *to)
{
    saved->alarms = to;
    /* The log finds its oldest entry by the latest number, so it must know that before it is full.
     */
    to->sequence = saved->head.sequence;
    to->held = saved->head.held;
    return read_elements(saved, "alarms", "alarm", read_alarm) &&
           read_elements(saved, "log", "entry", read_entry) &&
           read_elements(saved, "queue", "notification", read_notification) &&
           read_elements(saved, "clears", "notification", read_clear);
}

/* Alarms are restored into a trial first, which finds those that contradict each other. */
static bool try_alarms(struct saved_state *saved, const struct alarms *like)
{
    struct alarms trial;
    alarms_open(&trial, &like->limits, 0);
    bool good = read_alarms(saved, &trial);
    alarms_close(&trial);
    return good;
}

static bool read_head(struct saved_state *saved)
{
    const xmlNode *root = xmlDocGetRootElement(saved->file.doc);
    struct target target = target_of(&saved->head, &state_head_fields);
    if (!attributes_read(&saved->file, root, &target, 1))
        return false;
    struct config *config = saved->config;
    for (size_t i = 0; i < sizeof config->digest; i++)
        if (sscanf(saved->head.digest + 2 * i, "%2hhX", &config->digest[i]) != 1)
            config->digest[i] = 0; /* no digest is zero, so that the serial will grow */
    config->digest_is_old = false; /* it is that of the rows in force, including the file's */
    config->serial = saved->head.serial;
    saved->state.boot = saved->head.boot;
    saved->state.reserved = saved->head.reserved;
    saved->state.top_size = saved->head.top_size;
    return true;
}

static void log_dropped(const struct row *row)
{
    log_warning("config",
                "%s \"%s\" was changed over SNMP, but the file has changed since: "
                "the file counts",
                row_type(row->kind)->element, row->name);
}

/* The rows of the share in force replace those of the file. False: there is no memory. */
static bool apply_share(struct saved_state *saved, struct config *config)
{
    struct ordered *document = &saved->state.documents[DOCUMENT_SHARE - 1];
    char error[CONFIG_ERROR_SIZE];
    if (!document->in_force)
        return true;
    struct config *share =
        ordered_share(document->in_force, config->schema_dir, &saved->state.assignment, error);
    if (share) {
        config_take_rows(config, share);
        config_free(share);
        return true;
    }
    if (errno == ENOMEM)
        return xml_fail(&saved->file, ENOMEM, 0, "out of memory");
    log_error("tree", "the share that was in force is refused, the node works by its file: %s",
              error);
    ordered_lose(document, error);
    return true;
}

static bool apply_saved(struct saved_state *saved, struct state *state, struct config *config,
                        struct alarms *alarms)
{
    /* The file is known to be good, so a failure means that memory is short: what was restored so
     * far is taken back. */
    if (!read_alarms(saved, alarms) || !apply_share(saved, config)) {
        struct alarm_limits limits = alarms->limits;
        uint64_t now_ns = alarms->credited_ns;
        alarms_close(alarms);
        alarms_open(alarms, &limits, now_ns);
        return false;
    }
    config_carry_over(saved->config, config, log_dropped);
    state_release(state);
    *state = saved->state;
    saved->state = (struct state){.boot = 0};
    return true;
}

static bool read_all(struct saved_state *saved, const struct config *config,
                     const struct alarms *alarms)
{
    size_t len;
    char *bytes = xml_read(&saved->file, STATE_SIZE_MAX, &len);
    bool parsed = bytes && xml_parse(&saved->file, bytes, len, STATE_ROOT);
    free(bytes);
    return parsed && read_head(saved) && read_rows(saved) &&
           read_elements(saved, "threshold-states", "threshold-state", read_series) &&
           read_elements(saved, "child-states", "child-state", read_child) &&
           read_elements(saved, "documents", "document", read_document) &&
           read_elements(saved, "documents", "previous", read_previous) &&
           try_alarms(saved, alarms) &&
           xml_validate(&saved->file, "dcamp-state.xsd", config->schema_dir);
}

static int read_file(const char *path, struct state *state, struct config *config,
                     struct alarms *alarms, char *error)
{
    struct saved_state saved = {.config = config_new()};
    xml_open(&saved.file, path, error);
    if (!saved.config)
        xml_fail(&saved.file, ENOMEM, 0, "out of memory");
    else if (read_all(&saved, config, alarms))
        apply_saved(&saved, state, config, alarms);
    config_free(saved.config);
    state_release(&saved.state);
    xml_close(&saved.file);
    return saved.file.code;
}

/* The file is neither good nor damaged nor absent: it may become readable later. */
static bool is_unreadable(int code)
{
    return code != 0 && code != ENOENT && code != EBADMSG;
}

/* A damaged file is kept for people to look at. */
static int set_aside(const char *path, char *error)
{
    char bad[PATH_MAX + sizeof ".bad"];
    snprintf(bad, sizeof bad, "%s.bad", path);
    if (rename(path, bad) == 0)
        return 0;
    int code = errno;
    text_format(error, CONFIG_ERROR_SIZE, "%s: is damaged, and cannot be renamed to %s: %s", path,
                bad, strerror(code));
    return code;
}

/* At this point each file is damaged or absent, except that the previous one may have been good. */
static int conclude(const char *path, int code, const char *previous, int other, char *error)
{
    int failed = code == EBADMSG ? set_aside(path, error) : 0;
    if (!failed && other == EBADMSG)
        failed = set_aside(previous, error);
    if (failed)
        return failed;
    return code == EBADMSG && other == ENOENT ? EBADMSG : other;
}

int state_read(const char *dir, struct state *state, struct config *config, struct alarms *alarms,
               char error[CONFIG_ERROR_SIZE])
{
    char path[PATH_MAX], previous[PATH_MAX], another[CONFIG_ERROR_SIZE];
    if (snprintf(previous, sizeof previous, "%s/" STATE_FILE ".1", dir) >= (int)sizeof previous)
        return ENAMETOOLONG;
    snprintf(path, sizeof path, "%s/" STATE_FILE, dir);
    int other = 0, code = read_file(path, state, config, alarms, error);
    if (code == EBADMSG || code == ENOENT) {
        other = read_file(previous, state, config, alarms, another);
        if (code == ENOENT || is_unreadable(other))
            text_format(error, CONFIG_ERROR_SIZE, "%s", other == ENOENT ? "" : another);
        code = is_unreadable(other) ? other : conclude(path, code, previous, other, error);
    }
    if (is_unreadable(code))
        state_add_cure(error, code, dir);
    return code;
}
