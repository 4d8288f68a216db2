// Nested maps around one tasklet, and reductions in a register: the graphs that make up most expansions.
#include "Expansion.h"

#include "sdfgc/IR/ScopeConnectors.h"

#include <map>

namespace sdfgc::libnodes {

using namespace ir;

struct Expansion::Nest {
    std::vector<MapEntry *> entries; // outermost first
};

namespace {

Memlet element(const Expansion::Access &a) {
    Memlet m = Memlet::simple(a.data, sym::Subset::point(a.index));
    m.wcr = a.wcr;
    m.dynamic = a.sometimes;
    m.wcrNonatomic = a.sometimes && !a.wcr.empty(); // one of the iterations writes
    return m;
}

Memlet whole(const SDFG &g, const Expansion::Access &a) {
    Memlet m = Memlet::simple(a.data, g.desc(a.data)->fullSubset());
    m.wcr = a.wcr;
    m.dynamic = a.sometimes;
    m.wcrNonatomic = a.sometimes && !a.wcr.empty(); // one of the iterations writes
    return m;
}

} // namespace

Expansion::Nest Expansion::open(State &s, std::string_view label, const std::vector<Level> &levels) {
    Nest nest;
    for (const Level &level : levels) {
        if (level.params.empty())
            continue;
        MapEntry *entry = s.addMap(std::string(label), {}, {}, level.schedule);
        entry->debugInfo = node_.debugInfo;
        for (const auto &[p, size] : level.params) {
            entry->params.push_back(p);
            entry->ranges.push_back({0, size - 1, 1, 1});
        }
        nest.entries.push_back(entry);
    }
    return nest;
}

/// Routes each input from its container (from the access node, if one is given) through the entries to `to`; without inputs, an
/// ordering edge keeps `to` inside.
void Expansion::read(State &s, const Nest &nest, Node *to, const std::vector<Access> &inputs, AccessNode *given) {
    std::map<Name, AccessNode *> nodes;
    for (const Access &a : inputs) {
        AccessNode *&from = nodes[a.data];
        bool first = !from;
        if (first)
            from = given ? given : s.add<AccessNode>(a.data);
        Node *at = from;
        Name connector;
        for (MapEntry *entry : nest.entries) {
            if (first)
                s.connect(at, connector, entry, scopeInput(a.data), whole(*inner_, a));
            at = entry;
            connector = scopeOutput(a.data);
        }
        s.connect(at, connector, to, Name(a.connector), element(a));
    }
    if (!inputs.empty() || nest.entries.empty())
        return;
    Node *at = nest.entries.front();
    for (std::size_t i = 1; i <= nest.entries.size(); ++i) {
        Node *next = i < nest.entries.size() ? nest.entries[i] : to;
        s.connect(at, {}, next, {}, Memlet::empty());
        at = next;
    }
}

/// Routes an output from `from` through the exits to the given access node, or to a new one.
void Expansion::write(State &s, const Nest &nest, Node *from, const Access &a, AccessNode *given) {
    Node *at = from;
    Name connector(a.connector);
    for (std::size_t i = nest.entries.size(); i-- > 0;) {
        MapExit *exit = nest.entries[i]->exit;
        s.connect(at, connector, exit, scopeInput(a.data), at == from ? element(a) : whole(*inner_, a));
        at = exit;
        connector = scopeOutput(a.data);
    }
    s.connect(at, connector, given ? given : s.add<AccessNode>(a.data), {}, at == from ? element(a) : whole(*inner_, a));
}

Tasklet *Expansion::nested(State &s, std::string_view label, const std::vector<Level> &levels, const std::vector<Access> &inputs,
                           const std::vector<Access> &outputs, std::string code) {
    auto *t = python(s, label, std::move(code));
    Nest nest = open(s, label, levels);
    read(s, nest, t, inputs);
    for (const Access &a : outputs)
        write(s, nest, t, a);
    s.renumber();
    return t;
}

Tasklet *Expansion::mapped(State &s, std::string_view label, const Params &params, const std::vector<Access> &inputs,
                           const std::vector<Access> &outputs, std::string code, Schedule schedule) {
    return nested(s, label, {{params, schedule}}, inputs, outputs, std::move(code));
}

void Expansion::readWhole(State &s, MapEntry &entry, Tasklet &t, Name connector, Name data) {
    Memlet all = Memlet::simple(data, inner_->desc(data)->fullSubset());
    s.connect(s.add<AccessNode>(data), {}, &entry, scopeInput(data), all);
    all.dynamic = true;
    s.connect(&entry, scopeOutput(data), &t, connector, all);
    s.renumber();
}

Tasklet *Expansion::python(State &s, std::string_view label, std::string code) {
    Tasklet *t = s.addTasklet(std::string(label), {std::move(code)});
    t->debugInfo = node_.debugInfo;
    return t;
}

/// The combined value of the threads of a block, in the first thread.
AccessNode *Expansion::combined(State &s, AccessNode *mine, const std::string &operation) {
    const Type type = inner_->desc(mine->data)->dtype;
    auto *total = s.add<AccessNode>(temporary("_total", type, {}, Storage::Register));
    auto *t = s.add<Tasklet>();
    const Name in("_in" + mine->data.str()), out("_out" + total->data.str());
    t->label = "block";
    t->code = {out.str() + " = gpuReduce.blockReduce(" + in.str() + ", " + cppWord("sdfgc::gpu::" + operation + "()") + ")",
               Language::Library};
    t->environments = {"GpuReduce"};
    t->debugInfo = node_.debugInfo;
    s.connect(mine, {}, t, in, element({"", mine->data, {0}, ""}));
    s.connect(t, out, total, {}, element({"", total->data, {0}, ""}));
    t->inConnector(in)->type = type;
    t->outConnector(out)->type = type;
    return total;
}

/// The steps of an accumulation inside the maps of `around`.
void Expansion::accumulate(State &s, std::string_view label, const Accumulation &a, const Nest &around) {
    const bool strip = !a.strip.parameter.empty();
    std::vector<sym::Expr> shape;
    Params along;
    if (strip) {
        shape.emplace_back(a.strip.width);
        along.emplace_back(a.strip.parameter, a.strip.size);
    }
    Name acc = temporary("_acc", inner_->desc(a.output.data)->dtype, shape, Storage::Register);
    sym::Expr position = strip ? sym::Expr::symbol(a.strip.parameter) : sym::Expr(0);
    Access current{"i", acc, {position}, ""}, initial{"o", acc, {position}, ""}, update{"o", acc, {position}, a.wcr};
    auto *init = python(s, "init", "o = " + a.start);
    auto *step = python(s, label, a.code);
    auto *result = python(s, "write", a.write);
    auto *first = s.add<AccessNode>(acc);
    auto *last = s.add<AccessNode>(acc);
    Params reduced = a.inner;
    reduced.insert(reduced.end(), along.begin(), along.end());
    // Each step is a separate map inside the outer maps.
    auto in = [&](std::string_view name, const Params &params, const Nest &outer) {
        Nest nest = outer, own = open(s, name, {{params, Schedule::Sequential}});
        nest.entries.insert(nest.entries.end(), own.entries.begin(), own.entries.end());
        return std::pair(nest, own);
    };
    auto [starting, ownStart] = in("init", along, around);
    read(s, starting, init, {});
    write(s, ownStart, init, initial, first);
    auto [accumulating, loop] = in(label, reduced, around);
    if (a.step != 1)
        loop.entries.front()->ranges[a.inner.size() - 1] = {a.begin, a.inner.back().second - 1, a.step, 1};
    s.connect(first, {}, loop.entries.front(), {}, Memlet::empty());
    read(s, accumulating, step, a.inputs);
    write(s, loop, step, update, last);
    if (!a.combine.empty()) {
        last = combined(s, last, a.combine);
        current.data = last->data;
    }
    auto [writing, ownWrite] = in("write", along, around);
    read(s, ownWrite, result, {current}, last);
    write(s, writing, result, a.output);
}

void Expansion::accumulated(State &s, std::string_view label, const Accumulation &a) {
    Nest outer = open(s, std::string(label) + "_outer", a.outer);
    accumulate(s, label, a, outer);
    s.renumber();
}

void Expansion::accumulatedByBlock(State &s, std::string_view label, Accumulation a, Name thread, int64_t threads) {
    Nest all = open(s, std::string(label) + "_blocks", a.outer);
    const Nest each = open(s, std::string(label) + "_threads", {{{{thread, threads}}, Schedule::GPU_ThreadBlock}});
    all.entries.insert(all.entries.end(), each.entries.begin(), each.entries.end());
    a.write = "if " + thread.str() + " == 0:\n    " + a.write;
    a.output.sometimes = true;
    accumulate(s, label, a, all);
    s.renumber();
}

} // namespace sdfgc::libnodes
