// Consume scopes: the body runs for every element of a stream, those that it pushes among them, until the stream is empty or a
// condition holds. Nothing orders the elements.
#include "../Plan.h"

#include <cstring>

namespace sdfgc::interpret {

namespace {

class ConsumeStep final : public Step {
public:
    ConsumeStep(Planner &p, Scope &outer, const ir::ConsumeEntry &c) : scope_(outer.graph, &outer) {
        const std::string element = ir::elementName(c);
        if (c.chunkSize != 1)
            p.refuse(element, "consume scopes that take several elements at once");
        if (c.peIndex)
            scope_.parameters[c.peIndex] = {ScalarKind::Int64, p.machine.allocate(sizeof(int64_t))};
        for (const ir::Edge *e : c.inEdges()) {
            Container *stream = Planner::containerAtSource(outer, *e);
            if (!stream || !stream->desc->isStream() || e->dstConn.view() != "IN_stream")
                continue;
            stream_ = stream;
            Builder b = p.builder(outer, p.symbolicDivision(), nullptr);
            const auto subset = Planner::subsetAtSource(*e);
            first_ = p.access(b, *stream, subset, p.site(c, &e->memlet));
            before_ = p.finish(b, element);
            popped_ = b.reserve(stream->type);
            p.values[{&c, Name("OUT_stream")}] = popped_;
        }
        if (!stream_)
            p.refuse(element, "a consume scope without a stream");
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
            std::memcpy(popped_.at, elements.front().data(), static_cast<std::size_t>(stream_->unit));
            elements.pop_front();
            m.order.iteration();
            body_.run(m);
        }
        m.order.leave();
    }

private:
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
    Operand popped_, end_;
    Body body_;
};

} // namespace

std::unique_ptr<Step> Planner::consume(Scope &scope, const ir::ConsumeEntry &c) {
    return std::make_unique<ConsumeStep>(*this, scope, c);
}

} // namespace sdfgc::interpret
