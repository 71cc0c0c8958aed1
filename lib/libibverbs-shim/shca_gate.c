// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * shca_gate.c - keeps threads off a ring while the kernel moves it into new memory.
 *
 * Called by the resize paths of CQs and SRQs.  The kernel reads the consumer's count (an SRQ's
 * producer's) once and copies what lies between; an entry taken or put after that would be
 * delivered twice or lost.  A resize makes system calls, so the others must not spin on the
 * object's lock meanwhile: they find it closed, give the lock back and sleep on the mutex.
 *
 * Lock order: the gate's mutex, then the object's lock.
 */
#include "shca.h"

void shca_gate_close(pthread_mutex_t *gate, struct shca_lock *lock)
{
	pthread_mutex_lock(gate);
	shca_lock(lock);
	lock->closed = true;
	shca_unlock(lock);
}

void shca_gate_reopen(pthread_mutex_t *gate, struct shca_lock *lock)
{
	lock->closed = false;
	shca_unlock(lock);
	pthread_mutex_unlock(gate);
}

void shca_gate_wait(pthread_mutex_t *gate, struct shca_lock *lock)
{
	do {
		shca_unlock(lock);
		pthread_mutex_lock(gate);
		pthread_mutex_unlock(gate);
		shca_lock(lock);
	} while (lock->closed);
}
