/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* time.h - all of it that is needed stands in stdlib.h. */
#include <stdlib.h>
