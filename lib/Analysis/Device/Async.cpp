#include "sdfgc/Analysis/Device/Async.h"

namespace sdfgc::analysis {
namespace {

constexpr std::string_view prefix = "sdfgc.async.";
constexpr std::string_view names[] = {"Synchronise", "Record", "Wait", "Barrier", "GridBarrier", "Allocate", "Free", "Reserve"};

int number(const ir::LibraryNode &n, const char *property, int missing) {
    const json::Value *v = n.properties.find(property);
    return v && v->isNumber() ? static_cast<int>(v->asInt().value_or(missing)) : missing;
}

Name text(const ir::LibraryNode &n, const char *property) {
    const json::Value *v = n.properties.find(property);
    return v ? Name(v->text()) : Name();
}

} // namespace

std::optional<AsyncOp> asyncOp(const ir::LibraryNode &n) {
    if (n.classPath.rfind(prefix, 0) != 0)
        return std::nullopt;
    for (std::size_t k = 0; k < std::size(names); ++k)
        if (std::string_view(n.classPath).substr(prefix.size()) == names[k])
            return AsyncOp{static_cast<AsyncOp::Kind>(k), number(n, "stream", 0), number(n, "event", -1), text(n, "data")};
    return std::nullopt;
}

std::set<Name> pooledContainers(const ir::SDFG &g) {
    std::set<Name> out;
    for (const ir::State *s : ir::allStates(g))
        for (const auto &n : s->nodes())
            if (const auto *l = dyn_cast<ir::LibraryNode>(n.get()))
                if (auto op = asyncOp(*l); op && op->usesPool())
                    out.insert(op->data);
    return out;
}

int streamOf(const ir::Node &n) {
    if (const auto *m = dyn_cast<ir::MapEntry>(&n))
        return m->stream.value_or(0);
    const auto *l = dyn_cast<ir::LibraryNode>(&n);
    return l ? number(*l, "stream", 0) : 0;
}

void setStream(ir::Node &n, int stream) {
    if (auto *m = dyn_cast<ir::MapEntry>(&n))
        m->stream = stream;
    else if (auto *l = dyn_cast<ir::LibraryNode>(&n))
        l->properties.set("stream", json::Value(static_cast<int64_t>(stream)));
}

ir::LibraryNode *addAsyncOp(ir::State &s, const AsyncOp &op) {
    auto *n = s.add<ir::LibraryNode>();
    n->classPath = std::string(prefix) + std::string(names[op.kind]);
    n->name = n->label = std::string(names[op.kind]);
    n->schedule = ir::Schedule::Sequential;
    if (!op.ofThreads() && !op.usesPool() && op.kind != AsyncOp::Reserve)
        n->properties.set("stream", json::Value(static_cast<int64_t>(op.stream)));
    if (op.data)
        n->properties.set("data", json::Value(op.data.str()));
    if (op.event >= 0)
        n->properties.set("event", json::Value(static_cast<int64_t>(op.event)));
    return n;
}

} // namespace sdfgc::analysis
