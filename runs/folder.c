#include "runs/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "runs/file.h"

bool folder_default(const char *state_home, const char *home, char path[FOLDER_PATH_SIZE])
{
    if (state_home && state_home[0] == '/')
        text_format(path, FOLDER_PATH_SIZE, "%s/dcamp/runs", state_home);
    else if (home && *home)
        text_format(path, FOLDER_PATH_SIZE, "%s/.local/state/dcamp/runs", home);
    else
        return false;
    return true;
}

int folder_make(const char *path)
{
    char part[FOLDER_PATH_SIZE];
    text_format(part, sizeof part, "%s", path);
    for (char *slash = part + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        if (mkdir(part, 0700) != 0 && errno != EEXIST)
            return errno;
        *slash = '/';
    }
    return mkdir(part, 0700) == 0 || errno == EEXIST ? 0 : errno;
}

static bool ends_with(const char *text, const char *end)
{
    size_t len = strlen(text), n = strlen(end);
    return len > n && strcmp(text + len - n, end) == 0;
}

bool folder_is_path(const char *text)
{
    return strchr(text, '/') || ends_with(text, RUN_FILE_END);
}

bool folder_find(const char *folder, const char *text, char path[FOLDER_PATH_SIZE])
{
    if (strlen(text) >= FOLDER_PATH_SIZE)
        return false;
    if (folder_is_path(text))
        text_format(path, FOLDER_PATH_SIZE, "%s", text);
    else if (run_is_name(text))
        text_format(path, FOLDER_PATH_SIZE, "%s/%s" RUN_FILE_END, folder, text);
    else
        return false;
    return true;
}

static int order_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int add_name(const char *file, char ***names, size_t *n, size_t *room)
{
    char *name =
        ends_with(file, RUN_FILE_END) ? strndup(file, strlen(file) - strlen(RUN_FILE_END)) : NULL;
    if (!ends_with(file, RUN_FILE_END))
        return 0;
    void *list = name ? run_grow(*names, *n, room, sizeof **names) : NULL;
    if (!list) {
        free(name);
        return ENOMEM;
    }
    *names = list;
    if (run_is_name(name))
        (*names)[(*n)++] = name;
    else
        free(name);
    return 0;
}

int folder_list(const char *folder, char ***names, size_t *n)
{
    size_t room = 0;
    int error = 0;
    DIR *directory = opendir(folder);
    *names = NULL;
    *n = 0;
    if (!directory)
        return errno == ENOENT ? 0 : errno;
    for (struct dirent *entry; !error && (entry = readdir(directory));)
        error = add_name(entry->d_name, names, n, &room);
    closedir(directory);
    if (*n > 0)
        qsort(*names, *n, sizeof **names, order_names);
    return error;
}
