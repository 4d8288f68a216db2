#include "Transforms/Edits/HostReads.h"

#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Tasklet/Ast.h"

#include <algorithm>
#include <optional>

namespace sdfgc::transforms {

using namespace ir;

std::vector<NestedSDFGNode *> hostNested(SDFG &g) {
    std::vector<NestedSDFGNode *> out;
    for (State *s : allStates(g)) {
        analysis::ScopeTree scopes(*s);
        for (Node *n : scopes.children(nullptr))
            if (auto *nested = dyn_cast<NestedSDFGNode>(n); nested && nested->sdfg)
                out.push_back(nested);
    }
    return out;
}

namespace {

bool receivesData(const AccessNode &n, bool isView) {
    const Edge *views = isView ? analysis::viewEdge(&n) : nullptr;
    return std::any_of(n.inEdges().begin(), n.inEdges().end(), [&](const Edge *e) { return e != views && !e->memlet.isEmpty(); });
}

} // namespace

bool writtenInDataflow(const SDFG &g, Name data) {
    for (const State *s : allStates(g))
        for (const auto &n : s->nodes()) {
            const auto *a = dyn_cast<AccessNode>(n.get());
            const DataDesc *d = a ? g.desc(a->data) : nullptr;
            if (!a || !receivesData(*a, d && d->isView()))
                continue;
            if (const AccessNode *target = analysis::nodeBehindViews(a); !target || analysis::ownerOf(target->data) == data)
                return true;
        }
    return false;
}

bool usesArray(const Node &n) {
    const SDFG &g = *n.state()->sdfg();
    const auto isArray = [&](const Edge *e) {
        const DataDesc *d = e->memlet.data ? g.desc(e->memlet.data) : nullptr;
        return d && d->isArray();
    };
    return std::any_of(n.inEdges().begin(), n.inEdges().end(), isArray) ||
           std::any_of(n.outEdges().begin(), n.outEdges().end(), isArray);
}

void renameDataflow(SDFG &g, Name from, Name to) {
    for (State *s : allStates(g)) {
        for (const auto &n : s->nodes())
            if (auto *a = dyn_cast<AccessNode>(n.get()); a && a->data == from)
                a->data = to;
        for (const auto &e : s->edges())
            if (e->memlet.data == from)
                e->memlet.data = to;
    }
    if (!g.parentNode)
        return;
    for (auto *connectors : {&g.parentNode->inConnectors, &g.parentNode->outConnectors})
        for (Connector &c : *connectors)
            if (c.name == from)
                c.name = to;
    for (Edge *e : g.parentNode->inEdges())
        if (e->dstConn == from)
            e->dstConn = to;
    for (Edge *e : g.parentNode->outEdges())
        if (e->srcConn == from)
            e->srcConn = to;
}

Name splitForDevice(SDFG &g, Name host) {
    Name device("gpu_" + host.str());
    if (g.arrays.contains(device) || g.symbols.find(device))
        device = g.freshName("gpu_" + host.str());
    DataDesc d = *g.arrays.find(host);
    d.storage = Storage::GPU_Global;
    d.transient = g.isRoot() ? true : d.transient;
    if (g.isRoot() && !g.arrays.find(host)->transient)
        d.lifetime = Lifetime::Scope;
    g.arrays.set(device, d);
    if (!g.isRoot()) {
        DataDesc *mine = g.arrays.find(host);
        mine->transient = true;
        mine->lifetime = Lifetime::Scope;
    }
    DataDesc *mine = g.arrays.find(host);
    mine->storage = mine->isScalar() ? Storage::Register : Storage::CPU_Heap;
    if (mine->isScalar())
        mine->lifetime = Lifetime::Scope; // temporarily a copy
    renameDataflow(g, host, device);
    return device;
}

namespace {

/// Code of control flow with one name replaced.
class ControlFlowRenaming {
public:
    ControlFlowRenaming(Name from, Name to) : names_{{from, py::name(to)}} {}

    void expression(Code &code) const {
        if (const py::ExprRef e = code.expression())
            if (Code renamed(*py::substitute(e, names_)); renamed.text() != py::print(*e))
                code = std::move(renamed);
    }
    void value(std::string &text) const {
        Code code(text);
        expression(code);
        text = code.text();
    }
    void statements(Code &code) const {
        if (const Code::Block *block = code.block())
            if (Code renamed(py::substitute(*block, names_)); renamed.text() != py::print(*block))
                code = std::move(renamed);
    }

private:
    std::map<Name, py::ExprRef> names_;
};

} // namespace

void renameInControlFlow(SDFG &g, Name from, Name to) {
    const ControlFlowRenaming rename(from, to);
    for (Region *r : allRegions(g)) {
        for (const auto &e : r->edges()) {
            rename.expression(e->condition);
            for (auto &[symbol, value] : e->assignments)
                rename.value(value);
        }
        for (const auto &b : r->blocks()) {
            if (auto *l = dyn_cast<LoopRegion>(b.get())) {
                if (l->condition)
                    rename.expression(*l->condition);
                for (auto *code : {&l->init, &l->update})
                    if (*code)
                        rename.statements(**code);
            }
            if (auto *c = dyn_cast<ConditionalBlock>(b.get()))
                for (auto &branch : c->branches())
                    if (branch.condition)
                        rename.expression(*branch.condition);
        }
    }
}

Name mirrorOnHost(SDFG &g, Name original) {
    const Name host = g.freshName("host_" + original.str());
    DataDesc d = *g.arrays.find(original);
    d.transient = true;
    d.storage = d.isScalar() ? Storage::Register : Storage::CPU_Heap;
    d.lifetime = Lifetime::Scope;
    g.arrays.set(host, std::move(d));
    renameInControlFlow(g, original, host);
    return host;
}

namespace {

void copyState(State &s, const std::vector<HostCopy> &copies) {
    for (const HostCopy &c : copies) {
        auto *from = s.add<AccessNode>(c.device), *to = s.add<AccessNode>(c.host);
        s.copyAll(from, to);
    }
}

std::vector<HostCopy> distinct(const std::vector<Name> &names, const HostCopies &copies) {
    std::vector<HostCopy> out;
    for (Name n : names)
        if (const auto found = copies.find(n); found != copies.end())
            for (const HostCopy &c : found->second)
                if (std::find(out.begin(), out.end(), c) == out.end())
                    out.push_back(c);
    std::sort(out.begin(), out.end(), [](const HostCopy &a, const HostCopy &b) { return a.host < b.host; });
    return out;
}

void copyBefore(Region &r, Block &b, const std::vector<HostCopy> &copies, SDFG &g) {
    if (!copies.empty())
        copyState(*r.addStateBefore(&b, g.freshLabel("copy_for_" + b.label)), copies);
}

/// Between a block and the edges that leave it.
void copyAfter(Region &r, Block &b, const std::vector<HostCopy> &copies, SDFG &g) {
    if (!copies.empty())
        copyState(*r.addStateAfter(&b, g.freshLabel("copy_after_" + b.label)), copies);
}

} // namespace

void refreshBeforeReads(SDFG &g, const Twins &twins) {
    HostCopies copies;
    for (const auto &[host, device] : twins)
        copies[host] = {{device, host}};
    refreshBeforeReads(g, copies);
}

void refreshBeforeReads(SDFG &g, const HostCopies &copies) {
    if (copies.empty())
        return;
    for (Region *r : allRegions(g)) {
        std::vector<Block *> blocks;
        for (const auto &b : r->blocks())
            blocks.push_back(b.get());
        for (Block *b : blocks) {
            std::vector<Name> after;
            for (InterstateEdge *e : b->outEdges())
                for (Name n : analysis::containersRead(*e, g))
                    after.push_back(n);
            copyAfter(*r, *b, distinct(after, copies), g);
            std::vector<Name> before;
            if (const auto *c = dyn_cast<ConditionalBlock>(b))
                before = analysis::containersRead(*c, g);
            if (const auto *l = dyn_cast<LoopRegion>(b))
                before = analysis::containersRead(*l, g);
            copyBefore(*r, *b, distinct(before, copies), g);
        }
        auto *l = dyn_cast<LoopRegion>(r);
        const std::vector<HostCopy> loop = l ? distinct(analysis::containersRead(*l, g), copies) : std::vector<HostCopy>();
        if (loop.empty())
            continue;
        // The condition is evaluated again after each iteration.
        std::vector<Block *> last;
        for (const auto &b : r->blocks())
            if (b->outEdges().empty() && b->kind() != BlockKind::Break)
                last.push_back(b.get());
        for (Block *b : last) {
            if (b->kind() == BlockKind::Continue)
                copyBefore(*r, *b, loop, g);
            else
                copyAfter(*r, *b, loop, g);
        }
    }
}

} // namespace sdfgc::transforms
