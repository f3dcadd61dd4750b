/* The machine that dcamp init prepares: its files, below another root if a test wants that, and its
 * services. */
#ifndef DCAMP_CLI_MACHINE_H
#define DCAMP_CLI_MACHINE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#define MACHINE_SERVICE "service" /* service(8) */

struct machine {
    const char *root;    /* before every path; "": the machine's own */
    const char *service; /* what starts and stops services, as service(8); NULL: there are none */
};

/* The path below the root; what does not fit is cut off, and then names no file. */
void machine_path(const struct machine *machine, const char *path, char whole[PATH_MAX]);

/* The text of a file of at most 1 MB, malloced; of one that is not there it is "". NULL: an errno
 * says why; EINVAL: there is a NUL in it. The path is that of machine_path. */
char *machine_read(const char *path);

/* Replaces dir/name as a whole; 0 or an errno. It belongs to the owner of dir. */
int machine_write(const struct machine *machine, const char *dir, const char *name,
                  const char *text, mode_t mode);

/* Asks service(8) for the start, stop or status of a service. Returns whether it said that all is
 * well; what it prints is dropped. */
bool machine_serve(const struct machine *machine, const char *name, const char *verb);

/* Has systemd read its units anew: by systemctl(1), for service(8) cannot ask for that; but if
 * another program was given as service, by that: "systemd daemon-reload". */
bool machine_reload_units(const struct machine *machine);

#endif
