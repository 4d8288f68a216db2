# The dependencies of sdfgc. All of them are Debian 12 packages (README.md lists them).
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(CLI11 REQUIRED)
find_path(RAPIDJSON_INCLUDE_DIR rapidjson/reader.h REQUIRED)

# isl decides the dependences that the engine cannot (docs/user/optimiser.md). It is required so that -O2 does the same in every
# build of sdfgc.
find_path(ISL_INCLUDE_DIR isl/set.h REQUIRED)
find_library(ISL_LIBRARY isl REQUIRED)
