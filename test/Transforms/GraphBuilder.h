// Short forms for building small graphs in tests.
#pragma once

#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Transforms/Passes.h"

#include <catch2/catch.hpp>

namespace sdfgc::test {

using namespace sdfgc::ir;

inline sym::Expr expr(const std::string &text) {
    auto parsed = sym::parse(text);
    INFO(text << ": " << parsed.error);
    REQUIRE(parsed.expr);
    return *parsed.expr;
}

/// One dimension: a point or an inclusive range.
inline sym::Range at(const std::string &index) { return {expr(index), expr(index), 1, 1}; }
inline sym::Range range(const std::string &begin, const std::string &end) { return {expr(begin), expr(end), 1, 1}; }

inline Memlet memlet(const std::string &data, std::vector<sym::Range> dims) { return Memlet::simple(data, {std::move(dims)}); }
inline Memlet update(const std::string &data, std::vector<sym::Range> dims, const std::string &wcr = "lambda a, b: a + b") {
    Memlet m = memlet(data, std::move(dims));
    m.wcr = wcr;
    return m;
}

inline void array(SDFG &g, const std::string &name, std::vector<sym::Expr> shape, bool transient = false,
                  Type t = ScalarKind::Float64) {
    g.arrays.set(name, DataDesc::array(t, std::move(shape), transient));
}
inline void scalar(SDFG &g, const std::string &name, bool transient = false, Type t = ScalarKind::Float64) {
    g.arrays.set(name, DataDesc::scalar(t, transient));
}
inline State *state(SDFG &g, const std::string &label = "main") {
    State *s = g.add<State>();
    s->label = label;
    return s;
}
inline Tasklet *tasklet(State *s, const std::string &code) {
    auto *t = s->add<Tasklet>();
    t->label = "t";
    t->code.text = code;
    return t;
}
/// Entry and its exit, paired.
inline MapEntry *map(State *s, std::vector<std::pair<std::string, sym::Range>> dims, Schedule schedule = Schedule::Default) {
    auto *entry = s->add<MapEntry>();
    auto *exit = s->add<MapExit>();
    entry->label = exit->label = "map";
    entry->exit = exit;
    exit->entry = entry;
    entry->schedule = schedule;
    for (auto &[name, r] : dims) {
        entry->params.push_back(name);
        entry->ranges.push_back(r);
    }
    return entry;
}
inline NestedSDFGNode *nested(State *s, const std::string &name) {
    auto node = std::make_unique<NestedSDFGNode>();
    node->label = name;
    node->sdfg = std::make_unique<SDFG>(Name(name));
    return static_cast<NestedSDFGNode *>(s->adopt(std::move(node)));
}

/// A pass run with its diagnostics and remarks.
struct PassRun {
    explicit PassRun(std::unique_ptr<pass::Pass> p) : pass(std::move(p)), context(diags, options) {}
    bool operator()(SDFG &g) {
        pass::Program program{g, nullptr};
        return pass->run(program, context);
    }
    bool reported(diag::Id id) const {
        for (const auto &d : diags.all())
            if (d.id == id)
                return true;
        return false;
    }
    diag::Engine diags;
    pass::CompileOptions options;
    std::unique_ptr<pass::Pass> pass;
    pass::Context context;
};

} // namespace sdfgc::test
