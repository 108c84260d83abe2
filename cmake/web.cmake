# The page: built by npm from web/, put into the program as bytes.
file(GLOB_RECURSE page_sources CONFIGURE_DEPENDS web/src/*.ts web/src/*.tsx web/src/*.css
	web/src/*.html web/*.mjs web/package-lock.json web/tsconfig.json)
set(page_dir ${PROJECT_BINARY_DIR}/page)
set(page_c ${PROJECT_BINARY_DIR}/page.c)
add_custom_command(OUTPUT ${page_c}
	COMMAND ${PROJECT_SOURCE_DIR}/tools/web.sh ${PROJECT_SOURCE_DIR} ${page_dir}
	COMMAND ${PROJECT_SOURCE_DIR}/tools/embed ${page_dir} > ${page_c}
	DEPENDS ${page_sources} ${PROJECT_SOURCE_DIR}/tools/web.sh
		${PROJECT_SOURCE_DIR}/tools/embed
	COMMENT "Building the page" VERBATIM)

pkg_check_modules(MHD REQUIRED IMPORTED_TARGET libmicrohttpd)
file(GLOB serve_sources CONFIGURE_DEPENDS serve/*.c)
# The page is no part of the library: only programs that serve it are linked again when it changes.
add_library(page OBJECT ${page_c})
target_link_libraries(page PRIVATE strict)
ml_library(serve memlamp-serve ${serve_sources})
target_link_libraries(serve PUBLIC core PkgConfig::MHD)
