/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Was a program built by `memlamp cc`? A note in its file says so (record/runtime/hooks.S).
 */
#pragma once

#include "pub_tool_basics.h"

Bool has_hooks(const HChar *path);
