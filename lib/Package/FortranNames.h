// Names and types in a program's Fortran module.
#pragma once

#include "sdfgc/Types/Type.h"

#include <set>
#include <string>

namespace sdfgc::package {

/// Names in one scope.
class FortranNames {
public:
    /// A valid, unused name similar to `wanted`.
    std::string declare(std::string wanted);

private:
    /// Initially the names that the interfaces use from iso_c_binding.
    std::set<std::string> taken_{"c_bool",          "c_char",    "c_double", "c_double_complex", "c_float",
                                 "c_float_complex", "c_funptr",  "c_int",    "c_int8_t",         "c_int16_t",
                                 "c_int32_t",       "c_int64_t", "c_ptr",    "c_size_t",         "iso_c_binding"};
};

/// Type of a value; Fortran has neither unsigned integers nor half precision: integers of the same size hold their bits.
std::string fortranScalar(Type t);

} // namespace sdfgc::package
