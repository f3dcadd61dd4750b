#include "base/credentials.h"

#include <string.h>

#include "base/private_file.h"
#include "base/text.h"

#define FILE_MAX 8192
#define BLANKS " \t"
#define LETTERS "abcdefghijklmnopqrstuvwxyz"

static char *place_of(struct credentials *credentials, const char *word, size_t len)
{
    if (len == 4 && memcmp(word, "user", 4) == 0)
        return credentials->user;
    if (len == 8 && memcmp(word, "password", 8) == 0)
        return credentials->password;
    return len == 5 && memcmp(word, "token", 5) == 0 ? credentials->token : NULL;
}

/* A value that is sent in a header must not end the header, as a carriage return would that the
 * editor of another system has left. */
static bool has_control(const char *value, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)value[i] < ' ' || value[i] == 0x7f)
            return true;
    return false;
}

/* How many octets at the beginning of text are among those. */
static size_t span(const char *text, size_t len, const char *those)
{
    size_t n = 0;
    while (n < len && memchr(those, text[n], strlen(those)))
        n++;
    return n;
}

/* The line is without its end. Returns NULL, or what is wrong with the line. */
static const char *take_line(struct credentials *credentials, const char *line, size_t len)
{
    size_t before = span(line, len, BLANKS);
    line += before;
    len -= before;
    if (len == 0 || *line == '#')
        return NULL;
    size_t word = span(line, len, LETTERS), blanks = span(line + word, len - word, BLANKS);
    char *place = place_of(credentials, line, word);
    const char *value = line + word + blanks;
    len -= word + blanks;
    if (!place || blanks == 0 || len == 0)
        return "expected user, password or token and its value";
    if (*place)
        return "a second value";
    if (len >= CREDENTIAL_SIZE)
        return "too long";
    if (has_control(value, len))
        return "a control character in the value; is the end of the line that of another system?";
    memcpy(place, value, len);
    place[len] = '\0';
    return NULL;
}

static bool take_lines(struct credentials *credentials, const char *path, const char *text,
                       size_t len, char error[512])
{
    unsigned number = 1;
    for (const char *line = text, *end = text + len; line < end; number++) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        stop = stop ? stop : end;
        const char *wrong = take_line(credentials, line, (size_t)(stop - line));
        line = stop + 1;
        if (!wrong)
            continue;
        text_format(error, 512, "%s:%u: %s", path, number, wrong);
        return false;
    }
    bool pair = credentials->user[0] && credentials->password[0];
    bool half = credentials->user[0] || credentials->password[0];
    if (credentials->token[0] ? !half : pair)
        return true;
    text_format(error, 512, "%s: expected a user and a password, or a token", path);
    return false;
}

bool credentials_read(const char *path, struct credentials *credentials, char error[512])
{
    char text[FILE_MAX];
    size_t len;
    *credentials = (struct credentials){0};
    bool good = private_file_read(path, text, sizeof text, &len, error) &&
                take_lines(credentials, path, text, len, error);
    explicit_bzero(text, sizeof text);
    if (!good)
        explicit_bzero(credentials, sizeof *credentials);
    return good;
}

static bool read_all(const char *path, void *to, char error[512])
{
    return credentials_read(path, to, error);
}

bool credentials_check(const char *path, char user[ACCOUNT_NAME_SIZE], char error[512])
{
    struct credentials credentials;
    bool good = private_file_as_owner(path, read_all, &credentials, user, error);
    explicit_bzero(&credentials, sizeof credentials);
    return good;
}
