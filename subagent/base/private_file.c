#include "base/private_file.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/posix_acl.h>
#include <linux/posix_acl_xattr.h>
#include <pwd.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/text.h"

#define GROUPS_MAX 256
#define ACL_ENTRIES_MAX 32 /* a file of secrets with more entries is taken for shared */

/* The file, and where to say what is wrong with it. */
struct fault {
    const char *path;
    char *error;
};

static bool fail(const struct fault *fault, const char *what)
{
    text_format(fault->error, 512, "%s: %s", fault->path, what);
    return false;
}

/* Says who cannot read the file, why, and who could. */
static bool fail_errno(const struct fault *fault, int code)
{
    char text[256], name[ACCOUNT_NAME_SIZE];
    struct stat file;
    text_format(text, sizeof text, "user \"%s\" cannot read it: %s", account_user(name),
                strerror(code));
    size_t len = strlen(text);
    if ((code == EACCES || code == EPERM) && stat(fault->path, &file) == 0) {
        text_format(text + len, sizeof text - len, " (it belongs to user \"%s\", chown it)",
                    account_name(file.st_uid, name));
    }
    return fail(fault, text);
}

static bool fail_owner(const struct fault *fault, uid_t owner)
{
    char text[256], name[ACCOUNT_NAME_SIZE], owner_name[ACCOUNT_NAME_SIZE];
    text_format(text, sizeof text, "belongs to user \"%s\", and is to be read by \"%s\": chown it",
                account_name(owner, owner_name), account_user(name));
    return fail(fault, text);
}

/* Whether the entry gives access to somebody other than the owner, root or this user. */
static bool gives_others(const struct posix_acl_xattr_entry *entry)
{
    unsigned tag = le16toh(entry->e_tag);
    uid_t user = le32toh(entry->e_id);
    if (tag == ACL_USER_OBJ || tag == ACL_MASK || entry->e_perm == 0)
        return false;
    return tag != ACL_USER || (user != geteuid() && user != 0);
}

/* If a file has an access control list (acl(5)), the group bits of its mode are the mask of that
 * list. A file that systemd gives a service by LoadCredential= (systemd.exec(5)) belongs to root,
 * and the list lets the user of the service read it. */
static bool is_shared(int fd, mode_t mode)
{
    struct {
        struct posix_acl_xattr_header head;
        struct posix_acl_xattr_entry entry[ACL_ENTRIES_MAX];
    } list;
    if (!(mode & (S_IRWXG | S_IRWXO)))
        return false;
    ssize_t size = fgetxattr(fd, "system.posix_acl_access", &list, sizeof list);
    if (size < (ssize_t)sizeof list.head || le32toh(list.head.a_version) != POSIX_ACL_XATTR_VERSION)
        return true;
    size_t n = ((size_t)size - sizeof list.head) / sizeof *list.entry;
    for (size_t i = 0; i < n; i++)
        if (gives_others(&list.entry[i]))
            return true;
    return false;
}

static bool check_permissions(const struct fault *fault, int fd, size_t size)
{
    char text[64];
    struct stat file;
    if (fstat(fd, &file) != 0)
        return fail_errno(fault, errno);
    if (!S_ISREG(file.st_mode))
        return fail(fault, "is not a regular file");
    if (file.st_uid != geteuid() && file.st_uid != 0)
        return fail_owner(fault, file.st_uid);
    if (is_shared(fd, file.st_mode))
        return fail(fault, "others than its owner have access to it; chmod it to 0600");
    text_format(text, sizeof text, "is longer than %zu octets", size);
    return (size_t)file.st_size <= size || fail(fault, text);
}

bool private_file_read(const char *path, char *text, size_t size, size_t *len, char error[512])
{
    const struct fault fault = {path, error};
    *len = 0;
    /* Without O_NONBLOCK, opening a FIFO would wait for its writer. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return fail_errno(&fault, errno);
    bool good = check_permissions(&fault, fd, size);
    while (good && *len < size) {
        ssize_t n = read(fd, text + *len, size - *len);
        if (n < 0)
            good = fail_errno(&fault, errno);
        if (n <= 0)
            break;
        *len += (size_t)n;
    }
    close(fd);
    return good;
}

/* -- As its owner ------------------------------------------------------------------------------ */

/* Becomes the user that the file belongs to, with the groups of that user, which may be needed to
 * open its directory. */
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

bool private_file_as_owner(const char *path, private_file_reader *read, void *to,
                           char user[ACCOUNT_NAME_SIZE], char error[512])
{
    const struct fault fault = {path, error};
    struct stat file;
    gid_t groups[GROUPS_MAX];
    int n = -1;
    bool other = geteuid() == 0 && stat(path, &file) == 0 && file.st_uid != 0;
    if (other)
        n = getgroups(GROUPS_MAX, groups);
    if (other && (n < 0 || !become_user(file.st_uid)))
        return fail_errno(&fault, errno);
    account_user(user);
    bool good = read(path, to, error);
    if (other && !become_root_again(groups, n))
        return fail_errno(&fault, errno);
    return good;
}
