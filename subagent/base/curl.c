#include "base/curl.h"

#include <dlfcn.h>
#include <string.h>

#include "base/text.h"

#define LIBRARY "libcurl.so.4"

/* C does not convert pointers to data into pointers to functions; POSIX says that both have the
 * same representation. */
static bool find(const struct curl_library *curl, const char *name, void *to)
{
    void *symbol = dlsym(curl->handle, name);
    memcpy(to, &symbol, sizeof symbol);
    return symbol != NULL;
}

static bool find_all(struct curl_library *curl)
{
    const struct {
        const char *name;
        void *to;
    } functions[] = {{"curl_global_init", &curl->global_init},
                     {"curl_global_cleanup", &curl->global_cleanup},
                     {"curl_easy_init", &curl->easy_init},
                     {"curl_easy_cleanup", &curl->easy_cleanup},
                     {"curl_easy_setopt", &curl->set},
                     {"curl_easy_getinfo", &curl->get},
                     {"curl_easy_perform", &curl->perform},
                     {"curl_easy_strerror", &curl->error},
                     {"curl_multi_init", &curl->multi_init},
                     {"curl_multi_cleanup", &curl->multi_cleanup},
                     {"curl_multi_setopt", &curl->multi_set},
                     {"curl_multi_add_handle", &curl->add},
                     {"curl_multi_remove_handle", &curl->take_out},
                     {"curl_multi_socket_action", &curl->act},
                     {"curl_multi_info_read", &curl->read},
                     {"curl_multi_perform", &curl->multi_perform},
                     {"curl_multi_poll", &curl->multi_poll},
                     {"curl_slist_append", &curl->append},
                     {"curl_slist_free_all", &curl->free_all}};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!find(curl, functions[i].name, functions[i].to))
            return false;
    return true;
}

bool curl_library_open(struct curl_library *curl, const char *what, char error[512])
{
    *curl = (struct curl_library){.handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)};
    if (curl->handle && find_all(curl) && curl->global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK)
        return true;
    text_format(error, 512,
                "%s needs " LIBRARY ", which cannot be loaded; install the package libcurl4", what);
    if (curl->handle)
        dlclose(curl->handle);
    return false;
}

/* Without the NULL below, the certificates in the library's own folder would count in addition to
 * the file. A library from 7.87 on that has no such folder would keep what it has read of the file
 * for a day. */
bool curl_library_trust(const struct curl_library *curl, CURL *easy, const char *ca)
{
    if (!ca || !*ca)
        return true;
#if LIBCURL_VERSION_NUM >= 0x075700
    curl->set(easy, CURLOPT_CA_CACHE_TIMEOUT, 0L);
#endif
    curl->set(easy, CURLOPT_CAPATH, NULL); /* CURLE_NOT_BUILT_IN: the library has no such folder */
    return curl->set(easy, CURLOPT_CAINFO, ca) == CURLE_OK;
}

void curl_library_close(struct curl_library *curl)
{
    curl->global_cleanup();
    dlclose(curl->handle);
}
