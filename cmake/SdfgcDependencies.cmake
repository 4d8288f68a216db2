# What sdfgc is built from; every package is a Debian 12 package (README.md lists them).
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(CLI11 REQUIRED)
find_package(LLVM 14 REQUIRED CONFIG)
find_path(RAPIDJSON_INCLUDE_DIR rapidjson/reader.h REQUIRED)

# LLVM's Support library, static: start-up time matters under make.
llvm_map_components_to_libnames(SDFGC_LLVM_LIBS support)
add_library(sdfgc_llvm INTERFACE)
target_include_directories(sdfgc_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
target_compile_definitions(sdfgc_llvm INTERFACE ${LLVM_DEFINITIONS_LIST})
target_link_libraries(sdfgc_llvm INTERFACE ${SDFGC_LLVM_LIBS})
