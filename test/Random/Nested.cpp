// Nested SDFGs: their arguments, with the symbols in the sizes, and their results.
#include "Maker.h"

#include <algorithm>

namespace sdfgc::random {
namespace {

/// The connectors and symbols of a nested SDFG under construction.
class Boundary {
public:
    Boundary(GraphMaker &inner, Random &random) : inner_(inner), random_(random) {}

    /// An extent expressed with an inner symbol (numbers are unchanged).
    Index extent(const Index &outer) {
        if (outer.text.find_first_not_of("0123456789") == std::string::npos)
            return outer;
        for (const auto &[text, symbol] : known_)
            if (text == outer.text)
                return symbol;
        const Index symbol = Index::symbol("n" + std::to_string(known_.size()), outer.low, outer.high);
        known_.emplace_back(outer.text, symbol);
        inner_.symbol(symbol.text, outer.low, outer.high, true);
        mapping_.push_back(symbol.text + " = " + outer.text);
        return symbol;
    }

    /// A value that subscripts inside can use.
    void index(const Index &outer) {
        const std::string name = "at" + std::to_string(mapping_.size());
        inner_.symbol(name, outer.low, outer.high, false);
        mapping_.push_back(name + " = " + outer.text);
    }

    std::string mapping() const { return mapping_.empty() ? "" : "[" + joined(mapping_) + "]"; }

private:
    GraphMaker &inner_;
    Random &random_;
    std::vector<std::pair<std::string, Index>> known_;
    std::vector<std::string> mapping_;
};

bool hasPlainLayout(const Container &c) { return c.attributes.find("strides") == std::string::npos; }

} // namespace

/// A nested SDFG that computes the element that an iteration of a map writes.
Operation GraphMaker::nestedInMap(const Write &write, const std::vector<Index> &indices) {
    Shared inside = shared_.inside({});
    GraphMaker inner(inside, label("f"));
    Boundary boundary(inner, random_);
    Operation op;
    op.label = label("call");
    for (std::size_t k = 1 + random_.below(2); k > 0; --k) {
        Container *c = pick([&](const Container &each) { return canRead(each); });
        if (!c)
            continue;
        const std::string name = label("in");
        std::vector<std::string> subscripts;
        for (const Index &extent : c->shape)
            subscripts.push_back(subscriptFor(extent, indices));
        std::vector<Index> shape;
        if (!c->isScalar() && hasPlainLayout(*c) && random_.oneIn(2)) {
            subscripts.back() = "0:" + c->shape.back().text;
            shape.push_back(boundary.extent(c->shape.back()));
        }
        Container &argument = inner.argument(name, shape.empty() ? readAs(*c) : c->type, shape, true);
        argument.isWritable = false;
        argument.accumulates = c->accumulates;
        if (onDevice_ && !shape.empty())
            argument.attributes = "GPU_Global";
        op.reads.push_back({name, c, c->isScalar() ? "0" : joined(subscripts), ""});
    }
    for (std::size_t k = random_.below(3); k > 0 && !indices.empty(); --k)
        boundary.index(random_.pick(indices));
    const std::string result = label("out");
    inner.argument(result, handedAs(*write.container), {}, false);
    op.writes.push_back({result, write.container, write.subset, ""});
    if (random_.oneIn(2))
        inner.counter("k0", random_.between(1, 3));
    inside.labels = shared_.labels;
    op.body = inner.write(static_cast<int>(random_.below(2)));
    op.head = "nested " + op.label + boundary.mapping();
    shared_.labels = inside.labels;
    return op;
}

/// A nested SDFG in a state that writes or updates an entire container.
void GraphMaker::nested(Container &c) {
    if (shared_.depth >= 2 || !hasPlainLayout(c)) {
        single(c);
        return;
    }
    taken_.insert(&c);
    Shared inside = shared_.inside(shared_.flavour);
    GraphMaker inner(inside, label("f"));
    Boundary boundary(inner, random_);
    Operation op;
    op.label = label("call");
    auto hand = [&](Container &outer, const std::string &name, bool isWritten) -> Container & {
        std::vector<Index> shape;
        for (const Index &extent : outer.shape)
            shape.push_back(boundary.extent(extent));
        const bool isValue = shape.empty() && !outer.isDevice;
        Container &argument = inner.argument(name,
                                             !isValue       ? outer.type
                                             : &outer != &c ? readAs(outer)
                                             : isWritten    ? c.type
                                                            : handedAs(c),
                                             shape, isWritten);
        argument.isDevice = outer.isDevice;
        argument.accumulates = outer.accumulates;
        if (outer.isDevice)
            argument.attributes = "GPU_Global";
        return argument;
    };
    for (std::size_t k = random_.below(3); k > 0; --k)
        if (Container *from = pick([&](const Container &each) { return canRead(each) && hasPlainLayout(each); })) {
            const std::string name = label("in");
            hand(*from, name, true).isWritable = false;
            op.reads.push_back({name, from, whole(*from), ""});
        }
    const bool changes = random_.oneIn(2);
    const std::string result = label("out");
    hand(c, result, changes);
    if (changes)
        op.reads.push_back({result, &c, whole(c), ""});
    op.writes.push_back({result, &c, whole(c), ""});
    for (const Index &i : loopVariables_)
        if (random_.oneIn(2))
            boundary.index(i);
    inner.counter("k0", random_.between(1, 3));
    inside.labels = shared_.labels;
    op.body = inner.write(static_cast<int>(random_.below(3)));
    op.head = "nested " + op.label + boundary.mapping();
    shared_.labels = inside.labels;
    place(op);
}

} // namespace sdfgc::random
