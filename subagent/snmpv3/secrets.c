#include "snmpv3/secrets.h"

#include <string.h>

#include "base/private_file.h"
#include "base/text.h"

#define FILE_MAX 1024

struct secrets_reader {
    const char *path;
    char *error;
    struct usm_credential *to;
    char text[FILE_MAX];
    size_t len;
};

static bool fail_reading(struct secrets_reader *reader, int line, const char *what)
{
    if (line > 0)
        text_format(reader->error, 512, "%s:%d: %s", reader->path, line, what);
    else
        text_format(reader->error, 512, "%s: %s", reader->path, what);
    return false;
}

static bool read_secret_text(struct secrets_reader *reader)
{
    return private_file_read(reader->path, reader->text, FILE_MAX, &reader->len, reader->error);
}

/* Takes one line, without its end. */
static bool take_secret_line(struct secrets_reader *reader, int number, const char *line,
                             size_t len)
{
    bool is_auth = len > 5 && memcmp(line, "auth ", 5) == 0;
    bool is_priv = len > 5 && memcmp(line, "priv ", 5) == 0;
    char *secret = is_auth ? reader->to->auth_secret : reader->to->priv_secret;
    if (!is_auth && !is_priv)
        return fail_reading(reader, number,
                            "is neither \"auth PASSPHRASE\" nor \"priv PASSPHRASE\"");
    if (secret[0])
        return fail_reading(reader, number, is_auth ? "a second auth line" : "a second priv line");
    len -= 5;
    if (len < SECRET_MIN || len >= PEER_SECRET_SIZE)
        return fail_reading(reader, number, "the passphrase must have 8 to 128 octets");
    if (memchr(line + 5, '\0', len))
        return fail_reading(reader, number, "there is a NUL in the passphrase");
    memcpy(secret, line + 5, len);
    secret[len] = '\0';
    return true;
}

static bool take_lines(struct secrets_reader *reader)
{
    size_t at = 0;
    for (int number = 1; at < reader->len; number++) {
        const char *line = reader->text + at;
        const char *end = memchr(line, '\n', reader->len - at);
        size_t len = end ? (size_t)(end - line) : reader->len - at;
        at += len + 1;
        if (len > 0 && !take_secret_line(reader, number, line, len))
            return false;
    }
    if (!reader->to->auth_secret[0])
        return fail_reading(reader, 0, "has no line \"auth PASSPHRASE\"");
    if (!reader->to->priv_secret[0])
        return fail_reading(reader, 0, "has no line \"priv PASSPHRASE\"");
    return true;
}

bool secrets_read(const char *path, struct usm_credential *credential, char error[512])
{
    struct secrets_reader reader = {.path = path, .error = error, .to = credential};
    explicit_bzero(credential->auth_secret, sizeof credential->auth_secret);
    explicit_bzero(credential->priv_secret, sizeof credential->priv_secret);
    bool good = read_secret_text(&reader) && take_lines(&reader);
    explicit_bzero(reader.text, sizeof reader.text);
    if (!good) {
        explicit_bzero(credential->auth_secret, sizeof credential->auth_secret);
        explicit_bzero(credential->priv_secret, sizeof credential->priv_secret);
    }
    return good;
}

static bool take_password(struct secrets_reader *reader, char password[PEER_SECRET_SIZE])
{
    static const char word[] = "password ";
    size_t n = sizeof word - 1, len = reader->len;
    if (len > 0 && reader->text[len - 1] == '\n')
        len--;
    if (len <= n || memcmp(reader->text, word, n) != 0)
        return fail_reading(reader, 1, "is not \"password PASSWORD\"");
    if (len - n >= PEER_SECRET_SIZE)
        return fail_reading(reader, 1, "the password must have 1 to 128 octets");
    for (size_t i = n; i < len; i++)
        if ((unsigned char)reader->text[i] < ' ')
            return fail_reading(reader, 1, "the password must be one line of printable text");
    memcpy(password, reader->text + n, len - n);
    password[len - n] = '\0';
    return true;
}

bool secrets_read_password(const char *path, char password[PEER_SECRET_SIZE], char error[512])
{
    struct secrets_reader reader = {.path = path, .error = error};
    password[0] = '\0';
    bool good = read_secret_text(&reader) && take_password(&reader, password);
    explicit_bzero(reader.text, sizeof reader.text);
    return good;
}

static bool read_pair(const char *path, void *credential, char error[512])
{
    return secrets_read(path, credential, error);
}

bool secrets_read_as_owner(const char *path, struct usm_credential *credential,
                           char user[ACCOUNT_NAME_SIZE], char error[512])
{
    return private_file_as_owner(path, read_pair, credential, user, error);
}

bool secrets_check(const char *path, char user[ACCOUNT_NAME_SIZE], char error[512])
{
    struct usm_credential credential;
    bool good = secrets_read_as_owner(path, &credential, user, error);
    explicit_bzero(&credential, sizeof credential);
    return good;
}
