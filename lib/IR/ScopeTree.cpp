// Scope tree and execution order of a state. The order is depth-first topological, as defined by format reference 6.13.
#include "sdfgc/IR/StateGraph.h"

namespace sdfgc::ir {

ScopeData::ScopeData(const State &s) : state(&s) {
    sortTopologically(s);
    ScopeMap found = findScopes(s);
    scope = std::move(found.entry);
    exit = std::move(found.exit);
    problems = std::move(found.problems);
    numberScopes();
}

ScopeTree::ScopeTree(const State &s) {
    if (!s.scopes_)
        s.scopes_ = std::make_shared<const ScopeData>(s);
    data_ = s.scopes_;
}

void ScopeData::sortTopologically(const State &s) {
    const std::size_t n = s.nodes().size();
    std::vector<std::size_t> waiting(n); // number of in-edges whose source is not emitted yet
    std::vector<bool> emitted(n, false);
    for (const auto &node : s.nodes())
        waiting[node->id()] = node->inEdges().size();
    order.reserve(n);
    std::vector<std::pair<Node *, std::size_t>> stack; // node and its next out-edge
    auto emit = [&](Node *node) {
        emitted[node->id()] = true;
        order.push_back(node);
        for (const Edge *e : node->outEdges())
            --waiting[e->dst->id()];
        stack.emplace_back(node, 0);
    };
    for (const auto &source : s.nodes()) {
        if (!source->inEdges().empty())
            continue;
        emit(source.get());
        while (!stack.empty()) {
            auto &[node, next] = stack.back();
            if (next == node->outEdges().size()) {
                stack.pop_back();
                continue;
            }
            Node *successor = node->outEdges()[next++]->dst;
            if (!emitted[successor->id()] && waiting[successor->id()] == 0)
                emit(successor);
        }
    }
    acyclic = order.size() == n;
    for (const auto &node : s.nodes())
        if (!emitted[node->id()])
            order.push_back(node.get());
}

void ScopeData::numberScopes() {
    childList.assign(order.size(), 0);
    children.emplace_back();
    for (Node *node : order)
        if (node->isEntry()) {
            childList[node->id()] = static_cast<uint32_t>(children.size());
            children.emplace_back();
        }
    for (Node *node : order)
        if (!node->isExit())
            children[scope[node->id()] ? childList[scope[node->id()]->id()] : 0].push_back(node);

    // Pre-order numbers in the scope tree: the contents of a scope have the numbers in its span.
    preorder.assign(order.size(), 0);
    span.assign(order.size(), {});
    uint32_t number = 0;
    std::vector<Node *> nested; // an exit follows its entire scope: a node without successors may have been sorted after it
    std::vector<std::pair<Node *, std::size_t>> stack{{nullptr, 0}};
    while (!stack.empty()) {
        auto &[entry, next] = stack.back();
        const auto &inside = children[entry ? childList[entry->id()] : 0];
        if (next == inside.size()) {
            if (entry) {
                span[entry->id()].last = number;
                nested.push_back(exit[entry->id()]);
            }
            stack.pop_back();
            continue;
        }
        Node *child = inside[next++];
        preorder[child->id()] = ++number;
        nested.push_back(child);
        if (child->isEntry()) {
            span[child->id()].first = number;
            stack.emplace_back(child, 0);
        }
    }
    if (acyclic && problems.empty())
        order = std::move(nested);
}

Node *ScopeTree::scopeOf(const Node *n) const {
    return n && n->state() == data_->state && n->id() < data_->scope.size() ? data_->scope[n->id()] : nullptr;
}

const std::vector<Node *> &ScopeTree::children(const Node *entry) const {
    static const std::vector<Node *> none;
    if (!entry)
        return data_->children[0];
    return entry->isEntry() && entry->state() == data_->state && entry->id() < data_->childList.size()
               ? data_->children[data_->childList[entry->id()]]
               : none;
}

Node *ScopeTree::exitOf(const Node *entry) const {
    return entry && entry->isEntry() && entry->state() == data_->state && entry->id() < data_->exit.size()
               ? data_->exit[entry->id()]
               : nullptr;
}

std::vector<Node *> ScopeTree::enclosing(const Node *n) const {
    std::vector<Node *> out;
    for (Node *entry = scopeOf(n); entry; entry = scopeOf(entry))
        out.push_back(entry);
    return out;
}

bool ScopeTree::encloses(const Node *entry, const Node *n) const {
    if (!entry)
        return true;
    if (n->isExit()) { // an exit is inside its own scope and at the level of its entry
        const Node *own = scopeOf(n);
        return own && (own == entry || encloses(entry, own));
    }
    if (n == entry || !entry->isEntry() || n->state() != data_->state || entry->state() != data_->state ||
        n->id() >= data_->preorder.size())
        return false;
    const ScopeData::Span &inside = data_->span[entry->id()];
    return inside.first < data_->preorder[n->id()] && data_->preorder[n->id()] <= inside.last;
}

} // namespace sdfgc::ir
