#include "publish/identity.h"

#include <sys/utsname.h>

#include "base/text.h"

void identity_text(char identity[IDENTITY_SIZE], const char *given,
                   const struct outlet_sink *settings)
{
    struct utsname machine;
    if (given && *given)
        text_format(identity, IDENTITY_SIZE, "%s", given);
    else
        text_format(identity, IDENTITY_SIZE, "%s/%s",
                    uname(&machine) == 0 ? machine.nodename : "localhost", settings->name);
}
