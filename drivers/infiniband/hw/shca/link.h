/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * link.h - the "shca" type of `rdma link add`.
 */
#ifndef SHCA_LINK_H
#define SHCA_LINK_H

void shca_link_start(void);
void shca_link_stop(void);

#endif
