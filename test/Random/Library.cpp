// Library nodes on operands created for them: integers, so that the order of a sum does not affect the result.
#include "Maker.h"

#include <algorithm>

namespace sdfgc::random {

Container &GraphMaker::operand(const std::string &type, std::vector<Index> shape, bool isWhole) {
    Container *known = pick([&](const Container &c) {
        if (!canRead(c) || !c.isOperand || c.accumulates != isWhole || c.type != type || c.shape.size() != shape.size())
            return false;
        for (std::size_t k = 0; k < shape.size(); ++k)
            if (c.shape[k].text != shape[k].text)
                return false;
        return true;
    });
    if (known && random_.oneIn(2))
        return *known;
    Container &c = transient(type, std::move(shape));
    c.isOperand = true;
    c.accumulates = isWhole;
    c.isWritable = false;
    taken_.insert(&c);
    fill(c);
    taken_.erase(&c);
    return c;
}

void GraphMaker::library(const std::string &what, const std::string &attributes, std::vector<Access> reads, const Access &write) {
    Operation op;
    op.label = label("lib");
    op.head = "library " + what + " " + op.label + (attributes.empty() ? "" : " (" + attributes + ")");
    op.reads = std::move(reads);
    op.writes.push_back(write);
    place(std::move(op));
    write.container->isWritten = true;
}

void GraphMaker::libraryNode() {
    if (sizes_.empty() || std::any_of(sizes_.begin(), sizes_.end(), [](const Index &s) { return !s.isAtLeast(1); }))
        return;
    switch (random_.below(3)) {
    case 0:
        reduce();
        break;
    case 1:
        product();
        break;
    default:
        transposition();
    }
}

void GraphMaker::reduce() {
    static const char *const types[] = {"float64", "float32", "int64", "int32"};
    const std::string type = random_.pick(types);
    std::vector<Index> shape;
    for (std::size_t rank = 1 + random_.below(3); rank > 0; --rank)
        shape.push_back(random_.pick(sizes_));
    const std::string result = shared_.mixed ? shared_.types.pick(types) : type;
    const bool becomesWhole = kindOf(result) == ValueKind::Integer && kindOf(type) == ValueKind::Real;
    Container &from = operand(type, shape, !becomesWhole);
    std::vector<Index> left;
    std::vector<std::string> axes;
    for (std::size_t k = 0; k < shape.size(); ++k)
        if (random_.oneIn(2))
            axes.push_back(std::to_string(k));
        else
            left.push_back(shape[k]);
    if (axes.empty()) { // at least one
        axes.emplace_back("0");
        left.erase(left.begin());
    }
    const bool all = left.empty();
    if (all)
        left.push_back(Index::constant(1));
    Container &to = transient(result, left);
    to.accumulates = true;
    struct Rule {
        const char *wcr, *identity;
    };
    static constexpr Rule rules[] = {
        {"lambda a, b: a + b", "0"}, {"lambda a, b: max(a, b)", "-9"}, {"lambda a, b: min(a, b)", "9"}};
    const Rule rule = random_.pick(rules);
    library("standard.Reduce",
            std::string("axes = ") + (all ? "null" : "[" + joined(axes) + "]") + ", wcr = \"" + rule.wcr +
                "\", identity = " + rule.identity,
            {{"", &from, whole(from), ""}}, {"", &to, whole(to), ""});
}

void GraphMaker::product() {
    static const char *const types[] = {"float64", "float32", "int64", "complex128"};
    const std::string type = random_.pick(types);
    const bool isMixed = shared_.mixed && kindOf(type) != ValueKind::Complex && shared_.types.oneIn(2);
    const auto another = [&] { return isMixed ? std::string(types[shared_.types.below(3)]) : type; };
    const auto ofResult = [&] { return isMixed ? std::string(shared_.types.oneIn(2) ? "int32" : "float64") : type; };
    const Index m = random_.pick(sizes_), n = random_.pick(sizes_), k = random_.pick(sizes_);
    const std::size_t choice = random_.below(4);
    if (choice == 0) { // a scalar product
        Container &x = operand(type, {k}), &y = operand(another(), {k});
        Container &to = transient(ofResult(), {Index::constant(1)});
        to.accumulates = true;
        if (&x != &y)
            library("blas.Dot", "n = null", {{"_x", &x, whole(x), ""}, {"_y", &y, whole(y), ""}}, {"_result", &to, "0", ""});
        return;
    }
    const std::vector<Index> right = choice == 1 ? std::vector<Index>{k} : std::vector<Index>{k, n};
    const std::vector<Index> result = choice == 1 ? std::vector<Index>{m} : std::vector<Index>{m, n};
    Container &a = operand(type, {m, k}), &b = operand(another(), right);
    Container &to = transient(ofResult(), result);
    to.accumulates = true;
    if (&a != &b)
        library("blas.MatMul", "", {{"_a", &a, whole(a), ""}, {"_b", &b, whole(b), ""}}, {"_c", &to, whole(to), ""});
}

void GraphMaker::transposition() {
    static const char *const types[] = {"float64", "float32", "int64", "complex128"};
    const std::string type = random_.pick(types);
    const Index m = random_.pick(sizes_), n = random_.pick(sizes_);
    Container &from = operand(type, {m, n});
    Container &to = transient(type, {n, m});
    to.accumulates = true;
    library("linalg.Transpose", "dtype = " + type, {{"_inp", &from, whole(from), ""}}, {"_out", &to, whole(to), ""});
}

} // namespace sdfgc::random
