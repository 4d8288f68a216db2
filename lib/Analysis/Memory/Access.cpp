#include "sdfgc/Analysis/Memory/Access.h"

#include "sdfgc/Analysis/Symbols/Symbols.h"

#include <algorithm>

namespace sdfgc::analysis {

namespace {

using namespace ir;

class AccessCollector {
public:
    explicit AccessCollector(const SDFG &root) : root_(root) {}

    std::map<Name, Access> collect() {
        for (const auto &[name, desc] : root_.arrays)
            if (!desc.transient)
                access_[name];
        controlFlow();
        for (const State *s : allStates(root_))
            for (const auto &n : s->nodes())
                if (const auto *a = dyn_cast<AccessNode>(n.get()))
                    node(*a);
        return std::move(access_);
    }

private:
    void controlFlow() {
        for (const Block *b : allBlocks(root_)) {
            if (const auto *loop = dyn_cast<LoopRegion>(b)) {
                for (const std::optional<Code> *code : {&loop->init, &loop->condition, &loop->update})
                    if (*code)
                        reads(**code);
            } else if (const auto *conditional = dyn_cast<ConditionalBlock>(b)) {
                for (const ConditionalBlock::Branch &branch : conditional->branches())
                    if (branch.condition)
                        reads(*branch.condition);
            }
        }
        for (const InterstateEdge *e : allInterstateEdges(root_)) {
            reads(e->condition);
            for (const auto &[symbol, value] : e->assignments)
                reads(Code{value, Language::Python});
        }
    }

    void reads(const Code &code) {
        if (code.empty())
            return;
        for (Name n : namesInCode(code, root_))
            if (auto it = access_.find(n); it != access_.end())
                it->second.read = true;
    }

    void node(const AccessNode &n) {
        auto it = access_.find(ownerOf(n.data));
        if (it == access_.end())
            return;
        Access &a = it->second;
        auto moves = [](const Edge *e) { return !e->memlet.isEmpty(); };
        a.read = a.read || std::any_of(n.outEdges().begin(), n.outEdges().end(), moves);
        a.written = a.written || n.setZero || std::any_of(n.inEdges().begin(), n.inEdges().end(), moves);
        for (const Edge *e : n.inEdges())
            a.read = a.read || !e->memlet.wcr.empty();
        for (const Edge *e : n.outEdges())
            if (setsReference(*e))
                a.read = a.written = true;
    }

    bool setsReference(const Edge &e) const {
        const auto *target = dyn_cast<AccessNode>(e.dst);
        const DataDesc *d = target ? root_.desc(target->data) : nullptr;
        return d && d->isReference();
    }

    const SDFG &root_;
    std::map<Name, Access> access_;
};

} // namespace

std::string Access::str() const {
    if (read && written)
        return "inout";
    return read ? "in" : written ? "out" : "unused";
}

std::map<Name, Access> containerAccess(const SDFG &root) { return AccessCollector(root).collect(); }

bool isPlain(const DataDesc *d) { return d && (d->isArray() || d->isScalar()) && d->alias == AliasKind::None; }

bool isOnHost(const DataDesc *d) {
    return d && (d->storage == Storage::Default || d->storage == Storage::CPU_Heap || d->storage == Storage::Register);
}

} // namespace sdfgc::analysis
