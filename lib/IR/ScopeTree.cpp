// Scope tree and execution order of a state. The order is depth-first topological, as format reference 6.13 fixes it.
#include "sdfgc/IR/StateGraph.h"

namespace sdfgc::ir {

ScopeTree::ScopeTree(const State &s) : state_(&s) {
    sortTopologically(s);
    ScopeMap found = findScopes(s);
    scope_ = std::move(found.entry);
    exit_ = std::move(found.exit);
    problems_ = std::move(found.problems);
    numberScopes();
}

void ScopeTree::sortTopologically(const State &s) {
    const std::size_t n = s.nodes().size();
    std::vector<std::size_t> waiting(n); // in-edges whose source is not emitted yet
    std::vector<bool> emitted(n, false);
    for (const auto &node : s.nodes())
        waiting[node->id()] = node->inEdges().size();
    order_.reserve(n);
    std::vector<std::pair<Node *, std::size_t>> stack; // node and its next out-edge
    auto emit = [&](Node *node) {
        emitted[node->id()] = true;
        order_.push_back(node);
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
    acyclic_ = order_.size() == n;
    for (const auto &node : s.nodes())
        if (!emitted[node->id()])
            order_.push_back(node.get());
}

void ScopeTree::numberScopes() {
    childList_.assign(order_.size(), 0);
    children_.emplace_back();
    for (Node *node : order_)
        if (node->isEntry()) {
            childList_[node->id()] = static_cast<uint32_t>(children_.size());
            children_.emplace_back();
        }
    for (Node *node : order_)
        if (!node->isExit())
            children_[scope_[node->id()] ? childList_[scope_[node->id()]->id()] : 0].push_back(node);

    // Pre-order numbers over the scope tree: a scope's content has the numbers in its span.
    preorder_.assign(order_.size(), 0);
    span_.assign(order_.size(), {});
    uint32_t number = 0;
    std::vector<std::pair<Node *, std::size_t>> stack{{nullptr, 0}};
    while (!stack.empty()) {
        auto &[entry, next] = stack.back();
        const auto &inside = children_[entry ? childList_[entry->id()] : 0];
        if (next == inside.size()) {
            if (entry)
                span_[entry->id()].last = number;
            stack.pop_back();
            continue;
        }
        Node *child = inside[next++];
        preorder_[child->id()] = ++number;
        if (child->isEntry()) {
            span_[child->id()].first = number;
            stack.emplace_back(child, 0);
        }
    }
}

Node *ScopeTree::scopeOf(const Node *n) const {
    return n && n->state() == state_ && n->id() < scope_.size() ? scope_[n->id()] : nullptr;
}

const std::vector<Node *> &ScopeTree::children(const Node *entry) const {
    static const std::vector<Node *> none;
    if (!entry)
        return children_[0];
    return entry->isEntry() && entry->state() == state_ && entry->id() < childList_.size() ? children_[childList_[entry->id()]]
                                                                                           : none;
}

Node *ScopeTree::exitOf(const Node *entry) const {
    return entry && entry->isEntry() && entry->state() == state_ && entry->id() < exit_.size() ? exit_[entry->id()] : nullptr;
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
    if (n->isExit()) { // an exit is inside its own scope and where its entry is
        const Node *own = scopeOf(n);
        return own && (own == entry || encloses(entry, own));
    }
    if (n == entry || !entry->isEntry() || n->state() != state_ || entry->state() != state_ || n->id() >= preorder_.size())
        return false;
    const Span &inside = span_[entry->id()];
    return inside.first < preorder_[n->id()] && preorder_[n->id()] <= inside.last;
}

} // namespace sdfgc::ir
