/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A statically linked program loads no library, so nobody brings our wrappers (preload.c)
 * into it. They need nothing that a dynamic linker does, so their file is just mapped
 * into the program's memory; the core finds it there when it looks for symbols.
 */
#pragma once

/* To be called once the program is mapped, before the core has looked. */
void load_wrappers(void);
