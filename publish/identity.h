/* Who a publisher is, where several write to one server: by that name it finds its own cursors
 * again, and nobody else's. */
#ifndef DCAMP_PUBLISH_IDENTITY_H
#define DCAMP_PUBLISH_IDENTITY_H

#include "outlet/message.h"

#define IDENTITY_SIZE OUTLET_TEXT_SIZE

/* The given name, if it is not NULL or ""; else HOST/SINK: the name of this machine and that of the
 * sink. Of a given name that is too long the end is cut off. */
void identity_text(char identity[IDENTITY_SIZE], const char *given,
                   const struct outlet_sink *settings);

#endif
