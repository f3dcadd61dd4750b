#include "application/directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "application/copies.h"
#include "base/log.h"
#include "base/text.h"

TAILQ_HEAD(entries, entry);

/* The beginning of the names that dead files are given before they are removed. */
#define DEAD ".dead-"

/* A file, identified by its inode: a process that calls execve(2) renames the file that it had
 * before. */
struct entry {
    UT_hash_handle hh;
    TAILQ_ENTRY(entry) link;
    struct entries *queue; /* the queue that it is in */
    ino_t inode;
    char *name;
    bool has_bad_name;
    uint64_t pass;     /* the pass in which it was last there, */
    uint64_t visited;  /* and the one in which it was last looked at */
    uint64_t first_ns; /* when it was first seen */
    uint64_t due_ns;   /* when to look at it again */
    bool had_magic;
    bool late;               /* it was not read although it was there */
    bool is_aside;           /* it was read before, and its writer had not ended */
    bool is_taken;           /* its writer is dead, and all of its contents were taken */
    struct owner *owner;     /* NULL: not known yet */
    struct program *program; /* NULL: it is not read */
    struct gaps gaps;        /* the parts that are not read every time */
    int problem;             /* enum owner_problem while it is not read; -1: none is known */
};

struct directory {
    char *path;
    int fd;   /* -1: it could not be opened */
    int told; /* the error that was last logged; 0: none */
    bool told_names;
    bool told_unlink;
    unsigned left_tried;  /* how many dead files of an earlier dcampd this pass has looked at */
    uint64_t left_due_ns; /* when to look at them again */
    uint64_t pass;
    uint64_t scans; /* passes that could read its names, and looks that found none */
    struct entry *by_inode;
    struct entries fresh, waiting, read; /* never looked at; looked at again; read in each pass */
    struct applications applications;
    struct owner *owners;
    struct segment *segment;
    struct copies copies;
    struct directory_cost cost;
    /* The state of the pass that is under way. */
    uint64_t now_ns;
    unsigned wanted;
    const struct program_observer *observer;
    bool no_memory;
    char why[SEGMENT_WHY_SIZE];
};

struct directory *directory_new(const char *path)
{
    struct directory *directory = calloc(1, sizeof *directory);
    if (!directory)
        return NULL;
    directory->fd = -1;
    TAILQ_INIT(&directory->fresh);
    TAILQ_INIT(&directory->waiting);
    TAILQ_INIT(&directory->read);
    directory->path = strdup(path);
    directory->segment = segment_new();
    if (directory->path && directory->segment)
        return directory;
    directory_free(directory);
    return NULL;
}

const struct applications *directory_applications(const struct directory *directory)
{
    return &directory->applications;
}

const struct owner *directory_owners(const struct directory *directory)
{
    return directory->owners;
}

struct directory_cost directory_cost(const struct directory *directory)
{
    return directory->cost;
}

/* -- Entries ----------------------------------------------------------------------------------- */

static void move(struct entry *entry, struct entries *queue)
{
    if (entry->queue)
        TAILQ_REMOVE(entry->queue, entry, link);
    entry->queue = queue;
    if (queue)
        TAILQ_INSERT_TAIL(queue, entry, link);
}

static void wait_until(struct directory *directory, struct entry *entry, uint64_t due_ns)
{
    entry->due_ns = due_ns;
    move(entry, &directory->waiting);
}

/* What the program has counted stays with its application. is_over: the file is not read again. */
static void stop_reading(struct directory *directory, struct entry *entry, bool is_over)
{
    gaps_release(&entry->gaps);
    if (!entry->program)
        return;
    if (is_over)
        program_free(entry->program, &directory->applications);
    else
        program_set_aside(entry->program, &directory->applications);
    entry->is_aside = !is_over;
    entry->program = NULL;
    entry->late = true;
    entry->owner->files--;
    directory->cost.files--;
    wait_until(directory, entry, directory->now_ns);
}

static void start_reading(struct directory *directory, struct entry *entry, struct program *program)
{
    entry->program = program;
    entry->problem = -1;
    entry->owner->files++;
    directory->cost.files++;
    move(entry, &directory->read);
}

static void set_owner(struct entry *entry, struct owner *owner)
{
    if (entry->owner)
        entry->owner->entries--;
    if (owner)
        owner->entries++;
    entry->owner = owner;
}

static void forget(struct directory *directory, struct entry *entry)
{
    stop_reading(directory, entry, true);
    move(entry, NULL);
    HASH_DEL(directory->by_inode, entry);
    set_owner(entry, NULL);
    free(entry->name);
    free(entry);
}

/* Two or three numbers with dots between them, and nothing else. */
static bool is_segment_name(const char *name)
{
    unsigned numbers = 0;
    while (numbers < 3) {
        size_t digits = strspn(name, "0123456789");
        if (digits == 0)
            return false;
        numbers++;
        name += digits;
        if (*name == '\0')
            return numbers > 1;
        if (*name++ != '.')
            return false;
    }
    return false;
}

/* NAME.N, the name that a process gives its file before it makes another one. */
static bool is_aside(const char *name, const char *before)
{
    size_t length = strlen(before);
    return strncmp(name, before, length) == 0 && name[length] == '.';
}

/* A file system may give the inode of a removed file to another one. */
static void begin_anew(struct directory *directory, struct entry *entry)
{
    stop_reading(directory, entry, true);
    set_owner(entry, NULL);
    entry->is_aside = entry->is_taken = false;
    entry->first_ns = directory->now_ns;
    entry->due_ns = 0;
    entry->problem = -1;
    entry->had_magic = false;
    entry->late = directory->scans == 1;
    move(entry, &directory->fresh);
}

static bool set_name(struct directory *directory, struct entry *entry, const char *name)
{
    if (entry->name && strcmp(entry->name, name) == 0)
        return true;
    char *copy = strdup(name);
    if (!copy)
        return false;
    if (!entry->name || !is_aside(name, entry->name))
        begin_anew(directory, entry);
    free(entry->name);
    entry->name = copy;
    entry->has_bad_name = !is_segment_name(name);
    return true;
}

static struct entry *add_entry(struct directory *directory, ino_t inode)
{
    struct entry *entry = calloc(1, sizeof *entry);
    if (!entry)
        return NULL;
    entry->inode = inode;
    HASH_ADD(hh, directory->by_inode, inode, sizeof entry->inode, entry);
    if (table_has(hh, entry))
        return entry;
    free(entry);
    return NULL;
}

/* -- Which files there are --------------------------------------------------------------------- */

/* A file with such a name was left by a dcampd that ended between two system calls of
 * unlink_dead(). If its writer lives, it stays until the writer has ended. */
static void remove_left(struct directory *directory, const char *name)
{
    struct stat status;
    directory->left_tried++;
    if (fstatat(directory->fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(status.st_mode))
        return;
    int fd = openat(directory->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return;
    if (!copies_writer_lives(fd) && unlinkat(directory->fd, name, 0) == 0)
        directory->cost.removed++;
    close(fd);
}

/* Such names are not segments. Those that cannot be removed are not tried in each pass. */
static void see_hidden(struct directory *directory, const char *name)
{
    if (strncmp(name, DEAD, strlen(DEAD)) == 0 && directory->now_ns >= directory->left_due_ns &&
        directory->left_tried < DIRECTORY_AGAIN_MAX)
        remove_left(directory, name);
}

static void see_name(struct directory *directory, const struct dirent *dirent, size_t *left_out)
{
    struct entry *entry;
    if (*dirent->d_name == '.') {
        see_hidden(directory, dirent->d_name);
        return;
    }
    HASH_FIND(hh, directory->by_inode, &dirent->d_ino, sizeof dirent->d_ino, entry);
    if (!entry && HASH_COUNT(directory->by_inode) >= DIRECTORY_NAMES_MAX) {
        ++*left_out;
        return;
    }
    if (!entry)
        entry = add_entry(directory, dirent->d_ino);
    if (entry && entry->pass == directory->pass) /* it is one of several links to the same file */
        return;
    if (entry && set_name(directory, entry, dirent->d_name))
        entry->pass = directory->pass;
    else
        directory->no_memory = true;
}

static void tell_names(struct directory *directory, size_t left_out)
{
    if (left_out > 0 && !directory->told_names)
        log_warning("application", "%s has more than %u files: others are not looked at",
                    directory->path, DIRECTORY_NAMES_MAX);
    if (left_out == 0 && directory->told_names)
        log_info("application", "%s has no more than %u files any more", directory->path,
                 DIRECTORY_NAMES_MAX);
    directory->told_names = left_out > 0;
}

/* Reads from the beginning, wherever another reader is. NULL: errno says why. */
static DIR *open_names(const struct directory *directory)
{
    int fd = openat(directory->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir && fd >= 0) {
        int error = errno;
        close(fd);
        errno = error;
    }
    return dir;
}

static int see_names(struct directory *directory)
{
    size_t left_out = 0;
    DIR *dir = open_names(directory);
    if (!dir)
        return errno;
    directory->scans++;
    directory->left_tried = 0;
    const struct dirent *dirent;
    int error;
    do {
        errno = 0;
        dirent = readdir(dir);
        error = errno;
        if (dirent)
            see_name(directory, dirent, &left_out);
    } while (dirent && left_out == 0);
    closedir(dir);
    if (directory->left_tried > 0)
        directory->left_due_ns = directory->now_ns + DIRECTORY_AGAIN_NS;
    tell_names(directory, left_out);
    return error;
}

/* Forgets files that are not there any more, or not among the names that are looked at. */
static void forget_gone(struct directory *directory)
{
    struct entry *entry, *next;
    HASH_ITER(hh, directory->by_inode, entry, next)
    if (entry->pass != directory->pass)
        forget(directory, entry);
}

/* Copies the file and checks the copy. Three copies are needed only if somebody wants the parts
 * that are whole only while nobody writes them, and somebody may be writing; and only if nobody
 * wants those parts, there are gaps. */
static int read_copies(struct directory *directory, const struct entry *entry, int fd, bool is_dead,
                       enum segment_verdict *verdict)
{
    struct segment_copy copy[SEGMENT_COPIES];
    bool is_whole = directory->wanted || is_dead;
    uint64_t octets = 0;
    int error = copies_read(&directory->copies, fd, directory->wanted && !is_dead,
                            is_whole ? NULL : &entry->gaps, copy, &octets);
    directory->cost.octets += octets;
    entry->owner->octets += octets;
    if (error)
        return error;
    if (is_dead)
        copy[SEGMENT_BEFORE] = copy[SEGMENT_AFTER] = copy[SEGMENT_READ];
    const struct segment_known known = {program_descriptor, entry->program};
    *verdict = segment_open_again(directory->segment, copy, entry->program ? &known : NULL,
                                  directory->why);
    return 0;
}

/* A file that has gaps and is not sound may contain another segment than before. */
static int read_segment(struct directory *directory, struct entry *entry, int fd, bool is_dead,
                        enum segment_verdict *verdict)
{
    int error = read_copies(directory, entry, fd, is_dead, verdict);
    if (error || *verdict == SEGMENT_SOUND || entry->gaps.panels == 0)
        return error;
    gaps_release(&entry->gaps);
    return read_copies(directory, entry, fd, is_dead, verdict);
}

/* Reads all of the file, after what was read has made no sense. */
static bool read_anew(struct directory *directory, struct entry *entry, int fd, bool is_dead)
{
    enum segment_verdict verdict;
    gaps_release(&entry->gaps);
    int error = read_segment(directory, entry, fd, is_dead, &verdict);
    directory->no_memory |= error == ENOMEM;
    return error == 0 && verdict == SEGMENT_SOUND;
}

/* -- Dead files -------------------------------------------------------------------------------- */

static bool is_inode(const struct directory *directory, const char *name, ino_t inode)
{
    struct stat status;
    return fstatat(directory->fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
           status.st_ino == inode;
}

/* A process that calls execve(2) may at this very moment rename the dead file and make another one
 * with its name. So the file first gets a name that nobody else uses; then it is known which file
 * it is. 0 or an errno; ENOENT: it is another file. */
static int unlink_dead(const struct directory *directory, const struct entry *entry)
{
    char aside[64];
    text_format(aside, sizeof aside, DEAD "%llx-%llx", (unsigned long long)directory->now_ns,
                (unsigned long long)entry->inode);
    if (renameat2(directory->fd, entry->name, directory->fd, aside, RENAME_NOREPLACE) < 0)
        return errno;
    if (is_inode(directory, aside, entry->inode))
        return unlinkat(directory->fd, aside, 0) == 0 ? 0 : errno;
    renameat2(directory->fd, aside, directory->fd, entry->name, RENAME_NOREPLACE);
    return ENOENT;
}

static void tell_unlink(struct directory *directory, const struct entry *entry, int error)
{
    if (error && error != ENOENT && !directory->told_unlink)
        log_warning("application", "%s/%s, of a program that has ended, cannot be removed: %s",
                    directory->path, entry->name, strerror(error));
    directory->told_unlink = error && error != ENOENT;
}

/* The contents have been taken, and are not taken once more if the file stays. */
static void remove_dead(struct directory *directory, struct entry *entry)
{
    stop_reading(directory, entry, true);
    entry->is_taken = true;
    int error = unlink_dead(directory, entry);
    tell_unlink(directory, entry, error);
    if (!error) {
        directory->cost.removed++;
        forget(directory, entry);
        return;
    }
    wait_until(directory, entry, directory->now_ns + DIRECTORY_AGAIN_NS);
}

/* -- One file ---------------------------------------------------------------------------------- */

static void refuse(struct directory *directory, struct entry *entry, enum owner_problem problem,
                   const char *why)
{
    char text[OWNER_WHY_SIZE];
    stop_reading(directory, entry, false);
    entry->late = true;
    entry->problem = (int)problem;
    text_format(text, sizeof text, "%s/%s is not read: %s", directory->path, entry->name, why);
    text_clean(text, sizeof text, '?');
    if (entry->owner)
        owner_count(entry->owner, problem, text);
    wait_until(directory, entry, directory->now_ns + DIRECTORY_AGAIN_NS);
}

static const char *unsuitable(const struct entry *entry, const struct stat *status)
{
    if (!S_ISREG(status->st_mode))
        return "it is no regular file";
    if (entry->has_bad_name)
        return "its name is not PID.STARTTIME";
    if (status->st_nlink != 1)
        return "it has several links";
    if (status->st_size > SEGMENT_SIZE_MAX)
        return "it has more than 16 MiB";
    return NULL;
}

/* Finds out who owns the file, and whether it may be opened. A file with another owner than before
 * is another file. */
static bool check_status(struct directory *directory, struct entry *entry,
                         const struct stat *status)
{
    if (entry->owner && entry->owner->uid != status->st_uid)
        stop_reading(directory, entry, true);
    struct owner *owner = owner_get(&directory->owners, status->st_uid);
    if (!owner) {
        directory->no_memory = true;
        return false;
    }
    set_owner(entry, owner);
    const char *why = unsuitable(entry, status);
    if (why)
        refuse(directory, entry, OWNER_UNSUITABLE, why);
    return !why;
}

/* If a device or a pipe has replaced the file, opening it in this way does nothing. -1: it is not
 * there any more, was refused, or has to wait. */
static int open_entry(struct directory *directory, struct entry *entry)
{
    struct stat status;
    if (fstatat(directory->fd, entry->name, &status, AT_SYMLINK_NOFOLLOW) < 0 ||
        status.st_ino != entry->inode || !check_status(directory, entry, &status))
        return -1;
    int fd = openat(directory->fd, entry->name,
                    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd < 0 && errno != ENOENT && errno != ELOOP)
        refuse(directory, entry, OWNER_UNREADABLE, strerror(errno));
    if (fd < 0)
        return -1;
    if (fstat(fd, &status) == 0 && status.st_ino == entry->inode &&
        check_status(directory, entry, &status))
        return fd;
    close(fd);
    return -1;
}

static void refuse_segment(struct directory *directory, struct entry *entry,
                           enum segment_verdict verdict)
{
    static const enum owner_problem problem[] = {
        [SEGMENT_FOREIGN] = OWNER_UNSUITABLE,
        [SEGMENT_NEWER] = OWNER_NEWER,
        [SEGMENT_DAMAGED] = OWNER_DAMAGED,
    };
    refuse(directory, entry, problem[verdict], directory->why);
}

/* Whether there is a place for a file whose writer lives. Files of the dead are read once. */
static bool may_be_read(struct directory *directory, struct entry *entry)
{
    char why[64];
    if (entry->owner->files >= OWNER_FILES_MAX) {
        text_format(why, sizeof why, "%u others of its user are", OWNER_FILES_MAX);
        refuse(directory, entry, OWNER_MANY_FILES, why);
        return false;
    }
    if (directory->cost.files >= DIRECTORY_FILES_MAX) {
        text_format(why, sizeof why, "%u others are", DIRECTORY_FILES_MAX);
        refuse(directory, entry, OWNER_MANY_FILES, why);
        return false;
    }
    return true;
}

static bool begin_program(struct directory *directory, struct entry *entry)
{
    struct program *program =
        program_new(&directory->applications, entry->owner, directory->segment, entry->late);
    if (!program) {
        directory->no_memory = true;
        return false;
    }
    if (entry->is_aside)
        program_comes_back(program);
    entry->is_aside = false;
    start_reading(directory, entry, program);
    return true;
}

/* For a dead program, the keys are kept, and no thread lives. */
static unsigned wanted_of(const struct directory *directory, bool is_dead)
{
    return is_dead ? (directory->wanted | PROGRAM_TOPS) & ~PROGRAM_THREADS : directory->wanted;
}

/* A doubtful segment is copied and read once more. */
static enum program_outcome take_segment(struct directory *directory, struct entry *entry, int fd,
                                         bool is_dead)
{
    unsigned wanted = wanted_of(directory, is_dead);
    enum program_outcome outcome =
        program_read(entry->program, &directory->applications, directory->segment, wanted, false,
                     directory->observer);
    if (outcome != PROGRAM_DOUBTFUL)
        return outcome;
    if (!read_anew(directory, entry, fd, is_dead))
        return PROGRAM_DOUBTFUL;
    return program_read(entry->program, &directory->applications, directory->segment, wanted, true,
                        directory->observer);
}

static void count_without_room(struct directory *directory, const struct entry *entry)
{
    char text[OWNER_WHY_SIZE];
    if (entry->program->no_room == 0)
        return;
    text_format(text, sizeof text,
                "%u sensors of %s/%s are not read, or not all of them: no more than %u MiB are "
                "kept for its user, and %u MiB for all users together",
                entry->program->no_room, directory->path, entry->name, OWNER_MEMORY_MAX >> 20,
                OWNERS_MEMORY_MAX >> 20);
    owner_count(entry->owner, OWNER_MUCH_MEMORY, text);
}

/* Counts sensors that have no series: the file is read except for these. */
static void count_lacking(struct directory *directory, const struct entry *entry)
{
    char text[OWNER_WHY_SIZE];
    const struct program *program = entry->program;
    directory->no_memory |= program->no_memory;
    program->application->over_quota += program->over_quota;
    program->application->clashing += program->clashing;
    program->application->no_room += program->no_room;
    if (program->over_quota > 0) {
        text_format(text, sizeof text, "%u sensors of %s/%s are not read: its user has %u series",
                    program->over_quota, directory->path, entry->name, OWNER_SERIES_MAX);
        owner_count(entry->owner, OWNER_MANY_SERIES, text);
    }
    if (program->clashing > 0) {
        text_format(text, sizeof text,
                    "%u sensors of %s/%s are not read: other processes of the application have "
                    "sensors of these names that are of other kinds or units",
                    program->clashing, directory->path, entry->name);
        owner_count(entry->owner, OWNER_CLASH, text);
    }
    count_without_room(directory, entry);
}

static void take_sound(struct directory *directory, struct entry *entry, int fd, bool is_dead)
{
    if (!entry->program && !begin_program(directory, entry))
        return;
    enum program_outcome outcome = take_segment(directory, entry, fd, is_dead);
    if (outcome == PROGRAM_REPLACED) {
        stop_reading(directory, entry, true);
        entry->late = false;
        if (!read_anew(directory, entry, fd, is_dead) || !begin_program(directory, entry))
            return;
        outcome = take_segment(directory, entry, fd, is_dead);
    }
    if (outcome == PROGRAM_TAKEN && gaps_learn(&entry->gaps, directory->segment))
        directory->no_memory = true;
    count_lacking(directory, entry);
    if (outcome == PROGRAM_TAKEN && is_dead && !entry->program->no_memory)
        remove_dead(directory, entry);
}

/* The magic number has not been stored yet. Perhaps it is there a pass later; or the writer died
 * before. */
static void take_unfinished(struct directory *directory, struct entry *entry, int fd)
{
    stop_reading(directory, entry, true);
    if (directory->now_ns - entry->first_ns < DIRECTORY_UNFINISHED_NS)
        move(entry, &directory->fresh);
    else if (copies_writer_lives(fd))
        wait_until(directory, entry, directory->now_ns + DIRECTORY_AGAIN_NS);
    else
        remove_dead(directory, entry);
}

/* The lock exists before the magic number does. So if a file had the magic number before and is not
 * locked, its writer is dead, and what is read after that is its final state; otherwise the file is
 * read again. */
static void take_file(struct directory *directory, struct entry *entry, int fd)
{
    enum segment_verdict verdict;
    bool lives = copies_writer_lives(fd), is_dead = entry->had_magic && !lives;
    if (entry->is_taken && !lives) {
        remove_dead(directory, entry);
        return;
    }
    if (lives && !entry->program && !may_be_read(directory, entry))
        return;
    int error = read_segment(directory, entry, fd, is_dead, &verdict);
    if (!error && verdict != SEGMENT_UNFINISHED && !entry->had_magic) {
        entry->had_magic = true;
        is_dead = !copies_writer_lives(fd);
        if (is_dead)
            error = read_segment(directory, entry, fd, is_dead, &verdict);
    }
    if (error == ENOMEM)
        directory->no_memory = true;
    else if (error)
        refuse(directory, entry, OWNER_UNREADABLE, strerror(error));
    else if (verdict == SEGMENT_SOUND)
        take_sound(directory, entry, fd, is_dead);
    else if (verdict == SEGMENT_UNFINISHED)
        take_unfinished(directory, entry, fd);
    else {
        if (is_dead)
            stop_reading(directory, entry, true);
        refuse_segment(directory, entry, verdict);
        if (is_dead)
            remove_dead(directory, entry);
    }
}

static bool has_worked_enough(const struct entry *entry)
{
    return entry->owner && entry->owner->octets >= OWNER_OCTETS_MAX;
}

static void visit(struct directory *directory, struct entry *entry)
{
    entry->visited = directory->pass;
    int fd = open_entry(directory, entry);
    if (fd < 0)
        return;
    if (!has_worked_enough(entry))
        take_file(directory, entry, fd);
    close(fd);
}

/* -- A pass ------------------------------------------------------------------------------------ */

/* The programs take turns: those that have to wait in this pass come first in the next one. */
static void read_programs(struct directory *directory)
{
    char text[OWNER_WHY_SIZE];
    struct entry *entry = TAILQ_FIRST(&directory->read), *next;
    for (size_t n = directory->cost.files; n > 0 && entry; n--, entry = next) {
        next = TAILQ_NEXT(entry, link);
        if (entry->visited == directory->pass)
            continue;
        if (has_worked_enough(entry)) {
            text_format(text, sizeof text, "%s/%s has to wait: its user has more than %u MiB there",
                        directory->path, entry->name, OWNER_OCTETS_MAX >> 20);
            owner_count(entry->owner, OWNER_MUCH_WORK, text);
            continue;
        }
        move(entry, &directory->read);
        visit(directory, entry);
    }
}

/* Whatever becomes of a file, it is then at the end of a queue, or gone. */
static void examine(struct directory *directory, struct entries *queue, unsigned n)
{
    for (struct entry *entry; n > 0 && (entry = TAILQ_FIRST(queue)); n--) {
        if (entry->due_ns > directory->now_ns || entry->visited == directory->pass)
            return;
        directory->cost.examined++;
        wait_until(directory, entry, directory->now_ns);
        visit(directory, entry);
    }
}

/* A user with more files than are read in a pass must prevent neither new files from being found
 * nor known files from being read: each kind comes first in every other pass. */
static void visit_all(struct directory *directory)
{
    bool new_ones_first = directory->pass % 2;
    if (!new_ones_first)
        read_programs(directory);
    examine(directory, &directory->fresh, DIRECTORY_NEW_MAX);
    examine(directory, &directory->waiting, DIRECTORY_AGAIN_MAX);
    if (new_ones_first)
        read_programs(directory);
}

/* Files that were refused in an earlier pass still are. */
static void count_problems(struct directory *directory)
{
    struct owner *owner, *next;
    const struct entry *entry;
    HASH_ITER(hh, directory->owners, owner, next)
    owner_begin(owner);
    TAILQ_FOREACH(entry, &directory->waiting, link)
    if (entry->problem >= 0 && entry->owner)
        owner_count(entry->owner, (enum owner_problem)entry->problem, NULL);
}

static void tell(const struct directory *directory, struct owner *owner, enum owner_problem problem)
{
    const char *why = owner->problem[problem].why;
    switch (owner_news(owner, problem, directory->now_ns)) {
    case OWNER_BEGINS:
        log_warning("application", "user %u: %s; more of the like is not told", owner->uid,
                    why ? why : owner_problem_text(problem));
        break;
    case OWNER_IS_OVER:
        log_info("application", "user %u has no %s in %s any more", owner->uid,
                 owner_problem_text(problem), directory->path);
        break;
    case OWNER_NOTHING:
        break;
    }
}

static void tell_all(struct directory *directory)
{
    struct owner *owner, *next;
    HASH_ITER(hh, directory->owners, owner, next)
    {
        for (unsigned problem = 0; problem < OWNER_PROBLEMS; problem++)
            tell(directory, owner, problem);
        if (owner_is_idle(owner))
            owner_free(&directory->owners, owner);
    }
}

/* The directory may have come, gone and come again since the last pass. */
static int open_directory(struct directory *directory)
{
    struct stat kept, there;
    if (directory->fd >= 0 && fstat(directory->fd, &kept) == 0 &&
        stat(directory->path, &there) == 0 && kept.st_dev == there.st_dev &&
        kept.st_ino == there.st_ino)
        return 0;
    if (directory->fd >= 0)
        close(directory->fd);
    directory->fd = open(directory->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return directory->fd < 0 ? errno : 0;
}

static void tell_error(struct directory *directory, int error)
{
    if (error && error != ENOENT && error != directory->told)
        log_warning("application", "%s: %s", directory->path, strerror(error));
    if (!error && directory->told && directory->told != ENOENT)
        log_info("application", "%s can be read again", directory->path);
    directory->told = error;
}

/* Then there are no files in it, whatever is at its path now; otherwise it may come back with its
 * files. */
static bool is_removed_directory(const struct directory *directory)
{
    struct stat kept;
    return directory->fd >= 0 && fstat(directory->fd, &kept) == 0 && kept.st_nlink == 0;
}

/* Without the directory, it is not known whether its programs live. */
static void stop_reading_all(struct directory *directory, bool is_over)
{
    struct entry *entry, *next;
    HASH_ITER(hh, directory->by_inode, entry, next)
    stop_reading(directory, entry, is_over);
    directory->cost.waiting = directory->cost.names - directory->cost.files;
}

int directory_pass(struct directory *directory, uint64_t now_ns, unsigned wanted,
                   const struct program_observer *observer)
{
    directory->pass++;
    directory->now_ns = now_ns;
    directory->wanted = wanted;
    directory->observer = observer;
    directory->no_memory = false;
    directory->cost.examined = directory->cost.removed = 0;
    directory->cost.octets = 0;
    applications_begin(&directory->applications, now_ns);
    bool is_removed = is_removed_directory(directory);
    int error = open_directory(directory);
    if (!error)
        error = see_names(directory);
    tell_error(directory, error);
    if (error == ENOENT || error == ENOTDIR)
        stop_reading_all(directory, is_removed);
    if (error)
        return error;
    forget_gone(directory);
    count_problems(directory);
    visit_all(directory);
    applications_end(&directory->applications);
    tell_all(directory);
    copies_shrink(&directory->copies);
    directory->cost.names = HASH_COUNT(directory->by_inode);
    directory->cost.waiting = directory->cost.names - directory->cost.files;
    return directory->no_memory ? ENOMEM : 0;
}

bool directory_has_files(struct directory *directory)
{
    if (directory->by_inode)
        return true;
    DIR *dir = open_directory(directory) == 0 ? open_names(directory) : NULL;
    if (!dir)
        return false;
    const struct dirent *dirent;
    do
        dirent = readdir(dir);
    while (dirent && *dirent->d_name == '.');
    closedir(dir);
    if (!dirent)
        directory->scans++;
    return dirent;
}

bool directory_has_more(const struct directory *directory)
{
    const struct entry *fresh = TAILQ_FIRST(&directory->fresh);
    const struct entry *waiting = TAILQ_FIRST(&directory->waiting);
    return (fresh && fresh->visited != directory->pass) ||
           (waiting && waiting->due_ns <= directory->now_ns);
}

void directory_free(struct directory *directory)
{
    struct entry *entry, *next;
    struct owner *owner, *after;
    if (!directory)
        return;
    HASH_ITER(hh, directory->by_inode, entry, next)
    forget(directory, entry);
    applications_release(&directory->applications);
    HASH_ITER(hh, directory->owners, owner, after)
    owner_free(&directory->owners, owner);
    copies_release(&directory->copies);
    if (directory->fd >= 0)
        close(directory->fd);
    segment_free(directory->segment);
    free(directory->path);
    free(directory);
}
