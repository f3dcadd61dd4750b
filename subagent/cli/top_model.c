#include "cli/top_model.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "cli/sheet.h"
#include "cli/span.h"

/* -- Rows ------------------------------------------------------------------------------------ */

void top_model_init(struct top_model *model, const struct top_field *fields, size_t n, size_t sort)
{
    *model = (struct top_model){.fields = fields, .n_fields = n, .sort = sort};
}

static void free_row(struct top_row *row)
{
    for (size_t i = 0; i < TOP_FIELDS_MAX; i++)
        free(row->values[i].text);
    free(row->key);
    free(row);
}

void top_model_release(struct top_model *model)
{
    struct top_row *row, *next;
    HASH_ITER(hh, model->rows, row, next)
    {
        HASH_DEL(model->rows, row);
        free_row(row);
    }
    free(model->shown);
    model->shown = NULL;
    model->selected = NULL;
    model->n_shown = model->room = 0;
}

void top_model_begin(struct top_model *model)
{
    model->round++;
}

static struct top_row *add_row(struct top_model *model, const void *key, size_t key_len)
{
    struct top_row *row = calloc(1, sizeof *row);
    if (!row)
        return NULL;
    row->key = malloc(key_len);
    if (!row->key) {
        free(row);
        return NULL;
    }
    memcpy(row->key, key, key_len);
    row->key_len = key_len;
    row->model = model;
    HASH_ADD_KEYPTR(hh, model->rows, row->key, key_len, row);
    if (table_has(hh, row))
        return row;
    free_row(row);
    return NULL;
}

struct top_row *top_model_row(struct top_model *model, const void *key, size_t key_len)
{
    struct top_row *row;
    HASH_FIND(hh, model->rows, key, key_len, row);
    if (!row)
        row = add_row(model, key, key_len);
    if (row)
        row->round = model->round;
    return row;
}

/* Takes the rows that are gone out of the shown ones, which keep their order. */
static void forget_shown(struct top_model *model)
{
    size_t kept = 0;
    for (size_t i = 0; i < model->n_shown; i++)
        if (model->shown[i]->round == model->round)
            model->shown[kept++] = model->shown[i];
    model->n_shown = kept;
    if (model->selected && model->selected->round != model->round)
        model->selected = NULL;
}

void top_model_end(struct top_model *model)
{
    struct top_row *row, *next;
    forget_shown(model);
    HASH_ITER(hh, model->rows, row, next)
    {
        if (row->round == model->round)
            continue;
        HASH_DEL(model->rows, row);
        free_row(row);
    }
}

bool top_row_set(struct top_row *row, size_t field, bool given, int64_t number, const char *text,
                 size_t len)
{
    struct top_value *value = &row->values[field];
    bool same = given && text && value->text && strlen(value->text) == len &&
                memcmp(value->text, text, len) == 0;
    row->loaded |= 1u << field;
    value->given = given;
    value->number = number;
    if (same)
        return true;
    free(value->text);
    value->text = given && text ? sheet_clean(text, len) : NULL;
    if (!given || !text || value->text)
        return true;
    value->given = false;
    return false;
}

size_t top_model_count(const struct top_model *model)
{
    return HASH_COUNT(model->rows);
}

/* -- As people read it ----------------------------------------------------------------------- */

bool top_kind_is_right(enum top_kind kind)
{
    return kind != TOP_TEXT && kind != TOP_LABEL && kind != TOP_TIME;
}

static void format_kb(int64_t kb, char text[TOP_TEXT_SIZE])
{
    static const char units[] = "kMGT";
    double size = (double)kb;
    size_t unit = 0;
    for (; size >= 9999.5 && unit + 2 < sizeof units; unit++)
        size /= 1024;
    text_format(text, TOP_TEXT_SIZE, unit ? "%.1f%c" : "%.0f%c", size, units[unit]);
}

static void format_time(int64_t wall_ms, char text[TOP_TEXT_SIZE])
{
    time_t seconds = (time_t)(wall_ms / 1000);
    struct tm tm;
    if (!localtime_r(&seconds, &tm) || strftime(text, TOP_TEXT_SIZE, "%m-%d %H:%M:%S", &tm) == 0)
        text[0] = '\0';
}

void top_value_format(const struct top_field *field, const struct top_value *value,
                      char text[TOP_TEXT_SIZE])
{
    char span[SPAN_SIZE];
    text[0] = '\0';
    if (!value->given)
        return;
    switch (field->kind) {
    case TOP_TEXT:
    case TOP_LABEL:
    case TOP_DECIMAL:
        text_format(text, TOP_TEXT_SIZE, "%s", value->text ? value->text : "");
        break;
    case TOP_NUMBER:
        text_format(text, TOP_TEXT_SIZE, "%" PRId64, value->number);
        break;
    case TOP_MILLI:
        text_format(text, TOP_TEXT_SIZE, "%.1f", (double)value->number / 10);
        break;
    case TOP_KB:
        format_kb(value->number, text);
        break;
    case TOP_MICROS:
        text_format(text, TOP_TEXT_SIZE, "%.1f ms", (double)value->number / 1000);
        break;
    case TOP_SPAN:
        span_format(span, value->number);
        text_format(text, TOP_TEXT_SIZE, "%s", span);
        break;
    case TOP_TIME:
        format_time(value->number, text);
        break;
    }
}

/* -- Filter and order ------------------------------------------------------------------------ */

static bool takes(const struct top_model *model, const struct top_row *row)
{
    char text[TOP_TEXT_SIZE];
    if (!model->filter[0])
        return true;
    for (size_t i = 0; i < model->n_fields; i++) {
        top_value_format(&model->fields[i], &row->values[i], text);
        if (strcasestr(text, model->filter))
            return true;
    }
    return false;
}

static int compare_values(enum top_kind kind, const struct top_value *a, const struct top_value *b)
{
    if (kind == TOP_TEXT)
        return strverscmp(a->text ? a->text : "", b->text ? b->text : "");
    if (kind == TOP_DECIMAL) {
        double left = a->text ? strtod(a->text, NULL) : 0,
               right = b->text ? strtod(b->text, NULL) : 0;
        return (left > right) - (left < right);
    }
    return (a->number > b->number) - (a->number < b->number);
}

static int compare_keys(const struct top_row *a, const struct top_row *b)
{
    size_t len = a->key_len < b->key_len ? a->key_len : b->key_len;
    int order = memcmp(a->key, b->key, len);
    return order ? order : (a->key_len > b->key_len) - (a->key_len < b->key_len);
}

static bool has_value(const struct top_value *value, enum top_kind kind)
{
    bool text = kind == TOP_TEXT || kind == TOP_DECIMAL;
    return value->given && (!text || (value->text && value->text[0]));
}

static int compare_rows(const void *left, const void *right)
{
    const struct top_row *a = *(struct top_row *const *)left, *b = *(struct top_row *const *)right;
    const struct top_model *model = a->model;
    const struct top_field *field = &model->fields[model->sort];
    const struct top_value *x = &a->values[model->sort], *y = &b->values[model->sort];
    bool has_x = has_value(x, field->kind), has_y = has_value(y, field->kind);
    if (has_x != has_y)
        return has_x ? -1 : 1;
    int order = has_x ? compare_values(field->kind, x, y) : 0;
    if (field->falling != model->reverse)
        order = -order;
    return order ? order : compare_keys(a, b);
}

static bool make_room(struct top_model *model)
{
    size_t n = HASH_COUNT(model->rows);
    if (n <= model->room)
        return true;
    struct top_row **shown = reallocarray(model->shown, n * 2, sizeof(struct top_row *));
    if (!shown)
        return false;
    model->shown = shown;
    model->room = n * 2;
    return true;
}

static void select_at(struct top_model *model, size_t at)
{
    model->at = model->n_shown == 0 ? 0 : at < model->n_shown ? at : model->n_shown - 1;
    model->selected = model->n_shown > 0 ? model->shown[model->at] : NULL;
}

bool top_model_arrange(struct top_model *model)
{
    if (!make_room(model)) {
        select_at(model, model->at);
        return false;
    }
    model->n_shown = 0;
    for (struct top_row *row = model->rows; row; row = row->hh.next)
        if (takes(model, row))
            model->shown[model->n_shown++] = row;
    if (model->n_shown > 1)
        qsort(model->shown, model->n_shown, sizeof(struct top_row *), compare_rows);
    size_t at = model->at;
    for (size_t i = 0; model->selected && i < model->n_shown; i++)
        if (model->shown[i] == model->selected)
            at = i;
    select_at(model, at);
    top_model_fit(model, model->lines);
    return true;
}

void top_model_sort(struct top_model *model, size_t field)
{
    model->reverse = field == model->sort && !model->reverse;
    model->sort = field;
}

void top_model_sort_next(struct top_model *model, int by)
{
    size_t n = model->n_fields;
    model->sort = (model->sort + n + (by < 0 ? n - (size_t)-by % n : (size_t)by)) % n;
    model->reverse = false;
}

void top_model_filter(struct top_model *model, const char *filter)
{
    text_format(model->filter, sizeof model->filter, "%s", filter);
}

/* -- What is on the screen ------------------------------------------------------------------- */

void top_model_move(struct top_model *model, long by)
{
    size_t last = model->n_shown > 0 ? model->n_shown - 1 : 0;
    size_t step = by < 0 ? 0 - (size_t)by : (size_t)by;
    if (by < 0)
        select_at(model, step < model->at ? model->at - step : 0);
    else
        select_at(model, step < last - model->at ? model->at + step : last);
    top_model_fit(model, model->lines);
}

void top_model_fit(struct top_model *model, size_t lines)
{
    model->lines = lines;
    size_t most = model->n_shown > lines ? model->n_shown - lines : 0;
    if (model->first > model->at)
        model->first = model->at;
    if (lines > 0 && model->at >= model->first + lines)
        model->first = model->at - lines + 1;
    if (model->first > most)
        model->first = most;
}

bool top_model_is_visible(const struct top_model *model, size_t place)
{
    return place >= model->first && place < model->first + model->lines && place < model->n_shown;
}
