/*
 * The MPI plugin: lib/base/ranks.h by MPI. Built with mpicc, apart from the program, so
 * that memlamp itself depends on no MPI.
 */
#include "lib/base/ranks.h"

#include <mpi.h>

enum { PART = 1 << 30 }; /* MPI counts by int */

static int part(size_t left)
{
	return left < PART ? (int)left : PART;
}

static bool start(int *rank, int *count)
{
	int level;

	/* threads of ours compute, but only the first one speaks */
	return MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) == MPI_SUCCESS &&
	       MPI_Comm_rank(MPI_COMM_WORLD, rank) == MPI_SUCCESS &&
	       MPI_Comm_size(MPI_COMM_WORLD, count) == MPI_SUCCESS;
}

static void tell(void *data, size_t size)
{
	for (size_t at = 0; at < size; at += PART)
		MPI_Bcast((char *)data + at, part(size - at), MPI_BYTE, 0,
			  MPI_COMM_WORLD);
}

static void hand_in(const void *data, size_t size)
{
	for (size_t at = 0; at < size; at += PART)
		MPI_Send((const char *)data + at, part(size - at), MPI_BYTE, 0, 0,
			 MPI_COMM_WORLD);
}

static void take(int rank, void *data, size_t size)
{
	for (size_t at = 0; at < size; at += PART)
		MPI_Recv((char *)data + at, part(size - at), MPI_BYTE, rank, 0,
			 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void end(void)
{
	MPI_Finalize();
}

extern const struct ml_ranks_plugin ml_ranks_plugin;
const struct ml_ranks_plugin ml_ranks_plugin = {
	.start = start,
	.tell = tell,
	.hand_in = hand_in,
	.take = take,
	.end = end,
};
