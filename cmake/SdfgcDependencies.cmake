# What sdfgc is built from; every package is a Debian 12 package (README.md lists them).
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(CLI11 REQUIRED)
find_path(RAPIDJSON_INCLUDE_DIR rapidjson/reader.h REQUIRED)

# isl answers what the dependence engine leaves open (docs/user/optimiser.md). It is required, so that what -O2 does never depends on how
# sdfgc was built.
find_path(ISL_INCLUDE_DIR isl/set.h REQUIRED)
find_library(ISL_LIBRARY isl REQUIRED)
