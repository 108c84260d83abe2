/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports the mappings of the program. */
#pragma once

#include "pub_tool_basics.h"

void maps_track(void); /* reports changes from now on */
void maps_all(void);   /* reports all mappings */
