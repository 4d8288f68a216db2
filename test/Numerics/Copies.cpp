// Copies to, from and on the emulated device, by every method of the table (sdfgc/Analysis/Memory/Copies.h), of zero elements, one,
// an odd number and many. Every shape is copied to the device and back, and from one device container to another.
#include "Program.h"

#include <catch2/catch.hpp>

using namespace sdfgc;
using namespace sdfgc::test;

namespace {

/// One dimension of a subset: as written in the graph, and in numbers.
struct Part {
    std::string text;
    int64_t begin, end, step;
    bool has(int64_t i) const { return i >= begin && i < end && (i - begin) % step == 0; }
};

bool inside(const std::vector<Part> &subset, const Index &i) {
    for (std::size_t d = 0; d < i.size(); ++d)
        if (!subset[d].has(i[d]))
            return false;
    return true;
}

std::string text(const std::vector<Part> &subset) {
    std::string out;
    for (const Part &p : subset)
        out += (out.empty() ? "" : ", ") + p.text;
    return out;
}

class Copies {
public:
    explicit Copies(Program &p) : p_(p), g_(p.graph()) {
        p.symbol("Zero", 0);
        p.symbol("One", 1);
        p.symbol("Odd", 7);
        p.symbol("Many", 301);
    }

    AccessNode *device(const std::string &name, const std::string &shape, const std::string &strides,
                       Type t = ScalarKind::Float64) {
        DataDesc &d = g_.transient(name, shape, t);
        d.storage = Storage::GPU_Global;
        if (!strides.empty()) {
            d.strides.clear();
            for (const std::string &s : split(strides, ','))
                d.strides.push_back(expr(s));
            d.totalSize = 1;
            for (std::size_t k = 0; k < d.shape.size(); ++k)
                d.totalSize += (d.shape[k] - 1) * d.strides[k];
        }
        return g_.access(name);
    }
    void edge(AccessNode *from, const std::string &subset, AccessNode *to, const std::string &other, const std::string &wcr = "") {
        Memlet m = copy(from->data.str() + "[" + subset + "]", other);
        m.wcr = wcr;
        g_.s->connect(from, {}, to, {}, m);
    }

    /// Copies there with the strides `first`, back, and through a container with the strides `second`.
    void thereAndBack(const std::string &id, const std::string &shape, const std::string &first, const std::string &second,
                      const std::vector<Part> &subset) {
        Tensor a = p_.array(id + "_a", shape), b = p_.array(id + "_b", shape), c = p_.array(id + "_c", shape);
        AccessNode *there = device(id + "_there", shape, first), *other = device(id + "_other", shape, second);
        const std::string s = text(subset);
        edge(g_.access(a.name()), s, there, s);
        edge(there, s, g_.access(b.name()), s);
        edge(there, s, other, s);
        edge(other, s, g_.access(c.name()), s);
        p_.expect(b, [=](const Index &i) { return inside(subset, i) ? a(i) : b(i); });
        p_.expect(c, [=](const Index &i) { return inside(subset, i) ? a(i) : c(i); });
    }

    Program &p_;
    Graph &g_;
};

/// Each size is the end of the dimension once.
const std::vector<Part> sizes = {{"0:Zero", 0, 0, 1}, {"0:One", 0, 1, 1}, {"0:Odd", 0, 7, 1}, {"0:Many", 0, 301, 1}};

void shapes(Program &p) {
    Copies c(p);
    int n = 0;
    auto id = [&](const std::string &what) { return what + std::to_string(n++); };
    for (const Part &s : sizes) {
        const Part begin{"2:" + s.text.substr(2) + " + 2", 2, s.end + 2, 1};
        c.thereAndBack(id("linear"), "310", "1", "1", {s});
        c.thereAndBack(id("offset"), "310", "1", "1", {begin});
        c.thereAndBack(id("strided"), "310", "2", "3", {s});
        c.thereAndBack(id("rows"), "9, 310", "320, 1", "310, 1", {{"0:Odd", 0, 7, 1}, begin});
        c.thereAndBack(id("column"), "310, 9", "9, 1", "11, 1", {s, {"3", 3, 4, 1}});
        c.thereAndBack(id("slices"), "3, 310, 5", "310*8, 8, 1", "310*6, 6, 1", {{"0:3", 0, 3, 1}, s, {"1:4", 1, 4, 1}});
        c.thereAndBack(id("batched"), "3, 310, 5", "310*8 + 1, 8, 1", "310*6 + 5, 6, 1", {{"0:3", 0, 3, 1}, s, {"1:4", 1, 4, 1}});
        c.thereAndBack(id("every"), "310, 9", "9, 1", "10, 1", {s, {"0:9:2", 0, 9, 2}});
        c.thereAndBack(id("transposed"), "310, 9", "1, 310", "1, 311", {s, {"0:9", 0, 9, 1}});
    }
}

/// Row-major order on both sides if the sizes differ.
void reshaped(Program &p) {
    Copies c(p);
    Tensor a = p.array("a", "6, 4"), b = p.array("b", "3, 4"), d = p.array("d", "3, 4");
    AccessNode *there = c.device("there", "3, 4", "5, 1"), *other = c.device("other", "2, 6", "7, 1");
    c.edge(c.g_.access("a"), "0:6, 0:4:2", there, "0:3, 0:4");
    c.edge(there, "0:3, 0:4", c.g_.access("b"), "0:3, 0:4");
    c.edge(there, "0:3, 0:4", other, "0:2, 0:6");
    c.edge(other, "0:2, 0:6", c.g_.access("d"), "0:3, 0:4");
    auto value = [=](const Index &i) {
        const int64_t k = i[0] * 4 + i[1];
        return a({k / 2, k % 2 * 2});
    };
    p.expect(b, value);
    p.expect(d, value);
}

void converted(Program &p) {
    Copies c(p);
    Tensor a = p.array("a", "7, 5", ScalarKind::Int32), b = p.array("b", "7, 5", ScalarKind::Float32), d = p.array("d", "7, 5");
    AccessNode *there = c.device("there", "7, 5", "5, 1", ScalarKind::Float64),
               *other = c.device("other", "7, 5", "6, 1", ScalarKind::Float32);
    c.edge(c.g_.access("a"), "0:7, 0:5", there, "0:7, 0:5");
    c.edge(there, "0:7, 0:5", c.g_.access("b"), "0:7, 0:5");
    c.edge(there, "0:7, 0:5", other, "0:7, 0:5");
    c.edge(other, "0:7, 0:5", c.g_.access("d"), "0:7, 0:5");
    p.expect(b, [=](const Index &i) { return a(i); });
    p.expect(d, [=](const Index &i) { return a(i); });
}

/// there = a; there += b; other = there; other += there; d += other: one state each, since only states order them.
void resolved(Program &p) {
    Copies c(p);
    const std::string all = "0:7, 0:5", sum = "lambda x, y: x + y";
    Tensor a = p.array("a", "7, 5"), b = p.array("b", "7, 5"), d = p.array("d", "7, 5");
    c.g_.s->removeNode(c.device("there", "7, 5", "5, 1"));
    c.g_.s->removeNode(c.device("other", "7, 5", "6, 1"));
    auto step = [&, number = 0](const std::string &from, const std::string &to, const std::string &wcr) mutable {
        State *before = c.g_.s;
        if (number++ > 0)
            p.graph().g.connect(before, c.g_.state("step" + std::to_string(number)));
        c.edge(c.g_.access(from), all, c.g_.access(to), all, wcr);
    };
    step("a", "there", "");
    step("b", "there", sum);
    step("there", "other", "");
    step("there", "other", sum);
    step("other", "d", sum);
    p.expect(d, [=](const Index &i) { return d(i) + 2.0 * (a(i) + b(i)); });
}

} // namespace

TEST_CASE("copies of every shape and size", "[device]") { emulated("shapes", shapes); }
TEST_CASE("copies in row-major order of both sides", "[device]") { emulated("reshaped", reshaped); }
TEST_CASE("copies that convert", "[device]") { emulated("converted", converted); }
TEST_CASE("copies that resolve", "[device]") { emulated("resolved", resolved); }
