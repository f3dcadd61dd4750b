#include "tests/unit/published.h"

struct published published;

int published_open(const char *name)
{
    segments_use(published.directory, sizeof published.directory);
    published.app = dcamp_app_open(name);
    return dcamp_error();
}

int published_close(void **state)
{
    (void)state;
    dcamp_app_close(published.app);
    segments_remove(published.directory);
    return 0;
}

struct copy *published_copy(void)
{
    return own_copy(published.directory);
}
