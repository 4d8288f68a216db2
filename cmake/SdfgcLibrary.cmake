# The order follows the layers of the design: a library may use only those above it (test/Layering checks the includes).
set(SDFGC_LIBRARIES Support Platform Diag Types Symbolic Tasklet IR Serialize Analysis Nest Tree Interpret Pass LibraryNodes Lower Transforms CodeGen
                    Targets Package Build Run Validate Reduce Driver)

# Precompiles headers that nearly every file includes, which saves a third of the time of a build without SDFGC_UNITY. Files still
# include what they use.
set(SDFGC_STANDARD_HEADERS <algorithm> <functional> <map> <memory> <optional> <set> <string> <unordered_map> <variant> <vector>
                           <fmt/core.h>)
function(sdfgc_standard_headers target)
    if(SDFGC_UNITY)
        target_link_libraries(${target} PUBLIC fmt::fmt) # public headers compose text with it
        return()
    endif()
    if(NOT TARGET sdfgcStandardHeaders)
        file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/cmake/standard-headers.cpp CONTENT "")
        add_library(sdfgcStandardHeaders STATIC ${CMAKE_BINARY_DIR}/cmake/standard-headers.cpp)
        target_link_libraries(sdfgcStandardHeaders PRIVATE fmt::fmt)
        target_precompile_headers(sdfgcStandardHeaders PRIVATE ${SDFGC_STANDARD_HEADERS})
        sdfgc_compile_options(sdfgcStandardHeaders)
    endif()
    target_link_libraries(${target} PUBLIC fmt::fmt) # public headers compose text with it
    target_precompile_headers(${target} REUSE_FROM sdfgcStandardHeaders)
endfunction()

# Compiles the sources of each folder together, a dozen at a time (SDFGC_UNITY): most of a compiler's time goes into headers, and this reads them once
# instead of a dozen times. Groups stay within one folder; names in anonymous namespaces must differ within it.
option(SDFGC_UNITY "compile a dozen files of a folder at a time: a third of the processor time of a build from nothing" OFF)
set(SDFGC_UNITY_SIZE 12)
function(sdfgc_unity target)
    if(NOT SDFGC_UNITY)
        return()
    endif()
    foreach(source IN LISTS ARGN)
        cmake_path(GET source PARENT_PATH folder)
        cmake_path(RELATIVE_PATH folder)
        string(MAKE_C_IDENTIFIER "${folder}" folder)
        math(EXPR group "0${sources_of_${folder}} / ${SDFGC_UNITY_SIZE}")
        math(EXPR sources_of_${folder} "0${sources_of_${folder}} + 1")
        set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}${group})
    endforeach()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>) # a group is not a header
endfunction()

# sdfgc_library(X DEPS A B EXTERNAL pkg::pkg): the library in lib/X with its public headers in include/sdfgc/X.
function(sdfgc_library name)
    cmake_parse_arguments(ARG "" "" "DEPS;EXTERNAL" ${ARGN})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
    add_library(sdfgc${name} STATIC ${sources})
    sdfgc_unity(sdfgc${name} ${sources})
    target_include_directories(sdfgc${name} PUBLIC ${CMAKE_SOURCE_DIR}/include PRIVATE ${CMAKE_SOURCE_DIR}/lib)
    list(TRANSFORM ARG_DEPS PREPEND sdfgc)
    target_link_libraries(sdfgc${name} PUBLIC ${ARG_DEPS} PRIVATE ${ARG_EXTERNAL})
    sdfgc_compile_options(sdfgc${name})
    sdfgc_standard_headers(sdfgc${name})
endfunction()

function(sdfgc_compile_options target)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wno-missing-field-initializers)
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
        target_compile_options(${target} PRIVATE -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow
                               -Wno-stringop-overread) # false alarms on std::string: GCC bugs 105651, 105329
    endif()
    if(SDFGC_WERROR)
        target_compile_options(${target} PRIVATE -Werror)
    endif()
    if(SDFGC_SANITIZE)
        target_compile_options(${target} PRIVATE -fsanitize=${SDFGC_SANITIZE} -fno-omit-frame-pointer)
        target_link_options(${target} PUBLIC -fsanitize=${SDFGC_SANITIZE})
    endif()
endfunction()

# One code model for the precompiled test header and the programs that use it (CMake would give a library -fPIC, a program -fPIE); and little
# optimisation, as tests take longer to compile than to run.
function(sdfgc_test_code target)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC $<$<NOT:$<CONFIG:Debug>>:-O1>)
endfunction()

# sdfgc_test(X DEPS ...): one Catch2 program from the .cpp files in test/X and its folders, registered with CTest.
function(sdfgc_test name)
    cmake_parse_arguments(ARG "" "" "DEPS" ${ARGN})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
    add_executable(test${name} ${sources})
    list(TRANSFORM ARG_DEPS PREPEND sdfgc)
    target_include_directories(test${name} PRIVATE ${CMAKE_SOURCE_DIR}/lib ${CMAKE_SOURCE_DIR}/test)
    target_link_libraries(test${name} PRIVATE sdfgcTestMain ${ARG_DEPS})
    sdfgc_test_code(test${name})
    target_precompile_headers(test${name} REUSE_FROM sdfgcTestHeader)
    sdfgc_compile_options(test${name})
    add_test(NAME unit.${name} COMMAND test${name})
endfunction()
