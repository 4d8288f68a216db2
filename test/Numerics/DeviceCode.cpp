// Programs for which generators of GPU code produced wrong code, on the emulated device: docs/developer/gpu-bugs.md assigns them to
// its rows.
#include "Program.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// A program with one state, whose arrays are moved to the device when they are used.
class Device {
public:
    explicit Device(Program &p) : p(p), g(p.graph()) {}

    DataDesc &onDevice(const std::string &name, const std::string &shape, Type t = ScalarKind::Float64) {
        DataDesc &d = g.transient(name, shape, t);
        d.storage = Storage::GPU_Global;
        return d;
    }
    std::pair<MapEntry *, MapExit *> kernel(const std::string &params, const std::string &ranges, const std::string &label) {
        auto scope = g.map(params, ranges, label);
        scope.first->schedule = Schedule::GPU_Device;
        return scope;
    }
    /// Copies an entire container to or from the device.
    void copy(AccessNode *from, AccessNode *to) {
        Memlet m = Memlet::simple(from->data, g.g.desc(from->data)->fullSubset());
        m.otherSubset = m.subset;
        g.s->connect(from, {}, to, {}, m);
    }
    void next(const std::string &label) {
        State *before = g.s;
        g.g.connect(before, g.state(label));
    }

    Program &p;
    Graph &g;
};

/// A map over `i` that doubles every element of `x` into `y`, inside of a nested SDFG.
void doubles(NestedSDFGNode *n, const std::string &size, Schedule schedule) {
    SDFG &inner = *n->sdfg;
    for (const char *name : {"x", "y"})
        inner.arrays.set(Name(name), DataDesc::array(ScalarKind::Float64, {expr(size)})).storage = Storage::GPU_Global;
    Graph in(std::move(n->sdfg));
    in.state("work");
    in.elementwise("x", "y", "b = a * 2", size);
    for (const auto &node : in.s->nodes())
        if (auto *m = dyn_cast<MapEntry>(node.get()))
            m->schedule = schedule;
    n->sdfg = std::move(in.sdfg);
}

/// Each block of rows has a nested SDFG whose maps write through a container with another name: B[i, j] = 2 * A[i, j].
void renamedOutputs(Program &p) {
    Device d(p);
    Tensor A = p.array("A", "5, 7"), B = p.array("B", "5, 7");
    d.onDevice("gA", "5, 7");
    d.onDevice("gB", "5, 7");
    AccessNode *gA = d.g.access("gA"), *gB = d.g.access("gB");
    d.copy(d.g.access("A"), gA);
    auto [entry, exit] = d.kernel("i", "0:5", "rows");
    NestedSDFGNode *n = d.g.nested("row");
    doubles(n, "7", Schedule::Sequential);
    d.g.edge(gA, "", entry, "IN_A", "gA[0:5, 0:7]");
    d.g.edge(entry, "OUT_A", n, "x", "gA[i, 0:7]");
    d.g.edge(n, "y", exit, "IN_B", "gB[i, 0:7]");
    d.g.edge(exit, "OUT_B", gB, "", "gB[0:5, 0:7]");
    d.copy(gB, d.g.access("B"));
    p.expect(B, [=](const Index &i) { return 2.0 * A(i); });
}

/// The size of a device array is known only after a first state; the size of another one, in a nested SDFG, inside of a host loop.
void lateSizes(Program &p) {
    Device d(p);
    p.symbol("N", 6);
    Tensor A = p.array("A", "N"), B = p.array("B", "N"), C = p.array("C", "N");
    d.g.symbol("M");
    d.onDevice("late", "M");
    d.onDevice("gC", "M");
    State *first = d.g.s;
    State *second = d.g.state("use");
    d.g.g.connect(first, second)->assignments.emplace_back("M", "N * 1");
    AccessNode *late = d.g.access("late"), *gC = d.g.access("gC");
    Memlet in = memlet("A[0:N]");
    in.otherSubset = subset("0:M");
    d.g.s->connect(d.g.access("A"), {}, late, {}, in);
    NestedSDFGNode *n = d.g.nested("inside");
    n->symbolMapping = {{"M", expr("M")}};
    n->sdfg->symbols.set("M", ScalarKind::Int64);
    doubles(n, "M", Schedule::GPU_Device);
    d.g.edge(late, "", n, "x", "late[0:M]");
    d.g.edge(n, "y", gC, "", "gC[0:M]");
    Memlet out = memlet("gC[0:M]");
    out.otherSubset = subset("0:N");
    d.g.s->connect(gC, {}, d.g.access("C"), {}, out);
    d.next("back");
    Memlet back = memlet("late[0:M]");
    back.otherSubset = subset("0:N");
    d.g.s->connect(d.g.access("late"), {}, d.g.access("B"), {}, back);
    p.expect(B, [=](const Index &i) { return A(i); });
    p.expect(C, [=](const Index &i) { return 2.0 * A(i); });
}

/// Every iteration of a two-dimensional kernel has a two-dimensional array that is too large for registers, with its own strides.
void largeTemporaries(Program &p) {
    Device d(p);
    Tensor A = p.array("A", "3, 4"), B = p.array("B", "3, 4");
    d.onDevice("gA", "3, 4");
    d.onDevice("gB", "3, 4");
    DataDesc &tmp = d.g.transient("tmp", "40, 30");
    tmp.storage = Storage::GPU_Global;
    tmp.strides = {expr("1"), expr("41")};
    tmp.totalSize = expr("41*30");
    AccessNode *gA = d.g.access("gA"), *gB = d.g.access("gB"), *t = d.g.access("tmp");
    d.copy(d.g.access("A"), gA);
    auto [entry, exit] = d.kernel("i, j", "0:3, 0:4", "cells");
    auto [fill, filled] = d.g.map("r, c", "0:40, 0:30", "fill");
    auto [add, added] = d.g.map("r, c", "0:40, 0:30", "add");
    fill->schedule = add->schedule = Schedule::Sequential;
    Tasklet *set = d.g.tasklet("y = x + r - c"), *get = d.g.tasklet("y = x");
    d.g.edge(gA, "", entry, "IN_A", "gA[0:3, 0:4]");
    d.g.edge(entry, "OUT_A", fill, "IN_A", "gA[i, j]");
    d.g.edge(fill, "OUT_A", set, "x", "gA[i, j]");
    d.g.edge(set, "y", filled, "IN_t", "tmp[r, c]");
    d.g.edge(filled, "OUT_t", t, "", "tmp[0:40, 0:30]");
    d.g.edge(t, "", add, "IN_t", "tmp[0:40, 0:30]");
    d.g.edge(add, "OUT_t", get, "x", "tmp[r, c]");
    d.g.edge(get, "y", added, "IN_B", "gB[i, j]")->memlet.wcr = "lambda a, b: a + b";
    d.g.edge(added, "OUT_B", exit, "IN_B", "gB[i, j]")->memlet.wcr = "lambda a, b: a + b";
    d.g.edge(exit, "OUT_B", gB, "", "gB[0:3, 0:4]")->memlet.wcr = "lambda a, b: a + b";
    State *work = d.g.s;
    State *before = d.g.state("zero");
    d.g.g.connect(before, work);
    d.g.g.setStart(before);
    auto [zero, zeroed] = d.kernel("i, j", "0:3, 0:4", "zero");
    Tasklet *nothing = d.g.tasklet("y = 0");
    d.g.order(zero, nothing);
    d.g.edge(nothing, "y", zeroed, "IN_B", "gB[i, j]");
    d.g.edge(zeroed, "OUT_B", d.g.access("gB"), "", "gB[0:3, 0:4]");
    d.g.s = work;
    d.copy(gB, d.g.access("B"));
    p.expect(B, [=](const Index &i) { return 1200.0 * A(i) + 1200.0 * 5; });
}

/// C++ code in a kernel indexes a container of one element and takes the address of a scalar.
void opaqueNeighbours(Program &p) {
    Device d(p);
    Tensor A = p.array("A", "9"), B = p.array("B", "9");
    d.onDevice("gA", "9");
    d.onDevice("gB", "9");
    d.g.transient("one", "1").storage = Storage::Register;
    DataDesc &number = d.g.scalar("number");
    number.transient = true;
    number.storage = Storage::Register;
    AccessNode *gA = d.g.access("gA"), *gB = d.g.access("gB"), *one = d.g.access("one"), *value = d.g.access("number");
    d.copy(d.g.access("A"), gA);
    auto [entry, exit] = d.kernel("i", "0:9", "cells");
    Tasklet *set = d.g.tasklet("y = x + 1"), *raw = d.g.tasklet("y[0] = x[0] * 3;", "indexes", Language::CPP),
            *address = d.g.tasklet("y = *x + 1;", "address", Language::CPP);
    raw->addIn("x", Type::pointer(ScalarKind::Float64));
    raw->addOut("y", Type::pointer(ScalarKind::Float64));
    address->addIn("x", Type::pointer(ScalarKind::Float64));
    address->addOut("y", ScalarKind::Float64);
    d.g.edge(gA, "", entry, "IN_A", "gA[0:9]");
    d.g.edge(entry, "OUT_A", set, "x", "gA[i]");
    d.g.edge(set, "y", one, "", "one[0]");
    d.g.edge(one, "", raw, "x", "one[0]");
    d.g.edge(raw, "y", value, "", "number[0]");
    d.g.edge(value, "", address, "x", "number[0]");
    d.g.edge(address, "y", exit, "IN_B", "gB[i]");
    d.g.edge(exit, "OUT_B", gB, "", "gB[0:9]");
    d.copy(gB, d.g.access("B"));
    p.expect(B, [=](const Index &i) { return 3.0 * (A(i) + 1.0) + 1.0; });
}

/// A reference to device memory is set and then used, without a copy.
void references(Program &p) {
    Device d(p);
    Tensor A = p.array("A", "8"), B = p.array("B", "8");
    d.onDevice("gA", "8");
    DataDesc &r = d.onDevice("r", "8");
    r.alias = AliasKind::Reference;
    d.copy(d.g.access("A"), d.g.access("gA"));
    d.next("set");
    d.g.edge(d.g.access("gA"), "", d.g.access("r"), "set", "gA[0:8]");
    d.next("through");
    AccessNode *in = d.g.access("r"), *out = d.g.access("r");
    auto [entry, exit] = d.kernel("i", "0:8", "cells");
    Tasklet *t = d.g.tasklet("y = x * 5");
    d.g.edge(in, "", entry, "IN_r", "r[0:8]");
    d.g.edge(entry, "OUT_r", t, "x", "r[i]");
    d.g.edge(t, "y", exit, "IN_r", "r[i]");
    d.g.edge(exit, "OUT_r", out, "", "r[0:8]");
    d.next("back");
    d.copy(d.g.access("gA"), d.g.access("B"));
    p.expect(B, [=](const Index &i) { return 5.0 * A(i); });
}

/// A copy node and a fill node between maps, inside and outside of a kernel.
void copyNodes(Program &p) {
    Device d(p);
    Tensor A = p.array("A", "6, 3"), B = p.array("B", "6, 3"), C = p.array("C", "6, 3");
    for (const char *name : {"gA", "gB", "gC"})
        d.onDevice(name, "6, 3");
    AccessNode *gA = d.g.access("gA"), *gB = d.g.access("gB"), *gC = d.g.access("gC");
    LibraryNode *there = d.g.library("dace.libraries.standard.nodes.copy.node.CopyLibraryNode", "there");
    d.g.order(d.g.access("A"), there); // edges besides those of the copy
    d.g.edge(d.g.access("A"), "", there, "_cpy_in", "A[0:6, 0:3]");
    d.g.edge(there, "_cpy_out", gA, "", "gA[0:6, 0:3]");
    auto [entry, exit] = d.kernel("i", "0:6", "rows");
    LibraryNode *row = d.g.library("dace.libraries.standard.nodes.copy.node.CopyLibraryNode", "row");
    d.g.edge(gA, "", entry, "IN_A", "gA[0:6, 0:3]");
    d.g.edge(entry, "OUT_A", row, "_cpy_in", "gA[5 - i, 0:3]");
    d.g.edge(row, "_cpy_out", exit, "IN_B", "gB[i, 0:3]");
    d.g.edge(exit, "OUT_B", gB, "", "gB[0:6, 0:3]");
    d.copy(gB, d.g.access("B"));
    LibraryNode *fill = d.g.library("dace.libraries.standard.nodes.fill.node.FillLibraryNode", "fill");
    fill->properties.set("value", json::Value("3"));
    d.g.edge(fill, "_fill_out", gC, "", "gC[0:6, 0:3]");
    d.copy(gC, d.g.access("C"));
    p.expect(B, [=](const Index &i) { return A({5 - i[0], i[1]}); });
    p.expect(C, [](const Index &) { return 3.0; });
}

} // namespace

TEST_CASE("nested SDFGs in kernels write through containers of other names", "[device]") {
    emulated("renamed_outputs", renamedOutputs);
}
TEST_CASE("device arrays whose sizes are known late, also in nested SDFGs", "[device]") { emulated("late_sizes", lateSizes); }
TEST_CASE("large arrays of the iterations of a kernel", "[device]") { emulated("large_temporaries", largeTemporaries); }
TEST_CASE("C++ code in a kernel next to single values", "[device]") { emulated("opaque_neighbours", opaqueNeighbours); }
TEST_CASE("references to device memory", "[device]") { emulated("references", references); }
TEST_CASE("copy and fill nodes at maps", "[device]") { emulated("copy_nodes", copyNodes); }
