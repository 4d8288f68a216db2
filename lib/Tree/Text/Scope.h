// The variable that a name denotes at a point in a function's text.
#pragma once

#include "sdfgc/Tree/Tree.h"

#include <unordered_map>

namespace sdfgc::tree::text {

/// Variables by name, innermost scope first.
class Scope {
public:
    void open() { marks_.push_back(declared_.size()); }
    void close() {
        for (; declared_.size() > marks_.back(); declared_.pop_back())
            byName_[declared_.back()].pop_back();
        marks_.pop_back();
    }
    void declare(Name n, VarId v) {
        byName_[n].push_back(v);
        declared_.push_back(n);
    }
    VarId find(Name n) const {
        auto at = byName_.find(n);
        return at == byName_.end() || at->second.empty() ? VarId() : at->second.back();
    }

private:
    std::unordered_map<Name, std::vector<VarId>> byName_;
    std::vector<Name> declared_;
    std::vector<std::size_t> marks_;
};

/// Opens a scope for the lifetime of the object.
class Opened {
public:
    explicit Opened(Scope &s, bool really = true) : scope_(really ? &s : nullptr) {
        if (scope_)
            scope_->open();
    }
    ~Opened() {
        if (scope_)
            scope_->close();
    }
    Opened(const Opened &) = delete;
    Opened &operator=(const Opened &) = delete;

private:
    Scope *scope_;
};

/// Are the statement's declarations, loop variables and contents invisible after it?
inline bool opensScope(const Node &n) {
    return n.kind != TreeKind::Declare && (n.kind != TreeKind::Block || static_cast<const Block &>(n).braces);
}

} // namespace sdfgc::tree::text
