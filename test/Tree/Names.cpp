// Valid function names in generated code.
#include "sdfgc/Tasklet/FunctionNames.h"
#include "sdfgc/Tree/NameScopes.h"

#include <catch2/catch.hpp>

using namespace sdfgc;

TEST_CASE("functions of headers and of devices are no names for kernels") {
    for (const char *name : {"rsqrtf", "erfcxf", "sinpif", "cyl_bessel_i0", "clock64", "memcpy", "strlen", "Mod", "int_floor"}) {
        INFO(name);
        CHECK((py::isDeviceFunction(name) || py::isHeaderFunction(name)));
        CHECK_FALSE(tree::isFunctionName(name));
    }
    for (const char *name : {"sin", "half", "cub", "while", "max", "omp_get_level"})
        CHECK_FALSE(tree::isFunctionName(name));
    for (const char *name : {"kernel", "matmul", "map_0", "rsqrt_"})
        CHECK(tree::isFunctionName(name));
}
