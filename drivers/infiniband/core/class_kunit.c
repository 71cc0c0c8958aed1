// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Suite of class.c: renaming, beside a driver core that moves the link and the directory of a
 * device one after the other and finds no memory when it is told to.
 */
#include <kunit/test.h>
#include <linux/device.h>

static int fake_device_rename(struct device *device, const char *name);
static int fake_kobject_rename(struct kobject *kobj, const char *name);

#define device_rename	fake_device_rename
#define kobject_rename	fake_kobject_rename
#include "class.c"

enum { OLD, NEW };

static struct {
	int link, directory;
	unsigned int fail;	/* bit n: the n-th allocation from now on */
} fake;

static int allocate(void)
{
	bool fails = fake.fail & 1;

	fake.fail >>= 1;
	return fails ? -ENOMEM : 0;
}

static int fake_kobject_rename(struct kobject *kobj, const char *name)
{
	int ret = allocate();

	if (!ret)
		fake.directory = NEW;
	return ret;
}

/* The link is looked for under the directory's name. */
static int fake_device_rename(struct device *device, const char *name)
{
	int ret = allocate();

	if (ret)
		return ret;
	if (fake.link != fake.directory)
		return -ENOENT;
	fake.link = NEW;
	return fake_kobject_rename(&device->kobj, name);
}

static int rename_with(unsigned int failures)
{
	struct device device = {};

	fake.link = OLD;
	fake.directory = OLD;
	fake.fail = failures;
	return core_class_rename(&device, "new");
}

/* Whatever single failure there is: the new name in both places, and no error. */
static void test_rename(struct kunit *test)
{
	unsigned int n;

	for (n = 0; n < 6; n++) {
		KUNIT_EXPECT_EQ(test, rename_with(1U << n), 0);
		KUNIT_EXPECT_EQ(test, fake.link, NEW);
		KUNIT_EXPECT_EQ(test, fake.directory, NEW);
	}
}

/* It said that it failed, half done: saying it again ends it. */
static void test_rename_without_memory(struct kunit *test)
{
	struct device device = {};

	KUNIT_EXPECT_EQ(test, rename_with(UINT_MAX), -ENOMEM);
	KUNIT_EXPECT_EQ(test, fake.link, OLD);
	KUNIT_EXPECT_EQ(test, rename_with(UINT_MAX - 1), -ENOMEM);
	KUNIT_EXPECT_EQ(test, fake.link, NEW);
	KUNIT_EXPECT_EQ(test, fake.directory, OLD);
	fake.fail = 0;
	KUNIT_EXPECT_EQ(test, core_class_rename(&device, "new"), 0);
	KUNIT_EXPECT_EQ(test, fake.directory, NEW);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(test_rename),
	KUNIT_CASE(test_rename_without_memory),
	{}
};

static struct kunit_suite suite = { .name = "core_class", .test_cases = cases };
kunit_test_suite(suite);
