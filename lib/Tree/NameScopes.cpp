// C++ names: reserved ones, and names that are free where they are declared.
#include "sdfgc/Tree/NameScopes.h"

#include "sdfgc/Tasklet/FunctionNames.h"

#include <algorithm>

namespace sdfgc::tree {
namespace {

/// Words that can name nothing: keywords of C and C++, and macros of headers that most sources include.
const std::unordered_set<std::string_view> &keywords() {
    static const std::unordered_set<std::string_view> words{
        // keywords
        "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch", "char",
        "char8_t", "char16_t", "char32_t", "class", "compl", "concept", "const", "consteval", "constexpr", "constinit",
        "const_cast", "continue", "co_await", "co_return", "co_yield", "decltype", "default", "delete", "do", "double",
        "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if", "inline",
        "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or", "or_eq", "private",
        "protected", "public", "register", "reinterpret_cast", "requires", "restrict", "return", "short", "signed", "sizeof",
        "static", "static_assert", "static_cast", "struct", "switch", "template", "this", "thread_local", "throw", "true", "try",
        "typedef", "typeid", "typename", "typeof", "typeof_unqual", "union", "unsigned", "using", "virtual", "void", "volatile",
        "wchar_t", "while", "xor", "xor_eq",
        // macros
        "NULL", "EOF", "INFINITY", "NAN", "HUGE_VAL", "HUGE_VALF", "HUGE_VALL", "errno"};
    return words;
}

/// Macros of headers that the sources or callers may include.
const std::unordered_set<std::string_view> &macros() {
    static const std::unordered_set<std::string_view> words{
        "MAXFLOAT",       "I",         "complex",      "imaginary",  "linux",        "unix",
        "i386",           "assert",    "offsetof",     "stdin",      "stdout",       "stderr",
        "TRUE",           "FALSE",     "BUFSIZ",       "RAND_MAX",   "EXIT_SUCCESS", "EXIT_FAILURE",
        "CLOCKS_PER_SEC", "TIME_UTC",  "CHAR_BIT",     "PATH_MAX",   "NAME_MAX",     "ARG_MAX",
        "IOV_MAX",        "PIPE_BUF",  "MB_CUR_MAX",   "MB_LEN_MAX", "L_tmpnam",     "L_ctermid",
        "P_tmpdir",       "TMP_MAX",   "FILENAME_MAX", "FOPEN_MAX",  "setjmp",       "sigsetjmp",
        "va_start",       "va_end",    "va_arg",       "va_copy",    "alloca",       "major",
        "minor",          "makedev",   "st_atime",     "st_mtime",   "st_ctime",     "sa_handler",
        "sa_sigaction",   "si_pid",    "si_value",     "s6_addr",    "SIGABRT",      "SIGALRM",
        "SIGBUS",         "SIGCHLD",   "SIGFPE",       "SIGHUP",     "SIGILL",       "SIGINT",
        "SIGKILL",        "SIGPIPE",   "SIGQUIT",      "SIGSEGV",    "SIGTERM",      "SIGUSR1",
        "SIGUSR2",        "O_APPEND",  "O_CREAT",      "O_EXCL",     "O_RDONLY",     "O_RDWR",
        "O_TRUNC",        "O_WRONLY",  "M_E",          "M_1_PI",     "M_2_PI",       "M_2_SQRTPI",
        "CUDART_INF",     "CUDART_NAN"};
    return words;
}

/// Types, namespaces and functions that generated code declares or uses at global scope, and the built-in variables of kernels.
const std::unordered_set<std::string_view> &globalWords() {
    static const std::unordered_set<std::string_view> words{// types and namespaces
                                                            "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t",
                                                            "uint32_t", "uint64_t", "size_t", "std", "sdfgc", "dace", "__state",
                                                            "__result", "__err",
                                                            // functions and built-in variables
                                                            "printf", "blockDim", "gridDim", "threadIdx", "blockIdx", "warpSize",
                                                            "omp_get_thread_num", "omp_get_max_threads", "omp_get_num_threads"};
    return words;
}

/// Further names that must not be those of variables, because generated code uses them unqualified. Types may have them.
const std::unordered_set<std::string_view> &variableWords() {
    static const std::unordered_set<std::string_view> words{"main",   "State",  "Inputs",  "graph", "nodes", "queue",
                                                            "handle", "memory", "program", "abs",   "min",   "max"};
    return words;
}

/// Does a header have a family of macros, or a library a family of functions, whose names begin (and end) like this one? An
/// unnecessary underscore does no harm.
bool isOfFamily(std::string_view name) {
    static constexpr std::string_view families[] = {"DBL_",   "FLT_", "LDBL_",  "FP_",   "FE_",    "M_PI",    "M_LN",      "M_LOG",
                                                    "M_SQRT", "MAP_", "PROT_",  "MADV_", "SEEK_",  "S_IS",    "LC_",       "MPI_",
                                                    "OMPI_",  "omp_", "cblas_", "Cblas", "LAPACK", "__dace_", "__program_"};
    static constexpr std::string_view types[] = {"CHAR",  "SCHAR",   "UCHAR", "SHRT",  "USHRT",     "INT",
                                                 "UINT",  "LONG",    "ULONG", "LLONG", "ULLONG",    "SIZE",
                                                 "SSIZE", "PTRDIFF", "WCHAR", "WINT",  "SIG_ATOMIC"};
    static constexpr std::string_view ends[] = {"_MAX", "_MIN", "_WIDTH", "_C"};
    const auto begins = [&](std::string_view f) { return name.starts_with(f); };
    const auto isEnd = [&](std::string_view e) { return name.ends_with(e); };
    return std::any_of(std::begin(families), std::end(families), begins) ||
           (std::any_of(std::begin(types), std::end(types), begins) && std::any_of(std::begin(ends), std::end(ends), isEnd));
}

/// Includes names that only the compiler may define: `_Complex`, `__LINE__`, `__restrict`, and the names of the program's own
/// functions. (`__return`, `__tmp0` and the like are from DaCe, and ordinary.)
bool isReserved(std::string_view name) {
    static constexpr std::string_view words[] = {"__restrict", "__asm", "__volatile", "__forceinline", "__noinline", "__int128"};
    if (keywords().count(name) || macros().count(name) || globalWords().count(name) || variableWords().count(name) ||
        isOfFamily(name) || std::find(std::begin(words), std::end(words), name) != std::end(words))
        return true;
    if (name.size() > 4 && name.starts_with("__") && name.ends_with("__")) // `__global__`, `__func__`, `__builtins__`
        return true;
    auto isUpper = [&](std::size_t i) { return i < name.size() && name[i] >= 'A' && name[i] <= 'Z'; };
    return name.starts_with("_") && (isUpper(1) || (name.starts_with("__") && isUpper(2)));
}

/// Functions of C, POSIX and CUDA that code strings do not need or spell differently, types of CUDA, and namespaces of the device
/// libraries: headers may declare them at global scope, where kernels are. sdfgc/Tasklet/FunctionNames.h has the others.
const std::unordered_set<std::string_view> &globalNames() {
    static const std::unordered_set<std::string_view> names{
        "abs",       "accept",    "access",   "acos",       "acosh",        "alarm",   "all",
        "any",       "asin",      "asinh",    "atan",       "atan2",        "atanh",   "atexit",
        "ballot",    "basename",  "bind",     "brev",       "canonicalize", "cbrt",    "ceil",
        "chdir",     "clone",     "close",    "clz",        "conj",         "connect", "cooperative_groups",
        "copysign",  "cos",       "cosh",     "cub",        "cuda",         "dadd",    "ddiv",
        "dim3",      "dmul",      "double1",  "double2",    "double3",      "double4", "dsub",
        "dup",       "ecvt",      "erf",      "erfc",       "exp",          "exp2",    "expm1",
        "fabs",      "fadd",      "fcvt",     "fdim",       "fdiv",         "fdivide", "ffma",
        "ffs",       "float1",    "float2",   "float3",     "float4",       "floor",   "fma",
        "fmax",      "fmaximum",  "fmin",     "fminimum",   "fmod",         "fmul",    "fork",
        "frexp",     "fsqrt",     "fsub",     "gcvt",       "half",         "half2",   "hypot",
        "ilogb",     "imag",      "index",    "int1",       "int2",         "int3",    "int4",
        "ioctl",     "isatty",    "isfinite", "isinf",      "isnan",        "iszero",  "kill",
        "labs",      "ldexp",     "lgamma",   "link",       "listen",       "llabs",   "llmax",
        "llmin",     "llrint",    "llround",  "log",        "log10",        "log1p",   "log2",
        "logb",      "lrint",     "lround",   "lseek",      "mkdir",        "mul24",   "mulhi",
        "nearbyint", "nextafter", "nextdown", "nextup",     "nice",         "norm",    "nv",
        "nvcuda",    "open",      "pause",    "pipe",       "popc",         "pow",     "program",
        "puts",      "raise",     "read",     "real",       "remainder",    "rindex",  "rint",
        "rnorm",     "rnorm4d",   "rocprim",  "round",      "roundeven",    "sad",     "saturate",
        "scalbn",    "select",    "send",     "shutdown",   "signal",       "signbit", "sin",
        "sinh",      "sleep",     "socket",   "sqrt",       "stat",         "sync",    "tan",
        "tanh",      "tgamma",    "thrust",   "totalorder", "trap",         "trunc",   "truncate",
        "uint",      "ullmax",    "ullmin",   "ulong",      "umax",         "umin",    "unlink",
        "usad",      "ushort",    "wait",     "write"};
    return names;
}

} // namespace

bool isFunctionName(std::string_view name) {
    return !isReserved(name) && globalNames().count(name) == 0 && !py::isHeaderFunction(name) && !py::isDeviceFunction(name);
}

bool isStructName(std::string_view name) { return isMemberName(name) && globalWords().count(name) == 0; }

bool isMemberName(std::string_view name) { return keywords().count(name) == 0; }

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
