/* libcurl, loaded at run time by the programs that need it, so that a program that most users run
 * without it does not depend on it. */
#ifndef DCAMP_BASE_CURL_H
#define DCAMP_BASE_CURL_H

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <stdbool.h>

/* The functions of the library. */
struct curl_library {
    void *handle;
    __typeof__(&curl_global_init) global_init;
    __typeof__(&curl_global_cleanup) global_cleanup;
    __typeof__(&curl_easy_init) easy_init;
    __typeof__(&curl_easy_cleanup) easy_cleanup;
    __typeof__(&curl_easy_setopt) set;
    __typeof__(&curl_easy_getinfo) get;
    __typeof__(&curl_easy_perform) perform;
    __typeof__(&curl_easy_strerror) error;
    __typeof__(&curl_multi_init) multi_init;
    __typeof__(&curl_multi_cleanup) multi_cleanup;
    __typeof__(&curl_multi_setopt) multi_set;
    __typeof__(&curl_multi_add_handle) add;
    __typeof__(&curl_multi_remove_handle) take_out;
    __typeof__(&curl_multi_socket_action) act;
    __typeof__(&curl_multi_info_read) read;
    __typeof__(&curl_multi_perform) multi_perform;
    __typeof__(&curl_multi_poll) multi_poll;
    __typeof__(&curl_slist_append) append;
    __typeof__(&curl_slist_free_all) free_all;
};

/* what: who needs it, for the error. False: error says which package is missing, and there is
 * nothing to be closed. */
bool curl_library_open(struct curl_library *curl, const char *what, char error[512]);

/* Sets the certificates by which those of https are checked: those of the file ca and no others or,
 * if ca is NULL or "", those of the system. A file that has changed counts from the next connection
 * on. False: no memory. */
bool curl_library_trust(const struct curl_library *curl, CURL *easy, const char *ca);

/* What the library has made for the whole process stays until the process ends. */
void curl_library_close(struct curl_library *curl);

#endif
