/* Separate programs that do what a subcommand asks for. They are in packages of their own, because
 * they need what dcamp itself does not need. */
#ifndef DCAMP_CLI_PROGRAM_H
#define DCAMP_CLI_PROGRAM_H

/* Becomes the program of that name, which spawn_find() finds. argv is as of execv(3). Returns only
 * if there is none. */
void program_become(const char *name, char *const *argv);

#endif
