// Nested SDFGs in the bodies of loops: they read and write parts of the arrays of the body, which may overlap those of other calls
// and other iterations.
#include "Maker.h"

#include <algorithm>

namespace sdfgc::random {

/// A call that writes one array of the body, or scratch, and reads others.
void GraphMaker::call(Body &b, bool isLast) {
    taken_.clear();
    Shared inside = shared_.inside({});
    GraphMaker inner(inside, label("f"));
    Body body;
    Operation op;
    op.label = label("call");
    std::vector<std::string> mapping;
    const auto symbol = [&](const Index &outer, const std::string &stem) {
        if (outer.isConstant(outer.low[0]))
            return outer;
        const std::string name = stem + std::to_string(mapping.size());
        inner.symbol(name, outer.low, outer.high, stem == "n");
        mapping.push_back(name + " = " + outer.text);
        return Index::symbol(name, outer.low, outer.high);
    };
    body.variable = symbol(b.variable, "at");
    for (const Index &k : loopVariables_)
        if (k.text != b.variable.text && random_.oneIn(2))
            symbol(k, "at");
    for (const std::string &r : reals_)
        if (further(2)) {
            mapping.push_back("r" + std::to_string(mapping.size()) + " = " + r);
            inner.realSymbol("r" + std::to_string(mapping.size() - 1));
        }
    // One element, two neighbours, or all of the array.
    const auto pass = [&](Container &c, const std::string &name, bool writes,
                          bool isIndex = false) -> std::pair<Container *, std::string> {
        if (c.isScalar())
            return {&inner.argument(name, writes || isIndex ? c.type : readAs(c), {}, true), "0"};
        std::vector<std::string> parts;
        std::vector<Index> shape;
        const bool isPlain = c.attributes.find("strides") == std::string::npos;
        const bool isOwn = std::find(b.own.begin(), b.own.end(), &c) != b.own.end();
        const std::size_t choice = !isPlain ? 0 : isOwn ? (twists(b) ? random_.below(4) : random_.below(2)) : random_.below(4);
        for (std::size_t d = 0; d < c.shape.size(); ++d) {
            const Index &extent = c.shape[d];
            if (choice == 3 || (d > 0 && isPlain && choice > 0)) {
                parts.push_back("0:" + extent.text);
                shape.push_back(symbol(extent, "n"));
            } else if (d == 0 && choice == 2 && (b.variable + 1).fits(extent)) {
                parts.push_back(b.variable.text + ":" + b.variable.text + " + 2");
                shape.push_back(Index::constant(2));
            } else {
                Container one = c;
                one.shape = {extent};
                parts.push_back(d == 0 ? elementOf(b, one) : subscriptFor(extent, knownIndices()));
            }
        }
        return {&inner.argument(name, c.type, shape, true), joined(parts)};
    };
    std::vector<Container *> targets = b.own;
    std::erase_if(targets, [](const Container *c) { return !c->isWritable; });
    Container *to = random_.oneIn(4) ? random_.pick(b.scratch) : random_.pick(targets);
    if (!to->isScalar() && !to->isWritten)
        to = targets.front();
    taken_.insert(to);
    const std::string result = label("out");
    const auto [inout, written] = pass(*to, result, true);
    inout->accumulates = to->accumulates;
    if (to->isWritten && random_.oneIn(2)) {
        op.reads.push_back({result, to, written, ""});
    } else {
        inout->isWritten = false; // by `writeOutputs`
    }
    op.writes.push_back({result, to, written, ""});
    body.own.push_back(inout);
    body.shifts.push_back(0);
    for (std::size_t k = 1 + random_.below(2); k > 0; --k) {
        const auto &[array, bound] = random_.pick(b.arrays);
        Container *from = random_.oneIn(2) ? random_.pick(b.own) : random_.pick(b.scratch);
        if (!canRead(*from) || random_.oneIn(3))
            from = array;
        const std::string name = label("in");
        const auto [argument, read] = pass(*from, name, false, from == array);
        argument->isWritable = false;
        argument->accumulates = from->accumulates;
        op.reads.push_back({name, from, read, ""});
        if (from == array)
            body.arrays.emplace_back(argument, symbol(bound, "n"));
        else
            body.own.push_back(argument), body.shifts.push_back(0);
    }
    // A scalar that nothing else in the state uses, since no edge orders the call among its accesses.
    if (const Container *c = isLast && shared_.forms ? scalarOf(true) : nullptr)
        if (c != to && std::none_of(op.reads.begin(), op.reads.end(), [c](const Access &a) { return a.container == c; })) {
            Values low, high; // in no array: for values only
            low.fill(-1000);
            high.fill(1000);
            symbol(Index::symbol(c->name, low, high), "v");
        }
    inside.labels = shared_.labels;
    op.body = inner.write(0, [&](Lines &out) { inner.callee(out, body); });
    op.head = "nested " + op.label + (mapping.empty() ? "" : "[" + joined(mapping) + "]");
    shared_.labels = inside.labels;
    place(op);
    to->isWritten = true;
}

/// The content of a called SDFG, like that of an iteration: all its arrays but the first are only read.
void GraphMaker::callee(Lines &out, Body &b) {
    b.scratch.push_back(&transient(random_.oneIn(2) ? "float64" : "int64", {}));
    b.scratch.back()->attributes.clear();
    if (b.arrays.empty()) {
        const Index bound = Index::constant(random_.between(1, 3));
        b.arrays.emplace_back(&indexArray(out, Index::constant(2), bound), bound);
    }
    b.symbols.emplace_back(label("k"), random_.oneIn(2) ? b.arrays.front().second : Index::constant(random_.between(1, 3)));
    b.symbols.emplace_back(label("f"), Index::constant(2));
    b.jumps = false;
    b.returns = true;
    parts(out, b, 1);
}

} // namespace sdfgc::random
