/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A statically linked program has no dynamic linker that would load our wrappers
 * (preload.c). The wrappers need no relocation, so this maps their file into the memory
 * of the program; the core finds it there when it looks for symbols.
 */
#pragma once

/* Call it after the program is mapped and before the core looks for symbols. */
void load_wrappers(void);
