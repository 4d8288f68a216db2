# What the functions below share: the files of a build folder for the target `name`, whose program is ARG_PROGRAM (default: the name).
macro(_sdfgc_name_files)
    if(NOT ARG_PROGRAM)
        set(ARG_PROGRAM "${name}")
    endif()
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/${name}.build")
    set(library "${folder}/lib/lib${ARG_PROGRAM}.so")
    set(archive "${folder}/lib/lib${ARG_PROGRAM}.a")
    set(headers "${folder}/include/${ARG_PROGRAM}.h" "${folder}/include/${ARG_PROGRAM}.hpp" "${folder}/include/${ARG_PROGRAM}.f90")
endmacro()

# The target of a library that a command makes. Callers of a static library link what the file beside it lists, which exists from the
# first build on.
macro(_sdfgc_add_target)
    add_custom_target(${name}_sdfgc DEPENDS "${library}")
    file(MAKE_DIRECTORY "${folder}/include") # an include folder of an imported target must exist
    if(ARG_STATIC)
        add_library(${name} STATIC IMPORTED GLOBAL)
        set_target_properties(${name} PROPERTIES IMPORTED_LOCATION "${archive}" IMPORTED_LINK_INTERFACE_LANGUAGES CXX
                              INTERFACE_LINK_LIBRARIES "-Wl,@${folder}/lib/${ARG_PROGRAM}.link")
    else()
        add_library(${name} SHARED IMPORTED GLOBAL)
        set_target_properties(${name} PROPERTIES IMPORTED_LOCATION "${library}" IMPORTED_SONAME "lib${ARG_PROGRAM}.so")
    endif()
    set_target_properties(${name} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${folder}/include" SDFGC_FOLDER "${folder}")
    add_dependencies(${name} ${name}_sdfgc)
endmacro()

# sdfgc_add_library(NAME GRAPH FILE [STATIC] [TARGET cpu|cuda|hip|opencl|sve] [PROGRAM PROGRAM] [OPTIONS ...])
#
# A library target NAME from a graph. Targets that link it find its headers (C: PROGRAM.h, C++: PROGRAM.hpp) and are rebuilt when
# the graph, one of its parts, or sdfgc changes; nothing runs when nothing has changed.
#   GRAPH    the .sdfg or .sdfgz file, relative to the current source folder
#   STATIC   a static library instead of a shared one; the libraries that it calls are linked with it
#   TARGET   the target to compile for (default: cpu)
#   PROGRAM  the name of the program in the graph (default: NAME)
#   OPTIONS  additional options for `sdfgc build`
# Properties of the target: SDFGC_FOLDER, the build folder (its include/PROGRAM.f90 is a Fortran module to be compiled with your sources,
# its python/ can be put on PYTHONPATH). Install with install(IMPORTED_RUNTIME_ARTIFACTS NAME).
function(sdfgc_add_library name)
    cmake_parse_arguments(PARSE_ARGV 1 ARG "STATIC" "GRAPH;TARGET;PROGRAM" "OPTIONS")
    if(NOT ARG_GRAPH OR ARG_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "usage: sdfgc_add_library(NAME GRAPH FILE [STATIC] [TARGET cpu|cuda|hip|opencl|sve] [PROGRAM PROGRAM] "
                            "[OPTIONS ...])")
    endif()
    if(ARG_TARGET)
        list(PREPEND ARG_OPTIONS --target "${ARG_TARGET}")
    endif()
    if(ARG_STATIC)
        list(PREPEND ARG_OPTIONS --static)
    endif()
    get_filename_component(graph "${ARG_GRAPH}" ABSOLUTE)
    _sdfgc_name_files()
    set(made "")
    if(ARG_STATIC)
        set(made "${archive}")
    endif()
    add_custom_command(OUTPUT "${library}" BYPRODUCTS ${headers} ${made}
        COMMAND sdfgc::sdfgc build "${graph}" -o "${folder}" --depfile "${folder}.d" --quiet ${ARG_OPTIONS}
        DEPENDS "${graph}" sdfgc::sdfgc
        DEPFILE "${folder}.d"
        COMMENT "sdfgc ${name}" VERBATIM)
    _sdfgc_add_target()
endfunction()

# sdfgc_add_package(NAME FILE FILE [PROGRAM PROGRAM])
#
# A shared library target NAME from a file that `sdfgc package` wrote; its properties are those of sdfgc_add_library. It is unpacked and
# verified at build time, again when the file changes.
#   PROGRAM  the name of the program in the package (default: NAME)
function(sdfgc_add_package name)
    cmake_parse_arguments(PARSE_ARGV 1 ARG "" "FILE;PROGRAM" "")
    set(ARG_STATIC OFF)
    if(NOT ARG_FILE OR ARG_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "usage: sdfgc_add_package(NAME FILE FILE [PROGRAM PROGRAM])")
    endif()
    get_filename_component(package "${ARG_FILE}" ABSOLUTE)
    _sdfgc_name_files()
    add_custom_command(OUTPUT "${library}" BYPRODUCTS ${headers}
        COMMAND sdfgc::sdfgc unpack "${package}" -o "${folder}" --quiet
        DEPENDS "${package}" sdfgc::sdfgc
        COMMENT "sdfgc unpack ${name}" VERBATIM)
    _sdfgc_add_target()
endfunction()
