// Consume scopes: the body runs for every element of a stream, including those that it pushes, until the stream is empty or a
// condition holds. The elements are unordered. With chunks, the body gets several at once: their address and their number, which is
// limited by the elements in the stream and the size of a chunk.
#include "../Plan.h"

#include "sdfgc/IR/ScopeConnectors.h"

#include <algorithm>
#include <cstring>

namespace sdfgc::interpret {

namespace {

class ConsumeStep final : public NodeStep {
public:
    ConsumeStep(Planner &p, Scope &outer, const ir::ConsumeEntry &c)
        : scope_(outer.graph, &outer), most_(static_cast<std::size_t>(std::max<int64_t>(c.chunkSize, 1))) {
        const std::string element = ir::elementName(c);
        if (c.peIndex)
            scope_.parameters[c.peIndex] = {ScalarKind::Int64, p.machine.allocate(sizeof(int64_t))};
        for (const ir::Edge *e : c.inEdges()) {
            Container *stream = Planner::containerAtSource(outer, *e);
            if (!stream || !stream->desc->isStream() || e->dstConn != ir::scopeInput("stream"))
                continue;
            stream_ = stream;
            Builder b = p.builder(outer, p.symbolicDivision(), nullptr);
            const auto subset = Planner::subsetAtSource(*e);
            first_ = p.access(b, *stream, subset, p.site(c, &e->memlet));
            before_ = p.finish(b, element);
            popped_ = b.reserve(c.chunkSize == 1 ? stream->type : Type::pointer(stream->type));
            p.values[{&c, ir::scopeOutput("stream")}] = popped_;
        }
        if (!stream_)
            p.refuse(element, "a consume scope without a stream");
        if (const Name count = c.countName())
            count_ = scope_.parameters[count] = {ScalarKind::Int64, p.machine.allocate(sizeof(int64_t))};
        if (c.condition && !c.condition->empty())
            condition(p, *c.condition, element);
        p.body(body_, outer.graph, scope_, *c.state(), &c);
    }

    void run(Machine &m) override {
        m.order.task();
        before_.run(m);
        Queue *queue = stream_->queue(*first_);
        if (!queue)
            return;
        auto &elements = queue->elements;
        m.order.enterMap();
        while (!elements.empty() && !holds(m) && m.goesOn()) {
            m.order.iteration();
            count_ ? takeChunk(elements, m) : takeOne(elements);
            body_.run(m);
        }
        m.order.leave();
    }

private:
    template <class Elements> void takeOne(Elements &elements) {
        std::memcpy(popped_.at, elements.front().data(), static_cast<std::size_t>(stream_->unit));
        elements.pop_front();
    }
    /// Each chunk has separate memory that has not been read or written before.
    template <class Elements> void takeChunk(Elements &elements, Machine &m) {
        const std::size_t count = std::min(most_, elements.size());
        m.order.task();
        chunk_ = std::make_shared<Buffer>(stream_->name, static_cast<int64_t>(count), stream_->unit);
        for (std::size_t k = 0; k < count; ++k) {
            std::memcpy(chunk_->memory + k * static_cast<std::size_t>(stream_->unit), elements.front().data(),
                        static_cast<std::size_t>(stream_->unit));
            chunk_->cells[k].written = {m.order.now};
            elements.pop_front();
        }
        as<Pointer>(popped_.at) = {chunk_.get(), 0};
        as<int64_t>(count_.at) = static_cast<int64_t>(count);
    }

    void condition(Planner &p, const ir::Code &code, const std::string &element) {
        Builder b = p.builder(scope_, p.symbolicDivision(), nullptr);
        if (const py::ExprRef e = scope_.parse(b, code))
            end_ = b.convert(b.expression(*e), ScalarKind::Bool);
        condition_ = p.finish(b, element);
    }
    bool holds(Machine &m) {
        condition_.run(m);
        return end_ && as<bool>(end_.at);
    }

    Scope scope_;
    Container *stream_ = nullptr;
    const Access *first_ = nullptr; // its queue
    Code before_, condition_;
    const std::size_t most_; // maximum elements per chunk
    Operand popped_, count_, end_;
    std::shared_ptr<Buffer> chunk_;
    Body body_;
};

} // namespace

std::unique_ptr<NodeStep> Planner::consume(Scope &scope, const ir::ConsumeEntry &c) {
    return std::make_unique<ConsumeStep>(*this, scope, c);
}

} // namespace sdfgc::interpret
