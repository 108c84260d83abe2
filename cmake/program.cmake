# The program, what it brings along, and how all of it is installed.
include(cmake/web.cmake)
file(GLOB cli_sources CONFIGURE_DEPENDS cli/*.c cli/*/*.c)
list(REMOVE_ITEM cli_sources ${PROJECT_SOURCE_DIR}/cli/main.c)
ml_library(cli memlamp-cli ${cli_sources})
target_link_libraries(cli PUBLIC record serve)
add_executable(memlamp cli/main.c)
target_link_libraries(memlamp PRIVATE strict cli page)

# The commit is looked up by every build; only cli/main.c is compiled when it changed.
set(commit_header ${PROJECT_BINARY_DIR}/commit/commit.h)
add_custom_target(commit BYPRODUCTS ${commit_header}
	COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DHEADER=${commit_header}
		-P ${PROJECT_SOURCE_DIR}/cmake/commit.cmake
	COMMENT "Looking up the commit" VERBATIM)
add_dependencies(memlamp commit)
target_include_directories(memlamp PRIVATE ${PROJECT_BINARY_DIR}/commit)

if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
	set(x86_64 ON)
endif()
include(cmake/runtime.cmake)
include(cmake/mpi.cmake)

# The Valgrind tool is built by its own script: Valgrind's rules differ in every flag.
set(tool_script ${PROJECT_SOURCE_DIR}/record/valgrind/build.sh)
file(GLOB tool_sources CONFIGURE_DEPENDS record/valgrind/*.[chS])
if(NOT x86_64)
	message(NOTICE "memlamp: ${CMAKE_SYSTEM_PROCESSOR} has no Valgrind tool; it is not "
		"built. memlamp import, and all that reads files, work without it.")
	set(tool_stamp)
else()
	set(tool_stamp valgrind.stamp)
endif()
add_custom_command(OUTPUT valgrind.stamp
	COMMAND ${CMAKE_COMMAND} -E env CC=gcc ${tool_script} ${PROJECT_BINARY_DIR}/valgrind
	COMMAND ${CMAKE_COMMAND} -E touch valgrind.stamp
	DEPENDS ${tool_script} ${tool_sources} ${PROJECT_SOURCE_DIR}/record/ring.h
		${PROJECT_SOURCE_DIR}/include/memlamp.h
	COMMENT "Building the Valgrind tool" VERBATIM)
add_custom_target(tool ALL DEPENDS ${tool_stamp})

# Examples stand compiled beside their sources in examples/ of the build folder,
# never sanitized: they are what is recorded.
include(CheckLanguage)
# one that was missing the last time may be there now
if(NOT CMAKE_CXX_COMPILER)
	unset(CMAKE_CXX_COMPILER CACHE)
endif()
check_language(CXX)
set(example_types examples/*.c)
if(CMAKE_CXX_COMPILER)
	enable_language(CXX)
	list(APPEND example_types examples/*.cpp)
endif()
file(GLOB examples CONFIGURE_DEPENDS ${example_types})
foreach(source ${examples})
	get_filename_component(file ${source} NAME)
	get_filename_component(name ${source} NAME_WE)
	add_executable(example_${name} ${source})
	set_target_properties(example_${name} PROPERTIES OUTPUT_NAME ${name}
		RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/examples
		COMPILE_OPTIONS "-O2;-g" LINK_OPTIONS "")
	target_include_directories(example_${name} PRIVATE include)
	target_link_libraries(example_${name} PRIVATE Threads::Threads m)
	install(TARGETS example_${name} DESTINATION lib/memlamp/examples)
	install(FILES ${source} DESTINATION lib/memlamp/examples)
	install(FILES ${source} DESTINATION share/doc/memlamp/examples)
	configure_file(${source} ${PROJECT_BINARY_DIR}/examples/${file} COPYONLY)
endforeach()
# what they read
configure_file(examples/teapot.txt ${PROJECT_BINARY_DIR}/examples/teapot.txt COPYONLY)
install(FILES examples/teapot.txt DESTINATION lib/memlamp/examples)
install(FILES examples/teapot.txt DESTINATION share/doc/memlamp/examples)
file(GLOB spaces CONFIGURE_DEPENDS examples/spaces/*.txt)
foreach(source ${spaces})
	get_filename_component(file ${source} NAME)
	configure_file(${source} ${PROJECT_BINARY_DIR}/examples/spaces/${file} COPYONLY)
	install(FILES ${source} DESTINATION lib/memlamp/examples/spaces)
	install(FILES ${source} DESTINATION share/doc/memlamp/examples/spaces)
endforeach()

# Pages become man pages; the tables of options become the shell's completion.
set(md2man ${PROJECT_SOURCE_DIR}/tools/md2man)
file(GLOB pages CONFIGURE_DEPENDS docs/commands/*.md)
foreach(page ${pages})
	get_filename_component(name ${page} NAME_WE)
	if(NOT name STREQUAL memlamp)
		set(name memlamp-${name})
	endif()
	set(man ${PROJECT_BINARY_DIR}/man/${name}.1)
	add_custom_command(OUTPUT ${man}
		COMMAND ${md2man} ${page} ${PROJECT_VERSION} > ${man}
		DEPENDS ${md2man} ${page} VERBATIM)
	list(APPEND mans ${man})
endforeach()
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/man)
set(completion ${PROJECT_BINARY_DIR}/completion.bash)
add_custom_command(OUTPUT ${completion} COMMAND memlamp --completion > ${completion}
	DEPENDS memlamp VERBATIM)
add_custom_target(pages ALL DEPENDS ${mans} ${completion})

install(TARGETS memlamp DESTINATION bin)
# Compilers as one word, for builds that cannot hold a blank in CC.
foreach(name cc c++ fc)
	file(CREATE_LINK memlamp ${PROJECT_BINARY_DIR}/memlamp-${name} SYMBOLIC)
	install(FILES ${PROJECT_BINARY_DIR}/memlamp-${name} DESTINATION bin)
endforeach()
install(FILES ${mans} DESTINATION share/man/man1)
install(FILES ${completion} DESTINATION share/bash-completion/completions RENAME memlamp)
install(DIRECTORY ${PROJECT_BINARY_DIR}/valgrind/ DESTINATION lib/memlamp/valgrind
	USE_SOURCE_PERMISSIONS OPTIONAL)
install(FILES include/memlamp.h DESTINATION include)
install(FILES include/memlamp.py DESTINATION share/memlamp)
install(FILES LICENSE LICENSE.GPL README.md CHANGELOG.md DESTINATION share/doc/memlamp)
install(DIRECTORY docs/ DESTINATION share/doc/memlamp/docs)

# Built with the rest so that they cannot rot; run by `make bench` alone.
file(GLOB bench_sources CONFIGURE_DEPENDS bench/bench_*.c)
foreach(source ${bench_sources})
	get_filename_component(target ${source} NAME_WE)
	add_executable(${target} ${source})
	target_link_libraries(${target} PRIVATE strict record)
endforeach()
