#include "cli/top.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "cli/acknowledge.h"
#include "cli/span.h"
#include "cli/top_ask.h"
#include "cli/top_screen.h"

#define INTERVAL_MS 2000
#define INTERVAL_LEAST 500
#define INTERVAL_MOST 60000
#define HEAD_SIZE 400
#define LINES_MAX 48

/* How soon processes are asked for again while their shares of the CPU are not known. */
#define SOON_NS (1100 * NS_PER_MS)

/* How long --once waits for these shares. */
#define ONCE_NS (8 * NS_PER_S)

enum typing { TYPING_NOTHING, TYPING_FILTER, TYPING_COMMENT };

struct top {
    struct question question;
    char *said; /* what the question has said, malloced by its stream */
    size_t said_len;
    char address[PEER_ADDRESS_SIZE];
    struct top_asking asking;
    struct top_model models[TOP_SUBJECTS];
    enum top_subject_id subject; /* that is shown */
    size_t scrolled[TOP_SUBJECTS];
    char child[NAME_SIZE];
    struct top_screen *screen;
    int events, signals, ticks;            /* -1: not open */
    uint64_t interval_ns, due_ns, good_ns; /* good_ns: of the last answer; 0: there was none */
    time_t good_time;                      /* the same by the wall clock */
    bool paused, over, turned;             /* turned: to another screen, that has no data yet */
    bool help, detail;                     /* texts instead of the table */
    size_t first_line;
    enum typing typing;
    char typed[ALARM_COMMENT_SIZE], before[TOP_FILTER_SIZE];
    char alarm[ALARM_KEY_SIZE]; /* that the comment is for */
    bool acknowledge;           /* it is to be sent */
    char trouble[HEAD_SIZE], message[HEAD_SIZE];
};

/* -- Asking ---------------------------------------------------------------------------------- */

/* Copies the first line of what the question has said, without the name of the program. */
static void keep_said(struct top *top, char text[HEAD_SIZE])
{
    fflush(top->question.errors);
    const char *said = top->said && top->said_len > 0 ? top->said : "";
    const char *begin = strncmp(said, "dcamp: ", 7) == 0 ? said + 7 : said;
    text_format(text, HEAD_SIZE, "%.*s", (int)strcspn(begin, "\n"), begin);
    rewind(top->question.errors);
    fflush(top->question.errors);
}

static void start_model(struct top *top, enum top_subject_id id)
{
    const struct top_subject *subject = &top_subjects[id];
    size_t lines = top->models[id].lines;
    top_model_release(&top->models[id]);
    top_model_init(&top->models[id], subject->fields, subject->n_fields, subject->sort);
    top->models[id].lines = lines;
}

/* The rows of another child are other rows. What is being asked for is given up, so that its answer
 * touches none of them. */
static void turn_to(struct top *top, enum top_subject_id id, const char *child)
{
    top->subject = id;
    text_format(top->child, sizeof top->child, "%s", child ? child : "");
    if (id == TOP_CHILD) {
        start_model(top, id);
        top->asking.subject = NULL;
    }
    top->turned = true;
    top->due_ns = 0;
    top->help = top->detail = false;
    top->message[0] = '\0';
}

/* The screen that the node has for the subject: a root has its tree in the place of its
 * children. */
static enum top_subject_id shown_subject(const struct top *top)
{
    return top->subject == TOP_NODES && top->asking.head.is_root ? TOP_TREE : top->subject;
}

static struct top_model *model_of(struct top *top)
{
    return &top->models[shown_subject(top)];
}

static void ask_of_subject(struct top *top)
{
    enum top_subject_id id = shown_subject(top);
    const struct top_subject *subject = &top_subjects[id];
    if (top->asking.subject != subject)
        top_ask_turn(&top->asking, subject, &top->models[id], id == TOP_CHILD ? top->child : NULL);
}

static bool ask_round(struct top *top)
{
    struct top_asking *asking = &top->asking;
    top->question.status = EXIT_GOOD;
    if (!top_ask_head(asking, clock_mono_ns()))
        return false;
    ask_of_subject(top);
    return top_ask_rows(asking, clock_mono_ns());
}

/* -- Once ------------------------------------------------------------------------------------ */

static enum sheet_kind sheet_kind_of(const struct top_field *field, enum sheet_format format)
{
    switch (field->kind) {
    case TOP_NUMBER:
        return SHEET_NUMBER;
    case TOP_MILLI:
    case TOP_KB:
    case TOP_MICROS:
        return format == SHEET_TABLE ? SHEET_TEXT : SHEET_NUMBER;
    case TOP_SPAN:
        return SHEET_SPAN;
    case TOP_TIME:
        return SHEET_TIME;
    default:
        return SHEET_TEXT;
    }
}

static bool add_sheet_row(struct sheet *sheet, const struct sheet_column *columns,
                          const struct top_row *row)
{
    struct sheet_value values[TOP_FIELDS_MAX];
    char texts[TOP_FIELDS_MAX][TOP_TEXT_SIZE];
    for (size_t i = 0; i < row->model->n_fields; i++) {
        const struct top_value *value = &row->values[i];
        values[i] = (struct sheet_value){.given = value->given, .number = value->number};
        if (columns[i].kind != SHEET_TEXT)
            continue;
        top_value_format(&row->model->fields[i], value, texts[i]);
        values[i].text = texts[i];
        values[i].len = strlen(texts[i]);
    }
    return sheet_add(sheet, values);
}

static void print_model(struct question *question, const struct top_model *model)
{
    struct sheet_column columns[TOP_FIELDS_MAX];
    for (size_t i = 0; i < model->n_fields; i++)
        columns[i] =
            (struct sheet_column){model->fields[i].name, model->fields[i].heading,
                                  sheet_kind_of(&model->fields[i], question->command->format)};
    struct sheet *sheet = sheet_new(columns, model->n_fields);
    bool good = sheet != NULL;
    for (size_t i = 0; good && i < model->n_shown; i++)
        good = add_sheet_row(sheet, columns, model->shown[i]);
    if (good)
        question_print(question, sheet);
    else
        question_no_memory(question);
    sheet_free(sheet);
}

/* Processes have shares of the CPU after their second look. */
static void run_once(struct top *top)
{
    uint64_t until = clock_mono_ns() + ONCE_NS;
    top->asking.whole = true;
    bool good = question_is_dcamp(&top->question) && ask_round(top);
    while (good && top->asking.unsure && clock_mono_ns() < until) {
        question_sleep(SOON_NS / 4);
        good = ask_round(top);
    }
    if (good)
        print_model(&top->question, model_of(top));
}

/* -- What is to be seen ---------------------------------------------------------------------- */

static enum top_mark mark_of(void *context, const struct top_row *row)
{
    const struct top *top = context;
    int64_t state = row->values[1].number;
    switch (shown_subject(top)) {
    case TOP_ALARMS:
        state = row->values[TOP_ALARM_SEVERITY].number;
        return state == dcampAlarmSeverity_critical  ? TOP_BAD
               : state == dcampAlarmSeverity_warning ? TOP_WARNING
                                                     : TOP_PLAIN;
    case TOP_NODES:
        return !row->values[1].given                                               ? TOP_PLAIN
               : state == dcampChildState_up                                       ? TOP_GOOD
               : state == dcampChildState_down || state == dcampChildState_refused ? TOP_BAD
                                                                                   : TOP_WARNING;
    default:
        return TOP_PLAIN;
    }
}

static void write_head(const struct top *top, char head[HEAD_SIZE])
{
    char up[SPAN_SIZE], clock[16] = "";
    time_t now = time(NULL);
    struct tm tm;
    if (localtime_r(&now, &tm))
        strftime(clock, sizeof clock, "%H:%M:%S", &tm);
    span_format(up, top->asking.head.up_ms);
    if (top->good_ns)
        text_format(head, HEAD_SIZE, "%s  %s%s  %s  up %s%s", top->asking.head.node,
                    top->asking.head.role, top->asking.head.is_root ? ", root of its tree" : "",
                    clock, up, top->paused ? "  PAUSED" : "");
    else
        text_format(head, HEAD_SIZE, "%s  asking", top->address);
}

static void write_summary(struct top *top, char summary[HEAD_SIZE])
{
    const size_t *alarms = top->asking.head.alarms;
    const struct top_model *model = model_of(top);
    char rows[128], age[SPAN_SIZE];
    size_t all = top_model_count(model);
    if (model->filter[0])
        text_format(rows, sizeof rows, "%zu of %zu rows, filter \"%s\"", model->n_shown, all,
                    model->filter);
    else if (shown_subject(top) == TOP_PROCESSES)
        text_format(rows, sizeof rows, "%zu processes%s", top->asking.processes,
                    top->asking.unsure ? ", CPU in a moment" : "");
    else
        text_format(rows, sizeof rows, "%zu rows%s", all, top->asking.cut ? " and more" : "");
    span_format(age, top->good_ns ? (int64_t)((clock_mono_ns() - top->good_ns) / NS_PER_MS) : 0);
    text_format(summary, HEAD_SIZE,
                "alarms: %zu critical, %zu warning, %zu info   %s   each %.1f s, data %s old",
                alarms[dcampAlarmSeverity_critical], alarms[dcampAlarmSeverity_warning],
                alarms[dcampAlarmSeverity_info], rows, (double)top->interval_ns / NS_PER_S, age);
}

static void write_tabs(const struct top *top, char tabs[HEAD_SIZE])
{
    size_t at = 0;
    for (unsigned i = 0; i < TOP_SCREENS; i++) {
        bool here = i == top->subject || (i == TOP_VALUES && top->subject == TOP_CHILD);
        int n = snprintf(tabs + at, HEAD_SIZE - at, here ? "[%u %s] " : " %u %s  ", i + 1,
                         top_subjects[i].name);
        at += n > 0 ? (size_t)n : 0;
    }
    if (top->subject == TOP_CHILD)
        snprintf(tabs + at, HEAD_SIZE - at, "of %s (Esc: back)", top->child);
}

static void write_trouble(const struct top *top, char trouble[HEAD_SIZE + 64])
{
    char clock[16] = "?";
    struct tm tm;
    trouble[0] = '\0';
    if (!top->trouble[0])
        return;
    if (top->good_time && localtime_r(&top->good_time, &tm))
        strftime(clock, sizeof clock, "%H:%M:%S", &tm);
    text_format(trouble, HEAD_SIZE + 64, "%.300s; what is shown is of %s", top->trouble, clock);
}

static void write_foot(const struct top *top, char foot[HEAD_SIZE])
{
    if (top->typing == TYPING_FILTER)
        text_format(foot, HEAD_SIZE, "/%s_", top->typed);
    else if (top->typing == TYPING_COMMENT)
        text_format(foot, HEAD_SIZE, "acknowledge %s, comment: %s_", top->alarm, top->typed);
    else if (top->message[0])
        text_format(foot, HEAD_SIZE, "%s", top->message);
    else
        text_format(foot, HEAD_SIZE, "q quit  ? help  / filter  < > sort  r reverse  Enter %s%s",
                    top->subject == TOP_NODES ? "values" : "details",
                    top->subject == TOP_ALARMS ? "  a acknowledge" : "");
}

static const char *const help_lines[] = {
    "1 to 6, Tab       another screen",
    "up, down, j, k    another row; PgUp, PgDn, Home, End, g, G",
    "left, right       columns that are off the screen",
    "< >               sorts by the column before, or behind; r reverses",
    "P M               processes by CPU, by memory",
    "/                 only rows that have a text; Esc: all again",
    "Enter             all of a row; of a node: its values; Esc: back",
    "a                 acknowledges the alarm",
    "space             pauses, or goes on",
    "+ -               asks less often, or more often",
    "Ctrl-L            draws everything anew",
    "q                 quits"};

/* "HEADING      value" for each field of the selected row. */
static size_t write_details(struct top *top, char texts[LINES_MAX][TOP_TEXT_SIZE + 32],
                            const char *lines[LINES_MAX])
{
    const struct top_model *model = model_of(top);
    size_t n = 0;
    for (size_t i = 0; model->selected && i < model->n_fields && n < LINES_MAX; i++) {
        char value[TOP_TEXT_SIZE];
        top_value_format(&model->fields[i], &model->selected->values[i], value);
        text_format(texts[n], sizeof texts[n], "%-14s %s", model->fields[i].heading, value);
        lines[n] = texts[n];
        n++;
    }
    return n;
}

static void draw(struct top *top)
{
    char head[HEAD_SIZE], summary[HEAD_SIZE], tabs[HEAD_SIZE], foot[HEAD_SIZE];
    char trouble[HEAD_SIZE + 64], texts[LINES_MAX][TOP_TEXT_SIZE + 32];
    const char *lines[LINES_MAX];
    enum top_subject_id id = shown_subject(top);
    struct top_view view = {.head = head,
                            .trouble = trouble,
                            .tabs = tabs,
                            .summary = summary,
                            .foot = foot,
                            .stale = top->trouble[0] != '\0',
                            .model = &top->models[id],
                            .scrolled = top->scrolled[id],
                            .empty = top->turned ? "asking" : top_subjects[id].empty,
                            .first_line = top->first_line,
                            .mark = mark_of,
                            .context = top};
    write_head(top, head);
    write_trouble(top, trouble);
    write_summary(top, summary);
    write_tabs(top, tabs);
    write_foot(top, foot);
    if (top->help) {
        view.lines = help_lines;
        view.n_lines = sizeof help_lines / sizeof *help_lines;
    } else if (top->detail) {
        view.n_lines = write_details(top, texts, lines);
        view.lines = lines;
    }
    top_screen_draw(top->screen, &view);
}

/* -- Keys ------------------------------------------------------------------------------------ */

static void arrange(struct top *top)
{
    if (!top_model_arrange(model_of(top)))
        text_format(top->message, sizeof top->message, "no memory");
    top->due_ns = 0; /* other rows are on the screen */
}

static void move_by(struct top *top, long by)
{
    struct top_model *model = model_of(top);
    size_t first = model->first;
    if (!top->help && !top->detail)
        top_model_move(model, by);
    if (model->first != first)
        top->due_ns = 0; /* other rows are on the screen */
    if (!top->help && !top->detail)
        return;
    if (by < 0)
        top->first_line -= top->first_line > 0;
    else
        top->first_line += top->first_line + 1 < LINES_MAX;
}

static void go_on_typing(struct top *top, int key)
{
    size_t len = strlen(top->typed);
    if (key == TOP_KEY_BACKSPACE && len > 0)
        top->typed[len - 1] = '\0';
    else if (key >= ' ' && key < 127 && len + 1 < sizeof top->typed) /* as in texts of the MIB */
        text_format(top->typed + len, sizeof top->typed - len, "%c", key);
    if (top->typing != TYPING_FILTER)
        return;
    top_model_filter(model_of(top), top->typed);
    arrange(top);
}

static void type_key(struct top *top, int key)
{
    if (key == TOP_KEY_ENTER) {
        top->acknowledge = top->typing == TYPING_COMMENT;
        top->typing = TYPING_NOTHING;
    } else if (key == TOP_KEY_ESCAPE) {
        if (top->typing == TYPING_FILTER) {
            top_model_filter(model_of(top), top->before);
            arrange(top);
        }
        top->typing = TYPING_NOTHING;
    } else {
        go_on_typing(top, key);
    }
}

static void begin_typing(struct top *top, enum typing typing, const char *text)
{
    top->typing = typing;
    text_format(top->typed, sizeof top->typed, "%s", text);
    text_format(top->before, sizeof top->before, "%.*s", (int)sizeof top->before - 1, text);
    top->message[0] = '\0';
}

/* Alarms of the node itself are named by index, those below by key: then it is said where they can
 * be acknowledged. */
static void begin_acknowledging(struct top *top)
{
    const struct top_row *row = model_of(top)->selected;
    if (shown_subject(top) != TOP_ALARMS || !row)
        return;
    const struct top_value *path = &row->values[TOP_ALARM_PATH];
    if (!path->given)
        text_format(top->alarm, sizeof top->alarm, "%" PRId64, row->values[TOP_ALARM_INDEX].number);
    else
        text_format(top->alarm, sizeof top->alarm, "%s",
                    row->values[TOP_ALARM_KEY].text ? row->values[TOP_ALARM_KEY].text : "");
    begin_typing(top, TYPING_COMMENT, "");
}

static void open_row(struct top *top)
{
    enum top_subject_id id = shown_subject(top);
    const struct top_row *row = model_of(top)->selected;
    if (!row || top->help)
        return;
    if ((id == TOP_NODES || id == TOP_TREE) && row->values[TOP_NODE_NAME].text)
        turn_to(top, TOP_CHILD, row->values[TOP_NODE_NAME].text);
    else
        top->detail = true;
    top->first_line = 0;
}

static void go_back(struct top *top)
{
    struct top_model *model = model_of(top);
    if (top->help || top->detail) {
        top->help = top->detail = false;
    } else if (model->filter[0]) {
        top_model_filter(model, "");
        arrange(top);
    } else if (top->subject == TOP_CHILD) {
        turn_to(top, TOP_NODES, NULL);
    }
    top->message[0] = '\0';
}

static void change_interval(struct top *top, bool longer)
{
    uint64_t ms = top->interval_ns / NS_PER_MS;
    ms = longer ? ms * 2 : ms / 2;
    ms = ms < INTERVAL_LEAST ? INTERVAL_LEAST : ms > INTERVAL_MOST ? INTERVAL_MOST : ms;
    top->interval_ns = ms * NS_PER_MS;
}

static void sort_processes(struct top *top, size_t field)
{
    if (shown_subject(top) != TOP_PROCESSES)
        return;
    model_of(top)->sort = field;
    model_of(top)->reverse = false;
    arrange(top);
}

static void turn_by(struct top *top, unsigned by)
{
    unsigned here = top->subject == TOP_CHILD ? TOP_VALUES : top->subject;
    turn_to(top, (enum top_subject_id)((here + by) % TOP_SCREENS), NULL);
}

static void scroll_columns(struct top *top, bool right)
{
    size_t *scrolled = &top->scrolled[shown_subject(top)];
    if (right)
        *scrolled += *scrolled + 2 < model_of(top)->n_fields;
    else
        *scrolled -= *scrolled > 0;
}

static void toggle_pause(struct top *top)
{
    top->paused = !top->paused;
    top->due_ns = 0;
}

/* Keys that move something. False: the key does not. */
static bool move_key(struct top *top, int key)
{
    long page = model_of(top)->lines > 1 ? (long)model_of(top)->lines - 1 : 1;
    long far = (long)TOP_ROWS_MAX * 2;
    long by = key == TOP_KEY_UP || key == 'k'     ? -1
              : key == TOP_KEY_DOWN || key == 'j' ? 1
              : key == TOP_KEY_PAGE_UP            ? -page
              : key == TOP_KEY_PAGE_DOWN          ? page
              : key == TOP_KEY_HOME || key == 'g' ? -far
              : key == TOP_KEY_END || key == 'G'  ? far
                                                  : 0;
    if (by)
        move_by(top, by);
    else if (key == TOP_KEY_LEFT || key == TOP_KEY_RIGHT)
        scroll_columns(top, key == TOP_KEY_RIGHT);
    else
        return false;
    return true;
}

static void order_key(struct top *top, int key)
{
    struct top_model *model = model_of(top);
    if (key == 'r')
        model->reverse = !model->reverse;
    else
        top_model_sort_next(model, key == '<' ? -1 : 1);
    arrange(top);
}

static void press(struct top *top, int key)
{
    if (key >= '1' && key < '1' + TOP_SCREENS) {
        turn_to(top, (enum top_subject_id)(key - '1'), NULL);
        return;
    }
    switch (key) {
    case 'q':
        top->over = true;
        break;
    case '?':
    case 'h':
        top->help = !top->help;
        top->first_line = 0;
        break;
    case TOP_KEY_TAB:
        turn_by(top, 1);
        break;
    case TOP_KEY_BACK_TAB:
        turn_by(top, TOP_SCREENS - 1);
        break;
    case '<':
    case '>':
    case 'r':
        order_key(top, key);
        break;
    case 'P':
        sort_processes(top, TOP_PROCESS_CPU);
        break;
    case 'M':
        sort_processes(top, TOP_PROCESS_MEMORY);
        break;
    case '/':
        begin_typing(top, TYPING_FILTER, model_of(top)->filter);
        break;
    case 'a':
        begin_acknowledging(top);
        break;
    case TOP_KEY_ENTER:
        open_row(top);
        break;
    case TOP_KEY_ESCAPE:
    case TOP_KEY_BACKSPACE:
        go_back(top);
        break;
    case ' ':
        toggle_pause(top);
        break;
    case '+':
    case '-':
        change_interval(top, key == '+');
        break;
    case 'L' - '@':
        top_screen_redraw(top->screen);
        break;
    default:
        break;
    }
}

/* -- Events ---------------------------------------------------------------------------------- */

static void take_signals(struct top *top)
{
    struct signalfd_siginfo info;
    while (read(top->signals, &info, sizeof info) == (ssize_t)sizeof info)
        if (info.ssi_signo == SIGWINCH)
            top_screen_resize(top->screen);
        else
            top->over = true;
}

static void take_keys(struct top *top)
{
    for (int key; !top->over && (key = top_screen_key(top->screen)) != TOP_KEY_NONE;)
        if (top->typing)
            type_key(top, key);
        else if (!move_key(top, key))
            press(top, key);
}

/* The terminal is gone, or its other end. */
static bool is_hung_up(const struct epoll_event *event)
{
    return event->data.fd == STDIN_FILENO && (event->events & (EPOLLHUP | EPOLLERR)) != 0;
}

/* Takes what has come, without waiting, and shows what that changes. False: what is being asked for
 * is no longer wanted. */
static bool heed(void *context)
{
    struct top *top = context;
    struct epoll_event events[4];
    uint64_t expirations;
    bool turned = top->turned;
    int n = epoll_wait(top->events, events, 4, 0);
    for (int i = 0; i < n; i++)
        top->over |= is_hung_up(&events[i]);
    (void)!read(top->ticks, &expirations, sizeof expirations);
    take_signals(top);
    take_keys(top);
    if (!top->over)
        draw(top);
    return !top->over && turned == top->turned;
}

static bool add_event(const struct top *top, int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    return fd >= 0 && epoll_ctl(top->events, EPOLL_CTL_ADD, fd, &event) == 0;
}

/* Signals that end the program, or say that the terminal has another size, come as events, so that
 * they never interrupt a state in which the terminal cannot be given back. */
static bool open_events(struct top *top, sigset_t *before)
{
    sigset_t set;
    struct itimerspec tick = {{1, 0}, {1, 0}}; /* to show the age of the data */
    static const int taken[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH};
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        sigaddset(&set, taken[i]);
    sigprocmask(SIG_BLOCK, &set, before);
    top->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    top->ticks = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    top->events = epoll_create1(EPOLL_CLOEXEC);
    return top->events >= 0 && add_event(top, top->signals) && add_event(top, top->ticks) &&
           add_event(top, STDIN_FILENO) && timerfd_settime(top->ticks, 0, &tick, NULL) == 0;
}

static void close_events(struct top *top, const sigset_t *before)
{
    const int files[] = {top->events, top->ticks, top->signals};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (files[i] >= 0)
            close(files[i]);
    sigprocmask(SIG_SETMASK, before, NULL);
}

/* -- Live ------------------------------------------------------------------------------------ */

/* Unless another screen was wanted, forgets what is known of the engine, which may have begun
 * anew. */
static void note_failure(struct top *top)
{
    bool wanted = !top->over && !top->turned;
    char said[HEAD_SIZE];
    keep_said(top, said);
    top->asking.walked_ns = 0;
    if (!wanted)
        return;
    memcpy(top->trouble, said, sizeof said);
    top->asking.head.counted_ns = 0;
    client_turn(top->question.client, top->address);
}

static void run_round(struct top *top)
{
    uint64_t now = clock_mono_ns();
    top->turned = false;
    top->due_ns = now + top->interval_ns;
    client_listen(top->question.client, top->events, heed, top);
    if (ask_round(top)) {
        top->good_ns = clock_mono_ns();
        top->good_time = time(NULL);
        top->trouble[0] = '\0';
        if (top->asking.unsure && top->due_ns > now + SOON_NS)
            top->due_ns = now + SOON_NS;
    } else {
        note_failure(top);
    }
    client_listen(top->question.client, -1, NULL, NULL);
}

static void acknowledge(struct top *top)
{
    char *out = NULL;
    size_t len = 0;
    FILE *to = open_memstream(&out, &len);
    top->acknowledge = false;
    if (!to)
        return;
    enum exit_status status =
        alarms_acknowledge_one(top->question.command, top->question.client, to,
                               top->question.errors, top->alarm, top->typed);
    fclose(to);
    free(out);
    keep_said(top, top->message);
    if (status == EXIT_GOOD)
        text_format(top->message, sizeof top->message, "%s is acknowledged", top->alarm);
    top->due_ns = 0;
}

static void wait_for_events(struct top *top)
{
    struct epoll_event event;
    uint64_t now = clock_mono_ns();
    uint64_t left = top->paused ? NS_PER_S : top->due_ns > now ? top->due_ns - now : 0;
    int n = epoll_wait(top->events, &event, 1, (int)(left / NS_PER_MS) + 1);
    if (n > 0 || (n < 0 && errno == EINTR))
        heed(top);
}

static void run_live(struct top *top)
{
    while (!top->over) {
        if (top->acknowledge)
            acknowledge(top);
        if (top->turned || (!top->paused && clock_mono_ns() >= top->due_ns))
            run_round(top);
        if (!top->over && !top->turned) {
            draw(top);
            wait_for_events(top);
        }
    }
}

/* The first answer is waited for before the terminal is taken over, so that it can be said why
 * there is none. */
static void run_on_terminal(struct top *top, FILE *errors)
{
    char error[256];
    sigset_t before;
    const char *why = address_resolve(&top->question.command->login.address, top->address);
    if (why)
        question_fail(&top->question, EXIT_SILENT, "%s", why);
    if (why || !question_is_dcamp(&top->question))
        return;
    top->question.errors = open_memstream(&top->said, &top->said_len);
    bool good = top->question.errors && open_events(top, &before);
    if (!top->question.errors)
        text_format(error, sizeof error, "no memory");
    else if (!good)
        text_format(error, sizeof error, "no events: %s", strerror(errno));
    else
        top->screen = top_screen_open(error);
    if (top->screen)
        run_live(top);
    top_screen_close(top->screen);
    if (top->question.errors) {
        close_events(top, &before);
        fclose(top->question.errors);
        free(top->said);
    }
    top->question.errors = errors;
    top->question.status = EXIT_GOOD;
    if (!top->screen)
        question_fail(&top->question, EXIT_BROKEN, "%s", error);
}

/* -- Both ------------------------------------------------------------------------------------ */

static bool begin(struct top *top)
{
    const struct command *command = top->question.command;
    for (unsigned i = 0; i < TOP_SUBJECTS; i++)
        start_model(top, (enum top_subject_id)i);
    top->asking.question = &top->question;
    top->events = top->signals = top->ticks = -1;
    top->interval_ns =
        (command_has(command, COMMAND_INTERVAL) ? command->interval_ms : INTERVAL_MS) * NS_PER_MS;
    top->turned = true;
    top->subject = TOP_NODES;
    if (command->n_words > 0 && !top_subject_find(command->words[0], &top->subject))
        return question_fail(&top->question, EXIT_USAGE,
                             "top: expected nodes, aggregates, processes, applications, alarms or "
                             "values, not \"%s\"",
                             command->words[0]);
    return true;
}

enum exit_status top_run(const struct command *command, struct client *client, FILE *to,
                         FILE *errors)
{
    struct top *top = calloc(1, sizeof *top);
    struct question question = {command, client, to, errors, EXIT_GOOD};
    if (!top) {
        question_no_memory(&question);
        return question.status;
    }
    top->question = question;
    bool once = command_has(command, COMMAND_ONCE) || command->format != SHEET_TABLE ||
                !isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO);
    if (begin(top) && once)
        run_once(top);
    else if (top->question.status == EXIT_GOOD)
        run_on_terminal(top, errors);
    enum exit_status status = top->question.status;
    for (size_t i = 0; i < TOP_SUBJECTS; i++)
        top_model_release(&top->models[i]);
    free(top);
    return status;
}
