/* Which node, and as whom: the part of a command line that commands and plugins share. SNMPv3
 * authPriv only. */
#ifndef DCAMP_CLI_LOGIN_H
#define DCAMP_CLI_LOGIN_H

#include <stdbool.h>

#include "cli/address.h"
#include "snmpv3/credential.h"

struct login {
    const char *host, *port, *secrets; /* as they were given; host NULL: not yet */
    struct address address;
    struct usm_credential credential; /* auth, priv 0: not yet */
    /* fills in what no option has said: snmpconf_fill; NULL: nothing does */
    bool (*fill)(struct usm_credential *credential, bool secrets, char error[512]);
};

/* For getopt_long(3). Long options of others have numbers from LOGIN_END on. */
enum { LOGIN_SECRETS = 256, LOGIN_END };
#define LOGIN_SHORT "p:U:l:L:a:A:x:X:P:"
/* clang-format off */
#define LOGIN_LONG                                                                                 \
    {"port", required_argument, NULL, 'p'},                                                        \
    {"secname", required_argument, NULL, 'U'},                                                     \
    {"seclevel", required_argument, NULL, 'l'},                                                    \
    {"authproto", required_argument, NULL, 'a'},                                                   \
    {"authpasswd", required_argument, NULL, 'A'},                                                  \
    {"privproto", required_argument, NULL, 'x'},                                                   \
    {"privpasswd", required_argument, NULL, 'X'},                                                  \
    {"protocol", required_argument, NULL, 'P'},                                                    \
    {"secrets", required_argument, NULL, LOGIN_SECRETS}
/* clang-format on */

/* Sets it to what it is before the first option. */
void login_init(struct login *login);

/* Takes one of these options. Passphrases in argument are overwritten there, so that ps(1) shows
 * them no longer. False: error holds one line. */
bool login_take(struct login *login, int option, char *argument, char error[512]);

/* Says what is wrong when getopt_long(3) has returned ':' or '?'; shorts are the short options that
 * it was given. */
void login_bad_option(int returned, const char *shorts, char *const argv[], char error[512]);

/* To be called after the last option: whether all is there. Reads the file of secrets. host_name
 * is what the command calls the host, "-H". */
bool login_finish(struct login *login, const char *host_name, char error[512]);

#endif
