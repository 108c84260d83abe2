# What `memlamp cc` links into programs: a shared library, the hooks, and for gcc an empty
# libtsan, because -fsanitize=thread asks for one when it links. Never sanitized, always
# optimized: it runs inside other people's programs.
if(NOT x86_64)
	message(NOTICE "memlamp: ${CMAKE_SYSTEM_PROCESSOR} has no runtime for memlamp cc; it is "
		"not built (record/runtime/arch)")
	return()
endif()
enable_language(ASM)
set(runtime ${PROJECT_BINARY_DIR}/runtime)
file(MAKE_DIRECTORY ${runtime}/empty)

file(GLOB runtime_sources CONFIGURE_DEPENDS record/runtime/*.c
	record/runtime/arch/x86_64/*.c)
add_library(runtime SHARED ${runtime_sources})
set_target_properties(runtime PROPERTIES OUTPUT_NAME memlamp LIBRARY_OUTPUT_DIRECTORY ${runtime}
	C_EXTENSIONS ON LINK_OPTIONS "-Wl,-z,defs;-Wl,-z,nodelete;-Wl,-soname,libmemlamp.so"
	COMPILE_OPTIONS "-O2;-g;-Wall;-Wextra;-Wshadow;-Wconversion;-Werror;-fvisibility=hidden;-fno-omit-frame-pointer;-fexceptions;-fno-builtin;-mcx16;-ftls-model=initial-exec")
target_include_directories(runtime PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(runtime PRIVATE Threads::Threads ${CMAKE_DL_LIBS})

# One object a function of libc, so that a program takes in only those that it calls.
set(mem_functions memcpy mempcpy memmove memset memcmp memchr strlen strcpy stpcpy strncpy
	strcat strcmp strncmp strchr strrchr)
foreach(function ${mem_functions})
	add_library(runtime_${function} OBJECT record/runtime/arch/x86_64/libmem.S)
	set_target_properties(runtime_${function} PROPERTIES COMPILE_OPTIONS ""
		COMPILE_DEFINITIONS FUNCTION=${function})
	list(APPEND mem_objects $<TARGET_OBJECTS:runtime_${function}>)
endforeach()
add_library(runtime_hooks STATIC record/runtime/arch/x86_64/hooks.S ${mem_objects})
set_target_properties(runtime_hooks PROPERTIES OUTPUT_NAME memlamp-hooks COMPILE_OPTIONS ""
	ARCHIVE_OUTPUT_DIRECTORY ${runtime} LINKER_LANGUAGE C)

file(WRITE ${runtime}/empty/empty.S ".section .note.GNU-stack, \"\", @progbits\n")
add_library(runtime_empty OBJECT ${runtime}/empty/empty.S)
set_target_properties(runtime_empty PROPERTIES COMPILE_OPTIONS "")
add_custom_command(OUTPUT ${runtime}/empty/libtsan_preinit.o ${runtime}/empty/libtsan.a
	COMMAND ${CMAKE_COMMAND} -E copy $<TARGET_OBJECTS:runtime_empty>
		${runtime}/empty/libtsan_preinit.o
	COMMAND ${CMAKE_AR} rcs ${runtime}/empty/libtsan.a ${runtime}/empty/libtsan_preinit.o
	DEPENDS runtime_empty $<TARGET_OBJECTS:runtime_empty> VERBATIM)
add_custom_target(runtime_stub ALL
	DEPENDS ${runtime}/empty/libtsan_preinit.o ${runtime}/empty/libtsan.a)

install(FILES ${runtime}/libmemlamp.so DESTINATION lib/memlamp/runtime
	PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
		WORLD_READ WORLD_EXECUTE)
install(FILES ${runtime}/libmemlamp-hooks.a DESTINATION lib/memlamp/runtime)
install(FILES ${runtime}/empty/libtsan_preinit.o ${runtime}/empty/libtsan.a
	DESTINATION lib/memlamp/runtime/empty)
configure_file(include/memlamp.h ${runtime}/include/memlamp.h COPYONLY)
install(FILES include/memlamp.h DESTINATION lib/memlamp/runtime/include)
