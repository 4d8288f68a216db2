#include "Mutator.h"

#include <algorithm>

namespace sdfgc::fuzz {
namespace {

std::string repeated(std::string_view text, std::size_t count) {
    std::string out;
    out.reserve(text.size() * count);
    for (std::size_t i = 0; i < count; ++i)
        out += text;
    return out;
}

/// Usually few, sometimes very many: deep nesting would slow down thousands of runs.
std::size_t amount(Random &r, std::size_t width) {
    constexpr std::size_t amounts[] = {3, 30, 300, 3000, 30000};
    return std::min<std::size_t>(r.oneIn(40) ? 300000 : amounts[r.below(5)], r.most / width);
}

/// `before`^n `middle` `after`^n
std::string nested(Random &r, std::string_view before, std::string_view middle, std::string_view after) {
    std::size_t n = amount(r, before.size() + after.size());
    return repeated(before, n) + std::string(middle) + repeated(after, n);
}

} // namespace

std::string hostileName(Random &r) {
    // A table is easier to read in rows.
    // clang-format off
    static const std::string names[] = {
        "", " ", "a b", "../../etc/passwd", "/", "a/b", "a\\", "\"; int x = \"", "a\nb", "a\r\nint main() {}", "*/ #include </etc/passwd> /*",
        "int", "class", "template", "operator", "main", "new", "and", "_Complex", "restrict", "co_await", "__state", "__program_vadd",
        "$(touch /tmp/sdfgc-owned)", "`id`", "${CMAKE_COMMAND}", "$ENV{HOME}", "; rm -rf x", "-o", "--help", "%s%n", "a'b", "a\tb",
        "\xc3\xa9\xe2\x82\xac", "\xff\xfe", std::string("nul\0in", 6), "0", "1abc", "a.b", "a.b.c", "a[0]", "None", "True", "lambda", "i",
        "std", "double", "omp_get_thread_num", "errno", "NULL", "EOF", "assert", "INFINITY", "linux", "unix", "__LINE__", "IN_", "OUT_",
        "__return", "__return_0", "NoneType", "dace", "sdfgc", "math", "this", "self", "gpu_x", "__tmp0", "//", "/*"};
    // clang-format on
    return r.oneIn(20) ? repeated("x", amount(r, 1)) : r.pick(names);
}

std::string hostileExpression(Random &r) {
    static const std::string texts[] = {"9223372036854775807",
                                        "9223372036854775808",
                                        "-9223372036854775808",
                                        "99999999999999999999999999",
                                        "1e400",
                                        "-1",
                                        "0",
                                        "1/0",
                                        "0/0",
                                        "N/0",
                                        "N % 0",
                                        "0 ** -1",
                                        "0 ** 0",
                                        "2 ** 63",
                                        "2 ** 1000000000",
                                        "N ** 1000000",
                                        "N ** N ** N ** N",
                                        "(-1) ** 0.5",
                                        "1.5",
                                        "1e-300",
                                        "9223372036854775807 + N",
                                        "9223372036854775807 * N",
                                        "-9223372036854775808 // -1",
                                        "int_floor(N, 0)",
                                        "int_ceil(5, 0)",
                                        "N // 0",
                                        "Mod(N, 0)",
                                        "Min()",
                                        "Max()",
                                        "Min(N)",
                                        "Min(1, N, M)",
                                        "Abs()",
                                        "Piecewise((0, N > 0))",
                                        "Piecewise((0, N > 0), (1, True))",
                                        "sqrt(-1)",
                                        "log(0)",
                                        "nan",
                                        "oo",
                                        "-oo",
                                        "zoo",
                                        "I",
                                        "pi",
                                        "E",
                                        "exp(exp(exp(N)))",
                                        "symbol($N, dtype=dace.int64)",
                                        "symbol($N, dtype=dace.nonsense)",
                                        "symbol($",
                                        "symbol()",
                                        "symbol(\"x\")",
                                        "$N",
                                        "symbol($A)",
                                        "A[0]",
                                        "A[A[A[0]]]",
                                        "A[i, j, k, l]",
                                        "f(x)(y)",
                                        "x.y.z",
                                        "N N",
                                        "N +",
                                        ")",
                                        "(",
                                        "[",
                                        "a, b",
                                        "a if b else c",
                                        "lambda x: x",
                                        "Range(0, 1, 2)",
                                        "0:N:0",
                                        "0:N:-1",
                                        "N - 1:0",
                                        "True",
                                        "not N",
                                        "And(a, b)",
                                        "Or()",
                                        "Eq(N, N)",
                                        "N == N",
                                        "N < N",
                                        "N and M",
                                        "0x10",
                                        "1_000",
                                        "1__0",
                                        "'text'",
                                        "\"text\"",
                                        "#",
                                        "N; N",
                                        "__import__('os')",
                                        "~N",
                                        "N << 100",
                                        "1 << 64",
                                        "N >> -1",
                                        "floor(N/2)",
                                        "ceiling(N/2)",
                                        "N*N*N*N*N*N*N*N*N*N*N*N*N*N*N*N*N",
                                        "(N+1)**50",
                                        "(N+M+K+L)**30",
                                        "1.0e308*10",
                                        "\n",
                                        " ",
                                        "",
                                        "\xff",
                                        std::string("a\0b", 3)};
    switch (r.below(12)) {
    case 0:
        return nested(r, "(", "N", ")");
    case 1:
        return nested(r, "-", "N", "");
    case 2:
        return nested(r, "(N + ", "1", ")");
    case 3:
        return nested(r, "(", "N", " + 1) * 2");
    case 4:
        return nested(r, "Min(M, ", "N", ")");
    case 5:
        return nested(r, "A[", "0", "]");
    case 6:
        return nested(r, "N + ", "1", "");
    case 7:
        return nested(r, "2 ** ", "2", "");
    case 8:
        return nested(r, "(N + 1) * (M - 1) * ", "1", "");
    case 9:
        return "Max(" + nested(r, "a + b*c, ", "1", "") + ")";
    default:
        return r.pick(texts);
    }
}

std::string hostileCode(Random &r) {
    static const std::string texts[] = {"",
                                        "pass",
                                        "c = ",
                                        "c = a +",
                                        "c = b = a",
                                        "c = c",
                                        "return",
                                        "return 5",
                                        "break",
                                        "import os",
                                        "import os; os.system('touch /tmp/sdfgc-owned')",
                                        "c = __import__('os').system('id')",
                                        "def f(x): return f(x)\nc = f(a)",
                                        "while True: pass",
                                        "while True:\n    c = a",
                                        "for i in range(10): c = i",
                                        "for i in range(0, 10, 0): c = i",
                                        "c = a if b else",
                                        "c = [x for x in a]",
                                        "c = {a: b}",
                                        "c = (a, b)",
                                        "c, d = a, b",
                                        "c = lambda x: x",
                                        "c = a @ b",
                                        "c = a[0][0][0]",
                                        "c = a.b.c.d",
                                        "c[0] = a",
                                        "c[a] = b",
                                        "c[a, b] = 1",
                                        "c += a",
                                        "c //= 0",
                                        "c = a // 0",
                                        "c = a % 0",
                                        "c = 1 << 100",
                                        "c = 99999999999999999999999",
                                        "c = 1e999",
                                        "c = 1j",
                                        "c = 'text'",
                                        "c = b'bytes'",
                                        "c = f'{a}'",
                                        "c = None",
                                        "c = ...",
                                        "c = not a",
                                        "c = a < b < c",
                                        "c = a and b or c",
                                        "c = a is b",
                                        "c = a in b",
                                        "c = math.sqrt(a)",
                                        "c = dace.float64(a)",
                                        "c = dace.nonsense(a)",
                                        "c = numpy.sin(a)",
                                        "c = unknown(a)",
                                        "c = min()",
                                        "c = max(a)",
                                        "c = abs()",
                                        "c = int(a, b, c)",
                                        "c = round(a, 1, 2)",
                                        "c = a ** b ** c",
                                        "c = a ** -1",
                                        "c = a ** 0.5",
                                        "c = -a ** 2",
                                        "with a as b: pass",
                                        "try:\n  c = a\nexcept: pass",
                                        "class X: pass",
                                        "assert a",
                                        "del a",
                                        "global a",
                                        "yield a",
                                        "raise a",
                                        "a: int = 5",
                                        "if a:\nc = 1",
                                        "if a:\n    c = 1\n  c = 2",
                                        "\tc = a\n        c = b",
                                        "c = a;",
                                        "c = a; d = b; e = c",
                                        "c = a \\\n + b",
                                        "c = a \\",
                                        "c = (a\n",
                                        "#",
                                        "# c",
                                        "c = \"\"\"",
                                        "c = 0777",
                                        "c = 0x",
                                        "c = 1__0",
                                        "c = \xc3\xa9",
                                        "\xff",
                                        std::string("c = a\0", 6),
                                        "int = a",
                                        "double = a\nc = double",
                                        "class = a\nc = class",
                                        "this = a\nc = this",
                                        "x = a\nx = 1j\nc = x",
                                        "c = a if a else a if a else a",
                                        "*c = a",
                                        "c = *a",
                                        "c = a[:]",
                                        "c[:] = a",
                                        "c = a[::0]",
                                        "c = print(a)",
                                        "printf('%n', a)",
                                        "c = a }; system(\"id\"); {",
                                        "c = a // comment",
                                        "c = a /* comment",
                                        "global_var = 1"};
    switch (r.below(12)) {
    case 0:
        return "c = " + nested(r, "(", "a", ")");
    case 1:
        return "c = " + nested(r, "-", "a", "");
    case 2:
        return "c = " + nested(r, "a + ", "a", "");
    case 3:
        return "c = " + nested(r, "(a * ", "a", ")");
    case 4:
        return "c = " + nested(r, "sin(", "a", ")");
    case 5:
        return "c = " + nested(r, "a if a > 0 else ", "a", "");
    case 6:
        return "c = " + nested(r, "not ", "a", "");
    case 7:
        return "c = " + nested(r, "a ** ", "a", "");
    case 8:
        return "c = " + nested(r, "a < ", "a", "");
    case 9:
        return nested(r, "c = a\n", "", "");
    case 10: {
        std::string text;
        for (std::size_t depth = 0, n = amount(r, 1) % 3001; depth < n; ++depth)
            text += std::string(depth, ' ') + "if a > 0:\n";
        return text;
    }
    default:
        return r.pick(texts);
    }
}

} // namespace sdfgc::fuzz
