// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ibdev_err() and its sisters: a message that names the device it is about. Called by drivers and
 * consumers in any context.
 */
#include <linux/device.h>
#include <linux/module.h>
#include <rdma/ib_verbs.h>

static void log_va(const char *level, const struct ib_device *dev, struct va_format *vaf)
{
	const struct device *parent = dev ? dev->dev.parent : NULL;

	if (parent)
		dev_printk_emit(level[1] - '0', parent, "%s %s %s: %pV",
				dev_driver_string(parent), dev_name(parent),
				dev_name(&dev->dev), vaf);
	else if (dev)
		printk("%s%s: %pV", level, dev_name(&dev->dev), vaf);
	else
		printk("%s(NULL ib_device): %pV", level, vaf);
}

void ibdev_printk(const char *level, const struct ib_device *dev, const char *format, ...)
{
	struct va_format vaf = { .fmt = format };
	va_list args;

	va_start(args, format);
	vaf.va = &args;
	log_va(level, dev, &vaf);
	va_end(args);
}
EXPORT_SYMBOL(ibdev_printk);

#define DEFINE_IBDEV_LEVEL(name, level)						\
void name(const struct ib_device *dev, const char *format, ...)		\
{										\
	struct va_format vaf = { .fmt = format };				\
	va_list args;								\
										\
	va_start(args, format);							\
	vaf.va = &args;								\
	log_va(level, dev, &vaf);						\
	va_end(args);								\
}										\
EXPORT_SYMBOL(name)

DEFINE_IBDEV_LEVEL(ibdev_emerg, KERN_EMERG);
DEFINE_IBDEV_LEVEL(ibdev_alert, KERN_ALERT);
DEFINE_IBDEV_LEVEL(ibdev_crit, KERN_CRIT);
DEFINE_IBDEV_LEVEL(ibdev_err, KERN_ERR);
DEFINE_IBDEV_LEVEL(ibdev_warn, KERN_WARNING);
DEFINE_IBDEV_LEVEL(ibdev_notice, KERN_NOTICE);
DEFINE_IBDEV_LEVEL(ibdev_info, KERN_INFO);
