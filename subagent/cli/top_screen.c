#include "cli/top_screen.h"

#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include "base/text.h"

/* With fewer lines, there is one line of head, and no line of tabs. */
#define LINES_FOR_ALL 10
#define COLUMN_MAX 44 /* no field is wider, but the last one */
#define ESCAPE_MS 25  /* until the rest of a key has come, at most */

struct top_screen {
    SCREEN *terminal;
    bool colours, utf8;
    size_t widths[TOP_FIELDS_MAX]; /* of the model below: they only grow, so that nothing jumps */
    const struct top_model *measured;
};

/* -- The terminal ---------------------------------------------------------------------------- */

static void set_colours(struct top_screen *screen)
{
    const char *none = getenv("NO_COLOR"); /* https://no-color.org */
    if ((none && *none) || !has_colors() || start_color() == ERR)
        return;
    short back = use_default_colors() == ERR ? COLOR_BLACK : -1;
    screen->colours = init_pair(TOP_GOOD, COLOR_GREEN, back) != ERR &&
                      init_pair(TOP_WARNING, COLOR_YELLOW, back) != ERR &&
                      init_pair(TOP_BAD, COLOR_RED, back) != ERR;
}

/* A terminal whose cursor cannot be moved is of no use here. */
static bool can_move(void)
{
    const char *move = tigetstr("cup");
    return move && move != (char *)-1;
}

static void close_terminal(SCREEN *terminal)
{
    endwin();
    delscreen(terminal);
}

static void set_up(struct top_screen *screen)
{
    cbreak();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    set_escdelay(ESCAPE_MS);
    curs_set(0);
    set_colours(screen);
}

struct top_screen *top_screen_open(char error[256])
{
    const char *name = getenv("TERM");
    struct top_screen *screen = calloc(1, sizeof *screen);
    if (!screen) {
        text_format(error, 256, "no memory");
        return NULL;
    }
    setlocale(LC_CTYPE, "");
    screen->utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    screen->terminal = newterm(NULL, stdout, stdin);
    if (screen->terminal && can_move()) {
        set_up(screen);
        return screen;
    }
    if (screen->terminal)
        close_terminal(screen->terminal);
    free(screen);
    text_format(error, 256,
                "the terminal \"%.40s\" is not known, or too simple: --once prints a screen",
                name ? name : "");
    return NULL;
}

void top_screen_close(struct top_screen *screen)
{
    if (!screen)
        return;
    close_terminal(screen->terminal);
    free(screen);
}

void top_screen_resize(struct top_screen *screen)
{
    struct winsize size;
    (void)screen;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0)
        resizeterm(size.ws_row, size.ws_col);
    clearok(curscr, TRUE);
}

void top_screen_redraw(struct top_screen *screen)
{
    (void)screen;
    clearok(curscr, TRUE);
}

static int special_key(wint_t key)
{
    static const struct {
        wint_t from;
        int to;
    } keys[] = {{KEY_UP, TOP_KEY_UP},
                {KEY_DOWN, TOP_KEY_DOWN},
                {KEY_LEFT, TOP_KEY_LEFT},
                {KEY_RIGHT, TOP_KEY_RIGHT},
                {KEY_PPAGE, TOP_KEY_PAGE_UP},
                {KEY_NPAGE, TOP_KEY_PAGE_DOWN},
                {KEY_HOME, TOP_KEY_HOME},
                {KEY_END, TOP_KEY_END},
                {KEY_ENTER, TOP_KEY_ENTER},
                {KEY_BACKSPACE, TOP_KEY_BACKSPACE},
                {KEY_BTAB, TOP_KEY_BACK_TAB},
                {KEY_F(1), '?'},
                {KEY_F(10), 'q'}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i].from == key)
            return keys[i].to;
    return TOP_KEY_OTHER;
}

int top_screen_key(struct top_screen *screen)
{
    wint_t key;
    (void)screen;
    switch (get_wch(&key)) {
    case KEY_CODE_YES:
        return special_key(key);
    case OK:
        break;
    default:
        return TOP_KEY_NONE;
    }
    if (key == '\r' || key == '\n')
        return TOP_KEY_ENTER;
    if (key == '\t')
        return TOP_KEY_TAB;
    if (key == 27)
        return TOP_KEY_ESCAPE;
    return key == 127 || key == 8 ? TOP_KEY_BACKSPACE : (int)key;
}

/* -- Texts ----------------------------------------------------------------------------------- */

/* The next character, '?' if it cannot be shown. Returns its octets. */
static size_t next_character(const struct top_screen *screen, const char *text, wchar_t *character,
                             int *columns)
{
    mbstate_t state;
    memset(&state, 0, sizeof state);
    size_t octets = text_utf8_length(text, strlen(text));
    octets = octets ? octets : 1;
    size_t read = screen->utf8 ? mbrtowc(character, text, octets, &state) : (size_t)-1;
    *columns = 1;
    if (octets == 1 && *text >= ' ' && *text < 127)
        *character = (wchar_t)*text;
    else if (read != octets || (*columns = wcwidth(*character)) < 0) {
        *character = L'?';
        *columns = 1;
    }
    return octets;
}

static size_t text_width(const struct top_screen *screen, const char *text)
{
    size_t width = 0;
    wchar_t character;
    for (int columns; *text; width += (size_t)columns)
        text += next_character(screen, text, &character, &columns);
    return width;
}

/* Writes a text into a field: cut or filled up with blanks. What is beyond the screen is left out.
 */
static void put(const struct top_screen *screen, int y, size_t x, size_t width, bool right,
                const char *text)
{
    size_t limit = COLS > 0 ? (size_t)COLS : 0, has = text_width(screen, text), at = x;
    if (y < 0 || y >= LINES || x >= limit)
        return;
    size_t end = width > limit - x ? limit : x + width;
    if (right && has < width)
        at += width - has;
    for (int columns; *text && at < end; at += (size_t)columns) {
        wchar_t character[2] = {0};
        text += next_character(screen, text, &character[0], &columns);
        if (at + (size_t)columns > end)
            break;
        if (at + (size_t)columns == end && *text) /* the text goes on */
            character[0] = columns == 1 ? L'~' : character[0];
        mvaddnwstr(y, (int)at, character, 1);
    }
}

static void put_line(const struct top_screen *screen, int y, const char *text, attr_t attributes)
{
    if (y < 0 || y >= LINES)
        return;
    attrset(attributes);
    mvhline(y, 0, ' ', COLS);
    put(screen, y, 0, COLS > 0 ? (size_t)COLS : 0, false, text);
    attrset(A_NORMAL);
}

/* -- The table ------------------------------------------------------------------------------- */

static void measure(struct top_screen *screen, const struct top_model *model)
{
    char text[TOP_TEXT_SIZE];
    if (screen->measured != model)
        memset(screen->widths, 0, sizeof screen->widths);
    screen->measured = model;
    for (size_t field = 0; field < model->n_fields; field++) {
        size_t *widest = &screen->widths[field], width = strlen(model->fields[field].heading) + 1;
        *widest = width > *widest ? width : *widest;
        for (size_t i = model->first; top_model_is_visible(model, i); i++) {
            top_value_format(&model->fields[field], &model->shown[i]->values[field], text);
            width = text_width(screen, text);
            *widest = width > *widest ? width : *widest;
        }
        *widest = *widest > COLUMN_MAX ? COLUMN_MAX : *widest;
    }
}

/* The first field stays where it is, others are scrolled away. */
static bool is_scrolled_away(const struct top_view *view, size_t field)
{
    return field > 0 && field <= view->scrolled;
}

static void put_headings(const struct top_screen *screen, const struct top_view *view, int y)
{
    const struct top_model *model = view->model;
    size_t x = 0;
    put_line(screen, y, "", A_REVERSE);
    for (size_t i = 0; i < model->n_fields; i++) {
        char text[24];
        const struct top_field *field = &model->fields[i];
        bool sorted = i == model->sort;
        if (is_scrolled_away(view, i))
            continue;
        text_format(text, sizeof text, "%s%s", field->heading,
                    !sorted                            ? ""
                    : field->falling != model->reverse ? "v"
                                                       : "^");
        attrset(sorted ? A_REVERSE | A_BOLD : A_REVERSE);
        put(screen, y, x, screen->widths[i], top_kind_is_right(field->kind), text);
        x += screen->widths[i] + 1;
    }
    attrset(A_NORMAL);
}

static attr_t attributes_of(const struct top_screen *screen, const struct top_view *view,
                            const struct top_row *row)
{
    enum top_mark mark = view->mark ? view->mark(view->context, row) : TOP_PLAIN;
    attr_t attributes = view->stale ? A_DIM : mark == TOP_BAD ? A_BOLD : A_NORMAL;
    if (row == view->model->selected)
        attributes = (attributes & ~A_DIM) | A_REVERSE;
    if (screen->colours && !view->stale && mark != TOP_PLAIN)
        attributes |= (attr_t)COLOR_PAIR(mark);
    return attributes;
}

static void put_row(const struct top_screen *screen, const struct top_view *view, int y,
                    const struct top_row *row)
{
    const struct top_model *model = view->model;
    char text[TOP_TEXT_SIZE];
    size_t x = 0;
    attr_t attributes = attributes_of(screen, view, row);
    put_line(screen, y, "", attributes);
    attrset(attributes);
    for (size_t i = 0; i < model->n_fields; i++) {
        if (is_scrolled_away(view, i))
            continue;
        bool last = i + 1 == model->n_fields;
        top_value_format(&model->fields[i], &row->values[i], text);
        put(screen, y, x, last ? sizeof text : screen->widths[i],
            top_kind_is_right(model->fields[i].kind), text);
        x += screen->widths[i] + 1;
    }
    attrset(A_NORMAL);
}

static void put_table(struct top_screen *screen, const struct top_view *view, int y)
{
    struct top_model *model = view->model;
    measure(screen, model);
    put_headings(screen, view, y);
    if (model->n_shown == 0)
        put(screen, y + 1, 0, COLS > 0 ? (size_t)COLS : 0, false,
            model->filter[0] ? "no row has the text of the filter" : view->empty);
    for (size_t i = model->first; top_model_is_visible(model, i); i++)
        put_row(screen, view, ++y, model->shown[i]);
}

/* -- All of it ------------------------------------------------------------------------------- */

/* Lines above the table, or the texts. */
static int lines_above(const struct top_view *view)
{
    return LINES >= LINES_FOR_ALL ? 3 + (view->trouble[0] != '\0') : LINES >= 3 ? 1 : 0;
}

size_t top_screen_lines(const struct top_screen *screen, const struct top_view *view)
{
    (void)screen;
    int headings = view->lines ? 0 : 1, foot = LINES > 1;
    int left = LINES - lines_above(view) - headings - foot;
    return left > 0 ? (size_t)left : 0;
}

static void put_above(const struct top_screen *screen, const struct top_view *view)
{
    int n = lines_above(view), y = 0;
    attr_t alarm = A_BOLD | (screen->colours ? (attr_t)COLOR_PAIR(TOP_BAD) : A_REVERSE);
    if (n == 0)
        return;
    if (n == 1) {
        put_line(screen, 0, view->trouble[0] ? view->trouble : view->head,
                 view->trouble[0] ? alarm : A_BOLD);
        return;
    }
    put_line(screen, y++, view->head, A_BOLD);
    if (view->trouble[0])
        put_line(screen, y++, view->trouble, alarm);
    put_line(screen, y++, view->summary, A_NORMAL);
    put_line(screen, y, view->tabs, A_NORMAL);
}

void top_screen_draw(struct top_screen *screen, const struct top_view *view)
{
    int y = lines_above(view);
    size_t lines = top_screen_lines(screen, view);
    erase();
    put_above(screen, view);
    if (view->lines)
        for (size_t i = view->first_line; i < view->n_lines && i - view->first_line < lines; i++)
            put_line(screen, y + (int)(i - view->first_line), view->lines[i], A_NORMAL);
    else {
        top_model_fit(view->model, lines);
        put_table(screen, view, y);
    }
    if (LINES > 1)
        put_line(screen, LINES - 1, view->foot, A_NORMAL);
    refresh();
}
