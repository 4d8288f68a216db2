#include "Lowering.h"


namespace sdfgc::tree {
namespace {

/// Words that a variable of generated C++ may not be called: keywords, and names that the printed text uses unqualified.
const std::unordered_set<std::string_view> &reservedWords() {
    static const std::unordered_set<std::string_view> words{
        "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch", "char", "char8_t",
        "char16_t", "char32_t", "class", "compl", "concept", "const", "consteval", "constexpr", "constinit", "const_cast", "continue",
        "co_await", "co_return", "co_yield", "decltype", "default", "delete", "do", "double", "dynamic_cast", "else", "enum", "explicit",
        "export", "extern", "false", "float", "for", "friend", "goto", "if", "inline", "int", "long", "mutable", "namespace", "new",
        "noexcept", "not", "not_eq", "nullptr", "operator", "or", "or_eq", "private", "protected", "public", "register",
        "reinterpret_cast", "requires", "return", "short", "signed", "sizeof", "static", "static_assert", "static_cast", "struct",
        "switch", "template", "this", "thread_local", "throw", "true", "try", "typedef", "typeid", "typename", "union", "unsigned",
        "using", "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq", "int8_t", "int16_t", "int32_t", "int64_t",
        "uint8_t", "uint16_t", "uint32_t", "uint64_t", "size_t", "std", "sdfgc", "dace", "main", "NULL", "INFINITY", "NAN", "I",
        "linux", "unix", "omp_get_thread_num", "State", "__state", "assert", "errno", "stdin", "stdout", "stderr", "EOF", "M_PI",
        "abs", "min", "max", "printf"};
    return words;
}

} // namespace

bool NameScopes::visible(Name n) const {
    for (const auto &s : scopes_)
        if (s.count(n))
            return true;
    return false;
}

Name NameScopes::declare(Name wanted) {
    std::string base = wanted.str();
    for (char &c : base)
        if (c == '.')
            c = '_';
    Name candidate(base);
    if (reservedWords().count(base)) {
        base += '_';
        candidate = Name(base);
    }
    for (int i = 1; visible(candidate); ++i)
        candidate = Name(base + "_" + std::to_string(i));
    scopes_.back().insert(candidate);
    return candidate;
}

} // namespace sdfgc::tree
