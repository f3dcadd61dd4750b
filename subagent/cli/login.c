#include "cli/login.h"

#include <getopt.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "snmpv3/secrets.h"

static bool refuse_option(char error[512], const char *option, const char *value,
                          const char *expected)
{
    text_format(error, 512, "%s %s: expected %s", option, value, expected);
    return false;
}

static bool put_error(char error[512], const char *what)
{
    text_format(error, 512, "%s", what);
    return false;
}

/* Copies a passphrase and overwrites the argument. */
static bool take_secret(char secret[PEER_SECRET_SIZE], char *argument, const char *option,
                        char error[512])
{
    size_t len = strlen(argument);
    bool fits = len >= SECRET_MIN && len < PEER_SECRET_SIZE;
    if (fits)
        memcpy(secret, argument, len + 1);
    memset(argument, 'x', len);
    return fits || refuse_option(error, option, "...", "a passphrase of 8 to 128 octets");
}

static bool take_user(struct login *login, const char *user, char error[512])
{
    size_t len = strlen(user);
    if (len == 0 || len >= sizeof login->credential.user)
        return refuse_option(error, "-U", user, "a user name of 1 to 32 octets");
    memcpy(login->credential.user, user, len + 1);
    return true;
}

static bool take_auth(struct login *login, const char *name, char error[512])
{
    bool sha256 = strcasecmp(name, "SHA-256") == 0 || strcasecmp(name, "SHA256") == 0;
    bool sha512 = strcasecmp(name, "SHA-512") == 0 || strcasecmp(name, "SHA512") == 0;
    login->credential.auth = sha512 ? AUTH_SHA512 : AUTH_SHA256;
    return sha256 || sha512 || refuse_option(error, "-a", name, "SHA-256 or SHA-512");
}

static bool take_priv(struct login *login, const char *name, char error[512])
{
    bool aes256 = strcasecmp(name, "AES-256") == 0 || strcasecmp(name, "AES256") == 0;
    bool aes128 = strcasecmp(name, "AES") == 0 || strcasecmp(name, "AES-128") == 0 ||
                  strcasecmp(name, "AES128") == 0;
    login->credential.priv = aes256 ? PRIV_AES256 : PRIV_AES128;
    return aes128 || aes256 || refuse_option(error, "-x", name, "AES or AES-256");
}

void login_init(struct login *login)
{
    *login = (struct login){.port = "161"};
}

bool login_take(struct login *login, int option, char *argument, char error[512])
{
    switch (option) {
    case 'p':
        login->port = argument;
        return true;
    case LOGIN_SECRETS:
        login->secrets = argument;
        return true;
    case 'U':
        return take_user(login, argument, error);
    case 'a':
        return take_auth(login, argument, error);
    case 'x':
        return take_priv(login, argument, error);
    case 'A':
        return take_secret(login->credential.auth_secret, argument, "-A", error);
    case 'X':
        return take_secret(login->credential.priv_secret, argument, "-X", error);
    case 'P':
        return strcmp(argument, "3") == 0 || refuse_option(error, "-P", argument, "3");
    default:
        return strcasecmp(argument, "authPriv") == 0 ||
               refuse_option(error, "-l", argument, "authPriv");
    }
}

/* While the letters of one argument are looked at, optind is the number of that argument; after the
 * last letter it is that of the next. */
void login_bad_option(int returned, const char *shorts, char *const argv[], char error[512])
{
    bool letter = returned == '?' && optopt > 0 && optopt < 0x7f && !strchr(shorts, optopt);
    if (letter)
        text_format(error, 512, "-%c: no such option", optopt);
    else
        text_format(error, 512, returned == ':' ? "%s needs a value" : "%s: no such option",
                    argv[optind - 1]);
}

static bool check_credential(struct login *login, char error[512])
{
    struct usm_credential *credential = &login->credential;
    char reader[ACCOUNT_NAME_SIZE];
    bool given = credential->auth_secret[0] || credential->priv_secret[0];
    if (login->secrets && given)
        return put_error(error, "--secrets does not go with -A and -X");
    if (login->fill && !login->fill(credential, !login->secrets && !given, error))
        return false;
    if (!credential->auth)
        credential->auth = AUTH_SHA256;
    if (!credential->priv)
        credential->priv = PRIV_AES128;
    if (!credential->user[0])
        return put_error(error, login->fill ? "-U is missing (or defSecurityName in snmp.conf)"
                                            : "-U is missing");
    if (login->secrets)
        return secrets_read_as_owner(login->secrets, credential, reader, error);
    return (credential->auth_secret[0] && credential->priv_secret[0]) ||
           put_error(error, login->fill ? "--secrets is missing (or defAuthPassphrase and "
                                          "defPrivPassphrase in snmp.conf)"
                                        : "--secrets is missing (or -A and -X)");
}

bool login_finish(struct login *login, const char *host_name, char error[512])
{
    if (!login->host) {
        text_format(error, 512, "%s is missing", host_name);
        return false;
    }
    if (!address_split(login->host, login->port, &login->address))
        return refuse_option(error, host_name, login->host, "HOST or HOST:PORT");
    return check_credential(login, error);
}
