/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports what is mapped where in the program's address space. */
#pragma once

#include "pub_tool_basics.h"

void maps_track(void); /* reports changes from now on */
void maps_all(void);   /* reports everything there is */
