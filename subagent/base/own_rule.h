/* What dCAMP itself watches: rules without a row. In alarms, their names stand where that of a
 * threshold or a condition stands otherwise. */
#ifndef DCAMP_BASE_OWN_RULE_H
#define DCAMP_BASE_OWN_RULE_H

#define OWN_RULE_NODE_LOST "node-lost"
#define OWN_RULE_SINK_DOWN "sink-down"
/* It is notified of, but is never an alarm: it is not in the list below. */
#define OWN_RULE_NODE_ROLE "node-role"

/* All such names that alarms may have, ended by NULL. */
#define OWN_RULES                                                                                  \
    {                                                                                              \
        OWN_RULE_NODE_LOST, OWN_RULE_SINK_DOWN, NULL                                               \
    }

#endif
