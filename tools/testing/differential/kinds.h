/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Kinds of objects that commands make, as graph.c counts them.
 */
#ifndef DIFFERENTIAL_KINDS_H
#define DIFFERENTIAL_KINDS_H

enum kind {
	KIND_NONE, KIND_PD, KIND_CQ, KIND_QP, KIND_SRQ, KIND_AH, KIND_MR, KIND_MW, KIND_XRCD,
	KINDS,
};

#endif
