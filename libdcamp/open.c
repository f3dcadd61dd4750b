/* Opens the application. This is separate from app.c because after a fork, locks and tops have work
 * to do, and they are made of sensors of the application themselves. */
#include "libdcamp/app.h"
#include "libdcamp/lock.h"
#include "libdcamp/top.h"

static void forked(const struct sensors *sensors)
{
    dcamp_locks_forked();
    dcamp_tops_forked(sensors);
}

struct dcamp_app *dcamp_app_open(const char *name)
{
    return dcamp_app_use(name, forked);
}
