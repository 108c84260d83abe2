/*
 * Server-sent events: whenever the state or progress of a job changes, its
 * description is sent, ten times a second at most; "bye" when the server ends.
 */
#pragma once

struct MHD_Response;
struct ml_workspace;

struct MHD_Response *events_response(struct ml_workspace *workspace);
