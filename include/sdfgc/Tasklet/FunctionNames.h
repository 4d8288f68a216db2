// Functions that code strings may call without a declaration in the graph.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sdfgc::py {

/// Does a function have a built-in meaning in code strings, under its name after resolveModules (`sqrt`, `max`,
/// `int_ceil`)?
bool isBuiltinFunction(std::string_view name);

/// Is a function declared at global scope by the headers that every program with such calls includes: C's (<math.h>,
/// <stdlib.h>, <stdio.h>, <string.h>, <ctype.h>, <time.h>) and DaCe's?
bool isHeaderFunction(std::string_view name);

/// Do CUDA and HIP declare the function for kernels although C has no such function (`erfinv`, `rsqrt`, `sinpi`)?
bool isDeviceFunction(std::string_view name);

/// The C++ name of a function, and the header topic of the code generator that it needs (`cmath`).
struct CppFunction {
    std::string topic, name;
};
/// Returns the C++ function for a function of code strings on real numbers, but not complex ones or vectors. Nothing
/// for other names, and for functions that print or have results by reference.
std::optional<CppFunction> numberFunction(std::string_view name);

} // namespace sdfgc::py
