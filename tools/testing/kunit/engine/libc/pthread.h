/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * pthread.h - locks and threads of the engine's tests, in words of the kernel.
 */
#ifndef KUNIT_PTHREAD_H
#define KUNIT_PTHREAD_H

#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

typedef spinlock_t pthread_mutex_t;
#define PTHREAD_MUTEX_INITIALIZER	__SPIN_LOCK_UNLOCKED(pthread_mutex)
#define pthread_mutex_lock(mutex)	spin_lock(mutex)
#define pthread_mutex_unlock(mutex)	spin_unlock(mutex)

struct pthread {
	void *(*body)(void *arg);
	void *arg;
	struct completion done;
};

typedef struct pthread *pthread_t;

static inline int pthread_main(void *arg)
{
	struct pthread *thread = arg;

	thread->body(thread->arg);
	kthread_complete_and_exit(&thread->done, 0);
}

static inline int pthread_create(pthread_t *to, const void *attr, void *(*body)(void *), void *arg)
{
	struct pthread *thread = kzalloc(sizeof(*thread), GFP_KERNEL);
	struct task_struct *task;

	BUG_ON(!thread);
	thread->body = body;
	thread->arg = arg;
	init_completion(&thread->done);
	task = kthread_run(pthread_main, thread, "engine_kunit");
	BUG_ON(IS_ERR(task));
	*to = thread;
	return 0;
}

static inline int pthread_join(pthread_t thread, void **result)
{
	wait_for_completion(&thread->done);
	kfree(thread);
	return 0;
}

#endif
