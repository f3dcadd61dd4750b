/* Documents of the configuration, as text. */
#ifndef DCAMP_TESTS_DOCUMENTS_H
#define DCAMP_TESTS_DOCUMENTS_H

#include "config/tree_config.h"
#include "unit.h"

#define SENSORS(text) "<dcamp version=\"1\"><sensors>" text "</sensors></dcamp>"
#define FILTERS(text) "<dcamp version=\"1\"><filters>" text "</filters></dcamp>"
#define MAINTENANCE(attributes)                                                                    \
    "<dcamp version=\"1\"><maintenances><maintenance name=\"m\" " attributes                       \
    "/></maintenances></dcamp>"
#define A_SENSOR "<sensor name=\"s\" metric=\"cpu.busy\"/>"

#define THRESHOLD(attributes)                                                                      \
    "<dcamp version=\"1\"><sensors>" A_SENSOR "</sensors><thresholds><threshold " attributes       \
    "/></thresholds></dcamp>"

/* A tree document: what has no default, with lines of its own, and something between. */
#define TREE_ACCESS "<access secrets=\"/etc/dcamp/site.secret\"/>"
#define TREE_CANDIDATES "<candidates><candidate node=\"r1\"/></candidates>"
#define TREE_NODE "<node name=\"r1\" address=\"udp:192.0.2.1:161\"/>"
#define TREE_OF(nodes, rest)                                                                       \
    "<tree version=\"1\">" TREE_ACCESS TREE_CANDIDATES "<nodes>" nodes "</nodes>" rest "</tree>"
#define TREE(rest) TREE_OF(TREE_NODE, rest)

/* The text of the SHA-256 that the document of an assignment has. */
#define TREE_DIGEST "0123456789abcdef0123456789ABCDEF0123456789abcdef0123456789abcdef"
#define ASSIGNMENT                                                                                 \
    "<assignment role=\"metric\" parent=\"r1\" level=\"1\" group=\"web\" root=\"r1\" "             \
    "serial=\"7\" tree=\"" TREE_DIGEST "\" reason=\"as planned\"/>"
#define SHARE(rest) "<dcamp version=\"1\">" ASSIGNMENT rest "</dcamp>"

int set_schema_dir(void **state);
struct config *load_text(const char *text, char error[CONFIG_ERROR_SIZE]);
struct tree_config *load_tree(const char *text, char error[CONFIG_ERROR_SIZE]);
struct config *load_share(const char *text, struct assignment *assignment,
                          char error[CONFIG_ERROR_SIZE]);

/* A document that is refused, and why: after "f.xml:"; '*' at the end: libxml2 may go on as it
 * likes. */
struct bad_document {
    const char *text;
    const char *error;
};

/* Whether the error is one line, and the one that is expected. */
void assert_refused(const struct bad_document *bad, const char *error);

#endif
