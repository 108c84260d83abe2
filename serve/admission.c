#include "serve/admission.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "lib/base/err.h"

bool admission_make_token(char token[ADMISSION_TOKEN], struct ml_err *err)
{
	unsigned char bytes[(ADMISSION_TOKEN - 1) / 2];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return ml_fail_errno(err, "no random bytes for a token");
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(token + 2 * i, 3, "%02x", bytes[i]);
	return true;
}

bool admission_token(const char *token, const char *given)
{
	unsigned differs = 0;

	if (!given || strlen(given) != strlen(token))
		return false;
	for (size_t i = 0; token[i]; i++)
		differs |= (unsigned)(token[i] ^ given[i]);
	return !differs;
}

bool admission_host(const char *host)
{
	static const char *const names[] = { "127.0.0.1", "localhost", "[::1]" };

	for (size_t i = 0; host && i < sizeof(names) / sizeof(*names); i++) {
		size_t n = strlen(names[i]);

		if (strncmp(host, names[i], n) != 0)
			continue;
		if (!host[n])
			return true;
		if (host[n] == ':' && host[n + 1] &&
		    strspn(host + n + 1, "0123456789") == strlen(host + n + 1))
			return true;
	}
	return false;
}

bool admission_origin(const char *origin, const char *host)
{
	static const char scheme[] = "http://";

	return !origin || (!strncmp(origin, scheme, sizeof(scheme) - 1) &&
			   !strcmp(origin + sizeof(scheme) - 1, host));
}
