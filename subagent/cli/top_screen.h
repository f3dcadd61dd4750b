/* What dcamp top puts on a terminal, and the keys that come from it. Nothing else of dcamp knows
 * that there is a terminal.
 *
 * Texts are clean, as sheet_clean makes them. If the locale is not of UTF-8, what is not ASCII is
 * shown as '?'. */
#ifndef DCAMP_CLI_TOP_SCREEN_H
#define DCAMP_CLI_TOP_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/top_model.h"

struct top_screen;

enum top_mark { TOP_PLAIN, TOP_GOOD, TOP_WARNING, TOP_BAD };

/* What there is to be seen. Lines that are "" take no room. */
struct top_view {
    const char *head;    /* who is asked, */
    const char *trouble; /* and what is wrong with that, or "" */
    const char *tabs;    /* the screens */
    const char *summary; /* alarms, rows, interval */
    const char *foot;    /* the last line: what is typed, or a message */
    bool stale;          /* the data is old, and shown as such */
    struct top_model *model;
    size_t scrolled;          /* so many fields after the first are left out */
    const char *empty;        /* instead of rows if there are none */
    const char *const *lines; /* instead of the table: texts, up to n_lines; NULL: the table */
    size_t n_lines, first_line;
    enum top_mark (*mark)(void *context, const struct top_row *row);
    void *context;
};

/* Keys that are no characters. */
enum top_key {
    TOP_KEY_NONE = -1, /* there is none now */
    TOP_KEY_UP = 0x110000,
    TOP_KEY_DOWN,
    TOP_KEY_LEFT,
    TOP_KEY_RIGHT,
    TOP_KEY_PAGE_UP,
    TOP_KEY_PAGE_DOWN,
    TOP_KEY_HOME,
    TOP_KEY_END,
    TOP_KEY_ENTER,
    TOP_KEY_ESCAPE,
    TOP_KEY_BACKSPACE,
    TOP_KEY_TAB,
    TOP_KEY_BACK_TAB,
    TOP_KEY_OTHER
};

/* Takes over the terminal of the standard input and output. NULL: error says why not, in one line.
 */
struct top_screen *top_screen_open(char error[256]);

/* Gives the terminal back as it was. */
void top_screen_close(struct top_screen *screen);

/* To be called when the size of the terminal may have changed. */
void top_screen_resize(struct top_screen *screen);

/* How many lines there are for rows, or texts. */
size_t top_screen_lines(const struct top_screen *screen, const struct top_view *view);

/* Draws everything; the table is fitted to the screen. */
void top_screen_draw(struct top_screen *screen, const struct top_view *view);

/* The next key, a character of Unicode or enum top_key. Does not wait. */
int top_screen_key(struct top_screen *screen);

/* Has everything drawn anew the next time, whatever the terminal shows. */
void top_screen_redraw(struct top_screen *screen);

#endif
