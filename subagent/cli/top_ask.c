#include "cli/top_ask.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"

/* Cells that are asked for at a time, in several messages. */
#define CHUNK 120

/* How often alarms are counted; more seldom if there are many. */
#define COUNT_NS (5 * NS_PER_S)
#define COUNT_MANY 200
#define COUNT_MANY_NS (60 * NS_PER_S)

/* How long after a question for processes the node's look at them is over, for the most part. */
#define LOOK_NS (20 * NS_PER_MS)

void top_ask_turn(struct top_asking *asking, const struct top_subject *subject,
                  struct top_model *model, const char *child)
{
    asking->subject = subject;
    asking->model = model;
    asking->walked_ns = 0;
    asking->cut = asking->unsure = false;
    text_format(asking->child, sizeof asking->child, "%s", child ? child : "");
}

/* -- What is above every screen -------------------------------------------------------------- */

struct alarm_count {
    struct question *question;
    size_t n[TOP_SEVERITIES], all;
};

static bool count_alarm(void *context, const struct cell *cell)
{
    struct alarm_count *count = context;
    question_progress(count->question);
    if (cell->kind == CELL_NUMBER && cell->number > 0 && cell->number < TOP_SEVERITIES)
        count->n[cell->number]++;
    return ++count->all < TOP_ROWS_MAX;
}

static bool count_alarms(struct top_asking *asking, uint64_t now_ns)
{
    static const enum mib_object columns[] = {MIB_dcampAlarmSeverity, MIB_dcampChildAlarmSeverity};
    struct top_head *head = &asking->head;
    struct alarm_count count = {.question = asking->question};
    size_t before = 0;
    for (size_t i = 0; i < TOP_SEVERITIES; i++)
        before += head->alarms[i];
    if (head->counted_ns > 0 &&
        now_ns - head->counted_ns < (before > COUNT_MANY ? COUNT_MANY_NS : COUNT_NS))
        return true;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        struct cell start;
        cell_start(&start, columns[i]);
        if (!question_walk(asking->question, &start, before + 2, count_alarm, &count))
            return false;
    }
    memcpy(head->alarms, count.n, sizeof head->alarms);
    head->counted_ns = now_ns;
    return true;
}

bool top_ask_head(struct top_asking *asking, uint64_t now_ns)
{
    enum { NAME, ROLE, UP_TIME, IS_ROOT, CELLS };
    static const enum mib_object objects[CELLS] = {
        [NAME] = MIB_dcampNodeName,
        [ROLE] = MIB_dcampNodeRole,
        [UP_TIME] = MIB_dcampNodeUpTime,
        [IS_ROOT] = MIB_dcampTreeIsRoot,
    };
    struct cell cells[CELLS];
    struct top_head *head = &asking->head;
    for (size_t i = 0; i < CELLS; i++)
        cell_scalar(&cells[i], objects[i]);
    if (!question_get(asking->question, cells, CELLS))
        return false;
    if (cells[NAME].kind != CELL_TEXT)
        return question_fail(asking->question, EXIT_SILENT, "snmpd answers, but dcampd does not");
    char *name = sheet_clean(cells[NAME].text, cells[NAME].text_len);
    if (!name)
        return question_no_memory(asking->question);
    text_format(head->node, sizeof head->node, "%s", name);
    free(name);
    head->role = cells[ROLE].kind == CELL_NUMBER ? cell_label(&cells[ROLE]) : "?";
    head->up_ms = cells[UP_TIME].number * 10;
    head->is_root = cell_is_true(&cells[IS_ROOT]);
    return count_alarms(asking, now_ns);
}

/* -- Which rows there are -------------------------------------------------------------------- */

/* The key of a row: the table, and the indexes as arcs. */
struct row_key {
    uint32_t arcs[OID_MAX + 1];
};

static bool set_cell(struct top_row *row, size_t field, const struct cell *cell)
{
    enum top_kind kind = row->model->fields[field].kind;
    int64_t wall_ms = 0;
    bool dated = kind == TOP_TIME && cell_date(cell, &wall_ms);
    if (kind == TOP_TIME)
        return top_row_set(row, field, dated, wall_ms, NULL, 0);
    if (kind == TOP_TEXT || kind == TOP_DECIMAL)
        return top_row_set(row, field, cell->kind == CELL_TEXT, 0, cell->text, cell->text_len);
    const char *label = kind == TOP_LABEL ? cell_label(cell) : NULL;
    return top_row_set(row, field, cell->kind == CELL_NUMBER, cell->number, label,
                       label ? strlen(label) : 0);
}

/* Sets the fields that are parts of the index. False: it is not an index of this table, or there is
 * no memory, and then *starved is true. */
static bool set_index(struct top_row *row, const struct top_table *table, const struct cell *cell,
                      bool *starved)
{
    size_t at = 0;
    for (int part = 1; table->index[part - 1]; part++) {
        char text[MESSAGE_SIZE] = "";
        uint32_t number = 0;
        bool is_text = table->index[part - 1] == 't';
        if (!(is_text ? cell_index_text(cell, &at, text, sizeof text)
                      : cell_index_number(cell, &at, &number)))
            return false;
        for (size_t i = 0; i < row->model->n_fields; i++)
            if (table->places[i].index == part &&
                !top_row_set(row, i, true, number, is_text ? text : NULL, strlen(text)))
                *starved = true;
    }
    return !*starved;
}

struct row_walk {
    struct top_asking *asking;
    const struct top_table *table;
    uint32_t number; /* of the table */
};

static bool take_row(void *context, const struct cell *cell)
{
    struct row_walk *walk = context;
    struct top_asking *asking = walk->asking;
    struct row_key key = {{walk->number}};
    size_t above = mib_objects[cell->object].oid_len, n = cell->len - above;
    bool starved = false;
    question_progress(asking->question);
    if (top_model_count(asking->model) >= TOP_ROWS_MAX) {
        asking->cut = true;
        return false;
    }
    memcpy(key.arcs + 1, cell->oid + above, n * sizeof *key.arcs);
    struct top_row *row = top_model_row(asking->model, key.arcs, (n + 1) * sizeof *key.arcs);
    if (!row)
        return question_no_memory(asking->question);
    if (!row->loaded && !set_index(row, walk->table, cell, &starved) && !starved)
        row->round--; /* not a row of this table: it is removed at the end of the round */
    return (!starved && set_cell(row, walk->table->walked, cell)) ||
           question_no_memory(asking->question);
}

static bool walk_rows(struct top_asking *asking, uint64_t now_ns)
{
    size_t before = top_model_count(asking->model);
    asking->cut = false;
    top_model_begin(asking->model);
    for (uint32_t i = 0; i < TOP_TABLES; i++) {
        const struct top_table *table = &asking->subject->tables[i];
        struct row_walk walk = {asking, table, i};
        struct cell start;
        if (!table->places)
            break;
        cell_start(&start, table->places[table->walked].object);
        if (asking->child[0])
            cell_add_text(&start, asking->child);
        if (!question_walk(asking->question, &start, before, take_row, &walk) && !asking->cut)
            return false;
    }
    top_model_end(asking->model);
    asking->walked_ns = now_ns;
    return true;
}

/* -- What is in them ------------------------------------------------------------------------- */

struct chunk {
    struct top_asking *asking;
    struct cell *cells; /* CHUNK of them */
    struct top_row *rows[CHUNK];
    size_t fields[CHUNK];
    size_t n;
};

static bool ask_chunk(struct chunk *chunk)
{
    struct top_asking *asking = chunk->asking;
    size_t n = chunk->n;
    chunk->n = 0;
    if (n == 0)
        return true;
    if (!question_get(asking->question, chunk->cells, n))
        return false;
    for (size_t i = 0; i < n; i++) {
        const struct cell *cell = &chunk->cells[i];
        if (!set_cell(chunk->rows[i], chunk->fields[i], cell))
            return question_no_memory(asking->question);
        if (asking->subject->when[chunk->fields[i]] == TOP_EACH && cell->kind == CELL_MISSING)
            asking->walked_ns = 0; /* the row is gone */
    }
    return true;
}

static bool add_cell(struct chunk *chunk, struct top_row *row, size_t field)
{
    const uint32_t *key = row->key;
    const struct top_table *table = &chunk->asking->subject->tables[key[0]];
    size_t n = row->key_len / sizeof *key - 1;
    if (table->places[field].object == MIB_OBJECTS)
        return true;
    struct cell *cell = &chunk->cells[chunk->n];
    cell_start(cell, table->places[field].object);
    memcpy(cell->oid + cell->len, key + 1, n * sizeof *key);
    cell->len += n;
    chunk->rows[chunk->n] = row;
    chunk->fields[chunk->n++] = field;
    return chunk->n < CHUNK || ask_chunk(chunk);
}

/* Which pass it is: before rows are in their order, or after it. */
enum pass { PASS_ORDER, PASS_SCREEN };

static bool is_wanted(const struct top_asking *asking, const struct top_row *row, size_t field,
                      enum pass pass, bool walked)
{
    const struct top_subject *subject = asking->subject;
    enum top_when when = subject->when[field];
    const struct top_table *table = &subject->tables[((const uint32_t *)row->key)[0]];
    bool known = row->loaded >> field & 1;
    bool orders = asking->whole || field == asking->model->sort || asking->model->filter[0];
    if (pass == PASS_SCREEN)
        return when == TOP_ONCE ? !known : when == TOP_SEEN && (!orders || !known);
    if (when == TOP_EACH)
        return !(walked && field == table->walked);
    /* A filter looks at values that were read before, so that it costs no more in each round. */
    bool sorts = asking->whole || field == asking->model->sort;
    return orders && (!known || (when == TOP_SEEN && sorts));
}

static bool ask_row(struct chunk *chunk, struct top_row *row, enum pass pass, bool walked)
{
    for (size_t i = 0; i < chunk->asking->model->n_fields; i++)
        if (is_wanted(chunk->asking, row, i, pass, walked) && !add_cell(chunk, row, i))
            return false;
    return true;
}

static bool ask_all(struct chunk *chunk, bool walked)
{
    for (struct top_row *row = chunk->asking->model->rows; row; row = row->hh.next)
        if (!ask_row(chunk, row, PASS_ORDER, walked))
            return false;
    return ask_chunk(chunk);
}

static bool ask_screen(struct chunk *chunk)
{
    const struct top_model *model = chunk->asking->model;
    for (size_t i = model->first; top_model_is_visible(model, i); i++)
        if (!ask_row(chunk, model->shown[i], PASS_SCREEN, false))
            return false;
    return ask_chunk(chunk);
}

static bool is_walk_due(const struct top_asking *asking, uint64_t now_ns)
{
    return asking->walked_ns == 0 || top_model_count(asking->model) <= TOP_WALK_ROWS ||
           now_ns - asking->walked_ns >= TOP_WALK_NS;
}

static bool ask_table(struct top_asking *asking, struct chunk *chunk, uint64_t now_ns)
{
    bool walked = is_walk_due(asking, now_ns);
    return (!walked || walk_rows(asking, now_ns)) && ask_all(chunk, walked) &&
           (top_model_arrange(asking->model) || question_no_memory(asking->question)) &&
           (asking->whole || ask_screen(chunk)) &&
           (top_model_arrange(asking->model) || question_no_memory(asking->question));
}

/* -- Processes ------------------------------------------------------------------------------- */

static const enum mib_object rank_objects[TOP_PROCESS_FIELDS] = {
    [TOP_PROCESS_PID] = MIB_dcampProcessRankPid,
    [TOP_PROCESS_OWNER] = MIB_dcampProcessRankOwner,
    [TOP_PROCESS_CPU] = MIB_dcampProcessRankCpu,
    [TOP_PROCESS_MEMORY] = MIB_dcampProcessRankMemory,
    [TOP_PROCESS_TIME] = MIB_dcampProcessRankTime,
    [TOP_PROCESS_THREADS] = MIB_dcampProcessRankThreads,
    [TOP_PROCESS_NAME] = MIB_dcampProcessRankName};

/* The question makes the node look, but the answer is of the look before: so it is asked again, a
 * moment later. */
static bool have_it_look(struct top_asking *asking)
{
    struct cell cells[2];
    cell_scalar(&cells[0], MIB_dcampProcessRankSpan);
    cell_scalar(&cells[1], MIB_dcampProcessRankProcesses);
    if (!question_get(asking->question, cells, 2))
        return false;
    question_sleep(LOOK_NS);
    if (!question_get(asking->question, cells, 2))
        return false;
    asking->unsure = cells[0].kind != CELL_NUMBER;
    asking->processes = cells[1].kind == CELL_NUMBER ? (size_t)cells[1].number : 0;
    return true;
}

static bool set_process(struct top_asking *asking, const struct cell *cells)
{
    uint32_t pid = (uint32_t)cells[TOP_PROCESS_PID].number;
    struct top_row *row = top_model_row(asking->model, &pid, sizeof pid);
    if (!row)
        return question_no_memory(asking->question);
    for (size_t i = 0; i < TOP_PROCESS_FIELDS; i++)
        if (!set_cell(row, i, &cells[i]))
            return question_no_memory(asking->question);
    return true;
}

#define RANKS_AT_A_TIME (CHUNK / TOP_PROCESS_FIELDS)

/* Asks for ranks from from + 1 on. *more: there may be others. */
static bool ask_ranks(struct top_asking *asking, struct cell *cells, uint32_t by, size_t from,
                      bool *more)
{
    for (size_t i = 0; i < RANKS_AT_A_TIME * TOP_PROCESS_FIELDS; i++) {
        cell_start(&cells[i], rank_objects[i % TOP_PROCESS_FIELDS]);
        cell_add_number(&cells[i], by);
        cell_add_number(&cells[i], (uint32_t)(from + i / TOP_PROCESS_FIELDS + 1));
    }
    if (!question_get(asking->question, cells, RANKS_AT_A_TIME * TOP_PROCESS_FIELDS))
        return false;
    for (size_t i = 0; *more && i < RANKS_AT_A_TIME; i++, cells += TOP_PROCESS_FIELDS) {
        *more = cells[TOP_PROCESS_PID].kind == CELL_NUMBER;
        if (*more && !set_process(asking, cells))
            return false;
    }
    return true;
}

/* As many ranks as are on the screen; all of them if rows are filtered or in another order. */
static size_t ranks_wanted(const struct top_asking *asking)
{
    const struct top_model *model = asking->model;
    bool ranked = model->sort == TOP_PROCESS_CPU || model->sort == TOP_PROCESS_MEMORY;
    bool all = asking->whole || !ranked || model->reverse || model->filter[0];
    return all ? SIZE_MAX : model->first + model->lines + 1;
}

static bool ask_processes(struct top_asking *asking, struct cell *cells)
{
    struct top_model *model = asking->model;
    if (!have_it_look(asking))
        return false;
    uint32_t by = asking->unsure || model->sort == TOP_PROCESS_MEMORY ? dcampProcessRankBy_memory
                                                                      : dcampProcessRankBy_cpu;
    size_t wanted = ranks_wanted(asking);
    bool more = true;
    top_model_begin(model);
    for (size_t from = 0; more && from < wanted && from < TOP_ROWS_MAX; from += RANKS_AT_A_TIME)
        if (!ask_ranks(asking, cells, by, from, &more))
            return false;
    top_model_end(model);
    return top_model_arrange(model) || question_no_memory(asking->question);
}

bool top_ask_rows(struct top_asking *asking, uint64_t now_ns)
{
    struct chunk chunk = {.asking = asking, .cells = calloc(CHUNK, sizeof(struct cell))};
    bool good = chunk.cells || question_no_memory(asking->question);
    if (good)
        good = asking->subject->tables[0].places ? ask_table(asking, &chunk, now_ns)
                                                 : ask_processes(asking, chunk.cells);
    free(chunk.cells);
    return good;
}
