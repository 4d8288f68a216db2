// The table of copies: each row and its limits.
#include "Graphs.h"

#include "sdfgc/Analysis/Memory/Copies.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::test;
using analysis::CopyEnds;
using analysis::CopyShape;
using analysis::Executor;

namespace {

std::vector<sym::Expr> list(const std::string &text) {
    std::vector<sym::Expr> out;
    for (const std::string &part : split(text, ','))
        out.push_back(expr(part));
    return out;
}

/// The shape of a copy from `from` of a container with the strides `fromStrides` to ...
CopyShape shape(const std::string &from, const std::string &fromStrides, const std::string &to, const std::string &toStrides) {
    return analysis::copyShape(analysis::axesOf(list(fromStrides), subset(from)), analysis::axesOf(list(toStrides), subset(to)));
}

enum Direction { ToDevice, ToHost, OnDevice };

std::string chosen(Direction d, const CopyShape &s, bool converts = false, bool resolves = false) {
    CopyEnds ends;
    ends.fromDevice = d != ToDevice;
    ends.toDevice = d != ToHost;
    ends.converts = converts;
    ends.resolves = resolves;
    return std::string(name(analysis::chooseCopy(ends, s)));
}

/// Between host containers.
std::string onHost(const CopyShape &s, const CopyEnds &ends) { return std::string(name(analysis::chooseCopy(ends, s))); }
std::string onHost(const CopyShape &s) {
    CopyEnds ends;
    ends.apart = true;
    return onHost(s, ends);
}

std::string inKernel(Executor executor, bool inRegisters) {
    CopyEnds ends;
    ends.executor = executor;
    ends.inRegisters = inRegisters;
    return std::string(name(analysis::chooseCopy(ends, shape("0:N", "1", "0:N", "1"))));
}

const CopyShape run = shape("0:N, 0:M", "M, 1", "0:N, 0:M", "M, 1");
const CopyShape rows = shape("0:N, 0:M", "K, 1", "0:N, 0:M", "M, 1");
const CopyShape column = shape("0:N, 3", "M, 1", "0:N", "1");
const CopyShape slices = shape("0:2, 0:3, 0:4", "50, 10, 1", "0:2, 0:3, 0:4", "12, 4, 1");
const CopyShape uneven = shape("0:2, 0:3, 0:4", "51, 10, 1", "0:2, 0:3, 0:4", "12, 4, 1");
const CopyShape every = shape("0:N, 0:M:2", "M, 1", "0:N, 0:M:2", "M, 1");
const CopyShape transposed = shape("0:N, 0:M", "1, N", "0:N, 0:M", "M, 1");
const CopyShape reshaped = shape("0:6, 0:4:2", "4, 1", "0:3, 0:4", "5, 1");

} // namespace

TEST_CASE("copies: one run of memory is one copy, in every direction") {
    for (Direction d : {ToDevice, ToHost, OnDevice}) {
        CHECK(chosen(d, run) == "Linear");
        CHECK(chosen(d, shape("5", "1", "0", "1")) == "Linear");             // one element
        CHECK(chosen(d, shape("0:6", "1", "0:2, 0:3", "3, 1")) == "Linear"); // in row-major order of both
        CHECK(chosen(d, shape("i, 0:M", "M, 1", "0:M", "1")) == "Linear");
    }
}

TEST_CASE("copies: memory without gaps that both sides go through in one order is a run") {
    for (Direction d : {ToDevice, ToHost, OnDevice}) {
        CHECK(chosen(d, shape("0:N, 0:M", "1, N", "0:N, 0:M", "1, N")) == "Linear"); // by columns
        CHECK(chosen(d, shape("0:N, 0:M, 0:K", "K, N*K, 1", "0:N, 0:M, 0:K", "K, N*K, 1")) == "Linear");
        CHECK(chosen(d, shape("0:N, 0:M", "1, P", "0:N, 0:M", "1, P")) != "Linear"); // with gaps between the columns
        CHECK(chosen(d, shape("0:N, 0:M", "1, N", "0:N, 0:M", "M, 1")) != "Linear"); // in another order
    }
    CHECK(onHost(shape("0:N, 0:M", "1, N", "0:N, 0:M", "1, N")) == "Linear");
}

TEST_CASE("copies: what is dense") {
    auto dense = [](const std::string &strides, const std::string &subsetText) {
        return analysis::isDense(analysis::axesOf(list(strides), subset(subsetText)));
    };
    CHECK(dense("M, 1", "0:N, 0:M"));
    CHECK(dense("1, N", "0:N, 0:M"));
    CHECK(dense("7", "3"));
    CHECK(dense("P, 1", "2, 0:M"));
    CHECK_FALSE(dense("P, 1", "0:N, 0:M"));
    CHECK_FALSE(dense("M, 1", "0:N, 0:M:2"));
    CHECK_FALSE(dense("-1", "0:N"));
}

TEST_CASE("copies: rows and columns are one copy of rows") {
    for (Direction d : {ToDevice, ToHost, OnDevice}) {
        CHECK(chosen(d, rows) == "Pitched");
        CHECK(chosen(d, column) == "Pitched");
        CHECK(chosen(d, shape("0:N:2", "1", "0:N:2", "1")) == "Pitched");
    }
    CHECK(rows.dims.size() == 2);
    CHECK(column.dims.size() == 1);
    // Dimensions that are contiguous on both sides are merged.
    CHECK(shape("0:2, 0:3, 0:4", "30, 10, 1", "0:2, 0:3, 0:4", "12, 4, 1").dims.size() == 2);
}

TEST_CASE("copies: what overlaps or runs backwards is not made of rows") {
    CHECK(chosen(ToDevice, shape("0:4, 0:8", "2, 1", "0:4, 0:8", "8, 1")) == "Staged");
    CHECK(chosen(OnDevice, shape("0:4, 0:8", "2, 1", "0:4, 0:8", "8, 1")) == "Kernel");
    CHECK(chosen(ToHost, shape("0:4, 0:8", "-8, 1", "0:4, 0:8", "8, 1")) == "Staged");
}

TEST_CASE("copies: three dimensions are slices where their distances are multiples of the rows'") {
    CHECK(chosen(ToDevice, slices) == "Pitched3D");
    CHECK(chosen(ToHost, slices) == "Pitched3D");
    CHECK(chosen(ToDevice, shape("0:L, 0:N, 0:M", "4*K*M, 2*M, 1", "0:L, 0:N, 0:M", "N*M, M, 1")) == "Pitched3D");
    CHECK(chosen(ToDevice, uneven) == "Batched");
    CHECK(chosen(ToHost, uneven) == "Batched");
    CHECK(chosen(ToDevice, shape("0:2, 0:2, 0:3, 0:4", "200, 50, 10, 1", "0:2, 0:2, 0:3, 0:4", "24, 12, 4, 1")) == "Batched");
}

TEST_CASE("copies: on the device a kernel moves what is not rows") {
    for (const CopyShape *s : {&slices, &uneven, &every, &transposed, &reshaped})
        CHECK(chosen(OnDevice, *s) == "Kernel");
}

TEST_CASE("copies: between host and device, what is not rows goes in two steps") {
    for (const CopyShape *s : {&every, &transposed, &reshaped}) {
        CHECK(chosen(ToDevice, *s) == "Staged");
        CHECK(chosen(ToHost, *s) == "Staged");
    }
}

TEST_CASE("copies: conversions and resolutions need code") {
    for (bool converts : {false, true}) {
        CHECK(chosen(OnDevice, run, converts, !converts) == "Kernel");
        CHECK(chosen(ToDevice, run, converts, !converts) == "Staged");
        CHECK(chosen(ToHost, run, converts, !converts) == "Staged");
    }
}

TEST_CASE("copies: on the host, one run of memory is copied as bytes") {
    CHECK(onHost(run) == "Linear");
    CHECK(onHost(shape("0:6", "1", "0:2, 0:3", "3, 1")) == "Linear"); // in row-major order of both
    CHECK(onHost(shape("i, 0:M", "M, 1", "0:M", "1")) == "Linear");
    for (const CopyShape *s : {&rows, &column, &slices, &uneven, &every, &transposed, &reshaped})
        CHECK(onHost(*s) == "Elements");
    CHECK(onHost(shape("5", "1", "0", "1")) == "Elements"); // one element is assigned
}

TEST_CASE("copies: on the host, elements that share memory, are converted or resolved are copied one by one") {
    CopyEnds same, converts, repacks, resolves;
    converts.apart = repacks.apart = resolves.apart = true;
    converts.converts = repacks.converts = repacks.repacks = resolves.resolves = true;
    CHECK(onHost(run, same) == "Elements");
    CHECK(onHost(run, converts) == "Elements");
    CHECK(onHost(run, repacks) == "Linear");
    CHECK(onHost(run, resolves) == "Elements");
}

TEST_CASE("copies: in kernels, the block shares the work where it runs the code together") {
    CHECK(inKernel(Executor::Thread, false) == "PerThread");
    CHECK(inKernel(Executor::Thread, true) == "PerThread");
    CHECK(inKernel(Executor::Block, true) == "PerThread");
    CHECK(inKernel(Executor::Block, false) == "Cooperative");
    CHECK(inKernel(Executor::Grid, false) == "Cooperative");
}

TEST_CASE("who runs the code of a node") {
    Graph g;
    g.array("A", "N").storage = Storage::GPU_Global;
    auto [kernel, kernelExit] = g.map("i", "0:N");
    kernel->schedule = Schedule::GPU_Device;
    auto *inKernel = g.tasklet("", "o");
    g.s->connect(kernel, {}, inKernel, {}, Memlet::empty());
    g.s->connect(inKernel, {}, kernelExit, {}, Memlet::empty());
    CHECK(analysis::executorOf(*kernel) == Executor::Host);
    CHECK(analysis::executorOf(*inKernel) == Executor::Thread);
    auto [threads, threadsExit] = g.map("j", "0:32");
    threads->schedule = Schedule::GPU_ThreadBlock;
    auto *inThread = g.tasklet("", "o");
    g.s->connect(kernel, {}, threads, {}, Memlet::empty());
    g.s->connect(threads, {}, inThread, {}, Memlet::empty());
    g.s->connect(inThread, {}, threadsExit, {}, Memlet::empty());
    g.s->connect(threadsExit, {}, kernelExit, {}, Memlet::empty());
    CHECK(analysis::executorOf(*inKernel) == Executor::Block);
    CHECK(analysis::executorOf(*inThread) == Executor::Thread);
    kernel->schedule = Schedule::GPU_Persistent;
    CHECK(analysis::executorOf(*inKernel) == Executor::Grid);
    CHECK(analysis::executorOf(*inThread) == Executor::Thread);
}

TEST_CASE("containers that iterations share") {
    Graph g;
    g.array("A", "N");
    g.array("t", "1").transient = true;
    g.array("u", "1").transient = true;
    auto [entry, exit] = g.map("i", "0:N");
    auto *t = g.access("t"), *u = g.access("u");
    g.s->connect(entry, {}, t, {}, Memlet::empty());
    g.s->connect(entry, {}, u, {}, Memlet::empty());
    g.order(t, exit);
    g.order(u, exit);
    g.access("u"); // outside
    g.edge(g.access("A"), "", entry, "IN_A", "A[0:N]");
    CHECK(analysis::sharedContainers(g.g) == std::set<Name>{"A", "u"});
}

namespace {

/// A kernel that writes an element of B through an access node of `inside` before the exit; returns the edge into the exit.
Edge *handedOn(Graph &g, const std::string &inside, const std::string &memletText, const std::string &other = "",
               const std::string &wcr = "") {
    g.transient("A", "N").storage = Storage::GPU_Global;
    g.transient("B", "N").storage = Storage::GPU_Global;
    auto [entry, exit] = g.map("i", "0:N");
    entry->schedule = Schedule::GPU_Device;
    auto *t = g.tasklet("y = 1", "t");
    auto *node = g.access(inside);
    g.order(entry, t);
    g.edge(t, "y", node, "", inside + "[i]");
    Memlet m = other.empty() ? memlet(memletText) : copy(memletText, other);
    m.wcr = wcr;
    Edge *e = g.s->connect(node, {}, exit, "IN_B", m);
    g.edge(exit, "OUT_B", g.access("B"), "", "B[0:N]");
    return e;
}

} // namespace

TEST_CASE("a container that its scope hands on does not move") {
    Graph whole, element, shifted, resolved, different;
    CHECK_FALSE(analysis::isTransfer(*handedOn(whole, "B", "B[0:N]")));
    CHECK_FALSE(analysis::isTransfer(*handedOn(element, "B", "B[i]")));
    CHECK(analysis::isTransfer(*handedOn(shifted, "B", "B[i]", "N - 1 - i")));
    CHECK(analysis::isTransfer(*handedOn(resolved, "B", "B[i]", "", "lambda a, b: a + b")));
    CHECK(analysis::isTransfer(*handedOn(different, "A", "B[i]", "i")));
    analysis::Memories ofWhole(whole.g), ofShifted(shifted.g);
    CHECK(analysis::copiesOf(*whole.s, ofWhole).empty());
    CHECK(analysis::copiesOf(*shifted.s, ofShifted).size() == 1);
}

TEST_CASE("what moves is copied at the innermost edge of its path, between access nodes") {
    Graph g;
    Edge *e = handedOn(g, "A", "B[i]", "i");
    for (const auto &other : g.s->edges())
        CHECK(analysis::isTransfer(*other) == (other.get() == e));
}

TEST_CASE("the side of a copy that names no subset") {
    const sym::Expr N = sym::Expr::symbol("N"), i = sym::Expr::symbol("i");
    auto range = [](sym::Expr begin, sym::Expr end) { return sym::Range{begin, end, 1, 1}; };
    const sym::Subset whole{{range(0, N - 1)}};
    using analysis::missingSubset;
    CHECK(missingSubset({{range(0, N - 1)}}, whole) == whole);
    CHECK(missingSubset({{range(2, N + 1)}}, whole) == whole);                      // as many elements
    CHECK(missingSubset({{range(3, N)}}, whole) == sym::Subset{{range(3, N)}});     // different elements: the same indices
    CHECK(missingSubset({{range(2, i)}}, whole) == sym::Subset{{range(0, i - 2)}}); // unknown: from the first one
    CHECK(missingSubset({{range(0, i), range(0, 4)}}, whole) == whole);
}

TEST_CASE("copies: a nested SDFG's strides are what its symbols stand for, unless it assigns them") {
    Graph g(R"(
        sdfg f {
          symbol N: int64
          argument A: float64[N, 8]
          argument B: float64[N, 8]
          state main {
            nested inner[M = N, S = 8] with p <- A[0:N, 0:8]; q -> B[0:N, 0:8] {
              sdfg inner {
                symbol M, S: int64
                argument p: float64[M, 8] (strides = [S, 1])
                argument q: float64[M, 8] (strides = [S, 1])
                state copy {
                  p[0:M, 0:8] -> q[0:M, 0:8]
                }
              }
            }
          }
        }
    )");
    auto *state = g.block<State>("copy");
    auto method = [&] {
        analysis::Memories memories(g.g);
        const analysis::GraphCopy c = analysis::copiesOf(*state, memories).at(0);
        return std::string(name(analysis::chooseCopy(c.ends(), c.shape())));
    };
    CHECK(method() == "Linear");
    SDFG &inner = *state->sdfg();
    inner.connect(inner.add<State>(), state)->assignments.emplace_back("S", "M + 8");
    CHECK(method() == "Elements");
}
