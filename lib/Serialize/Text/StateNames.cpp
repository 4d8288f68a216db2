#include "Serialize/Text/StateNames.h"

#include "sdfgc/IR/StateGraph.h"

#include <algorithm>

namespace sdfgc::serialize::text {

Name otherSide(Name connector) { return ir::pairedConnector(connector); }

Name StateNames::nameOf(const ir::Node &n) {
    auto *a = dyn_cast<ir::AccessNode>(&n);
    return a ? a->data : Name(n.label);
}

void StateNames::add(ir::Node *n) {
    std::vector<ir::Node *> &same = byName_[nameOf(*n)];
    same.push_back(n);
    ordinals_[n] = same.size();
    if (auto *a = dyn_cast<ir::AccessNode>(n))
        scopes_.back().current[a->data] = n;
}

ir::Node *StateNames::find(Name name, std::size_t number) const {
    auto it = byName_.find(name);
    return it == byName_.end() || number == 0 || number > it->second.size() ? nullptr : it->second[number - 1];
}

std::size_t StateNames::ordinal(const ir::Node *n) const {
    auto it = ordinals_.find(n);
    return it == ordinals_.end() ? 0 : it->second;
}

void StateNames::enter(ir::Node *entry, ir::Node *exit) {
    next_.entry = entry;
    next_.exit = exit;
    scopes_.push_back(std::exchange(next_, Scope()));
}

bool StateNames::isOpen(const ir::Node *entry) const {
    return std::any_of(scopes_.begin() + 1, scopes_.end(), [&](const Scope &s) { return s.entry == entry; });
}

void StateNames::declareInput(Name data, Name connector) {
    if (Name inner = otherSide(connector))
        next_.inputs.try_emplace(data, inner);
}

void StateNames::declareOutput(Name data, Name connector) {
    if (Name inner = otherSide(connector))
        next_.outputs.try_emplace(data, inner);
}

ir::Node *StateNames::current(Name data) const {
    auto it = scopes_.back().current.find(data);
    return it == scopes_.back().current.end() ? nullptr : it->second;
}

End StateNames::source(Name data) const {
    const Scope &s = scopes_.back();
    if (ir::Node *n = current(data))
        return {n, Name()};
    if (auto it = s.inputs.find(data); it != s.inputs.end())
        return {s.entry, it->second};
    return {};
}

End StateNames::destination(Name data) const {
    const Scope &s = scopes_.back();
    if (auto it = s.outputs.find(data); it != s.outputs.end())
        return {s.exit, it->second};
    return {};
}

} // namespace sdfgc::serialize::text
