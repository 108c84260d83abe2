# `make deb`: a Debian package and a tarball of what `make install` installs.
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_VENDOR memlamp)
set(CPACK_PACKAGE_CONTACT "the authors of memlamp <memlamp@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "record and look at what a program does to memory")
set(CPACK_PACKAGE_DESCRIPTION "memlamp records the memory references of a program, replays them through
simulated caches, and shows which lines of code and which arrays cost time, why, and which change would help.")
set(CPACK_PACKAGE_FILE_NAME memlamp-${PROJECT_VERSION}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# The MPI plugin is a package of its own: it needs an MPI, and few users do.
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_NAME memlamp)
set(CPACK_DEBIAN_MPI_PACKAGE_NAME memlamp-mpi)
set(CPACK_COMPONENT_MPI_DESCRIPTION "memlamp ensembles under mpirun")
set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "memlamp (= ${PROJECT_VERSION})")
# Our tool is part of the Valgrind that it was built with.
execute_process(COMMAND valgrind --version OUTPUT_VARIABLE valgrind_version)
string(REGEX MATCH "[0-9]+\\.[0-9]+" valgrind_version "${valgrind_version}")
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_DEPENDS
	"valgrind (>= 1:${valgrind_version}), valgrind (<< 1:${valgrind_version}.99)")
# `memlamp flow` loads it, `memlamp cc` and `memlamp prune` call a compiler.
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_RECOMMENDS "libclang1-19, gcc")
# Without the plugin there are no components, and CPack reads other names.
if(NOT MPICC)
	set(CPACK_DEBIAN_PACKAGE_DEPENDS ${CPACK_DEBIAN_UNSPECIFIED_PACKAGE_DEPENDS})
	set(CPACK_DEBIAN_PACKAGE_RECOMMENDS ${CPACK_DEBIAN_UNSPECIFIED_PACKAGE_RECOMMENDS})
endif()
include(CPack)
