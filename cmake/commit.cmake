# cmake -DSOURCE=DIR -DHEADER=FILE -P commit.cmake: writes a header that defines ML_COMMIT
# as the git commit of the source tree, with "-dirty" where tracked files differ from it.
# ML_COMMIT is empty if the tree is no git checkout, such as a tarball. A header that is
# already right is left alone, so that nothing is compiled again.
cmake_minimum_required(VERSION 3.25)
set(commit "")
# A tarball may be unpacked inside some other checkout, whose commit says nothing.
if(EXISTS ${SOURCE}/.git)
	# Builds run beside other git commands: take no lock to refresh the index.
	set(ENV{GIT_OPTIONAL_LOCKS} 0)
	execute_process(
		COMMAND git describe --always --dirty --abbrev=7 --exclude=*
		WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE commit ERROR_QUIET
		OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE status)
	if(NOT status EQUAL 0)
		set(commit "")
	endif()
endif()
file(CONFIGURE OUTPUT ${HEADER} CONTENT "#define ML_COMMIT \"@commit@\"\n" @ONLY)
