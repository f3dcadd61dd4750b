#include "poller/peer_answer.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "report/report.h"

static bool tell_answer(struct peer *peer, const struct query_blocks *blocks,
                        const struct cursor_step *step)
{
    union {
        struct message_block block;
        uint8_t room[sizeof(struct message_block) + REPORT_BLOCK_MAX];
    } copies[CURSOR_BLOCKS_MAX];
    const struct message_block *list[CURSOR_BLOCKS_MAX];
    const struct snmp_engine *engine = &peer->session.engine;
    struct message_answer answer = {
        .id = peer->id,
        .round_trip_us = (uint32_t)(peer->session.round_trip / NS_PER_US),
        .engine_id_len = engine->len,
        .engine_boots = engine->boots,
        .report_boot = blocks->head.boot,
        .first = blocks->head.first,
        .last = blocks->head.last,
        .lost = step->lost,
        .n_blocks = step->take,
    };
    memcpy(answer.engine_id, engine->id, engine->len);
    for (uint32_t i = 0; i < step->take; i++) {
        copies[i].block.sequence = step->first + i;
        copies[i].block.length = (uint32_t)blocks->at[i].len;
        memcpy(copies[i].block.bytes, blocks->at[i].octets, blocks->at[i].len);
        list[i] = &copies[i].block;
    }
    return outbox_put_answer(&peer->peers->outbox, &answer, list, peer->now);
}

void peer_take_poll(struct peer *peer, const netsnmp_pdu *pdu)
{
    struct query_blocks blocks;
    if (pdu->errstat == SNMP_ERR_TOOBIG && cursor_too_big(&peer->cursor)) {
        peer->again = true;
        return;
    }
    peer->error = query_read_poll(pdu, peer->first, peer->n, &blocks);
    if (peer->error.failure)
        return;
    struct cursor moved = peer->cursor;
    struct cursor_step step = cursor_answer(&moved, &blocks.head, blocks.present);
    if (step.garbage)
        peer->error = (struct query_error){POLL_GARBAGE, step.garbage};
    else if (!tell_answer(peer, &blocks, &step))
        peer->error = (struct query_error){POLL_REFUSED, "no memory for the answer"};
    if (!peer->error.failure || step.garbage)
        peer->cursor = moved;
    peer->again = step.again;
}

static void drop_asked(struct peer *peer)
{
    peer->n_series -= peer->n_asked;
    memmove(peer->series, peer->series + peer->n_asked, peer->n_series * sizeof *peer->series);
    peer->n_asked = 0;
    if (peer->n_series > 0)
        return;
    free(peer->series);
    peer->series = NULL;
    peer->room = 0;
}

void peer_take_series(struct peer *peer, const netsnmp_pdu *pdu)
{
    struct message_series entries[QUERY_SERIES_MAX];
    if (pdu->errstat == SNMP_ERR_TOOBIG && peer->n_asked > 1) {
        peer->at_once = peer->n_asked / 2;
        peer->n_asked = 0;
        return;
    }
    peer->error = query_read_series(pdu, peer->series, peer->n_asked, entries);
    for (uint32_t i = 0; !peer->error.failure && i < peer->n_asked; i++) {
        entries[i].head =
            (struct message){.kind = MESSAGE_SERIES, .length = message_series_length(&entries[i])};
        entries[i].id = peer->id;
        if (!outbox_put(&peer->peers->outbox, &entries[i].head, peer->now))
            peer->error = (struct query_error){POLL_REFUSED, "no memory for the answer"};
    }
    if (!peer->error.failure && peer->n_asked == peer->at_once && peer->at_once < QUERY_SERIES_MAX)
        peer->at_once++;
    drop_asked(peer);
}
