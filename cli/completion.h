/* Completion of command and option names for bash, from the tables of the commands. */
#pragma once

struct cmd;
struct ml_buf;

/* cmds ends with NULL. */
void completion(const struct cmd *const *cmds, struct ml_buf *out);
