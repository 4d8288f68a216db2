// The containers and symbols that the bodies of loops use (Bodies.cpp).
#include "Maker.h"

#include <algorithm>

namespace sdfgc::random {

/// An array of integers from 0 to bound - 1.
Container &GraphMaker::indexArray(Lines &out, const Index &extent, const Index &bound) {
    Container &c = containers_.emplace_back();
    c.name = label("idx");
    c.type = random_.oneIn(3) ? "int32" : "int64";
    c.shape = {extent};
    c.isWritable = false;
    stateOf(out, [&] {
        taken_ = {&c};
        const Index m = Index::below(label("m"), extent);
        Operation inner;
        inner.label = inner.head = label("code");
        inner.writes.push_back({"o", &c, m.text, ""});
        std::vector<Index> indices = knownIndices();
        indices.push_back(m);
        std::vector<Leaf> leaves{{m.text, ValueKind::Integer}};
        for (std::size_t k = 1 + random_.below(2); k > 0; --k)
            addRead(inner, leaves, indices);
        Expressions e(random_, leaves);
        inner.body = Lines{random_.oneIn(3) ? "o = " + m.text + " % (" + bound.text + ")"
                                            : "o = (" + e.value("int64") + ") % (" + bound.text + ")"};
        Operation map;
        map.label = label("map");
        map.head = "map " + map.label + "[" + m.text + " = 0:" + extent.text + "]";
        map.body = textOf(inner, {});
        mergeReads(map.reads, inner.reads);
        map.writes.push_back({"", &c, "0:" + extent.text, ""});
        place(map);
    });
    c.isWritten = true;
    return c;
}

/// The containers and symbols of a loop's body, initialised in front of the loop if they have to be.
void GraphMaker::prepare(Lines &out, Body &b, const Index &end) {
    const Index extent = random_.oneIn(2) ? end : end + random_.between(1, 3);
    std::vector<Container *> fresh;
    for (std::size_t k = 1 + random_.below(3); k > 0; --k) {
        Container *c = random_.oneIn(3) ? nullptr : pick([&](const Container &each) {
            return each.isWritable && each.isWritten && !each.isHidden && !each.isDevice && !each.isScalar() &&
                   b.variable.fits(each.shape[0]) && std::find(b.own.begin(), b.own.end(), &each) == b.own.end();
        });
        if (!c) {
            c = &transient(anyType(), {extent});
            if (random_.oneIn(3))
                c->shape.push_back(random_.oneIn(2) || sizes_.empty() ? Index::constant(3) : random_.pick(sizes_));
            fresh.push_back(c);
        }
        b.own.push_back(c);
        b.shifts.push_back(random_.oneIn(4) ? 1 : 0);
    }
    for (std::size_t k = 1 + random_.below(3); k > 0; --k) {
        static const char *const types[] = {"float64", "int64", "float32", "int32", "bool", "complex128"};
        Container &c = transient(random_.pick(types), {});
        if (random_.oneIn(4))
            c.shape.push_back(Index::constant(random_.between(2, 4)));
        c.attributes.clear();
        c.isWritable = false; // by other code
        b.scratch.push_back(&c);
        if (random_.oneIn(8) || further(2))
            fresh.push_back(&c);
    }
    if (random_.oneIn(4)) {
        Container &c = transient(random_.oneIn(2) ? "int64" : random_.oneIn(2) ? "float64" : "int32", {});
        c.attributes.clear();
        c.accumulates = true;
        b.sums.push_back(&c);
        fresh.push_back(&c);
    }
    stateOf(out, [&] {
        for (Container *c : fresh) {
            taken_.clear();
            fill(*c);
        }
    });
    for (std::size_t k = 1 + random_.below(2); k > 0; --k) {
        const Index bound = random_.oneIn(3) ? end : Index::constant(random_.between(1, 4));
        b.arrays.push_back({&indexArray(out, extent, bound), bound});
    }
    for (std::size_t k = 1 + random_.below(2); k > 0; --k)
        b.symbols.push_back({label("k"), random_.oneIn(3) ? end : Index::constant(random_.between(2, 4))});
    b.symbols.push_back({label("f"), Index::constant(2)});
    if (shared_.forms)
        b.reals = {label("q"), label("q")};
    for (const auto &[name, bound] : b.symbols) {
        if (!random_.oneIn(6))
            continue;
        declare(name);
        out.push_back(name + " = " + (random_.oneIn(2) ? "0" : "(" + value() + ") % (" + bound.text + ")"));
        emptyState(out);
        loopVariables_.push_back(Index::below(name, bound));
    }
    if (random_.oneIn(8)) {
        b.counter = label("n");
        loopNames_.push_back(b.counter);
        out.push_back(b.counter + " = 0");
        emptyState(out);
    }
}

} // namespace sdfgc::random
