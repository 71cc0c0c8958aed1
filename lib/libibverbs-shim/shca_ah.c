// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* shca_ah.c - remembers the number by which UD work requests name an AH.  Called by cmd_ah.c. */
#include <stdlib.h>
#include "shca.h"

struct ibv_ah *shca_ah_alloc(struct shim_udata *udata)
{
	struct shca_ah *ah = calloc(1, sizeof(*ah));

	if (!ah)
		return NULL;
	udata->out = &ah->resp;
	udata->out_len = sizeof(ah->resp);
	return &ah->ibv;
}

void shca_ah_free(struct ibv_ah *ah)
{
	free(shim_container_of(ah, struct shca_ah, ibv));
}
