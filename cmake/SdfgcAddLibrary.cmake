# sdfgc_add_library(NAME GRAPH FILE [OPTIONS ...])
#
# A shared library target NAME from a graph whose program is called NAME. Targets that link it find its header and are rebuilt
# when the graph changes.
#   GRAPH    the .sdfg or .sdfgz file, relative to the current source folder
#   OPTIONS  further options of `sdfgc build`
function(sdfgc_add_library name)
    cmake_parse_arguments(PARSE_ARGV 1 ARG "" "GRAPH" "OPTIONS")
    if(NOT ARG_GRAPH OR ARG_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "usage: sdfgc_add_library(NAME GRAPH FILE [OPTIONS ...])")
    endif()
    get_filename_component(graph "${ARG_GRAPH}" ABSOLUTE)
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/${name}.build")
    set(library "${folder}/lib/lib${name}.so")
    add_custom_command(OUTPUT "${library}"
        COMMAND sdfgc::sdfgc build "${graph}" -o "${folder}" --depfile "${folder}.d" --quiet ${ARG_OPTIONS}
        DEPENDS "${graph}" sdfgc::sdfgc
        DEPFILE "${folder}.d"
        COMMENT "sdfgc ${name}" VERBATIM)
    add_custom_target(${name}_sdfgc DEPENDS "${library}")
    file(MAKE_DIRECTORY "${folder}/include") # an include folder of an imported target must exist
    add_library(${name} SHARED IMPORTED GLOBAL)
    set_target_properties(${name} PROPERTIES IMPORTED_LOCATION "${library}" INTERFACE_INCLUDE_DIRECTORIES "${folder}/include")
    add_dependencies(${name} ${name}_sdfgc)
endfunction()
