/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * shca_env.h - the engine's environment in the simulator: the unit tests' words, one thread.
 *
 * Nobody else runs, so a wait lets the simulated hosts' workers go on, and what is freed is kept
 * until the loop is between two events (host.c), which is all that RCU means here.
 */
#ifndef SIM_ENV_H
#define SIM_ENV_H

#define env_relax env_relax_threads
#include "../../unit/env/shca_env.h"
#undef env_relax

void sim_host_relax(u32 round);
#define env_relax(round) sim_host_relax(round)

#endif
