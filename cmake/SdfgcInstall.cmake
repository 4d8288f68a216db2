# The files that `cmake --install` installs: the executable, the files that it reads, documentation, examples, and the packages for
# find_package(sdfgc) and pkg-config. All paths are relative, so an installation can be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

if(TARGET sdfgc)
    install(TARGETS sdfgc RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
foreach(resource IN ITEMS bindings pipelines runtime-headers schemas viewer)
    install(DIRECTORY ${CMAKE_SOURCE_DIR}/${resource} DESTINATION ${CMAKE_INSTALL_DATADIR}/sdfgc PATTERN python EXCLUDE)
endforeach()
install(DIRECTORY ${CMAKE_SOURCE_DIR}/docs ${CMAKE_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${CMAKE_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The Python package finds the executable relative to itself. Debian's Pythons read this folder below /usr; others need PYTHONPATH.
set(SDFGC_PYTHON_FOLDER lib/python3/dist-packages CACHE STRING "where the Python package is installed, relative to the prefix")
install(DIRECTORY ${CMAKE_SOURCE_DIR}/bindings/python/sdfgc DESTINATION ${SDFGC_PYTHON_FOLDER} COMPONENT python
        PATTERN __pycache__ EXCLUDE)
install(FILES ${CMAKE_SOURCE_DIR}/bindings/python/sdfgc-dace.pth DESTINATION ${SDFGC_PYTHON_FOLDER} COMPONENT python)

set(sdfgcPackageFolder ${CMAKE_INSTALL_LIBDIR}/cmake/sdfgc)
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/sdfgcConfig.cmake.in ${CMAKE_BINARY_DIR}/cmake/sdfgcConfig.cmake
    INSTALL_DESTINATION ${sdfgcPackageFolder} PATH_VARS CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/cmake/sdfgcConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/cmake/sdfgcConfig.cmake ${CMAKE_BINARY_DIR}/cmake/sdfgcConfigVersion.cmake
              ${CMAKE_SOURCE_DIR}/cmake/SdfgcAddLibrary.cmake
        DESTINATION ${sdfgcPackageFolder})

set(sdfgcPkgConfigFolder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH SDFGC_PC_TO_PREFIX /prefix/${sdfgcPkgConfigFolder} /prefix)
configure_file(${CMAKE_SOURCE_DIR}/cmake/sdfgc.pc.in ${CMAKE_BINARY_DIR}/cmake/sdfgc.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/cmake/sdfgc.pc DESTINATION ${sdfgcPkgConfigFolder})

# `cmake --build build --target uninstall` removes the installation.
configure_file(${CMAKE_SOURCE_DIR}/cmake/SdfgcUninstall.cmake.in ${CMAKE_BINARY_DIR}/cmake/SdfgcUninstall.cmake @ONLY)
add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -P ${CMAKE_BINARY_DIR}/cmake/SdfgcUninstall.cmake
                  COMMENT "removing what was installed" VERBATIM)

# `cpack` makes two Debian packages, sdfgc and python3-sdfgc. It must not build targets that the installation does not need.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_NAME sdfgc)
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-sdfgc)
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "Python package of sdfgc: compiles and calls SDFGs, also for DaCe")
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3, sdfgc (>= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS python3-numpy)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "")
set(CPACK_PACKAGE_NAME sdfgc)
set(CPACK_PACKAGE_CONTACT "the sdfgc maintainers <sdfgc@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "ahead-of-time compiler for stateful dataflow multigraphs (SDFGs)")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "g++ | clang")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libopenblas-dev, liblapacke-dev, libfftw3-dev, cmake, python3-numpy, gfortran")
find_program(SDFGC_SHLIBDEPS dpkg-shlibdeps)
mark_as_advanced(SDFGC_SHLIBDEPS)
if(SDFGC_SHLIBDEPS)
    set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
else()
    set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6, libstdc++6, zlib1g, libfmt9, libyaml-cpp0.7")
endif()
include(CPack)
