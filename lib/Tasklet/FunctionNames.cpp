// Functions that need no declaration in the graph.
#include "sdfgc/Tasklet/FunctionNames.h"

#include "Tasklet/Functions.h"

#include <unordered_set>

namespace sdfgc::py {
namespace {

const std::unordered_set<std::string_view> &headerFunctions() {
    static const std::unordered_set<std::string_view> names{
        // <math.h> beyond the table of Functions.cpp, for double and float
        "drem", "dremf", "exp10", "exp10f", "finite", "finitef", "fpclassify", "frexpf", "gamma", "gammaf", "isgreater",
        "isgreaterequal", "isless", "islessequal", "islessgreater", "isnormal", "isunordered", "j0", "j0f", "j1", "j1f", "jn",
        "jnf", "modf", "modff", "nan", "nanf", "nexttoward", "nexttowardf", "remquo", "remquof", "scalb", "scalbf", "scalbln",
        "scalblnf", "significand", "sincos", "sincosf", "y0", "y0f", "y1", "y1f", "yn", "ynf", "fabsl", "sqrtl", "expl", "logl",
        "powl",
        // <stdlib.h>
        "abort", "aligned_alloc", "atof", "atoi", "atol", "atoll", "bsearch", "calloc", "div", "drand48", "erand48", "exit", "free",
        "getenv", "lldiv", "ldiv", "lrand48", "malloc", "mrand48", "qsort", "rand", "rand_r", "random", "realloc", "srand",
        "srand48", "srandom", "strtod", "strtof", "strtol", "strtoll", "strtoul", "strtoull", "system",
        // <stdio.h>
        "fclose", "feof", "fflush", "fgetc", "fgets", "fopen", "fprintf", "fputc", "fputs", "fread", "fscanf", "fseek", "ftell",
        "fwrite", "getc", "getchar", "perror", "putc", "putchar", "remove", "rename", "rewind", "scanf", "snprintf", "sprintf",
        "sscanf", "vprintf",
        // <string.h>
        "memchr", "memcmp", "memcpy", "memmove", "memset", "strcat", "strchr", "strcmp", "strcpy", "strdup", "strlen", "strncat",
        "strncmp", "strncpy", "strrchr", "strstr",
        // <ctype.h>, <time.h>, <assert.h>
        "isalnum", "isalpha", "isdigit", "islower", "isspace", "isupper", "tolower", "toupper", "clock", "difftime", "time",
        "assert",
        // DaCe's (runtime-headers/sdfgc/rt/compat.h)
        "Abs", "Max", "Min", "Mod", "Mod_float", "Modulo", "Modulo_float", "ROUND", "bitwise_and", "bitwise_invert", "bitwise_or",
        "bitwise_xor", "int_floor", "int_floor_ni", "left_shift", "right_shift", "IfExpr", "AND", "OR", "range"};
    return names;
}

const std::unordered_set<std::string_view> &deviceFunctions() {
    static const std::unordered_set<std::string_view> names{
        "cospi",   "cospif",   "cyl_bessel_i0", "cyl_bessel_i1", "erfcinv", "erfcinvf", "erfcx",      "erfcxf",      "erfinv",
        "erfinvf", "fdividef", "norm3d",        "norm4d",        "normcdf", "normcdff", "normcdfinv", "normcdfinvf", "rcbrt",
        "rcbrtf",  "rhypot",   "rnorm3d",       "rsqrt",         "rsqrtf",  "sincospi", "sinpi",      "sinpif",      "clock64"};
    return names;
}

} // namespace

bool isBuiltinFunction(std::string_view name) { return detail::findFunction(name) != nullptr; }

bool isHeaderFunction(std::string_view name) { return headerFunctions().count(name) != 0; }

bool isDeviceFunction(std::string_view name) { return deviceFunctions().count(name) != 0; }

std::optional<CppFunction> numberFunction(std::string_view name) {
    const detail::Function *f = detail::findFunction(name);
    if (!f || f->results > 0 || f->header == detail::FunctionHeader::Stdio || f->header == detail::FunctionHeader::Vec ||
        name == "frexp")
        return std::nullopt;
    return detail::numberSpelling(*f);
}

} // namespace sdfgc::py
