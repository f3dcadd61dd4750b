/* What the entries of blocks become: rows of the tables. Pure. */
#ifndef DCAMP_PUBLISH_POSTGRESQL_ENTRIES_H
#define DCAMP_PUBLISH_POSTGRESQL_ENTRIES_H

#include "publish/entries.h"
#include "publish/postgresql/rows.h"

enum copied_table {
    COPIED_VALUE,
    COPIED_WINDOW,
    COPIED_STEP,
    COPIED_TOP_KEY,
    COPIED_ALARM,  /* the temporary table alarm_told */
    COPIED_CURSOR, /* the temporary table cursor_told */
    COPIED_TABLES
};

/* Each writes one entry, of a series with that number, or of a node; 0 or ENOMEM. */
int entries_put_value(struct rows rows[COPIED_TABLES], int32_t series,
                      const struct report_entry *entry);
int entries_put_window(struct rows rows[COPIED_TABLES], int32_t series,
                       const struct report_entry *entry);
int entries_put_step(struct rows rows[COPIED_TABLES], int32_t series,
                     const struct report_entry *entry);
int entries_put_keys(struct rows rows[COPIED_TABLES], int32_t series,
                     const struct report_entry *entry);
/* An alarm, or that it has ended; order is ascending. */
int entries_put_alarm(struct rows rows[COPIED_TABLES], int32_t node, uint32_t boot, int64_t order,
                      const struct report_entry *entry);

#endif
