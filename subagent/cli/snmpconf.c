#include "cli/snmpconf.h"

#include <net-snmp/net-snmp-config.h>

#include <net-snmp/net-snmp-includes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "snmpv3/secrets.h"

static bool refuse_token(char error[512], const char *token, const char *expected)
{
    text_format(error, 512, "%s of snmp.conf: expected %s", token, expected);
    return false;
}

/* Takes a text of at least so many octets that fits. If the token is not there, nothing changes. */
static bool take_text(char *to, size_t size, size_t least, int which)
{
    const char *text = netsnmp_ds_get_string(NETSNMP_DS_LIBRARY_ID, which);
    size_t len = text ? strlen(text) : 0;
    if (!text)
        return true;
    if (len < least || len >= size)
        return false;
    memcpy(to, text, len + 1);
    return true;
}

static bool take_user(struct usm_credential *credential, char error[512])
{
    return *credential->user ||
           take_text(credential->user, sizeof credential->user, 1, NETSNMP_DS_LIB_SECNAME) ||
           refuse_token(error, "defSecurityName", "a user name of 1 to 32 octets");
}

static bool take_secret(char secret[PEER_SECRET_SIZE], int which)
{
    return take_text(secret, PEER_SECRET_SIZE, SECRET_MIN, NETSNMP_DS_LIB_PASSPHRASE) &&
           take_text(secret, PEER_SECRET_SIZE, SECRET_MIN, which);
}

static bool take_secrets(struct usm_credential *credential, char error[512])
{
    static const char expected[] = "a passphrase of 8 to 128 octets";
    if (!take_secret(credential->auth_secret, NETSNMP_DS_LIB_AUTHPASSPHRASE))
        return refuse_token(error, "defAuthPassphrase", expected);
    return take_secret(credential->priv_secret, NETSNMP_DS_LIB_PRIVPASSPHRASE) ||
           refuse_token(error, "defPrivPassphrase", expected);
}

#define IS(protocol) (snmp_oid_compare(name, len, protocol, OID_LENGTH(protocol)) == 0)

/* Without the token, the library returns its own default, which no node of dCAMP has: SHA-256 is
 * taken. */
static bool take_auth(struct usm_credential *credential, char error[512])
{
    size_t len;
    const oid *name = get_default_authtype(&len);
    if (credential->auth)
        return true;
    if (name == SNMP_DEFAULT_AUTH_PROTO || IS(usmHMAC192SHA256AuthProtocol))
        credential->auth = AUTH_SHA256;
    else if (IS(usmHMAC384SHA512AuthProtocol))
        credential->auth = AUTH_SHA512;
    return credential->auth || refuse_token(error, "defAuthType", "SHA-256 or SHA-512");
}

static bool take_priv(struct usm_credential *credential, char error[512])
{
    size_t len;
    const oid *name = get_default_privtype(&len);
    if (credential->priv)
        return true;
    if (name == SNMP_DEFAULT_PRIV_PROTO || IS(usmAESPrivProtocol))
        credential->priv = PRIV_AES128;
    else if (IS(usmAES256PrivProtocol))
        credential->priv = PRIV_AES256;
    return credential->priv || refuse_token(error, "defPrivType", "AES or AES-256");
}

/* Only what the files say of users is wanted: no MIB modules are read, and nothing is saved or
 * logged. */
static void read_files(void)
{
    netsnmp_ds_set_boolean(NETSNMP_DS_LIBRARY_ID, NETSNMP_DS_LIB_DISABLE_PERSISTENT_LOAD, 1);
    netsnmp_ds_set_boolean(NETSNMP_DS_LIBRARY_ID, NETSNMP_DS_LIB_DISABLE_PERSISTENT_SAVE, 1);
    setenv("MIBS", "", 1);
    snmp_disable_log();
    init_snmp("snmpapp");
}

bool snmpconf_fill(struct usm_credential *credential, bool secrets, char error[512])
{
    read_files();
    bool good = take_user(credential, error) && take_auth(credential, error) &&
                take_priv(credential, error) && (!secrets || take_secrets(credential, error));
    snmp_shutdown("snmpapp");
    return good;
}
