/* Directories that hold files of ours: who owns those files, and which process uses them. */
#ifndef DCAMP_BASE_DIRECTORY_H
#define DCAMP_BASE_DIRECTORY_H

#include <sys/types.h>

/* Gives a file that was just made in a directory to the owner and group of that directory, so that
 * a daemon that root ran once leaves nothing that the daemon's own account cannot use. Both
 * arguments are open file descriptors. Without the right to do so the file stays as it is: only
 * root has the right, and only root needs it. */
void directory_own(int dir, int fd);

/* Takes dir for this process by a lock on dir/lock, which is made if it does not exist. The kernel
 * releases the lock when the process ends, however it ends; what a dead process left in the file
 * means nothing. It is not inherited over exec(3). Returns 0, and in lock the file descriptor whose
 * closing releases the lock; EBUSY: another process has it, whose number is in holder (0: not
 * known); or another errno. */
#define DIRECTORY_LOCK "lock"
int directory_lock(const char *dir, int *lock, pid_t *holder);

#endif
