#include "masters.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "agent/wire.h"

#include "unit.h"

/* As agent/wire.c has them. */
int agentx_parse(netsnmp_session *session, netsnmp_pdu *pdu, u_char *data, size_t len);
int agentx_realloc_build(netsnmp_session *session, netsnmp_pdu *pdu, u_char **buffer,
                         size_t *buffer_len, size_t *out_len);
int agentx_check_packet(u_char *packet, size_t len);

#define HEADER_LEN 20
#define LARGEST (1 << 17)
#define LONG_MS 20000 /* for what comes from another thread */

void master_open_door(struct master *master)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    memcpy(at.sun_path, master->path, strlen(master->path) + 1);
    master->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(master->listener, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(master->listener, 5), 0);
}

void master_close_door(struct master *master)
{
    close(master->listener);
    unlink(master->path);
    master->listener = -1;
}

void master_begin(struct master *master)
{
    *master = (struct master){.dir = "/tmp/dcamp-test.XXXXXX", .fd = -1};
    assert_non_null(mkdtemp(master->dir));
    snprintf(master->path, sizeof master->path, "%s/master", master->dir);
    snprintf(master->address, sizeof master->address, "unix:%s", master->path);
    snmp_sess_init(&master->session);
    master->session.version = AGENTX_SESSION_VERSION;
    master_open_door(master);
}

void master_end(struct master *master)
{
    master_hang_up(master);
    if (master->listener >= 0)
        master_close_door(master);
    assert_int_equal(rmdir(master->dir), 0);
}

static bool comes(int fd, int wait_ms)
{
    struct pollfd readable = {.fd = fd, .events = POLLIN};
    return poll(&readable, 1, wait_ms) > 0;
}

bool master_accept(struct master *master)
{
    assert_int_equal(master->fd, -1);
    if (comes(master->listener, LONG_MS))
        master->fd = accept(master->listener, NULL, NULL);
    return master->fd >= 0;
}

void master_hang_up(struct master *master)
{
    if (master->fd >= 0)
        close(master->fd);
    master->fd = -1;
}

static netsnmp_pdu *hear(struct master *master, int wait_ms)
{
    static u_char packet[LARGEST];
    if (!comes(master->fd, wait_ms) ||
        recv(master->fd, packet, HEADER_LEN, MSG_WAITALL) != HEADER_LEN)
        return NULL;
    int len = agentx_check_packet(packet, HEADER_LEN);
    assert_in_range(len, HEADER_LEN, LARGEST);
    size_t rest = (size_t)len - HEADER_LEN;
    if (rest > 0)
        assert_int_equal(recv(master->fd, packet + HEADER_LEN, rest, MSG_WAITALL), rest);
    netsnmp_pdu *pdu = snmp_pdu_create(0);
    assert_int_equal(agentx_parse(&master->session, pdu, packet, (size_t)len), SNMPERR_SUCCESS);
    return pdu;
}

netsnmp_pdu *master_hear(struct master *master)
{
    return hear(master, 0);
}

netsnmp_pdu *master_await(struct master *master)
{
    return hear(master, LONG_MS);
}

netsnmp_pdu *master_pdu(int type, long session, long transaction, long packet)
{
    netsnmp_pdu *pdu = snmp_pdu_create(type);
    assert_non_null(pdu);
    pdu->version = AGENTX_SESSION_VERSION;
    pdu->sessid = session;
    pdu->transid = transaction;
    pdu->reqid = packet;
    pdu->errstat = pdu->errindex = 0; /* not -1 */
    return pdu;
}

u_char *master_octets(netsnmp_pdu *pdu, size_t *len)
{
    netsnmp_session session;
    size_t room = 256;
    u_char *octets = malloc(room);
    snmp_sess_init(&session);
    session.version = AGENTX_SESSION_VERSION;
    *len = 0;
    assert_int_equal(agentx_realloc_build(&session, pdu, &octets, &room, len), SNMPERR_SUCCESS);
    snmp_free_pdu(pdu);
    return octets;
}

void master_say_octets(struct master *master, const void *octets, size_t len)
{
    assert_int_equal(send(master->fd, octets, len, MSG_NOSIGNAL), len);
}

void master_say(struct master *master, netsnmp_pdu *pdu)
{
    size_t len;
    u_char *octets = master_octets(pdu, &len);
    master_say_octets(master, octets, len);
    free(octets);
}
