// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* ibv_devices - lists the RDMA devices by name and node GUID. */
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <infiniband/verbs.h>

int main(int argc, char **argv)
{
	struct ibv_device **list;
	int i;

	if (argc > 1) {
		fprintf(stderr, "'%s' is not expected: %s takes no arguments and lists all RDMA "
			"devices; see ibv_devinfo\n", argv[1], argv[0]);
		return 1;
	}
	list = ibv_get_device_list(NULL);
	if (!list) {
		fprintf(stderr, "Failed to get IB devices list: %s\n", strerror(errno));
		return 1;
	}
	printf("    %-16s\t   node GUID\n", "device");
	printf("    %-16s\t----------------\n", "------");
	for (i = 0; list[i]; i++)
		printf("    %-16s\t%016llx\n", ibv_get_device_name(list[i]),
		       (unsigned long long)be64toh(ibv_get_device_guid(list[i])));
	ibv_free_device_list(list);
	return 0;
}
