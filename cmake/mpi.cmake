# The MPI plugin, where there is an MPI: a library of its own, so that the program needs none.
find_program(MPICC mpicc)
if(NOT MPICC)
	message(STATUS "no mpicc: the MPI plugin is not built")
	return()
endif()
set(plugin ${PROJECT_BINARY_DIR}/mpi/ranks.so)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/mpi)
add_custom_command(OUTPUT ${plugin}
	COMMAND ${MPICC} -std=c11 -O2 -g -Wall -Wextra -Werror -fPIC -shared
		-I${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/mpi/ranks.c -o ${plugin}
	DEPENDS mpi/ranks.c lib/base/ranks.h
	COMMENT "Building the MPI plugin" VERBATIM)
add_custom_target(mpi ALL DEPENDS ${plugin})
install(PROGRAMS ${plugin} DESTINATION lib/memlamp/mpi COMPONENT mpi)
