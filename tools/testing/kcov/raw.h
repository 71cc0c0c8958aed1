/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * raw.h - commands that no library would send: any number, any method, with words and handles that
 * may fit.
 */
#ifndef FUZZ_RAW_H
#define FUZZ_RAW_H

void raw_write_command(int fd);
void raw_method(int fd);

#endif
