#include "jvm/rights.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BOTH (UINT32_C(1) << CAP_SYS_PTRACE | UINT32_C(1) << CAP_DAC_READ_SEARCH)

/* Both are among the first 32. */
_Static_assert(CAP_SYS_PTRACE < 32 && CAP_DAC_READ_SEARCH < 32, "bits of the first word");

/* Whether it has more capabilities than it should. Those that systemd has given are inheritable,
 * too, but no process inherits them. The unit of systemd does not let this process change its
 * capabilities, which are right already. */
static bool has_more(const struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3])
{
    return ((data[0].permitted | data[0].effective) & ~BOTH) != 0 ||
           (data[1].permitted | data[1].effective) != 0 || data[0].effective != data[0].permitted;
}

int rights_drop(bool *is_privileged)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0}};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || syscall(SYS_capget, &head, data) != 0)
        return errno;
    uint32_t kept = data[0].permitted & BOTH;
    *is_privileged = kept == BOTH;
    if (!has_more(data))
        return 0;
    data[0] = (struct __user_cap_data_struct){.effective = kept, .permitted = kept};
    data[1] = (struct __user_cap_data_struct){.effective = 0};
    return syscall(SYS_capset, &head, data) == 0 ? 0 : errno;
}
