/* A row <sink> as dcampd tells it. Pure. */
#ifndef DCAMP_PUBLISH_SETTINGS_H
#define DCAMP_PUBLISH_SETTINGS_H

#include "outlet/message.h"

/* Whether two rows say the same. */
bool settings_same(const struct outlet_sink *one, const struct outlet_sink *other);

#endif
