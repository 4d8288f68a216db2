# The commit that a checkout is at.

# sdfgc_commit(OUT FOLDER): sets OUT to the abbreviated commit of the git checkout in FOLDER. Empty if FOLDER is not the top of a
# checkout (sources from a tarball, for example), or if git is missing or refuses the folder. CMake reconfigures when the checkout
# moves to another commit.
function(sdfgc_commit out folder)
    set(${out} "" PARENT_SCOPE)
    find_program(SDFGC_GIT git)
    mark_as_advanced(SDFGC_GIT)
    if(NOT SDFGC_GIT OR NOT EXISTS ${folder}/.git) # a folder, or a file in a worktree
        return()
    endif()
    execute_process(COMMAND ${SDFGC_GIT} -C ${folder} rev-parse --short=12 HEAD
                    OUTPUT_VARIABLE commit RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    execute_process(COMMAND ${SDFGC_GIT} -C ${folder} rev-parse --git-path logs/HEAD
                    OUTPUT_VARIABLE moves OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(failed)
        return()
    endif()
    cmake_path(ABSOLUTE_PATH moves BASE_DIRECTORY ${folder})
    if(EXISTS ${moves} AND NOT CMAKE_SCRIPT_MODE_FILE)
        set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${moves})
    endif()
    set(${out} ${commit} PARENT_SCOPE)
endfunction()
