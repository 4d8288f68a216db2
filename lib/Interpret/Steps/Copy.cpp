// Copies between containers: element k of one subset becomes element k of the other, both counted in row-major order (format
// reference 6.14). All elements are read before the first is written. Copying an element that has never been written leaves the
// destination unwritten; this is only a fault once a computation uses the element, or if the destination is memory of the caller.
#include "Side.h"

#include <fmt/core.h>

#include <cstring>

namespace sdfgc::interpret {

namespace {

class CopyStep final : public NodeStep {
public:
    CopyStep(Planner &p, Scope &scope, const ir::Edge &e, Container &from, Container &to) {
        from_.container = &from;
        to_.container = &to;
        from_.site = to_.site = p.machine.site(ir::elementName(e), "", e.memlet.debugInfo);
        from_.allowOutside = to_.allowOutside = e.memlet.allowOob;
        Builder b = p.builder(scope, p.symbolicDivision(), from_.site);
        from_.define(b, ir::sourceSubset(&e));
        to_.define(b, ir::destinationSubset(&e));
        if (!from_.given && to_.given)
            from_.takeFrom(to_);
        if (!to_.given && from_.given)
            to_.takeFrom(from_);
        indices_ = p.finish(b, ir::elementName(e));
        fromLanes_ = from.type.isVector() && from.type.element() == to.type ? from.type.lanes() : 1;
        toLanes_ = to.type.isVector() && to.type.element() == from.type ? to.type.lanes() : 1;
        const Type fromType = fromLanes_ > 1 ? to.type : from.type, toType = toLanes_ > 1 ? from.type : to.type;
        fromSize_ = from.unit / fromLanes_;
        toSize_ = to.unit / toLanes_;
        Builder c = p.builder(scope, p.pythonDivision(), from_.site);
        in_ = c.reserve(fromType);
        old_ = c.reserve(toType);
        update_ = !e.memlet.wcr.empty();
        Operand value = in_;
        if (update_) {
            if (const py::ExprRef function = scope.parse(c, {e.memlet.wcr, ir::Language::Python}))
                value = c.apply(*function, {old_, c.convert(in_, toType)});
        }
        out_ = c.reserve(toType);
        c.copy(out_, c.convert(value, toType));
        each_ = p.finish(c, ir::elementName(e));
        const ir::Node *source = ir::pathSource(&e), *target = ir::pathDestination(&e);
        if (from.desc->isStream())
            drained_ = &p.drained[target];
        else if (to.desc->isStream() && isDrainedInto(*source, scope))
            drained_ = &p.drained[source];
    }

    void run(Machine &m) override {
        m.order.task();
        indices_.run(m);
        if (from_.container->desc->isStream() || to_.container->desc->isStream()) {
            stream(m);
            return;
        }
        // A side without a subset is the entire container, unless that has another number of elements and the other side's indices
        // apply to it.
        const bool wholeFrom =
            !from_.given && (!from_.canTakeFrom(to_) || from_.count(true) * fromLanes_ == to_.count(!to_.given) * toLanes_);
        const bool wholeTo =
            !to_.given && (!to_.canTakeFrom(from_) || to_.count(true) * toLanes_ == from_.count(!from_.given) * fromLanes_);
        from_.locate(m, fromAt_, fromLanes_, wholeFrom);
        to_.locate(m, toAt_, toLanes_, wholeTo);
        if (fromAt_.size() != toAt_.size())
            m.report(FaultKind::Outside, to_.site,
                     fmt::format("the copy reads {} elements and writes {}", fromAt_.size(), toAt_.size()));
        const std::size_t n = std::min(fromAt_.size(), toAt_.size());
        values_.resize(n * static_cast<std::size_t>(fromSize_));
        unwritten_.assign(n, false);
        for (std::size_t k = 0; k < n; ++k)
            if (fromAt_[k] >= 0 && toAt_[k] >= 0) {
                unwritten_[k] = copiesNothing(fromAt_[k]);
                read(m, fromAt_[k], values_.data() + k * static_cast<std::size_t>(fromSize_), unwritten_[k]);
            }
        for (std::size_t k = 0; k < n; ++k)
            if (fromAt_[k] >= 0 && toAt_[k] >= 0) {
                write(m, toAt_[k], values_.data() + k * static_cast<std::size_t>(fromSize_));
                if (unwritten_[k])
                    to_.container->buffer->forget(toAt_[k], toSize_);
            }
    }

private:
    /// Is the content of a node exactly what was in a stream?
    static bool isDrainedInto(const ir::Node &n, Scope &scope) {
        const Container *filledFrom = n.inEdges().size() == 1 ? Planner::containerAtSource(scope, *n.inEdges().front()) : nullptr;
        return filledFrom && filledFrom->desc->isStream();
    }
    /// Is there no value to copy, and may the other side remain without one?
    bool copiesNothing(int64_t at) const {
        return !update_ && to_.container->buffer->isOwn() && !from_.container->buffer->hasValue(at, fromSize_);
    }
    void read(Machine &m, int64_t at, std::byte *to, bool unwritten) {
        Buffer &b = *from_.container->buffer;
        if (!unwritten)
            m.noteRead(b, at, fromSize_, from_.site);
        std::memcpy(to, b.memory + at, static_cast<std::size_t>(fromSize_));
    }
    void write(Machine &m, int64_t at, const std::byte *value) {
        Buffer &b = *to_.container->buffer;
        std::memcpy(in_.at, value, static_cast<std::size_t>(fromSize_));
        std::memcpy(old_.at, b.memory + at, static_cast<std::size_t>(toSize_));
        each_.run(m);
        if (update_)
            m.noteUpdate(b, at, toSize_, to_.site);
        else
            m.noteWrite(b, at, toSize_, out_.at, to_.site);
        std::memcpy(b.memory + at, out_.at, static_cast<std::size_t>(toSize_));
    }

    /// Elements are pushed to a queue, or popped from it: as many as it has, up to the size of the subset.
    void stream(Machine &m) {
        Container &from = *from_.container, &to = *to_.container;
        if (from.desc->isStream() && to.desc->isStream()) {
            if (from.queues && to.queues)
                std::swap((*to.queues)[to.firstQueue].elements, (*from.queues)[from.firstQueue].elements);
            return;
        }
        if (to.desc->isStream()) {
            from_.locate(m, fromAt_, 1, !from_.given);
            if (drained_ && *drained_ < static_cast<int64_t>(fromAt_.size()))
                fromAt_.resize(static_cast<std::size_t>(*drained_));
            for (const int64_t at : fromAt_) {
                if (at < 0 || !to.queues)
                    continue;
                read(m, at, in_.at, false);
                each_.run(m);
                (*to.queues)[to.firstQueue].elements.emplace_back(out_.at, out_.at + toSize_);
            }
            return;
        }
        to_.locate(m, toAt_, 1, !to_.given);
        if (!from.queues)
            return;
        auto &queue = (*from.queues)[from.firstQueue].elements;
        *drained_ = 0;
        for (const int64_t at : toAt_) {
            if (queue.empty())
                return;
            if (at >= 0)
                write(m, at, queue.front().data());
            queue.pop_front();
            ++*drained_;
        }
    }

    Side from_, to_;
    Code indices_, each_;
    Operand in_, old_, out_;
    bool update_ = false;
    int64_t *drained_ = nullptr; // of the array: the number of elements that a stream had for it
    int64_t fromLanes_, toLanes_, fromSize_, toSize_;
    std::vector<int64_t> fromAt_, toAt_;
    std::vector<std::byte> values_;
    std::vector<bool> unwritten_; // which of them are unwritten
};

} // namespace

std::unique_ptr<NodeStep> Planner::copy(Scope &scope, const ir::Edge &e) {
    Container *from = containerAtSource(scope, e), *to = containerAtDestination(scope, e);
    if (!from || !to) {
        refuse(ir::elementName(e), "a copy of something other than a container");
        return nullptr;
    }
    // A node inside a scope has already written to the container itself.
    if (from == to && (!ir::sourceSubset(&e) || !ir::destinationSubset(&e) || *ir::sourceSubset(&e) == *ir::destinationSubset(&e)))
        return nullptr;
    const auto refused = [&](const Container &c) {
        return c.unit == 0 || c.desc->isStructure() || c.type.isPointer() || c.type.isOpaque();
    };
    if (refused(*from) || refused(*to)) {
        refuse(ir::elementName(e), "a copy of elements of type " + (refused(*from) ? from : to)->type.str());
        return nullptr;
    }
    return std::make_unique<CopyStep>(*this, scope, e, *from, *to);
}

} // namespace sdfgc::interpret
