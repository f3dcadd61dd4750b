/* Which SNMP engine a child is. The receiver of pushed blocks recognizes by it who pushes. */
#ifndef DCAMP_CHILDREN_IDENTITY_H
#define DCAMP_CHILDREN_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "snmpv3/credential.h"

struct child;
struct children;

struct child_identity {
    uint8_t engine_id[ENGINE_ID_MAX];
    uint32_t engine_id_len; /* 0: not known yet */
    uint32_t engine_boots;
};

/* This engine has answered; the receiver is told if that is new. True: the child was another engine
 * before, and therefore another node. */
bool child_take_engine(struct children *children, struct child *child,
                       const uint8_t engine_id[ENGINE_ID_MAX], uint32_t engine_id_len,
                       uint32_t engine_boots);

/* Tells the receiver that the child may push, and what is known of its engine, or notes in
 * child->untold that this must be done. */
void child_tell_receiver(const struct children *children, struct child *child);

#endif
