# Tests have labels: slow (not in `make test`), unit (C), cli (scripts that run the program), web (the page in a
# browser), check (of the tree), faults (calls that fail, writes that are cut off), peer (of the cli: most of the work is another program's,
# a reader in Python or a peer, so that sanitizers would find nothing new).
set(peers cycles_ripser demo ensemble_format format record_lackey result_format
	samples_format sim_cachegrind)
pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)

file(GLOB test_sources CONFIGURE_DEPENDS tests/*/test_*.c)
foreach(source ${test_sources})
	get_filename_component(target ${source} NAME_WE)
	add_executable(${target} ${source})
	target_compile_options(${target} PRIVATE -O1)
	target_compile_definitions(${target} PRIVATE TESTS="${PROJECT_SOURCE_DIR}/tests")
	target_link_libraries(${target} PRIVATE strict cli PkgConfig::CMOCKA)
	add_test(NAME ${target} COMMAND ${target})
	set_tests_properties(${target} PROPERTIES LABELS unit TIMEOUT 300)
endforeach()
target_link_libraries(test_server PRIVATE page)

# The other programs are tools that scripts use.
file(GLOB tool_sources CONFIGURE_DEPENDS tests/*.c)
foreach(source ${tool_sources})
	get_filename_component(target ${source} NAME_WE)
	add_executable(${target} ${source})
	target_link_libraries(${target} PRIVATE strict record)
endforeach()

# Lets calls of memlamp fail (tests/inject/inject.py).
if(NOT SAN)
	add_library(inject SHARED tests/inject/inject.c)
	target_link_libraries(inject PRIVATE strict ${CMAKE_DL_LIBS})
	add_test(NAME inject COMMAND python3 ${PROJECT_SOURCE_DIR}/tests/inject/inject.py
		${PROJECT_BINARY_DIR} --sample 60)
	add_test(NAME crash COMMAND python3 ${PROJECT_SOURCE_DIR}/tests/inject/crash.py
		${PROJECT_BINARY_DIR} --steps 12)
	set_tests_properties(inject crash PROPERTIES LABELS faults TIMEOUT 1200)
endif()

file(GLOB scripts CONFIGURE_DEPENDS tests/cli/*/*.sh)
foreach(script ${scripts})
	get_filename_component(name ${script} NAME_WE)
	add_test(NAME cli_${name} COMMAND ${PROJECT_SOURCE_DIR}/tests/cli/run.sh
		${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR} ${name})
	set_tests_properties(cli_${name} PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77
		LABELS "cli$<$<IN_LIST:${name},${peers}>:;peer>")
endforeach()

add_test(NAME check_includes COMMAND ${PROJECT_SOURCE_DIR}/tools/check_includes
	${PROJECT_SOURCE_DIR} ${CMAKE_C_COMPILER})
add_test(NAME check_pages COMMAND ${PROJECT_SOURCE_DIR}/tools/check_pages
	${PROJECT_SOURCE_DIR} $<TARGET_FILE:memlamp>)
add_test(NAME check_format COMMAND ${PROJECT_SOURCE_DIR}/tools/format --check)
set_tests_properties(check_format PROPERTIES SKIP_RETURN_CODE 77)
set_tests_properties(check_includes check_pages check_format PROPERTIES LABELS check)

# A few programs of tests/insight; `make insight` runs all of them, with all compilers.
add_test(NAME insight COMMAND python3 ${PROJECT_SOURCE_DIR}/tests/insight/insight.py
	$<TARGET_FILE:memlamp> --levels O2 --compilers gcc
	--only transpose,clear_first,gather_index,share_true)
set_tests_properties(insight PROPERTIES LABELS check TIMEOUT 300)

# One row for each program and compiler of tests/names; NAMES_ALL=1 runs all.
add_test(NAME names COMMAND python3 ${PROJECT_SOURCE_DIR}/tests/names/names.py
	$<TARGET_FILE:memlamp> ${PROJECT_SOURCE_DIR})
set_tests_properties(names PROPERTIES LABELS check TIMEOUT 300)

# A browser for each file, so that files run beside each other and beside other tests.
file(GLOB pages CONFIGURE_DEPENDS tests/web/*.test.mjs)
foreach(page ${pages})
	get_filename_component(name ${page} NAME_WE)
	add_test(NAME web_${name} COMMAND node ${PROJECT_SOURCE_DIR}/tests/web/run.mjs
		${PROJECT_BINARY_DIR} "^${name}[.]test")
	set(labels web)
	if(name MATCHES "^(fresh|ringsdiff|showme|truthlong)$")
		list(APPEND labels slow)
	endif()
	set_tests_properties(web_${name} PROPERTIES LABELS "${labels}" TIMEOUT 600
		SKIP_RETURN_CODE 77 COST 1000) # first: these take longest
endforeach()
add_test(NAME check_page COMMAND npm run --silent check
	WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/web)
set_tests_properties(check_page PROPERTIES LABELS check)
