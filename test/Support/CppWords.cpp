#include "sdfgc/Support/CppWords.h"

#include <catch2/catch.hpp>

#include <string>

using namespace sdfgc;

namespace {

/// The words of a text; members are marked with a dot, words in literals with quotes, those of directives with `#`.
std::string words(std::string_view text) {
    std::string out;
    for (const CppWord &w : cppWords(text)) {
        CHECK(text.substr(w.at, w.text.size()) == w.text);
        const std::string word = (w.member ? "." : "") + std::string(w.text);
        out += (out.empty() ? "" : " ") + (w.where == CppWord::Literal     ? "\"" + word + "\""
                                           : w.where == CppWord::Directive ? "#" + word
                                                                           : word);
    }
    return out;
}

} // namespace

TEST_CASE("words of C++: numbers are none") {
    CHECK(words("a = b2 + _c;") == "a b2 _c");
    CHECK(words("x = 0x1F + 0b10 + 0x1p-3 + 017u") == "x");
    CHECK(words("x = 1e5 + 1.5e-3f + 2E+7 + .5f + 1.f + 10L + 10ull") == "x");
    CHECK(words("x = 1'000'000 + 0xFF'FFu + N") == "x N");
    CHECK(words("x = 1e+N") == "x"); // one token for compilers
    CHECK(words("x = 1-e5 + 2+N") == "x e5 N");
    CHECK(words("a[0]-b, 3.method") == "a b");
}

TEST_CASE("words of C++: comments and character literals have none") {
    CHECK(words("a /* b \" */ c // d\ne") == "a c e");
    CHECK(words("a // don't\nb") == "a b");
    CHECK(words("f('N', 'T', L'x', u8'y', '\\'', '\"') g") == "f g");
    CHECK(words("a /* b") == "a");
    CHECK(words("a // b") == "a");
}

TEST_CASE("words of C++: strings are told apart, their prefixes and suffixes are no words") {
    CHECK(words("f(\"x y\", z)") == "f \"x\" \"y\" z");
    CHECK(words("a = \"say \\\"b\\\" // c\"; d") == "a \"say\" \"b\" \"c\" d");
    CHECK(words("u8\"a\"s + L\"b\" + R\"(c\"d)\"sv + LR\"x(e)\" )x\" + f") == "\"a\" \"b\" \"c\" \"d\" \"e\" f");
    CHECK(words("R(\"a\") + LA\"b\"") == "R \"a\" LA \"b\"");
    CHECK(words("_Pragma(\"omp simd reduction(+:s)\")") == "_Pragma \"omp\" \"simd\" \"reduction\" \"s\"");
    CHECK(words("a \"b\nc \"") == "a \"b\" c"); // ends with its line
    CHECK(words("R\"(a") == "\"a\"");
    CHECK(words("R\"") == "");
    CHECK(words("\"a\\") == "\"a\"");
}

TEST_CASE("words of C++: directives reach to the end of their line") {
    CHECK(words("#define f(x) g\na") == "#define #f #x #g a");
    CHECK(words("#define f \\\n g\na") == "#define #f #g a");
    CHECK(words("#include \"b.h\" // c\na") == "#include \"b\" \"h\" a");
    CHECK(words("#error don't\na") == "#error #don a");
}

TEST_CASE("words of C++: members, and what stands in front of a word") {
    CHECK(words("a.b->c + D::e . f > g") == "a .b .c D .e .f g");
    CHECK(words("sizeof...(x) + y... + z") == "sizeof x y z");
    auto before = [](std::string_view text) { return cppWords(text).back().before; };
    CHECK(before("x") == '\0');
    CHECK(before("int x") == 't');
    CHECK(before("int * /* here */ x") == '*');
    CHECK(before("1 x") == '0');
    CHECK(before("\"s\" x") == '"');
}
