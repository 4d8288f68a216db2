// The SDFG that is being lowered and the function that it is lowered into.
#include "Instance.h"

#include <algorithm>

namespace sdfgc::tree::lowering {

VarId Instance::declareValue(Name wanted, Type t, bool isConst) {
    Variable v;
    v.name = fn->names.declare(wanted);
    v.type = t;
    v.isConst = isConst;
    fn->facts[v.name] = {};
    fn->facts[v.name].type = t;
    return function().vars.add(std::move(v));
}

bool Instance::isZeroed(Name container) {
    if (!zeroed_) {
        zeroed_.emplace();
        for (const ir::State *s : ir::allStates(*g))
            for (const auto &n : s->nodes())
                if (const auto *a = dyn_cast<ir::AccessNode>(n.get()); a && a->setZero)
                    zeroed_->insert(a->data);
    }
    return zeroed_->count(container) != 0;
}

void Instance::usesStream(int stream) const {
    module().streams = std::max(module().streams, stream + 1);
    function().needsState = true;
}

void Instance::recordsTimes() const {
    module().instrumented = true;
    function().needsState = true;
}

SymbolScope::~SymbolScope() {
    for (auto it = saved_.rbegin(); it != saved_.rend(); ++it) {
        if (it->had) {
            in_.symbols[it->name] = it->expr;
            in_.symbolTypes[it->name] = it->type;
        } else {
            in_.symbols.erase(it->name);
            in_.symbolTypes.erase(it->name);
        }
    }
}

void SymbolScope::define(Name n, sym::Expr e, Type t) {
    auto it = in_.symbols.find(n);
    saved_.push_back({n, it != in_.symbols.end(), it != in_.symbols.end() ? it->second : sym::Expr(), in_.symbolTypes[n]});
    in_.symbols[n] = e;
    in_.symbolTypes[n] = t;
}

} // namespace sdfgc::tree::lowering
