/* Where servers listen: a name with several addresses, of which one is somebody else's already.
 */
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "unit.h"
#include "http/listener.h"

/* A socket that has a free port of the first address; the port. */
static int take_port(const struct addrinfo *address, char port[8])
{
    struct sockaddr_storage name;
    socklen_t size = sizeof name;
    int fd = socket(address->ai_family, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, address->ai_addr, address->ai_addrlen), 0);
    assert_int_equal(listen(fd, 1), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&name, &size), 0);
    assert_int_equal(getnameinfo((struct sockaddr *)&name, size, NULL, 0, port, 8, NI_NUMERICSERV),
                     0);
    return fd;
}

/* A name that has two addresses. */
int __real_getaddrinfo(const char *host, const char *port, const struct addrinfo *hints,
                       struct addrinfo **list);
int __wrap_getaddrinfo(const char *host, const char *port, const struct addrinfo *hints,
                       struct addrinfo **list);

int __wrap_getaddrinfo(const char *host, const char *port, const struct addrinfo *hints,
                       struct addrinfo **list)
{
    if (strcmp(host, "two.example") != 0)
        return __real_getaddrinfo(host, port, hints, list);
    int code = __real_getaddrinfo("127.0.0.1", port, hints, list);
    assert_int_equal(code, 0);
    return __real_getaddrinfo("127.0.0.2", port, hints, &(*list)->ai_next);
}

static void the_next_address_is_tried(void **state)
{
    (void)state;
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *first;
    struct listener listener, none;
    char port[8], text[32], error[256] = "";
    assert_int_equal(getaddrinfo("127.0.0.1", "0", &hints, &first), 0);
    int fd = take_port(first, port);
    freeaddrinfo(first);
    snprintf(text, sizeof text, "two.example:%s", port);
    assert_true(listener_open(&listener, text, "8261", error));
    assert_true(listener.is_local);
    assert_non_null(strstr(listener.address, "http://127.0.0.2:"));
    /* And if all are taken, it is said once. */
    assert_false(listener_open(&none, text, "8261", error));
    assert_non_null(strstr(error, "Address already in use"));
    close(listener.fd);
    close(fd);
}

static void no_address(void **state)
{
    (void)state;
    static const char *const texts[] = {"", ":80", "127.0.0.1:99999", "[::1", "127.0.0.1:x"};
    struct listener listener;
    char error[256];
    for (size_t i = 0; i < N_OF(texts); i++) {
        assert_false(listener_open(&listener, texts[i], "8261", error));
        assert_non_null(strstr(error, "expected "));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_next_address_is_tried),
        cmocka_unit_test(no_address),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
