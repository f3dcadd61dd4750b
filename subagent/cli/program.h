/* Programs of their own that do what a subcommand asks for, since what they need is not needed by
 * dcamp: they come in packages of their own. */
#ifndef DCAMP_CLI_PROGRAM_H
#define DCAMP_CLI_PROGRAM_H

/* Becomes the program of that name, which spawn_find() finds. argv is as of execv(3). Returns only
 * if there is none. */
void program_become(const char *name, char *const *argv);

#endif
