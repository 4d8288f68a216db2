// C++ names: what is reserved, and names that are free where they are declared.
#include "sdfgc/Tree/NameScopes.h"

#include <algorithm>

namespace sdfgc::tree {
namespace {

/// Words that a variable of generated C++ may not be called: keywords, and names that the printed text uses unqualified.
const std::unordered_set<std::string_view> &reservedWords() {
    static const std::unordered_set<std::string_view> words{
        "alignas",     "alignof",   "and",        "and_eq",    "asm",      "auto",         "bitand",
        "bitor",       "bool",      "break",      "case",      "catch",    "char",         "char8_t",
        "char16_t",    "char32_t",  "class",      "compl",     "concept",  "const",        "consteval",
        "constexpr",   "constinit", "const_cast", "continue",  "co_await", "co_return",    "co_yield",
        "decltype",    "default",   "delete",     "do",        "double",   "dynamic_cast", "else",
        "enum",        "explicit",  "export",     "extern",    "false",    "float",        "for",
        "friend",      "goto",      "if",         "inline",    "int",      "long",         "mutable",
        "namespace",   "new",       "noexcept",   "not",       "not_eq",   "nullptr",      "operator",
        "or",          "or_eq",     "private",    "protected", "public",   "register",     "reinterpret_cast",
        "requires",    "return",    "short",      "signed",    "sizeof",   "static",       "static_assert",
        "static_cast", "struct",    "switch",     "template",  "this",     "thread_local", "throw",
        "true",        "try",       "typedef",    "typeid",    "typename", "union",        "unsigned",
        "using",       "virtual",   "void",       "volatile",  "wchar_t",  "while",        "xor",
        "xor_eq",      "int8_t",    "int16_t",    "int32_t",   "int64_t",  "uint8_t",      "uint16_t",
        "uint32_t",    "uint64_t",  "size_t",     "std",       "sdfgc",    "dace",         "main",
        "NULL",        "INFINITY",  "NAN",        "I",         "linux",    "unix",         "omp_get_thread_num",
        "State",       "__state",   "assert",     "errno",     "stdin",    "stdout",       "stderr",
        "EOF",         "M_PI",      "abs",        "min",       "max",      "printf",       "handle",
        "memory",      "restrict",  "typeof",     "alloca"};
    return words;
}

/// Also names that only the compiler may define: `_Complex`, `__LINE__`, `__restrict`, and those of the program's own functions.
/// (`__return`, `__tmp0` and the like are DaCe's and ordinary.)
bool isReserved(std::string_view name) {
    if (reservedWords().count(name) || name.starts_with("__dace_") || name.starts_with("__program_"))
        return true;
    if (name == "__restrict" || name == "__restrict__" || name == "__asm__" || name == "__volatile__" || name == "__func__")
        return true;
    auto isUpper = [&](std::size_t i) { return i < name.size() && name[i] >= 'A' && name[i] <= 'Z'; };
    return name.starts_with("_") && (isUpper(1) || (name.starts_with("__") && isUpper(2)));
}

/// Functions of C, POSIX and CUDA, types of CUDA, and namespaces of the devices' libraries that headers may declare at global
/// scope, where kernels are.
const std::unordered_set<std::string_view> &globalNames() {
    static const std::unordered_set<std::string_view> names{
        "abort",        "abs",       "accept",      "access",    "acos",     "acosh",
        "alarm",        "all",       "any",         "asin",      "asinh",    "atan",
        "atan2",        "atanh",     "atexit",      "atof",      "atoi",     "atol",
        "ballot",       "basename",  "bind",        "brev",      "bsearch",  "calloc",
        "canonicalize", "cbrt",      "ceil",        "chdir",     "clock",    "clock64",
        "clone",        "close",     "clz",         "conj",      "connect",  "cooperative_groups",
        "copysign",     "cos",       "cosh",        "cospi",     "cub",      "cuda",
        "dadd",         "ddiv",      "difftime",    "dim3",      "div",      "dmul",
        "double1",      "double2",   "double3",     "double4",   "drem",     "dsub",
        "dup",          "ecvt",      "erf",         "erfc",      "erfcinv",  "erfcx",
        "erfinv",       "exit",      "exp",         "exp10",     "exp2",     "expm1",
        "fabs",         "fadd",      "fcvt",        "fdim",      "fdiv",     "fdivide",
        "ffma",         "ffs",       "finite",      "float1",    "float2",   "float3",
        "float4",       "floor",     "fma",         "fmax",      "fmaximum", "fmin",
        "fminimum",     "fmod",      "fmul",        "fork",      "free",     "frexp",
        "fsqrt",        "fsub",      "gamma",       "gcvt",      "getc",     "half",
        "half2",        "hypot",     "ilogb",       "imag",      "index",    "int1",
        "int2",         "int3",      "int4",        "ioctl",     "isatty",   "isfinite",
        "isinf",        "isnan",     "iszero",      "j0",        "j1",       "jn",
        "kill",         "labs",      "ldexp",       "ldiv",      "lgamma",   "link",
        "listen",       "llabs",     "llmax",       "llmin",     "llrint",   "llround",
        "log",          "log10",     "log1p",       "log2",      "logb",     "lrint",
        "lround",       "lseek",     "malloc",      "mkdir",     "modf",     "mul24",
        "mulhi",        "nan",       "nearbyint",   "nextafter", "nextdown", "nextup",
        "nice",         "norm",      "norm3d",      "norm4d",    "normcdf",  "normcdfinv",
        "nv",           "nvcuda",    "open",        "pause",     "perror",   "pipe",
        "popc",         "pow",       "program",     "putc",      "puts",     "qsort",
        "raise",        "rand",      "random",      "rcbrt",     "read",     "real",
        "realloc",      "remainder", "remove",      "remquo",    "rename",   "rewind",
        "rhypot",       "rindex",    "rint",        "rnorm",     "rnorm3d",  "rnorm4d",
        "rocprim",      "round",     "roundeven",   "rsqrt",     "sad",      "saturate",
        "scalb",        "scalbln",   "scalbn",      "select",    "send",     "shutdown",
        "signal",       "signbit",   "significand", "sin",       "sincos",   "sincospi",
        "sinh",         "sinpi",     "sleep",       "socket",    "sqrt",     "srand",
        "stat",         "sync",      "system",      "tan",       "tanh",     "tgamma",
        "thrust",       "time",      "totalorder",  "trap",      "trunc",    "truncate",
        "uint",         "ullmax",    "ullmin",      "ulong",     "umax",     "umin",
        "unlink",       "usad",      "ushort",      "wait",      "write",    "y0",
        "y1",           "yn"};
    return names;
}

} // namespace

bool isFunctionName(std::string_view name) { return !isReserved(name) && globalNames().count(name) == 0; }

bool NameScopes::visible(Name n) const {
    for (const Scope &s : scopes_)
        if (s.names.count(n))
            return true;
    return false;
}

Name NameScopes::declareOutermost(Name wanted) {
    std::string base = wanted.str();
    std::replace(base.begin(), base.end(), '.', '_');
    if (isReserved(base))
        base += '_';
    Name candidate(base);
    for (int number = 1; all_.count(candidate); ++number)
        candidate = Name(base + "_" + std::to_string(number));
    scopes_.front().names.insert(candidate);
    all_.insert(candidate);
    return candidate;
}

Name NameScopes::declare(Name wanted) {
    std::string base = wanted.str();
    for (char &c : base)
        if (c == '.')
            c = '_';
    Name candidate(base);
    if (isReserved(base)) {
        base += '_';
        candidate = Name(base);
    }
    if (visible(candidate)) {
        int number = 1;
        for (const Scope &s : scopes_)
            if (auto it = s.tried.find(base); it != s.tried.end())
                number = std::max(number, it->second);
        do
            candidate = Name(base + "_" + std::to_string(number++));
        while (visible(candidate));
        scopes_.back().tried[base] = number;
    }
    scopes_.back().names.insert(candidate);
    all_.insert(candidate);
    return candidate;
}

} // namespace sdfgc::tree
