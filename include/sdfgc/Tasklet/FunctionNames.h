// Which functions code strings may call without a declaration in the graph.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sdfgc::py {

/// Is it a function with a meaning of its own in code strings, under its name after resolveModules (`sqrt`, `max`, `int_ceil`)?
bool isBuiltinFunction(std::string_view name);

/// Do the headers that every program with such calls includes declare the function at global scope: those of C (<math.h>, <stdlib.h>,
/// <stdio.h>, <string.h>, <ctype.h>, <time.h>) and DaCe's?
bool isHeaderFunction(std::string_view name);

/// Do CUDA and HIP declare the function for kernels, where C has no such function (`erfinv`, `rsqrt`, `sinpi`)?
bool isDeviceFunction(std::string_view name);

/// How C++ calls a function, and what it includes for that (a topic of the code generator, `cmath`).
struct CppFunction {
    std::string topic, name;
};
/// That of a function of code strings for numbers, neither complex ones nor vectors. Nothing for other names, and for functions that print
/// or have results by reference.
std::optional<CppFunction> numberFunction(std::string_view name);

} // namespace sdfgc::py
