// Passes that exist only for the tests of the manager.
#pragma once

#include "sdfgc/Pass/Pipeline.h"

namespace sdfgc::test {

/// Adds a symbol named by its option `symbol` (none if it is empty) and reports a change accordingly.
class AddSymbol : public pass::GraphPass {
public:
    bool run(ir::SDFG &root, pass::Context &c) override {
        const std::string &name = option<std::string>("symbol");
        for (int64_t i = 0; i < option<int64_t>("times"); ++i)
            c.done(ir::elementName(root), "added " + name);
        if (name.empty())
            return false;
        root.symbols[Name(name)] = ScalarKind::Int64;
        return true;
    }
};

/// Reports an error.
class Fail : public pass::GraphPass {
public:
    bool run(ir::SDFG &, pass::Context &c) override {
        c.diags.report(diag::Id::InternalError, {}, "made to fail");
        return false;
    }
};

/// Adds a memlet to a container that does not exist.
class Break : public pass::GraphPass {
public:
    bool run(ir::SDFG &root, pass::Context &) override {
        auto *state = root.add<ir::State>();
        state->label = "broken";
        state->add<ir::AccessNode>(Name("nowhere"));
        root.renumber();
        return true;
    }
};

class Nothing : public pass::GraphPass {
public:
    bool run(ir::SDFG &, pass::Context &) override { return false; }
};

template <class T> std::unique_ptr<pass::Pass> create() { return std::make_unique<T>(); }

inline pass::Registry registry() {
    using ir::Level;
    pass::Registry r;
    r.add({"raise", "", Level::Loaded, {}, create<Nothing>}).establishes = Level::Structured;
    r.add({"type", "", Level::Structured, {}, create<Nothing>}).establishes = Level::Typed;
    r.add({"expand", "", Level::Typed, {}, create<Nothing>}).establishes = Level::Expanded;
    r.add({"untype", "", Level::Structured, {}, create<Nothing>}).adds = pass::Incomplete::Untyped;
    r.add({"schedule", "", Level::Expanded, {}, create<Nothing>}).establishes = Level::Scheduled;
    r.add({"add-symbol",
           "",
           Level::Loaded,
           {{"symbol", "", std::string()}, {"times", "", int64_t(1)}, {"quick", "", false}},
           create<AddSymbol>});
    r.add({"fail", "", Level::Loaded, {}, create<Fail>});
    r.add({"break", "", Level::Loaded, {}, create<Break>});
    return r;
}

/// Steps as text, for comparisons.
inline std::string steps(const std::optional<pass::Pipeline> &p) { return p ? pass::print(*p) : "<none>"; }

/// `CODE:line:column message | hint` of all diagnostics, one per line.
inline std::string text(const diag::Engine &d) {
    std::string out;
    for (const diag::Diagnostic &x : d.sorted())
        out += std::string(diag::info(x.id).name) + ":" + std::to_string(x.place.line) + ":" + std::to_string(x.place.column) +
               " " + x.message + (x.hint.empty() ? "" : " | " + x.hint) + "\n";
    return out;
}

} // namespace sdfgc::test
