#include "load/action.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- What is filled in ----------------------------------------------------------------------- */

enum place { PLACE_SEQUENCE, PLACE_WORKER, PLACE_DATA, PLACES };

/* Which placeholder begins here, and the length of its word; 0 if there is none. */
static size_t place_at(const char *text, enum place *place)
{
    static const char *const words[PLACES] = {"{sequence}", "{worker}", "{data}"};
    for (int i = 0; i < PLACES; i++)
        if (strncmp(text, words[i], strlen(words[i])) == 0) {
            *place = (enum place)i;
            return strlen(words[i]);
        }
    return 0;
}

bool action_varies(const char *text)
{
    enum place place;
    for (; (text = strchr(text, '{')); text++)
        if (place_at(text, &place) > 0)
            return true;
    return false;
}

static bool has_data(const char *text)
{
    return text && strstr(text, "{data}");
}

bool action_takes_data(const struct action *action)
{
    for (size_t i = 0; action->words && action->words[i]; i++)
        if (has_data(action->words[i]))
            return true;
    return (action->kind == ACTION_URL && has_data(action->target)) || has_data(action->body) ||
           has_data(action->line);
}

static bool is_unreserved(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           strchr("-._~", c);
}

static void put_encoded(FILE *to, const char *text)
{
    for (; *text; text++)
        if (is_unreserved(*text))
            putc(*text, to);
        else
            fprintf(to, "%%%02X", (unsigned)(unsigned char)*text);
}

static void put_place(FILE *to, enum place place, const struct call *call, bool is_url)
{
    if (place == PLACE_SEQUENCE)
        fprintf(to, "%" PRIu64, call->sequence);
    else if (place == PLACE_WORKER)
        fprintf(to, "%u", call->worker);
    else if (is_url)
        put_encoded(to, call->data);
    else
        fputs(call->data, to);
}

char *action_fill(const char *text, const struct call *call, bool is_url)
{
    char *filled = NULL;
    size_t size = 0, len;
    enum place place;
    if (!strchr(text, '{'))
        return strdup(text);
    FILE *to = open_memstream(&filled, &size);
    if (!to)
        return NULL;
    for (; *text; text += len)
        if ((len = place_at(text, &place)) > 0) {
            put_place(to, place, call, is_url);
        } else {
            putc(*text, to);
            len = 1;
        }
    bool is_good = !ferror(to);
    if (fclose(to) == 0 && is_good)
        return filled;
    free(filled);
    return NULL;
}

/* -- The function of an object --------------------------------------------------------------- */

static bool is_identifier(const char *text)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
    return *text && strspn(text, letters) == strlen(text) && !(*text >= '0' && *text <= '9');
}

size_t action_split_object(const char *target, const char **symbol)
{
    const char *colon = strrchr(target, ':');
    bool has_symbol = colon && is_identifier(colon + 1);
    *symbol = has_symbol ? colon + 1 : NULL;
    return has_symbol ? (size_t)(colon - target) : strlen(target);
}

/* -- Words of a command ------------------------------------------------------------------------ */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

/* The characters that a backslash escapes within double quotes. */
static bool is_kept(char c)
{
    return c == '"' || c == '\\' || c == '$' || c == '`';
}

/* Copies one word into word, which has room for it. Returns the position after the word, or NULL if
 * a quote is not closed. */
static const char *take_word(const char *at, char *word)
{
    char quote = '\0';
    for (; *at && (quote || !is_blank(*at)); at++)
        if (*at == quote)
            quote = '\0';
        else if (!quote && (*at == '\'' || *at == '"'))
            quote = *at;
        else if (*at == '\\' && at[1] && (!quote || (quote == '"' && is_kept(at[1]))))
            *word++ = *++at;
        else
            *word++ = *at;
    *word = '\0';
    return quote ? NULL : at;
}

/* Adds one more word; the list has room for it, and the scratch has room for the longest one. */
static int add_word(char **words, size_t n, const char **at, char *scratch)
{
    *at = take_word(*at, scratch);
    if (!*at)
        return EINVAL;
    words[n] = strdup(scratch);
    return words[n] ? 0 : ENOMEM;
}

static int split_into(char **words, const char *command, char *scratch)
{
    int error = 0;
    size_t n = 0;
    for (;;) {
        while (is_blank(*command))
            command++;
        if (!*command)
            return n > 0 ? 0 : EINVAL;
        if ((error = add_word(words, n++, &command, scratch)) != 0)
            return error;
    }
}

char **action_split(const char *command, int *error)
{
    char **words = calloc(strlen(command) / 2 + 2, sizeof *words);
    char *scratch = malloc(strlen(command) + 1);
    *error = words && scratch ? split_into(words, command, scratch) : ENOMEM;
    free(scratch);
    if (*error == 0)
        return words;
    action_free_words(words);
    return NULL;
}

void action_free_words(char **words)
{
    for (size_t i = 0; words && words[i]; i++)
        free(words[i]);
    free(words);
}
