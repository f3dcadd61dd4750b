#include "base/credentials.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *place_of(struct credentials *credentials, const char *word, size_t len)
{
    if (len == 4 && memcmp(word, "user", 4) == 0)
        return credentials->user;
    if (len == 8 && memcmp(word, "password", 8) == 0)
        return credentials->password;
    return len == 5 && memcmp(word, "token", 5) == 0 ? credentials->token : NULL;
}

/* NULL, or what is wrong with the line. */
static const char *take_line(struct credentials *credentials, char *line)
{
    size_t len = strlen(line);
    if (len > 0 && line[len - 1] == '\n')
        line[--len] = '\0';
    else if (len == CREDENTIAL_SIZE - 1)
        return "too long";
    line += strspn(line, " \t");
    if (*line == '\0' || *line == '#')
        return NULL;
    size_t word = strcspn(line, " \t");
    char *place = place_of(credentials, line, word);
    const char *value = line + word + strspn(line + word, " \t");
    if (!place || *value == '\0')
        return "expected user, password or token and its value";
    if (*place)
        return "a second value";
    strcpy(place, value);
    return NULL;
}

static const char *check(const struct credentials *credentials)
{
    bool pair = credentials->user[0] && credentials->password[0];
    bool half = credentials->user[0] || credentials->password[0];
    if (credentials->token[0] ? half : !pair)
        return "expected a user and a password, or a token";
    return NULL;
}

static const char *check_mode(int fd)
{
    struct stat status;
    if (fstat(fd, &status) != 0)
        return strerror(errno);
    if (!S_ISREG(status.st_mode))
        return "not a regular file";
    if (status.st_uid != geteuid() && status.st_uid != 0)
        return "belongs to another user";
    return status.st_mode & 077 ? "others than its owner may read it: chmod 600" : NULL;
}

bool credentials_read(const char *path, struct credentials *credentials, char *error,
                      size_t error_size)
{
    char line[CREDENTIAL_SIZE];
    unsigned number = 0;
    *credentials = (struct credentials){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
    const char *wrong = file ? check_mode(fd) : strerror(errno);
    if (!file && fd >= 0)
        close(fd);
    while (!wrong && fgets(line, sizeof line, file)) {
        number++;
        wrong = take_line(credentials, line);
        if (wrong)
            snprintf(error, error_size, "%s:%u: %s", path, number, wrong);
    }
    if (file)
        fclose(file);
    bool told = wrong && number > 0;
    if (!wrong)
        wrong = check(credentials);
    if (wrong && !told)
        snprintf(error, error_size, "%s: %s", path, wrong);
    explicit_bzero(line, sizeof line);
    return !wrong;
}
