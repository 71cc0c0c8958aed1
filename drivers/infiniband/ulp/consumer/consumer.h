/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The rooms of the kernel consumer: consumer.c counts results and has the list of tests, each
 * other file a group of them.
 */
#ifndef CONSUMER_H
#define CONSUMER_H

#include <rdma/ib_verbs.h>

/* One result line; returns good. */
bool consumer_check(bool good, const char *what, const char *where);
void consumer_skip(const char *what, const char *where);

/* transfers.c: the read/write interface and pools of regions. */
void transfers_test(struct ib_device *dev);
/* keys.c: invalidation, between the QPs of a loop. */
struct loop;
void keys_test(struct loop *loop, const char *where);
/* answers.c: addresses from completions. */
void answers_test(struct ib_device *dev);
/* lookups.c: GIDs, P_Keys, ports, what addresses hold. */
void lookups_test(struct ib_device *dev);
/* user.c: memory and structs of user space. */
void user_test(struct ib_device *dev);
/* messages.c: netlink messages. */
void messages_test(void);
/* objects.c: objects that the loop does without. */
void objects_test(struct ib_device *dev);

/* stay.c: a client that works on every device until that is removed. */
int stay_start(void);
void stay_stop(void);

#endif
