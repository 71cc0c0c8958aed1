/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * user_memory_kunit.h - user memory for suites: a mapping of the program that loads the module,
 * which waits there until the tests are done. One page that can be used, one that cannot behind it.
 *
 * A suite has uverbs_user_begin() as suite_init, uverbs_user_end() as suite_exit, and calls enter()
 * and leave() in init and exit, since tests run in a thread that has no memory of its own.
 */
#ifndef USER_MEMORY_KUNIT_H
#define USER_MEMORY_KUNIT_H

#include <kunit/test.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/sched/mm.h>
#include <linux/uaccess.h>

static struct mm_struct *user_mm;
static void __user *user_page;

static int uverbs_user_begin(struct kunit_suite *suite)
{
	unsigned long at = vm_mmap(NULL, 0, 2 * PAGE_SIZE, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, 0);

	if (IS_ERR_VALUE(at))
		return at;
	if (vm_munmap(at + PAGE_SIZE, PAGE_SIZE))
		return -EINVAL;
	user_mm = current->mm;
	mmgrab(user_mm);
	user_page = (void __user *)at;
	return 0;
}

static void uverbs_user_end(struct kunit_suite *suite)
{
	vm_munmap((unsigned long)user_page, PAGE_SIZE);
	mmdrop(user_mm);
}

static inline void uverbs_user_enter(void)
{
	kthread_use_mm(user_mm);
}

static inline void uverbs_user_leave(void)
{
	kthread_unuse_mm(user_mm);
}

#endif
