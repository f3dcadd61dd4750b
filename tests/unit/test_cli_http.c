/* POST over HTTP by libcurl: what is said where the library is missing, where nobody listens, and
 * of what is no URL. That answers arrive is in tests/nms/zabbix.sh, from a real server. */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/http.h"

#include "unit.h"

void *__wrap_dlopen(const char *name, int flags);
void *__real_dlopen(const char *name, int flags);

static bool is_missing; /* the library */
static char error[512];

void *__wrap_dlopen(const char *name, int flags)
{
    return is_missing ? NULL : __real_dlopen(name, flags);
}

static struct http *open_url(const char *url)
{
    const struct http_setup setup = {
        .url = url, .type = "application/json", .timeout_s = 5, .what = "export zabbix"};
    return http_open(&setup, error);
}

static void without_the_library(void **state)
{
    (void)state;
    is_missing = true;
    assert_null(open_url("http://127.0.0.1"));
    assert_string_equal(error, "export zabbix needs libcurl.so.4, which cannot be loaded; install "
                               "the package libcurl4");
    is_missing = false;
}

static void assert_fails(const char *url)
{
    char begin[100];
    const char *text;
    size_t len;
    struct http *http = open_url(url);
    assert_non_null(http);
    for (int i = 0; i < 2; i++) {
        assert_false(http_post(http, "{\"password\":\"geheim\"}", &text, &len, error));
        snprintf(begin, sizeof begin, "%s: ", url);
        assert_int_equal(strncmp(error, begin, strlen(begin)), 0);
        assert_true(strlen(error) > strlen(begin));
        assert_null(strstr(error, "geheim"));
    }
    http_close(http);
}

static void nobody_listens(void **state)
{
    (void)state;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof address;
    char url[64];
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, len), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &len), 0);
    snprintf(url, sizeof url, "http://127.0.0.1:%u", (unsigned)ntohs(address.sin_port));
    assert_fails(url);
    close(fd);
}

static void what_is_no_url(void **state)
{
    (void)state;
    assert_fails("file:///etc/passwd");
    assert_fails("zabbix.invalid:x");
    http_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(without_the_library),
                                       cmocka_unit_test(nobody_listens),
                                       cmocka_unit_test(what_is_no_url)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
