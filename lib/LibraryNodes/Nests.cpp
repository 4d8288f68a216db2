// Maps inside each other around one tasklet, and reductions in a register: the graphs that most expansions consist of.
#include "Expansion.h"

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
    return m;
}

Memlet whole(const SDFG &g, const Expansion::Access &a) {
    Memlet m = Memlet::simple(a.data, g.desc(a.data)->fullSubset());
    m.wcr = a.wcr;
    return m;
}

} // namespace

Expansion::Nest Expansion::open(State &s, std::string_view label, const std::vector<Level> &levels) {
    Nest nest;
    for (const Level &level : levels) {
        if (level.params.empty())
            continue;
        auto *entry = s.add<MapEntry>();
        auto *exit = s.add<MapExit>();
        entry->exit = exit;
        exit->entry = entry;
        entry->label = exit->label = std::string(label);
        entry->schedule = level.schedule;
        entry->debugInfo = node_.debugInfo;
        for (const auto &[p, size] : level.params) {
            entry->params.push_back(p);
            entry->ranges.push_back({0, size - 1, 1, 1});
        }
        nest.entries.push_back(entry);
    }
    return nest;
}

/// Leads each input from its container through the entries to `to`; without inputs, an ordering edge keeps `to` inside.
void Expansion::read(State &s, const Nest &nest, Node *to, const std::vector<Access> &inputs) {
    std::map<Name, AccessNode *> nodes;
    for (const Access &a : inputs) {
        AccessNode *&from = nodes[a.data];
        bool first = !from;
        if (first)
            from = s.add<AccessNode>(a.data);
        Node *at = from;
        Name connector;
        for (MapEntry *entry : nest.entries) {
            if (first)
                s.connect(at, connector, entry, Name("IN_" + a.data.str()), whole(*inner_, a));
            at = entry;
            connector = Name("OUT_" + a.data.str());
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

/// Leads an output from `from` through the exits to a new access node.
void Expansion::write(State &s, const Nest &nest, Node *from, const Access &a) {
    Node *at = from;
    Name connector(a.connector);
    for (std::size_t i = nest.entries.size(); i-- > 0;) {
        MapExit *exit = nest.entries[i]->exit;
        s.connect(at, connector, exit, Name("IN_" + a.data.str()), at == from ? element(a) : whole(*inner_, a));
        at = exit;
        connector = Name("OUT_" + a.data.str());
    }
    s.connect(at, connector, s.add<AccessNode>(a.data), {}, at == from ? element(a) : whole(*inner_, a));
}

Tasklet *Expansion::nested(State &s, std::string_view label, const std::vector<Level> &levels, const std::vector<Access> &inputs,
                           const std::vector<Access> &outputs, std::string code) {
    auto *t = s.add<Tasklet>();
    t->label = std::string(label);
    t->code = {std::move(code), Language::Python};
    t->debugInfo = node_.debugInfo;
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

void Expansion::readWhole(State &s, MapEntry &entry, Tasklet &t, Name data) {
    Memlet all = Memlet::simple(data, inner_->desc(data)->fullSubset());
    s.connect(s.add<AccessNode>(data), {}, &entry, Name("IN_" + data.str()), all);
    all.dynamic = true;
    s.connect(&entry, Name("OUT_" + data.str()), &t, data, all);
    s.renumber();
}

void Expansion::accumulated(State &s, std::string_view label, const Accumulation &a) {
    Name acc = temporary("_acc", inner_->desc(a.output.data)->dtype, {}, Storage::Register);
    Access whole{"", acc, {0}, ""}, update{"o", acc, {0}, a.wcr};
    auto tasklet = [&](std::string_view name, std::string code) {
        auto *t = s.add<Tasklet>();
        t->label = std::string(name);
        t->code = {std::move(code), Language::Python};
        t->debugInfo = node_.debugInfo;
        return t;
    };
    auto *init = tasklet("init", "o = " + a.start);
    auto *step = tasklet(label, a.code);
    auto *result = tasklet("write", a.write);
    auto *first = s.add<AccessNode>(acc);
    auto *last = s.add<AccessNode>(acc);
    Nest outer = open(s, std::string(label) + "_outer", a.outer), inner = open(s, label, {{a.inner, Schedule::Sequential}});
    MapEntry *loop = inner.entries.front();
    read(s, outer, init, {});
    s.connect(init, "o", first, {}, element(whole));
    s.connect(first, {}, loop, {}, Memlet::empty());
    Nest through = outer;
    through.entries.push_back(loop);
    read(s, through, step, a.inputs);
    s.connect(step, "o", loop->exit, Name("IN_" + acc.str()), element(update));
    s.connect(loop->exit, Name("OUT_" + acc.str()), last, {}, element(update));
    s.connect(last, {}, result, "i", element(whole));
    write(s, outer, result, a.output);
    s.renumber();
}

} // namespace sdfgc::libnodes
