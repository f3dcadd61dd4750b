/* What Net-SNMP says where it has no memory. */
#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>

#include "scarce.h"

/* See --wrap in ld(1). */
netsnmp_pdu *__real_snmp_pdu_create(int type);
netsnmp_pdu *__real_snmp_clone_pdu(netsnmp_pdu *pdu);
netsnmp_variable_list *__real_snmp_pdu_add_variable(netsnmp_pdu *pdu, const oid *name, size_t len,
                                                    u_char type, const void *value, size_t size);
netsnmp_variable_list *__real_snmp_add_null_var(netsnmp_pdu *pdu, const oid *name, size_t len);
netsnmp_variable_list *__real_snmp_varlist_add_variable(netsnmp_variable_list **list,
                                                        const oid *name, size_t len, u_char type,
                                                        const void *value, size_t size);
int __real_snmp_set_var_objid(netsnmp_variable_list *var, const oid *name, size_t len);
int __real_snmp_set_var_typed_value(netsnmp_variable_list *var, u_char type, const void *value,
                                    size_t size);

netsnmp_pdu *__wrap_snmp_pdu_create(int type);
netsnmp_pdu *__wrap_snmp_clone_pdu(netsnmp_pdu *pdu);
netsnmp_variable_list *__wrap_snmp_pdu_add_variable(netsnmp_pdu *pdu, const oid *name, size_t len,
                                                    u_char type, const void *value, size_t size);
netsnmp_variable_list *__wrap_snmp_add_null_var(netsnmp_pdu *pdu, const oid *name, size_t len);
netsnmp_variable_list *__wrap_snmp_varlist_add_variable(netsnmp_variable_list **list,
                                                        const oid *name, size_t len, u_char type,
                                                        const void *value, size_t size);
int __wrap_snmp_set_var_objid(netsnmp_variable_list *var, const oid *name, size_t len);
int __wrap_snmp_set_var_typed_value(netsnmp_variable_list *var, u_char type, const void *value,
                                    size_t size);

netsnmp_pdu *__wrap_snmp_pdu_create(int type)
{
    return scarce_fails() ? NULL : __real_snmp_pdu_create(type);
}

netsnmp_pdu *__wrap_snmp_clone_pdu(netsnmp_pdu *pdu)
{
    return scarce_fails() ? NULL : __real_snmp_clone_pdu(pdu);
}

netsnmp_variable_list *__wrap_snmp_pdu_add_variable(netsnmp_pdu *pdu, const oid *name, size_t len,
                                                    u_char type, const void *value, size_t size)
{
    return scarce_fails() ? NULL : __real_snmp_pdu_add_variable(pdu, name, len, type, value, size);
}

netsnmp_variable_list *__wrap_snmp_add_null_var(netsnmp_pdu *pdu, const oid *name, size_t len)
{
    return scarce_fails() ? NULL : __real_snmp_add_null_var(pdu, name, len);
}

netsnmp_variable_list *__wrap_snmp_varlist_add_variable(netsnmp_variable_list **list,
                                                        const oid *name, size_t len, u_char type,
                                                        const void *value, size_t size)
{
    return scarce_fails() ? NULL
                          : __real_snmp_varlist_add_variable(list, name, len, type, value, size);
}

int __wrap_snmp_set_var_objid(netsnmp_variable_list *var, const oid *name, size_t len)
{
    return scarce_fails() ? 1 : __real_snmp_set_var_objid(var, name, len);
}

/* Without memory the library leaves the variable without a value. */
int __wrap_snmp_set_var_typed_value(netsnmp_variable_list *var, u_char type, const void *value,
                                    size_t size)
{
    if (!scarce_fails())
        return __real_snmp_set_var_typed_value(var, type, value, size);
    __real_snmp_set_var_typed_value(var, ASN_NULL, NULL, 0);
    return 1;
}
