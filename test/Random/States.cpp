// States: their operations and the order of these. An operation follows all operations of its state that access its target: through
// the access node of the last write if it reads that node, otherwise through an edge without data.
#include "Maker.h"

#include <algorithm>

namespace sdfgc::random {

namespace {

std::string item(const Access &a, bool isRead) {
    const std::string arrow = isRead ? "<- " : "-> ",
                      before = a.connector.empty() ? arrow : a.connector + (a.type.empty() ? "" : ": " + a.type) + " " + arrow;
    return before + memlet(*a.container, a.subset) + (a.attributes.empty() ? "" : " (" + a.attributes + ")");
}

void addOnce(std::vector<std::string> &list, const std::string &what) {
    if (std::find(list.begin(), list.end(), what) == list.end())
        list.push_back(what);
}

} // namespace

Lines textOf(const Operation &op, const std::vector<std::string> &after) {
    std::vector<std::string> items;
    for (const Access &a : op.reads)
        items.push_back(item(a, true));
    for (const std::string &a : after)
        items.push_back("after " + a);
    for (const Access &a : op.writes)
        items.push_back(item(a, false));
    Lines out{op.head + (items.empty() ? "" : " with " + joined(items)) + (op.body ? " {" : "")};
    if (op.body) {
        addInside(out, *op.body);
        out.emplace_back("}");
    }
    return out;
}

void GraphMaker::makeNode(const Container *c) {
    Touched &t = touched_[c];
    ++t.nodes;
    t.last = "@" + c->name + (t.nodes > 1 ? "#" + std::to_string(t.nodes) : "");
}

std::vector<std::string> GraphMaker::whatTouched(const Container *c, const Operation &op) {
    const Touched &t = touched_[c];
    std::vector<std::string> out;
    for (const std::string &reader : t.readers)
        if (reader != "@" + op.label)
            addOnce(out, reader);
    const bool reads = std::any_of(op.reads.begin(), op.reads.end(), [&](const Access &r) { return r.container == c; });
    if (t.lastWrites && !reads)
        addOnce(out, t.last);
    return out;
}

void GraphMaker::wrote(const Container *c) {
    makeNode(c);
    touched_[c].lastWrites = true;
    touched_[c].readers.clear();
}

void GraphMaker::place(const Operation &op) {
    for (const Access &a : op.reads) {
        if (touched_[a.container].nodes == 0)
            makeNode(a.container);
        addOnce(touched_[a.container].readers, "@" + op.label);
    }
    std::vector<std::string> after;
    for (const Access &a : op.writes)
        for (const std::string &before : whatTouched(a.container, op))
            addOnce(after, before);
    for (const Access &a : op.writes)
        wrote(a.container);
    const Lines lines = textOf(op, after);
    stateLines_.insert(stateLines_.end(), lines.begin(), lines.end());
}

/// A copy follows everything that its source follows. If that is more than the writers of the source, the copy has a separate
/// access node.
void GraphMaker::placeCopy(const Operation &op) {
    const Access &from = op.reads.front();
    const Container *to = op.copiesTo;
    const std::vector<std::string> after = whatTouched(to, op);
    Touched &source = touched_[from.container];
    const bool isNew = !after.empty();
    const std::string written = source.lastWrites ? source.last : "";
    if (isNew || source.nodes == 0)
        makeNode(from.container);
    const std::string sourceNode = source.last;
    stateLines_.push_back((isNew ? "new " : "") + memlet(*from.container, from.subset) + " -> new " + to->name + "[" +
                          from.otherSubset + "]" + (from.attributes.empty() ? "" : " (" + from.attributes + ")"));
    if (isNew) {
        std::vector<std::string> all = after;
        if (!written.empty())
            addOnce(all, written);
        stateLines_.push_back("access " + sourceNode + " with after " + joined(all, ", after "));
    }
    wrote(to);
    // Later writers of the source wait for the end of the copy.
    if (from.container != to)
        addOnce(source.readers, touched_[to].last);
}

bool GraphMaker::canRead(const Container &c) const {
    return c.isWritten && !c.isHidden && c.isDevice == onDevice_ && !taken_.contains(&c);
}

Container *GraphMaker::pick(const std::function<bool(const Container &)> &fits) {
    std::vector<Container *> fitting;
    for (Container &c : containers_)
        if (fits(c))
            fitting.push_back(&c);
    return fitting.empty() ? nullptr : random_.pick(fitting);
}

std::string GraphMaker::anyType() {
    static const char *const types[] = {"float64", "float64", "float32", "int32", "int64", "bool", "uint8", "complex128"};
    return random_.pick(types);
}

std::vector<Index> GraphMaker::anyShape() {
    std::vector<Index> shape;
    for (std::size_t rank = random_.below(4); rank > 0; --rank)
        shape.push_back(sizes_.empty() || random_.oneIn(3) ? Index::constant(random_.between(1, 5)) : random_.pick(sizes_));
    for (Index &extent : shape)
        if (!extent.isAtLeast(1))
            extent = Index::constant(2);
    return shape;
}

Container &GraphMaker::transient(const std::string &type, std::vector<Index> shape) {
    Container &c = containers_.emplace_back();
    c.name = label("t");
    c.type = type;
    c.shape = std::move(shape);
    c.isDevice = onDevice_;
    if (onDevice_) {
        c.attributes = "GPU_Global";
        if (c.isScalar())
            c.shape.push_back(Index::constant(1));
    } else if (random_.oneIn(4)) {
        static const char *const lifetimes[] = {"CPU_Heap", "SDFG", "Persistent", "State", "CPU_Heap, SDFG"};
        if (!c.isScalar() && shared_.depth == 0)
            c.attributes = random_.pick(lifetimes);
        // A container with state lifetime has no values in the next state.
        if (c.attributes == "State")
            c.attributes.clear();
    } else if (c.shape.size() == 2 && random_.oneIn(4)) {
        c.attributes = "strides = [1, \"" + c.shape[0].text + "\"]";
    }
    return c;
}

/// Something to write: usually an existing container, sometimes a new transient.
Container *GraphMaker::target() {
    if (random_.oneIn(3)) {
        Container &c = transient(anyType(), anyShape());
        c.accumulates = c.type != "uint8" && random_.oneIn(3);
        return &c;
    }
    return pick([&](const Container &c) { return c.isWritable && !c.isHidden && c.isDevice == onDevice_; });
}

void GraphMaker::fill(Container &c) {
    mapOver(c, true);
    c.isWritten = true;
}

void GraphMaker::operation() {
    onDevice_ = shared_.flavour.gpu && !random_.oneIn(4) && pick([](const Container &c) { return c.isDevice; });
    taken_.clear();
    Container *c = target();
    if (!c)
        return;
    if (!c->isWritten) {
        fill(*c);
        return;
    }
    switch (random_.below(16)) {
    case 0:
    case 1:
    case 2:
    case 3:
        if (c->accumulates) {
            accumulate(*c);
            break;
        }
        [[fallthrough]];
    case 4:
    case 5:
        mapOver(*c, random_.oneIn(3));
        break;
    case 6:
        scan(*c);
        break;
    case 7:
        single(*c);
        break;
    case 8:
    case 9:
        copy(*c);
        break;
    case 10:
        copyOverlapping(*c);
        break;
    case 11:
        nested(*c);
        break;
    case 12:
        alias(*c, !random_.oneIn(3));
        break;
    case 13:
        random_.oneIn(2) ? stream(*c) : consume(*c);
        break;
    case 14:
        onDevice_ ? blockPhases() : dynamicMap(*c);
        break;
    default:
        libraryNode();
    }
}

void GraphMaker::state(Lines &out, int operations) {
    touched_.clear();
    stateLines_.clear();
    for (int k = 0; k < operations; ++k)
        operation();
    out.push_back("state " + label("s") + " {");
    addInside(out, stateLines_);
    out.emplace_back("}");
}

void GraphMaker::writeOutputs(Lines &out) {
    touched_.clear();
    stateLines_.clear();
    for (Container &c : containers_)
        if (c.isArgument && !c.isWritten) {
            onDevice_ = c.isDevice;
            taken_.clear();
            fill(c);
        }
    if (stateLines_.empty())
        return;
    out.push_back("state " + label("out") + " {");
    addInside(out, stateLines_);
    out.emplace_back("}");
}

/// Device memory for every array argument, with the same contents.
void GraphMaker::moveToDevice(Lines &out) {
    const std::size_t arguments = containers_.size();
    out.push_back("state " + label("copy_in") + " {");
    for (std::size_t k = 0; k < arguments; ++k) {
        const Container &host = containers_[k];
        if (host.isScalar())
            continue;
        Container device = host;
        device.name = "gpu_" + host.name;
        device.isArgument = false;
        device.isDevice = true;
        device.attributes = "GPU_Global" + (host.attributes.empty() ? "" : ", " + host.attributes);
        out.push_back("  " + memlet(host, whole(host)) + " -> " + memlet(device, whole(device)));
        containers_.push_back(device);
    }
    out.emplace_back("}");
}

void GraphMaker::moveBack(Lines &out) {
    out.push_back("state " + label("copy_out") + " {");
    for (const Container &device : containers_)
        for (const Container &host : containers_)
            if (host.isArgument && device.name == "gpu_" + host.name)
                out.push_back("  " + memlet(device, whole(device)) + " -> " + memlet(host, whole(host)));
    out.emplace_back("}");
}

} // namespace sdfgc::random
