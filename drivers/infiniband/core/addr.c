// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Socket addresses as connection managers hand them about: how long one is, by its family.
 */
#include <linux/module.h>
#include <rdma/ib.h>
#include <rdma/ib_addr.h>

#include "core_priv.h"

/*
 * rdma_addr_size - bytes of the address, 0 for a family that RDMA does not know
 */
int rdma_addr_size(const struct sockaddr *addr)
{
	switch (addr->sa_family) {
	case AF_INET:
		return sizeof(struct sockaddr_in);
	case AF_INET6:
		return sizeof(struct sockaddr_in6);
	case AF_IB:
		return sizeof(struct sockaddr_ib);
	default:
		return 0;
	}
}
EXPORT_SYMBOL(rdma_addr_size);

/*
 * rdma_addr_size_in6 - the same, 0 when it would not fit a struct sockaddr_in6
 */
int rdma_addr_size_in6(struct sockaddr_in6 *addr)
{
	int size = rdma_addr_size((const struct sockaddr *)addr);

	return size <= sizeof(*addr) ? size : 0;
}
EXPORT_SYMBOL(rdma_addr_size_in6);

int rdma_addr_size_kss(struct __kernel_sockaddr_storage *addr)
{
	int size = rdma_addr_size((const struct sockaddr *)addr);

	return size <= sizeof(*addr) ? size : 0;
}
EXPORT_SYMBOL(rdma_addr_size_kss);
