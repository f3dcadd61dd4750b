/* The agent's side of SNMPv3: from a message to the answer. */
#ifndef DCAMP_SIM_AGENT_H
#define DCAMP_SIM_AGENT_H

#include "codec.h"
#include "sim.h"

/* out is empty and has room for MESSAGE_SIZE_MAX; left empty, there is no answer. The octets of the
 * packet are changed. CODEC_SLACK octets after it can be read. */
void agent_answer(struct sim *sim, struct sim_child *child, struct codec_span packet,
                  struct moment now, struct codec_out *out);

#endif
