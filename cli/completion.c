#include "cli/completion.h"

#include <string.h>

#include "cli/cmd.h"
#include "cli/options.h"
#include "lib/base/buf.h"

static void put_case(const struct cmd *c, struct ml_buf *out)
{
	ml_buf_text(out, "\t");
	ml_buf_text(out, c->name);
	ml_buf_text(out, ") words='");
	for (const struct opt *o = c->opts; o && o->name; o++) {
		ml_buf_text(out, "--");
		ml_buf_text(out, o->name);
		ml_buf_text(out, " ");
	}
	ml_buf_text(out, "--help' ;;\n");
}

void completion(const struct cmd *const *cmds, struct ml_buf *out)
{
	ml_buf_text(out,
		    "# bash completion for memlamp, printed by 'memlamp --completion'\n"
		    "_memlamp()\n"
		    "{\n"
		    "\tlocal cur=${COMP_WORDS[COMP_CWORD]} commands words=\n"
		    "\n"
		    "\tcommands='");
	for (size_t i = 0; cmds[i]; i++) {
		ml_buf_text(out, cmds[i]->name);
		ml_buf_text(out, " ");
	}
	/* If there are no words, readline completes file names (-o default). */
	ml_buf_text(out, "help'\n"
			 "\tcase $COMP_CWORD,${COMP_WORDS[1]} in\n"
			 "\t1,*) words=\"$commands --help --version\" ;;\n"
			 "\t2,help) words=$commands ;;\n"
			 "\t*) [[ $cur == -* ]] && case ${COMP_WORDS[1]} in\n");
	for (size_t i = 0; cmds[i]; i++)
		put_case(cmds[i], out);
	ml_buf_text(out, "\tesac ;;\n"
			 "\tesac\n"
			 "\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
			 "}\n"
			 "complete -o default -F _memlamp memlamp\n");
}
