/*
 * Who may ask: only who knows the token, through a loopback name (a page of another
 * site that makes a name resolve to 127.0.0.1 sends its own name as Host), and from
 * no other site's page (Origin).
 */
#pragma once

#include <stdbool.h>

enum { GUARD_TOKEN = 33 }; /* 32 hexadecimal digits and a 0 byte */

struct ml_err;

bool guard_make_token(char token[GUARD_TOKEN], struct ml_err *err);
/* Compares in a time that tells nothing; given may be NULL. */
bool guard_token(const char *token, const char *given);
/* Host names the loopback: 127.0.0.1, localhost or [::1], with or without a port. */
bool guard_host(const char *host);
/* origin is NULL (not sent) or http:// and host. */
bool guard_origin(const char *origin, const char *host);
