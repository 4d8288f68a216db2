// Maps: each iteration writes its own element, or updates one with conflict resolution.
#include "Maker.h"

#include <algorithm>

namespace sdfgc::random {

std::string MapPlan::subscripts() const {
    std::vector<std::string> parts;
    for (const Written &w : dimensions)
        parts.push_back(w.subscript);
    return dimensions.empty() ? "0" : joined(parts);
}

std::string MapPlan::image(std::size_t from) const {
    std::vector<std::string> parts;
    for (const Written &w : dimensions)
        parts.push_back(w.last <= from ? w.subscript : w.first >= from ? w.image : w.tile);
    return dimensions.empty() ? "0" : joined(parts);
}

std::vector<Index> GraphMaker::knownIndices() const {
    std::vector<Index> out = symbols_;
    for (const auto &[index, bound] : counters_)
        out.push_back(index);
    out.insert(out.end(), loopVariables_.begin(), loopVariables_.end());
    return out;
}

/// A subscript that is inside of an extent for all values of the indices.
std::string GraphMaker::subscriptFor(const Index &extent, const std::vector<Index> &indices) {
    for (int attempt = 0; attempt < 6 && !indices.empty(); ++attempt) {
        // The most recently defined index is likely to change between iterations.
        const Index &i = random_.oneIn(3) ? random_.pick(indices)
                                          : indices[indices.size() - 1 - random_.below(std::min<std::size_t>(2, indices.size()))];
        Index out = i;
        switch (random_.below(8)) {
        case 0:
            out = i + random_.between(-2, 2);
            break;
        case 1:
            out = extent - 1 - i;
            break;
        case 2:
            out = 2 * i + static_cast<int64_t>(random_.below(2));
            break;
        case 3:
            out = floorOf(i, 2);
            break;
        case 4:
            if (i.isAtLeast(0))
                out = remainder(i + static_cast<int64_t>(random_.below(3)), extent);
            break;
        case 5:
            out = i + random_.pick(indices);
            break;
        default:
            break;
        }
        if (out.fits(extent))
            return out.text;
    }
    return random_.oneIn(2) ? "0" : (extent - 1).text;
}

void GraphMaker::addParameter(MapPlan &plan, Written &w, const std::string &begin, const std::string &end, const std::string &step,
                              Index index) {
    Parameter p;
    p.name = index.text;
    p.range = begin + ":" + end + (step.empty() ? "" : ":" + step);
    p.isConstant = p.range.find_first_not_of("0123456789:-") == std::string::npos;
    p.index = std::move(index);
    plan.parameters.push_back(std::move(p));
    w.last = plan.parameters.size();
}

/// Parameters for a dimension; `all`: all of its elements are written.
Written GraphMaker::planDimension(MapPlan &plan, const Index &extent, bool all) {
    Written w;
    w.first = w.last = plan.parameters.size();
    const std::string name = label("m"), end = extent.text;
    Values low{}, high{};
    for (std::size_t k = 0; k < kSizes; ++k)
        high[k] = extent.high[k] - 1;
    const Index index = Index::symbol(name, low, high);
    w.image = "0:" + end;
    switch (random_.below(all ? 8 : 14)) {
    case 0: { // counted from one
        Values one = low, past = high;
        for (std::size_t k = 0; k < kSizes; ++k)
            ++one[k], ++past[k];
        const Index shifted = Index::symbol(name, one, past);
        addParameter(plan, w, "1", (extent + 1).text, "", shifted);
        w.subscript = (shifted - 1).text;
        break;
    }
    case 1: // from the end
        addParameter(plan, w, "0", end, "", index);
        w.subscript = (extent - 1 - index).text;
        break;
    case 2: // rotated
        addParameter(plan, w, "0", end, "", index);
        w.subscript = remainder(index + 1, extent).text;
        break;
    case 3: { // tiles
        const int64_t size = random_.between(2, 3);
        addParameter(plan, w, "0", end, std::to_string(size), index);
        const Index inner = Index::symbol(label("m"), low, high);
        w.tile = name + ":" + minimum(index + size, extent).text;
        addParameter(plan, w, name, minimum(index + size, extent).text, "", inner);
        w.subscript = inner.text;
        break;
    }
    case 8: // every second one, from the end
        addParameter(plan, w, "0", end, "2", index);
        w.subscript = (extent - 1 - index).text;
        w.image = (extent - 1).factor() + " % 2:" + end + ":2";
        break;
    case 9: // every second or third one
    {
        const std::string step = std::to_string(random_.between(2, 3));
        addParameter(plan, w, "0", end, step, index);
        w.subscript = name;
        w.image = "0:" + end + ":" + step;
        break;
    }
    case 10: { // twice the parameter
        Values half = high;
        for (int64_t &h : half)
            h /= 2;
        addParameter(plan, w, "0", ceilOf(extent, 2).text, "", Index::symbol(name, low, half));
        w.subscript = "2 * " + name;
        w.image = "0:" + end + ":2";
        break;
    }
    case 11: // nothing
        addParameter(plan, w, "1", "1", "", Index::symbol(name, {}, {}));
        w.subscript = name;
        w.image = "1:1";
        if (extent.isAtLeast(2))
            break;
        plan.parameters.pop_back();
        w.last = w.first;
        [[fallthrough]];
    case 12: // one element
        w.subscript = w.image = subscriptFor(extent, knownIndices());
        break;
    case 13: // from a symbol on
        if (const std::vector<Index> known = knownIndices(); !known.empty()) {
            const Index &from = random_.pick(known);
            if (from.fits(extent)) {
                addParameter(plan, w, from.text, end, "", index);
                w.image = from.text + ":" + end;
                w.subscript = name;
                break;
            }
        }
        [[fallthrough]];
    default:
        addParameter(plan, w, "0", end, "", index);
        w.subscript = name;
    }
    if (w.tile.empty())
        w.tile = w.subscript;
    return w;
}

MapPlan GraphMaker::planMap(const Container &c, bool all) {
    MapPlan plan;
    for (const Index &extent : c.shape)
        plan.dimensions.push_back(planDimension(plan, extent, all));
    if (plan.parameters.empty()) { // a scalar, or one element
        const std::string name = label("m");
        Written none;
        addParameter(plan, none, "0", "1", "", Index::symbol(name, {}, {}));
        for (Written &w : plan.dimensions)
            w.first = w.last = 0;
    }
    return plan;
}

std::string GraphMaker::scheduleOf(const MapPlan &plan, std::size_t from, std::size_t to) {
    if (shared_.flavour.gpu && onDevice_ && from == 0 && !plan.isInner)
        return " (GPU_Device)";
    const bool isConstant =
        std::all_of(plan.parameters.begin() + static_cast<std::ptrdiff_t>(from),
                    plan.parameters.begin() + static_cast<std::ptrdiff_t>(to), [](const Parameter &p) { return p.isConstant; });
    if (shared_.flavour.gpu && onDevice_)
        return isConstant && from == 1 && !plan.isInner && random_.oneIn(2) ? " (GPU_ThreadBlock)" : "";
    switch (random_.below(8)) {
    case 0:
        return " (Sequential)";
    case 1:
        return from == 0 && !plan.isInner && shared_.depth == 0 ? " (CPU_Multicore)" : "";
    case 2:
        return isConstant ? " (Unrolled)" : "";
    case 3:
        return to - from > 1 && from == 0 && !plan.isInner && shared_.depth == 0 ? " (CPU_Multicore, collapse = 2)" : "";
    default:
        return "";
    }
}

void mergeReads(std::vector<Access> &to, const std::vector<Access> &inside) {
    for (const Access &a : inside)
        if (!a.container->isHidden &&
            std::none_of(to.begin(), to.end(), [&](const Access &t) { return t.container == a.container; }))
            to.push_back({"", a.container, whole(*a.container), "", ""});
}

Operation GraphMaker::mapOperation(const MapPlan &plan, std::size_t from, const Write &write, std::vector<Index> indices) {
    const std::size_t left = plan.parameters.size() - from;
    const std::size_t to = from + (left == 1 || !random_.oneIn(3) ? left : 1 + random_.below(left));
    Operation op;
    op.label = label("map");
    std::vector<std::string> parameters;
    for (std::size_t k = from; k < to; ++k) {
        parameters.push_back(plan.parameters[k].name + " = " + plan.parameters[k].range);
        indices.push_back(plan.parameters[k].index);
    }
    op.head = "map " + op.label + "[" + joined(parameters) + "]" + scheduleOf(plan, from, to);
    std::vector<Access> reads;
    if (to < plan.parameters.size()) {
        Operation inner = mapOperation(plan, to, write, std::move(indices));
        op.body = textOf(inner, {});
        reads = inner.reads;
    } else {
        op.body = body(write, indices, reads);
    }
    mergeReads(op.reads, reads);
    op.writes.push_back({"", write.container, plan.image(from), write.conflict});
    return op;
}

std::string GraphMaker::codeOf(const Write &write, const std::string &connector, Expressions &e) {
    const std::string &type = write.container->type;
    // Floating-point numbers are rounded when they become integers, before they are added up.
    if (shared_.mixed && write.value == Write::Value::Whole && kindOf(type) == ValueKind::Integer && shared_.types.oneIn(2))
        return connector + " = min(max(" + e.value("float64") + ", -40.0), 40.0)";
    if (write.value == Write::Value::Sign)
        return connector + " = " + e.sign(type);
    if (write.value == Write::Value::Whole || write.container->accumulates)
        return connector + " = " + e.whole(type);
    return connector + " = " + e.value(type);
}

/// One more operand: an element, or a row of which the code uses one element or the sum.
void GraphMaker::addRead(Operation &op, std::vector<Leaf> &leaves, const std::vector<Index> &indices) {
    const ValueKind kind = kindOf(op.writes.front().container->type);
    const bool sameKind = !random_.oneIn(3);
    Container *c = pick([&](const Container &each) { return canRead(each) && (!sameKind || kindOf(each.type) == kind); });
    if (!c)
        c = pick([&](const Container &each) { return canRead(each); });
    if (!c)
        return;
    const std::string connector(1, static_cast<char>('a' + op.reads.size()));
    std::vector<std::string> subscripts;
    for (const Index &extent : c->shape)
        subscripts.push_back(subscriptFor(extent, indices));
    std::string text = connector;
    if (!c->isScalar() && random_.oneIn(5)) {
        const Index &extent = c->shape.back();
        subscripts.back() = "0:" + extent.text;
        const Index one = Index::constant(1);
        text += extent.isConstant(1) ? "" : "[" + subscriptFor(extent, indices) + "]";
        // In code, a range that may have one or several elements is always an array.
        if (!extent.isAtLeast(2) && !extent.isConstant(1))
            subscripts.back() = "0", text = connector;
    }
    op.reads.push_back({connector, c, c->isScalar() ? "0" : joined(subscripts), ""});
    std::string type = c->type;
    if (const bool isElement = c->isScalar() || subscripts.back().find(':') == std::string::npos; isElement)
        type = readAs(*c);
    if (type != c->type)
        op.reads.back().type = type;
    leaves.push_back({text, kindOf(type), c->accumulates || type == "uint32"});
}

Operation GraphMaker::tasklet(const Write &write, const std::vector<Index> &indices, const std::vector<Access> &more) {
    Operation op;
    op.label = op.head = label("code");
    op.reads = more;
    op.writes.push_back({"o", write.container, write.subset, write.conflict});
    if (const std::string type = writtenAs(*write.container); type != write.container->type)
        op.writes.back().type = type;
    std::vector<Leaf> leaves;
    for (const Access &a : more)
        leaves.push_back({a.connector, kindOf(a.container->type), true});
    for (const Index &i : indices)
        leaves.push_back({i.text, ValueKind::Integer});
    for (std::size_t k = random_.oneIn(8) ? 0 : 1 + random_.below(3); k > 0; --k)
        addRead(op, leaves, indices);
    const bool isUpdate = !write.conflict.empty();
    if (!isUpdate && write.container->isWritten && taken_.contains(write.container) && random_.oneIn(3)) {
        op.reads.push_back({"old", write.container, write.subset, ""}); // the element's own value
        leaves.push_back({"old", kindOf(write.container->type), write.container->accumulates});
    }
    Expressions e(random_, leaves);
    op.body = Lines();
    const bool mayStay = write.container->isWritten && !write.container->isHidden && random_.oneIn(8);
    if (mayStay) { // written under a condition
        op.body->push_back("if " + e.condition() + ":");
        op.body->push_back("    " + codeOf(write, "o", e));
    } else if (random_.oneIn(5)) { // through a local
        op.body->push_back(codeOf(write, "v", e));
        op.body->push_back("o = v");
    } else {
        op.body->push_back(codeOf(write, "o", e));
    }
    if (mayStay)
        op.writes.front().attributes += std::string(write.conflict.empty() ? "" : ", ") + "dynamic, volume = 0";
    return op;
}

/// A tasklet that passes a value to the next one through a container of the scope.
void GraphMaker::chain(Lines &out, const Write &write, const std::vector<Index> &indices, std::vector<Access> &reads) {
    Container &between = containers_.emplace_back();
    between.name = label("v");
    between.type = random_.oneIn(2) ? "float64" : "int64";
    between.type = handedAs(between);
    between.isHidden = true;
    if (random_.oneIn(2))
        between.shape.push_back(Index::constant(random_.between(1, 3)));
    if (random_.oneIn(2))
        between.attributes = "Register";
    const std::string at = between.isScalar() ? "0" : (between.shape[0] - 1).text;
    for (const Operation &op : {tasklet({&between, at, ""}, indices), tasklet(write, indices, {{"z", &between, at, ""}})}) {
        const Lines lines = textOf(op, {});
        out.insert(out.end(), lines.begin(), lines.end());
        reads.insert(reads.end(), op.reads.begin(), op.reads.end());
    }
}

/// A sum over a map of the scope, in a container of the scope.
void GraphMaker::innerSum(Lines &out, const Write &write, const std::vector<Index> &indices, std::vector<Access> &reads) {
    Container &sum = containers_.emplace_back();
    sum.name = label("v");
    sum.type = random_.oneIn(2) ? "float64" : "int64";
    sum.isHidden = sum.accumulates = true;
    if (random_.oneIn(2))
        sum.attributes = "Register";
    const Lines zero = textOf({label("zero"), "", {}, {{"o", &sum, "0", ""}}, Lines{"o = 0"}}, {});
    MapPlan plan;
    plan.isInner = true;
    Written none;
    Values high{};
    const int64_t count = random_.between(0, 4);
    high.fill(count - 1);
    addParameter(plan, none, "0", std::to_string(count), "", Index::symbol(label("m"), {}, high));
    const Operation adding = mapOperation(plan, 0, {&sum, "0", "+", Write::Value::Whole}, indices);
    const Lines add = textOf(adding, {"@" + sum.name});
    const Operation last = tasklet(write, indices, {{"z", &sum, "0", ""}});
    const Lines end = textOf(last, {});
    for (const Lines *lines : {&zero, &add, &end})
        out.insert(out.end(), lines->begin(), lines->end());
    for (const Operation *op : {&adding, &last})
        reads.insert(reads.end(), op->reads.begin(), op->reads.end());
}

Lines GraphMaker::body(const Write &write, const std::vector<Index> &indices, std::vector<Access> &reads) {
    Lines out;
    const std::size_t choice = write.container->isHidden ? 0 : random_.below(8);
    if (choice == 5) {
        chain(out, write, indices, reads);
    } else if (choice == 6) {
        innerSum(out, write, indices, reads);
    } else {
        const bool isNested = choice == 7 && shared_.depth < 2 && write.conflict.empty() && !write.container->accumulates;
        const Operation op = isNested ? nestedInMap(write, indices) : tasklet(write, indices);
        out = textOf(op, {});
        reads = op.reads;
    }
    return out;
}

void GraphMaker::mapOver(Container &c, bool all) {
    taken_.insert(&c);
    const MapPlan plan = planMap(c, all);
    place(mapOperation(plan, 0, {&c, plan.subscripts(), ""}, knownIndices()));
}

Write GraphMaker::updateOf(Container &c) {
    struct Rule {
        const char *conflict;
        Write::Value value;
    };
    static constexpr Rule numbers[] = {{"+", Write::Value::Whole},
                                       {"+", Write::Value::Whole},
                                       {"min", Write::Value::Whole},
                                       {"max", Write::Value::Whole},
                                       {"*", Write::Value::Sign},
                                       {"-", Write::Value::Whole},
                                       {"wcr = \"lambda a, b: a + 2 * b\"", Write::Value::Whole},
                                       {"wcr = \"lambda a, b: b + a\"", Write::Value::Whole}};
    static constexpr Rule integers[] = {{"wcr = \"lambda a, b: a | b\"", Write::Value::Whole},
                                        {"wcr = \"lambda a, b: a & b\"", Write::Value::Whole},
                                        {"wcr = \"lambda a, b: a ^ b\"", Write::Value::Whole}};
    static constexpr Rule truths[] = {{"and", Write::Value::Any}, {"or", Write::Value::Any}};
    const ValueKind kind = kindOf(c.type);
    const Rule rule = kind == ValueKind::Bool                          ? random_.pick(truths)
                      : kind == ValueKind::Complex                     ? numbers[0]
                      : kind == ValueKind::Integer && random_.oneIn(4) ? random_.pick(integers)
                                                                       : random_.pick(numbers);
    return {&c, "", rule.conflict, rule.value};
}

/// A map in which several iterations update the same element.
void GraphMaker::accumulate(Container &c) {
    taken_.insert(&c);
    MapPlan plan;
    Written none;
    const bool first = random_.oneIn(2); // the parameters that do not determine the element
    auto addMore = [&] {
        for (std::size_t k = 1 + random_.below(2); k > 0; --k) {
            const Index extent = sizes_.empty() || random_.oneIn(3) ? Index::constant(random_.between(0, 6)) : random_.pick(sizes_);
            Values high{};
            for (std::size_t n = 0; n < kSizes; ++n)
                high[n] = extent.high[n] - 1;
            addParameter(plan, none, "0", extent.text, random_.oneIn(6) ? "2" : "", Index::symbol(label("m"), {}, high));
        }
    };
    if (first)
        addMore();
    for (const Index &extent : c.shape) {
        if (random_.oneIn(2)) {
            plan.dimensions.push_back(planDimension(plan, extent, false));
        } else {
            Written w;
            w.subscript = w.image = w.tile = subscriptFor(extent, knownIndices());
            plan.dimensions.push_back(w);
        }
    }
    if (!first)
        addMore();
    Write write = updateOf(c);
    write.subset = plan.subscripts();
    place(mapOperation(plan, 0, write, knownIndices()));
}

/// An ordered map in which an iteration reads the result of the previous one.
void GraphMaker::scan(Container &c) {
    if (c.shape.size() != 1 || onDevice_ || shared_.depth > 0 || c.accumulates) {
        single(c);
        return;
    }
    taken_.insert(&c);
    Values low{}, high{};
    low.fill(1);
    for (std::size_t k = 0; k < kSizes; ++k)
        high[k] = c.shape[0].high[k] - 1;
    const Index index = Index::symbol(label("m"), low, high);
    std::vector<Index> indices = knownIndices();
    indices.push_back(index);
    const Operation inner = tasklet({&c, index.text, ""}, indices, {{"z", &c, (index - 1).text, ""}});
    Operation op;
    op.label = label("map");
    op.head = "map " + op.label + "[" + index.text + " = 1:" + c.shape[0].text + "] (Sequential)";
    op.body = textOf(inner, {});
    mergeReads(op.reads, inner.reads);
    op.writes.push_back({"", &c, "1:" + c.shape[0].text, ""});
    place(op);
}

/// A single tasklet.
void GraphMaker::single(Container &c) {
    if (onDevice_) {
        mapOver(c, false);
        return;
    }
    taken_.insert(&c);
    std::vector<std::string> subscripts;
    for (const Index &extent : c.shape)
        subscripts.push_back(subscriptFor(extent, knownIndices()));
    place(tasklet({&c, c.isScalar() ? "0" : joined(subscripts), ""}, knownIndices()));
}

} // namespace sdfgc::random
