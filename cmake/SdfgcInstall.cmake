# What `cmake --install` puts where: the executable, the files that it reads, and the package for find_package(sdfgc).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

if(TARGET sdfgc)
    install(TARGETS sdfgc RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
foreach(resource IN ITEMS bindings pipelines runtime-headers schemas)
    if(EXISTS ${CMAKE_SOURCE_DIR}/${resource})
        install(DIRECTORY ${CMAKE_SOURCE_DIR}/${resource} DESTINATION ${CMAKE_INSTALL_DATADIR}/sdfgc)
    endif()
endforeach()

set(sdfgcPackageFolder ${CMAKE_INSTALL_LIBDIR}/cmake/sdfgc)
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/sdfgcConfig.cmake.in ${CMAKE_BINARY_DIR}/cmake/sdfgcConfig.cmake
    INSTALL_DESTINATION ${sdfgcPackageFolder} PATH_VARS CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/cmake/sdfgcConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/cmake/sdfgcConfig.cmake ${CMAKE_BINARY_DIR}/cmake/sdfgcConfigVersion.cmake
              ${CMAKE_SOURCE_DIR}/cmake/SdfgcAddLibrary.cmake
        DESTINATION ${sdfgcPackageFolder})
