// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * build.c - the engine as one unit of translation, as the kernel does it with its scheduler.
 *
 * A message takes some forty small steps through these rooms; as calls between objects they would
 * cost more than their work.  Every file also compiles alone, which the unit tests do.
 */
#define ENG_PRIVATE	static

#include "ah.c"
#include "alarm.c"
#include "answer.c"
#include "arrival.c"
#include "completer.c"
#include "copy.c"
#include "counters.c"
#include "cq.c"
#include "dev.c"
#include "direct.c"
#include "execute.c"
#include "flush.c"
#include "hold.c"
#include "icrc.c"
#include "inbox.c"
#include "key.c"
#include "mcast.c"
#include "modify.c"
#include "mr.c"
#include "opcode.c"
#include "pace.c"
#include "packet.c"
#include "qp.c"
#include "recvq.c"
#include "repair.c"
#include "reply.c"
#include "requester.c"
#include "responder.c"
#include "retry.c"
#include "run.c"
#include "sender.c"
#include "sge.c"
#include "srq.c"
#include "state.c"
#include "timer.c"
#include "ud.c"
#include "wqe.c"
#include "xrc.c"
