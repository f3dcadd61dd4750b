#include "cli/snmpd_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/hex.h"
#include "base/hostport.h"
#include "base/text.h"

#define ENGINE_ID_MIN 5 /* RFC 3411, SnmpEngineID */

/* The words of a usmUser. */
enum user_word { USER_STATUS = 1, USER_STORAGE, USER_ENGINE, USER_NAME, USER_PUBLIC = 11 };

/* -- Lines ----------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* The word at or after at; NULL: there is none before end. Returns what is behind it. */
static const char *take_word(const char *at, const char *end, struct snmpd_word *word)
{
    while (at < end && is_blank(*at))
        at++;
    if (at == end)
        return NULL;
    bool quoted = *at == '"';
    word->at = at += quoted;
    while (at < end && (quoted ? *at != '"' : !is_blank(*at)))
        at++;
    word->len = (size_t)(at - word->at);
    return at + (quoted && at < end);
}

bool snmpd_next_line(const char **text, struct snmpd_line *line)
{
    const char *at = *text;
    if (!*at)
        return false;
    size_t len = strcspn(at, "\n");
    const char *end = at + len;
    *line = (struct snmpd_line){.number = line->number + 1, .at = at, .len = len + (*end == '\n')};
    *text = at + line->len;
    while (at < end && is_blank(*at))
        at++;
    if (at < end && *at == '#')
        return true;
    while (line->n < SNMPD_WORDS && (at = take_word(at, end, &line->words[line->n])))
        line->n++;
    return true;
}

static bool is_same(const struct snmpd_word *word, const char *text)
{
    return word->len == strlen(text) && memcmp(word->at, text, word->len) == 0;
}

static bool is_same_in_any_case(const struct snmpd_word *a, const struct snmpd_word *b)
{
    return a->len == b->len && strncasecmp(a->at, b->at, a->len) == 0;
}

bool snmpd_is(const struct snmpd_line *line, const char *directive)
{
    const struct snmpd_word wanted = {directive, strlen(directive)};
    return line->n > 1 && is_same_in_any_case(&line->words[0], &wanted);
}

/* -- Engines and addresses ------------------------------------------------------------------- */

bool snmpd_read_engine(const char *text, size_t len, struct snmpd_engine *engine)
{
    size_t skip = len > 2 && strncasecmp(text, "0x", 2) == 0 ? 2 : 0, digits = len - skip;
    struct snmpd_engine read = {.len = digits / 2};
    if (digits % 2 != 0 || read.len < ENGINE_ID_MIN || read.len > sizeof read.id)
        return false;
    for (size_t i = 0; i < digits; i++)
        if (hex_digit(text[skip + i]) < 0)
            return false;
    hex_to_octets(text + skip, read.id, read.len);
    *engine = read;
    return true;
}

unsigned snmpd_find_engine(const char *text, const char *directive, struct snmpd_engine *engine)
{
    struct snmpd_line line = {.number = 0};
    unsigned found = 0;
    while (snmpd_next_line(&text, &line))
        if (snmpd_is(&line, directive) &&
            snmpd_read_engine(line.words[1].at, line.words[1].len, engine))
            found = line.number;
    return found;
}

/* Each word of an agentaddress is a list of addresses, with commas. */
static bool has_address(const struct snmpd_word *word, const char *address)
{
    size_t len = strlen(address);
    for (size_t i = 0; i <= word->len; i++) {
        size_t n = 0;
        while (i + n < word->len && word->at[i + n] != ',')
            n++;
        if (n == len && memcmp(word->at + i, address, len) == 0)
            return true;
        i += n;
    }
    return false;
}

unsigned snmpd_find_address(const char *text, const char *address)
{
    struct snmpd_line line = {.number = 0};
    while (snmpd_next_line(&text, &line))
        for (size_t i = 1; snmpd_is(&line, "agentaddress") && i < line.n; i++)
            if (has_address(&line.words[i], address))
                return line.number;
    return 0;
}

bool snmpd_is_address(const char *address)
{
    static const char taken[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                ".:-[]%";
    size_t len = strlen(address);
    return len > 0 && len < 128 && strspn(address, taken) == len;
}

void snmpd_first(const char *text, const char *directive, char *word, size_t size)
{
    struct snmpd_line line = {.number = 0};
    word[0] = '\0';
    while (snmpd_next_line(&text, &line)) {
        if (!snmpd_is(&line, directive) || line.words[1].len >= size)
            continue;
        memcpy(word, line.words[1].at, line.words[1].len);
        word[line.words[1].len] = '\0';
        return;
    }
}

bool snmpd_includes(const char *text, const char *dir)
{
    struct snmpd_line line = {.number = 0};
    while (snmpd_next_line(&text, &line)) {
        struct snmpd_word named = line.words[1];
        if (!snmpd_is(&line, "includeDir"))
            continue;
        while (named.len > 1 && named.at[named.len - 1] == '/')
            named.len--;
        if (is_same(&named, dir))
            return true;
    }
    return false;
}

/* -- Announcements --------------------------------------------------------------------------- */

#define PROFILE "dcampAnnounces"

/* The next address of a list with commas; false: there is none. */
static bool next_address(const char **list, struct snmpd_word *address)
{
    if (!*list)
        return false;
    address->at = *list;
    address->len = strcspn(*list, ",");
    *list = address->at[address->len] ? address->at + address->len + 1 : NULL;
    return true;
}

static bool has_port(const char *address)
{
    struct hostport parts;
    if (strncmp(address, "udp:", 4) == 0)
        address += 4;
    else if (strncmp(address, "udp6:", 5) == 0)
        address += 5;
    return hostport_split(address, &parts) && parts.host_len > 0 && parts.port &&
           hostport_is_port(parts.port);
}

bool snmpd_are_addresses(const char *addresses)
{
    struct snmpd_word word;
    if (strlen(addresses) >= SNMPD_ANNOUNCE_MAX)
        return false;
    while (next_address(&addresses, &word)) {
        char address[SNMPD_ANNOUNCE_MAX];
        text_format(address, sizeof address, "%.*s", (int)word.len, word.at);
        if (!snmpd_is_address(address) || !has_port(address))
            return false;
    }
    return true;
}

/* "trapsess -profile dcampAnnounces ... ADDRESS" */
void snmpd_announced_to(const char *text, char addresses[SNMPD_ANNOUNCE_MAX])
{
    struct snmpd_line line = {.number = 0};
    size_t used = 0;
    addresses[0] = '\0';
    while (snmpd_next_line(&text, &line)) {
        if (!snmpd_is(&line, "trapsess") || line.n < 4 || !is_same(&line.words[1], "-profile") ||
            !is_same(&line.words[2], PROFILE))
            continue;
        const struct snmpd_word *last = &line.words[line.n - 1];
        if (used + last->len + 2 > SNMPD_ANNOUNCE_MAX)
            continue;
        used += (size_t)snprintf(addresses + used, SNMPD_ANNOUNCE_MAX - used, "%s%.*s",
                                 used ? "," : "", (int)last->len, last->at);
    }
}

char *snmpd_announce_lines(const char *addresses, const char *oid)
{
    char *lines = NULL;
    size_t len;
    struct snmpd_word address;
    FILE *to = open_memstream(&lines, &len);
    if (!to)
        return NULL;
    fprintf(to, "notificationFilter " PROFILE " %s 0x00 included\n", oid);
    while (next_address(&addresses, &address))
        fprintf(to, "trapsess -profile " PROFILE " -v 3 -l authPriv -u dcampPoll %.*s\n",
                (int)address.len, address.at);
    bool good = !ferror(to);
    if (fclose(to) == 0 && good)
        return lines;
    free(lines);
    return NULL;
}

/* -- Users ----------------------------------------------------------------------------------- */

static struct snmpd_line line_of(const struct snmpd_user *user)
{
    const char *text = user->line;
    struct snmpd_line line = {.number = 0};
    snmpd_next_line(&text, &line);
    return line;
}

static bool is_user(const struct snmpd_line *line, const char *name)
{
    return snmpd_is(line, "usmUser") && line->n > USER_NAME &&
           is_same(&line->words[USER_NAME], name);
}

/* "createUser [-e ENGINE] NAME ..." */
static bool is_made(const struct snmpd_line *line, const char *name)
{
    size_t at = snmpd_is(line, "createUser") && is_same(&line->words[1], "-e") ? 3 : 1;
    return snmpd_is(line, "createUser") && line->n > at && is_same(&line->words[at], name);
}

/* Compares all that snmpd keeps of a user but its public string, which means nothing here. */
static bool is_equal(const struct snmpd_line *a, const struct snmpd_line *b)
{
    for (size_t i = 0; i < USER_PUBLIC; i++)
        if (i >= a->n || i >= b->n || !is_same_in_any_case(&a->words[i], &b->words[i]))
            return false;
    return true;
}

static bool has_user(const char *text, const struct snmpd_user *user)
{
    const struct snmpd_line wanted = line_of(user);
    struct snmpd_line line = {.number = 0};
    bool found = false;
    while (snmpd_next_line(&text, &line)) {
        if (is_made(&line, user->name))
            return false;
        if (!is_user(&line, user->name) ||
            !is_same_in_any_case(&line.words[USER_ENGINE], &wanted.words[USER_ENGINE]))
            continue;
        if (!is_equal(&line, &wanted))
            return false;
        found = true;
    }
    return found;
}

bool snmpd_has_users(const char *text, const struct snmpd_user *users, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!has_user(text, &users[i]))
            return false;
    return true;
}

static bool is_any(const struct snmpd_line *line, const struct snmpd_user *users, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (is_user(line, users[i].name) || is_made(line, users[i].name))
            return true;
    return false;
}

char *snmpd_put_users(const char *text, const struct snmpd_user *users, size_t n)
{
    size_t room = strlen(text) + 2, used = 0;
    for (size_t i = 0; i < n; i++)
        room += strlen(users[i].line) + 1;
    char *to = malloc(room);
    struct snmpd_line line = {.number = 0};
    while (to && snmpd_next_line(&text, &line)) {
        if (is_any(&line, users, n))
            continue;
        memcpy(to + used, line.at, line.len);
        used += line.len;
    }
    if (to && used > 0 && to[used - 1] != '\n')
        to[used++] = '\n';
    for (size_t i = 0; to && i < n; i++) {
        size_t len = strlen(users[i].line);
        memcpy(to + used, users[i].line, len);
        used += len;
        to[used++] = '\n';
    }
    if (to)
        to[used] = '\0';
    return to;
}

unsigned snmpd_find_passphrase(const char *text, const struct snmpd_user *users, size_t n)
{
    struct snmpd_line line = {.number = 0};
    while (snmpd_next_line(&text, &line))
        for (size_t i = 0; i < n; i++)
            if (is_made(&line, users[i].name))
                return line.number;
    return 0;
}
