#include "snmpv3/authentic.h"

#include <stdlib.h>
#include <string.h>

#define AUTH_PRIV (SNMP_MSG_FLAG_AUTH_BIT | SNMP_MSG_FLAG_PRIV_BIT)

void authentic_begin(netsnmp_session *session)
{
    snmp_sess_init(session);
    session->version = SNMP_VERSION_3;
    session->sndMsgMaxSize = AUTHENTIC_MAX;
}

bool authentic_is_of(const struct envelope *envelope, const struct credential *credential)
{
    return envelope->flags == AUTH_PRIV && envelope->user_len == strlen(credential->user) &&
           memcmp(envelope->user, credential->user, envelope->user_len) == 0;
}

netsnmp_pdu *authentic_open(netsnmp_session *session, struct keys *keys, const uint8_t *engine_id,
                            size_t engine_id_len, u_char *packet, size_t len)
{
    uint8_t engine[ENGINE_ID_MAX]; /* a copy, which a user of the library may change */
    netsnmp_pdu *pdu = engine_id_len <= sizeof engine ? calloc(1, sizeof *pdu) : NULL;
    int error = SNMPERR_MALLOC;
    if (pdu) {
        memcpy(engine, engine_id, engine_id_len);
        struct usmUser user = keys_user(keys, engine, engine_id_len);
        usm_add_user(&user);
        error = snmpv3_parse(pdu, packet, &len, NULL, session);
        usm_remove_user(&user);
        free_etimelist();
    }
    keys_forget(keys);
    if (error == SNMPERR_SUCCESS && pdu->securityLevel == SNMP_SEC_LEVEL_AUTHPRIV)
        return pdu;
    snmp_free_pdu(pdu);
    return NULL;
}
