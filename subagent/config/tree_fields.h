/* Inside config/: the elements of the tree document and of shares, and their fields. */
#ifndef DCAMP_CONFIG_TREE_FIELDS_H
#define DCAMP_CONFIG_TREE_FIELDS_H

#include "config/tree_config.h"

#define TREE_ROOT "tree"
#define ASSIGNMENT_ELEMENT "assignment"

struct tree_candidate {
    char node[NAME_SIZE];
};

/* A range in the form in which it is written. */
struct tree_range_text {
    char network[64];
    struct tree_range range; /* all but its network */
};

extern const struct fields tree_rules_fields; /* of struct tree_config */
extern const struct fields
    tree_access_fields; /* likewise; but auth and priv belong to a credential */
extern const struct fields tree_coordination_fields; /* of struct tree_coordination */
extern const struct fields tree_candidate_fields;
extern const struct fields tree_node_fields;
extern const struct fields tree_range_fields;         /* of struct tree_range_text */
extern const struct fields tree_announcements_fields; /* of struct tree_announcements */
extern const struct fields tree_group_fields;
extern const struct fields tree_revoked_fields;
extern const struct fields assignment_fields;

#endif
