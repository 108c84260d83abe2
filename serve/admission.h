/*
 * Decides which requests the server answers: those that carry the token, that name the
 * loopback as Host (a page of another site that makes its name resolve to 127.0.0.1 sends
 * its own name), and that come from no other site's page (Origin).
 */
#pragma once

#include <stdbool.h>

enum { ADMISSION_TOKEN = 33 }; /* 32 hexadecimal digits and a 0 byte */

struct ml_err;

bool admission_make_token(char token[ADMISSION_TOKEN], struct ml_err *err);
/* Compares in a time that tells nothing; given may be NULL. */
bool admission_token(const char *token, const char *given);
/* Host names the loopback: 127.0.0.1, localhost or [::1], with or without a port. */
bool admission_host(const char *host);
/* origin is NULL (not sent) or http:// and host. */
bool admission_origin(const char *origin, const char *host);
