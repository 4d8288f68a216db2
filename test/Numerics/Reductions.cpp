// Reductions (format reference 7.6).
#include "Program.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

using Combine = std::function<Number(Number, Number)>;

struct Function {
    std::string name, wcr, identity;
    Combine combine;
};
const Function plus{"sum", "lambda a, b: a + b", "0", [](Number a, Number b) { return a + b; }};
const Function maximum{"max", "lambda a, b: max(a, b)", "-100", [](Number a, Number b) { return std::max(a.real(), b.real()); }};
const Function minimum{"min", "lambda a, b: min(a, b)", "100", [](Number a, Number b) { return std::min(a.real(), b.real()); }};
const Function product{"prod", "lambda a, b: a * b", "1", [](Number a, Number b) { return a * b; }};
const Function any{"any", "lambda a, b: a or b", "False", [](Number a, Number b) { return a != 0.0 || b != 0.0; }};
const Function all{"all", "lambda a, b: a and b", "True", [](Number a, Number b) { return a != 0.0 && b != 0.0; }};
// Not one of the known functions, but associative.
const Function custom{"custom", "lambda x, y: (x + y) + 0 * x", "0", [](Number a, Number b) { return a + b; }};

struct Case {
    std::string name;
    Function f;
    std::string shape, result;
    json::Value axes;
    bool identity = true;
    Type type = ScalarKind::Float64, outType = ScalarKind::Float64;
    std::string subset, outSubset, wcr;
};

json::Value axes(std::vector<int> a) {
    json::Value v = json::Value::array();
    for (int i : a)
        v.push(i);
    return v;
}

/// Reduces over `dims`; the index of the output consists of the other dimensions in order, or follows `outShape`.
void add(Program &p, const Case &c, const std::vector<std::size_t> &dims, double small = 0) {
    Tensor A = p.array(c.name + "_in", c.shape, c.type), R = p.array(c.name + "_out", c.result, c.outType);
    if (small != 0) // products must stay exact
        A.each([&](const Index &i) { A.set(i, std::accumulate(i.begin(), i.end(), int64_t(0)) % 3 == 0 ? small : 1.0); });
    NodeBuilder n = p.node("dace.libraries.standard.nodes.reduce.Reduce");
    n.in("", A, c.subset).out("", R, c.outSubset, c.wcr).set("wcr", c.f.wcr).set("axes", c.axes);
    n.set("identity", c.identity ? json::Value(c.f.identity) : json::Value());
    std::map<Index, Number> folded;
    Number start = c.f.identity == "True" ? 1 : c.f.identity == "False" ? 0 : std::stod(c.f.identity);
    A.each([&](const Index &i) {
        Index kept;
        for (std::size_t d = 0; d < i.size(); ++d)
            if (std::find(dims.begin(), dims.end(), d) == dims.end())
                kept.push_back(i[d]);
        auto [at, isNew] = folded.emplace(kept, start);
        at->second = c.f.combine(at->second, A(i));
    });
    bool combines = !c.identity || !c.wcr.empty();
    auto f = c.f;
    p.expect(R, [=](const Index &i) {
        // Unit dimensions of the output are ignored.
        Index kept;
        std::size_t rank = A.shape().size() - dims.size();
        for (std::size_t d = 0; d < i.size(); ++d)
            if (i.size() == rank || R.shape()[d] != 1)
                kept.push_back(i[d]);
        kept.resize(rank);
        Number v = folded.count(kept) ? folded.at(kept) : start;
        return combines ? f.combine(R(i), v) : v;
    });
}

void shapes(Program &p) {
    p.symbol("N", 70);
    p.symbol("M", 3);
    add(p, {"full", plus, "N, M", "1", {}}, {0, 1});
    add(p, {"fullaxes", plus, "N, M", "1", axes({0, 1})}, {0, 1});
    add(p, {"rows", plus, "N, M", "N", axes({1})}, {1});
    add(p, {"columns", plus, "N, M", "M", axes({0})}, {0});
    add(p, {"negative", plus, "N, M", "N", axes({-1})}, {1});
    add(p, {"middle", plus, "4, N, 5", "4, 5", axes({1})}, {1});
    add(p, {"outer", plus, "4, N, 5", "N", axes({0, 2})}, {0, 2});
    add(p, {"unsorted", plus, "4, N, 5", "N", axes({2, 0})}, {0, 2});
    add(p, {"keepdims", plus, "4, N, 5", "4, 1, 5", axes({1})}, {1});
    add(p, {"one", plus, "1", "1", {}}, {0});
    add(p, {"unit", plus, "N, 1", "N", axes({1})}, {1});
    add(p, {"long", plus, "3, 1000", "3", axes({1})}, {1});
    add(p, {"tall", plus, "1000, 3", "3", axes({0})}, {0});
    add(p, {"wide", plus, "5, 5000", "5000", axes({0})}, {0});
    add(p, {"accumulates", plus, "N, M", "N", axes({1}), false}, {1});
    add(p, {"accumulatesall", plus, "N, M", "1", {}, false}, {0, 1});
    add(p, {"updates", plus, "N, M", "M", axes({0}), true, ScalarKind::Float64, ScalarKind::Float64, "", "", plus.wcr}, {0});
}

void functions(Program &p) {
    for (const Function &f : {plus, maximum, minimum, custom}) {
        for (Type t : {Type(ScalarKind::Float64), Type(ScalarKind::Float32), Type(ScalarKind::Int32), Type(ScalarKind::Int64)}) {
            std::string n = f.name + std::string(scalarTypeName(t.scalar()));
            add(p, {n + "_full", f, "11, 130", "1", {}, true, t, t}, {0, 1});
            add(p, {n + "_rows", f, "11, 130", "11", axes({1}), true, t, t}, {1});
            add(p, {n + "_old", f, "130, 11", "11", axes({0}), false, t, t}, {0});
        }
    }
}

void logic(Program &p) {
    const Type b = ScalarKind::Bool, i = ScalarKind::Int32, d = ScalarKind::Float64;
    add(p, {"anybool", any, "20, 6", "20", axes({1}), true, b, b}, {1});
    add(p, {"allbool", all, "20, 3", "20", axes({1}), true, b, b}, {1});
    add(p, {"anyall", any, "20, 6", "1", {}, true, b, b}, {0, 1});
    add(p, {"anyint", any, "20, 6", "20", axes({1}), true, i, b}, {1});
    add(p, {"prodint", product, "6, 5", "6", axes({1}), true, i, i}, {1}, 2);
    add(p, {"prodfloat", product, "6, 5", "5", axes({0}), true, d, d}, {0}, 2);
    add(p, {"proddivides", product, "64", "1", {}, true, d, d}, {0}, -1);
    add(p, {"complexsum", plus, "12, 13", "13", axes({0}), true, ScalarKind::Complex128, ScalarKind::Complex128}, {0});
    add(p, {"complexall", plus, "12, 13", "1", {}, true, ScalarKind::Complex64, ScalarKind::Complex64}, {0, 1});
    add(p, {"widened", plus, "12, 13", "12", axes({1}), true, i, d}, {1});
    add(p, {"boolsum", plus, "12, 13", "12", axes({1}), true, b, ScalarKind::Int64}, {1});
}

/// Slices of input and output.
void parts(Program &p) {
    Tensor A = p.array("A", "9, 20, 7"), R = p.array("R", "30, 4"), S = p.array("S", "3, 5");
    auto reduce = [&](const std::string &in, const Tensor &r, const std::string &out, json::Value a, const Function &f,
                      bool identity = true) {
        p.node("dace.libraries.standard.nodes.reduce.Reduce")
            .in("", A, in)
            .out("", r, out)
            .set("wcr", f.wcr)
            .set("axes", std::move(a))
            .set("identity", identity ? json::Value(f.identity) : json::Value());
    };
    reduce("2, 0:20, 0:7", R, "5:25, 2", axes({2}), plus);
    p.expect(R, [=](const Index &i) {
        return i[1] == 2 && i[0] >= 5 && i[0] < 25 ? sum(7, [&](int64_t k) { return A({2, i[0] - 5, k}); }) : R(i);
    });
    reduce("0:9:2, 3, 1:6", S, "1, 0:5", axes({0}), maximum, false);
    p.expect(S, [=](const Index &i) {
        double m = S(i).real();
        for (int64_t k = 0; k < 9 && i[0] == 1; k += 2)
            m = std::max(m, A({k, 3, 1 + i[1]}).real());
        return m;
    });
}

} // namespace

TEST_CASE("reductions of all shapes") { compiled("shapes", shapes); }
TEST_CASE("reductions with known and unknown functions") { compiled("functions", functions); }
TEST_CASE("reductions of truth values, products, complex and mixed types") { compiled("logic", logic); }
TEST_CASE("reductions of slices") { compiled("parts", parts); }

TEST_CASE("reductions of all shapes on the device", "[device]") { emulated("shapes", shapes); }
TEST_CASE("reductions with known and unknown functions on the device", "[device]") { emulated("functions", functions); }
TEST_CASE("reductions of several types on the device", "[device]") { emulated("logic", logic); }
TEST_CASE("reductions of slices on the device", "[device]") { emulated("parts", parts); }
