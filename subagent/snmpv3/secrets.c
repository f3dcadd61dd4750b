#include "snmpv3/secrets.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/account.h"
#include "base/text.h"

#define FILE_MAX 1024

struct secrets_reader {
    const char *path;
    char *error;
    struct usm_credential *to;
    char text[FILE_MAX + 1];
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

/* Says who cannot read it, why, and who could. */
static bool fail_errno(struct secrets_reader *reader, int code)
{
    char text[256], name[ACCOUNT_NAME_SIZE];
    struct stat file;
    text_format(text, sizeof text, "user \"%s\" cannot read it: %s", account_user(name),
                strerror(code));
    size_t len = strlen(text);
    if ((code == EACCES || code == EPERM) && stat(reader->path, &file) == 0) {
        text_format(text + len, sizeof text - len, " (it belongs to user \"%s\", chown it)",
                    account_name(file.st_uid, name));
    }
    return fail_reading(reader, 0, text);
}

static bool fail_owner(struct secrets_reader *reader, uid_t owner)
{
    char text[256], name[ACCOUNT_NAME_SIZE], owner_name[ACCOUNT_NAME_SIZE];
    text_format(text, sizeof text, "belongs to user \"%s\", and is to be read by \"%s\": chown it",
                account_name(owner, owner_name), account_user(name));
    return fail_reading(reader, 0, text);
}

static bool check_permissions(struct secrets_reader *reader, int fd)
{
    struct stat file;
    if (fstat(fd, &file) != 0)
        return fail_errno(reader, errno);
    if (!S_ISREG(file.st_mode))
        return fail_reading(reader, 0, "is not a regular file");
    if (file.st_uid != geteuid() && file.st_uid != 0)
        return fail_owner(reader, file.st_uid);
    if (file.st_mode & (S_IRWXG | S_IRWXO))
        return fail_reading(reader, 0, "others than its owner have access to it; chmod it to 0600");
    if (file.st_size > FILE_MAX)
        return fail_reading(reader, 0, "is longer than 1024 octets");
    return true;
}

static bool read_secret_text(struct secrets_reader *reader)
{
    /* Without O_NONBLOCK, opening a FIFO would wait for its writer. */
    int fd = open(reader->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return fail_errno(reader, errno);
    bool good = check_permissions(reader, fd);
    while (good && reader->len < FILE_MAX) {
        ssize_t n = read(fd, reader->text + reader->len, FILE_MAX - reader->len);
        if (n < 0)
            good = fail_errno(reader, errno);
        if (n <= 0)
            break;
        reader->len += (size_t)n;
    }
    close(fd);
    return good;
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

/* Becomes the user that the file belongs to, with the groups of that user: they may open its
 * directory. */
static bool become_user(uid_t uid)
{
    const struct passwd *user = getpwuid(uid);
    bool grouped = user ? initgroups(user->pw_name, user->pw_gid) == 0 && setegid(user->pw_gid) == 0
                        : setgroups(0, NULL) == 0;
    return grouped && seteuid(uid) == 0;
}

static bool become_root_again(const gid_t *groups, int n)
{
    return seteuid(0) == 0 && setegid(getgid()) == 0 && setgroups((size_t)n, groups) == 0;
}

bool secrets_read_as_owner(const char *path, struct usm_credential *credential,
                           char user[ACCOUNT_NAME_SIZE], char error[512])
{
    struct secrets_reader reader = {.path = path, .error = error};
    struct stat file;
    gid_t groups[256];
    int n = -1;
    bool other = geteuid() == 0 && stat(path, &file) == 0 && file.st_uid != 0;
    if (other)
        n = getgroups(sizeof groups / sizeof *groups, groups);
    if (other && (n < 0 || !become_user(file.st_uid)))
        return fail_errno(&reader, errno);
    account_user(user);
    bool good = secrets_read(path, credential, error);
    if (other && !become_root_again(groups, n))
        return fail_errno(&reader, errno);
    return good;
}

bool secrets_check(const char *path, char user[ACCOUNT_NAME_SIZE], char error[512])
{
    struct usm_credential credential;
    bool good = secrets_read_as_owner(path, &credential, user, error);
    explicit_bzero(&credential, sizeof credential);
    return good;
}
