/* What dCAMP itself watches: rules without a row, whose names stand in alarms where else that of a
 * threshold or a condition does. */
#ifndef DCAMP_BASE_OWN_RULE_H
#define DCAMP_BASE_OWN_RULE_H

#define OWN_RULE_NODE_LOST "node-lost"
#define OWN_RULE_SINK_DOWN "sink-down"
/* Is told of, but never an alarm: it is none of those below. */
#define OWN_RULE_NODE_ROLE "node-role"

/* All that alarms may have, ended by NULL. */
#define OWN_RULES                                                                                  \
    {                                                                                              \
        OWN_RULE_NODE_LOST, OWN_RULE_SINK_DOWN, NULL                                               \
    }

#endif
