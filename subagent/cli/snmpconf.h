/* What snmp.conf(5) says of users, for commands: read by Net-SNMP itself, from wherever its own
 * tools read it: /etc/snmp, ~/.snmp, SNMPCONFPATH. */
#ifndef DCAMP_CLI_SNMPCONF_H
#define DCAMP_CLI_SNMPCONF_H

#include <stdbool.h>

#include "snmpv3/credential.h"

/* Fills in what the credential has not yet: the user (defSecurityName), the protocols (defAuthType,
 * defPrivType) where they are 0, and the passphrases (defAuthPassphrase, defPrivPassphrase, or
 * defPassphrase for both) if there is neither of them and secrets are wanted. False: error holds
 * one line. To be called before the first client. */
bool snmpconf_fill(struct usm_credential *credential, bool secrets, char error[512]);

#endif
