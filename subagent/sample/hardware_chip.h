/* Inside sample/: the channels of one chip. */
#ifndef DCAMP_SAMPLE_HARDWARE_CHIP_H
#define DCAMP_SAMPLE_HARDWARE_CHIP_H

#include "sample/hardware.h"

/* Opens the folder of a chip and finds its channels. *readings is NULL if there are none. Returns 0
 * or ENOMEM. */
int chip_discover(const char *path, const char *chip_name, struct readings **readings);
void readings_release(void *data);

#endif
