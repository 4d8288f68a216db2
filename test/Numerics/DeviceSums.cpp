// Kernels whose iterations all update one element, on the emulated device: their blocks combine the values first.
#include "Program.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// `out op= A[...]` over all of A, in a separate state.
void accumulate(Program &p, const std::string &id, const std::string &shape, Type t, const std::string &wcr,
                const std::function<Number(Number, Number)> &op) {
    Graph &g = p.graph();
    if (!g.s->nodes().empty()) {
        State *before = g.s;
        g.g.connect(before, g.state(id));
    }
    Tensor A = p.array(id + "_A", shape, t), out = p.array(id + "_r", "3", t);
    std::string params, ranges;
    for (const std::string &size : split(shape, ',')) {
        params += (params.empty() ? "i" : ", i") + std::to_string(params.size());
        ranges += (ranges.empty() ? "0:" : ", 0:") + size;
    }
    auto [entry, exit] = g.map(params, ranges, id);
    Tasklet *pass = g.tasklet("y = x");
    g.edge(g.access(A.name()), "", entry, "IN_A", A.name() + "[" + ranges + "]");
    g.edge(entry, "OUT_A", pass, "x", A.name() + "[" + params + "]");
    g.edge(pass, "y", exit, "IN_r", out.name() + "[1]")->memlet.wcr = wcr;
    g.edge(exit, "OUT_r", g.access(out.name()), "", out.name() + "[1]")->memlet.wcr = wcr;
    p.expect(out, [=](const Index &i) {
        Number value = out(i);
        if (i[0] == 1)
            A.each([&](const Index &at) { value = op(value, A(at)); });
        return value;
    });
}

Number real(double v) { return v; }
bool truth(Number v) { return v != Number(0); }

void kinds(Program &p) {
    using N = Number;
    p.symbol("N", 1001);
    p.symbol("M", 37);
    for (auto [type, id] : {std::pair(ScalarKind::Int32, "i"), std::pair(ScalarKind::Int64, "l"),
                            std::pair(ScalarKind::Float32, "f"), std::pair(ScalarKind::Float64, "d")}) {
        const std::string t = id;
        accumulate(p, "sum_" + t, "N", type, "lambda a, b: a + b", [](N a, N b) { return a + b; });
        accumulate(p, "min_" + t, "N", type, "lambda a, b: min(a, b)", [](N a, N b) { return real(std::min(a.real(), b.real())); });
        accumulate(p, "max_" + t, "M, 40", type, "lambda a, b: max(a, b)",
                   [](N a, N b) { return real(std::max(a.real(), b.real())); });
        accumulate(p, "and_" + t, "40", type, "lambda a, b: a and b", [](N a, N b) { return real(truth(a) && truth(b)); });
        accumulate(p, "or_" + t, "41", type, "lambda a, b: a or b", [](N a, N b) { return real(truth(a) || truth(b)); });
        accumulate(p, "xor_" + t, "300", type, "lambda a, b: bool(a) != bool(b)",
                   [](N a, N b) { return real(truth(a) != truth(b)); });
    }
    accumulate(p, "bits_and", "N", ScalarKind::UInt32, "lambda a, b: a & b",
               [](N a, N b) { return real(double(int64_t(a.real()) & int64_t(b.real()))); });
    accumulate(p, "bits_or", "N", ScalarKind::UInt32, "lambda a, b: a | b",
               [](N a, N b) { return real(double(int64_t(a.real()) | int64_t(b.real()))); });
    accumulate(p, "bits_xor", "N", ScalarKind::Int64, "lambda a, b: a ^ b",
               [](N a, N b) { return real(double(int64_t(a.real()) ^ int64_t(b.real()))); });
    accumulate(p, "truths", "N", ScalarKind::Bool, "lambda a, b: a and b", [](N a, N b) { return real(truth(a) && truth(b)); });
    accumulate(p, "sum_c", "N, 3", ScalarKind::Complex128, "lambda a, b: a + b", [](N a, N b) { return a + b; });
    accumulate(p, "bytes", "N", ScalarKind::Int8, "lambda a, b: max(a, b)",
               [](N a, N b) { return real(std::max(a.real(), b.real())); });
    // Small enough that nothing overflows, and without zeros.
    accumulate(p, "product", "33", ScalarKind::Float64, "lambda a, b: a * b", [](N a, N b) { return a * b; });
    accumulate(p, "sum_large", "300, 5, 200", ScalarKind::Float64, "lambda a, b: a + b", [](N a, N b) { return a + b; });
}

} // namespace

TEST_CASE("sums and other reductions of kernels to one element", "[device]") { emulated("kinds", kinds); }
