# tests/fuzz/fuzz_NAME.c, starting from the inputs in tests/fuzz/corpus/NAME.
# Checksums and compression, which no mutation gets past, are off.
add_compile_definitions(FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION)
set(tests TESTS="${PROJECT_SOURCE_DIR}/tests")
target_compile_definitions(core PRIVATE FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION)
target_compile_options(core PRIVATE -fsanitize=fuzzer-no-link)
target_compile_options(record PRIVATE -fsanitize=fuzzer-no-link)

file(GLOB fuzz_sources CONFIGURE_DEPENDS tests/fuzz/fuzz_*.c)
foreach(source ${fuzz_sources})
	get_filename_component(target ${source} NAME_WE)
	string(REGEX REPLACE "^fuzz_" "" name ${target})
	add_executable(${target} ${source})
	target_link_libraries(${target} PRIVATE strict record)
	target_compile_definitions(${target} PRIVATE ${tests})
	target_compile_options(${target} PRIVATE -fsanitize=fuzzer)
	target_link_options(${target} PRIVATE -fsanitize=fuzzer)
	add_test(NAME ${target} COMMAND ${PROJECT_SOURCE_DIR}/tests/fuzz/run.sh
		$<TARGET_FILE:${target}> ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${name})
endforeach()
