/* Inside sample/: the channels of one chip. */
#ifndef DCAMP_SAMPLE_HARDWARE_CHIP_H
#define DCAMP_SAMPLE_HARDWARE_CHIP_H

#include "sample/hardware.h"

/* Opens the folder of a chip and finds its channels. NULL: out of memory, or there are none. */
struct readings *chip_discover(const char *path, const char *chip_name);
void readings_release(void *data);

#endif
