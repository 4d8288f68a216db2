// The program itself knows which elements it accesses. A copy of its control flow finds the greatest index:
//
//     def f(A: float64[B, N], first, last, mask: int32[B])         B is no parameter: strides do not need it
//         for b = first; b <= last; b = b + 1 {                    extent = 0
//             if mask[b] > 0 {                                     for b = first; b <= last; b = b + 1 {
//                 map[i = 0:N] { A[b, i] = g(i) }         ->           if mask[b] > 0 {
//             }                                                            for i = 0; i < N; i = i + max(1, N - i) {
//         }                                                                    extent = max(extent, b + 1)
//                                                                          }
//                                                                      }
//                                                                  }
//
// The first `extent` rows of A, and no others, are then copied to the device. Callers may pass fewer rows than a bound that is
// computed from ranges alone would name, so conditions and empty ranges are respected.
//
// Maps become loops. A loop whose variable decides about nothing else than affine indices runs its first and its last iteration
// only. Each nested SDFG becomes one that returns its extent.
//
// Not handled: jumps; control flow that depends on what the program computes; indices that do, and memlets with dynamic
// volumes or all of the argument.
#include "Transforms/Offload/AccessedExtent.h"

#include "Transforms/Edits/HostReads.h"
#include "Transforms/Edits/Nodes.h"
#include "Transforms/Offload/ExtentAccesses.h"
#include "Transforms/Offload/ExtentLeaps.h"
#include "Transforms/Offload/HandleSizes.h"

#include "sdfgc/Analysis/Memory/Connectors.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"

#include <algorithm>
#include <map>
#include <set>

namespace sdfgc::transforms {

using namespace ir;

Name extentOutput() { return "accessed_extent"; }

namespace {

/// Has an SDFG access nodes for a container?
bool isUsedInDataflow(const SDFG &g, Name container) {
    for (const State *s : allStates(g))
        for (const AccessNode *a : nodesOf<AccessNode>(*s))
            if (a->data == container)
                return true;
    return false;
}

/// Blocks after each other, between two that exist.
class Sequence {
public:
    Sequence(Region &r, Block *last, const std::string &label) : region_(&r), last_(last), label_(label) {}

    Region &region() const { return *region_; }
    template <class T> T &add(std::vector<std::pair<Name, std::string>> assignments = {}) {
        T *b = region_->add<T>();
        b->label = region_->sdfg()->freshLabel(label_);
        if (last_)
            region_->connect(last_, b, Code{"1"}, std::move(assignments));
        else
            region_->setStart(b);
        last_ = b;
        return *b;
    }
    Block *last() const { return last_; }

private:
    Region *region_;
    Block *last_;
    std::string label_;
};

/// Turns an SDFG into one that finds an extent.
class ExtentCode {
public:
    /// `members`: containers of the root that stand for what the caller passes.
    ExtentCode(SDFG &g, Name array, std::size_t dimension, std::set<Name> members)
        : g_(g), array_(array), dimension_(dimension), members_(std::move(members)) {}

    /// Returns why it cannot; empty if it did. `plain` receives the extents if there is nothing else to know about them.
    std::string build(std::vector<sym::Expr> *plain = nullptr) {
        found_ =
            findAccesses(g_, array_, dimension_, members_, [this](SDFG &nested, Name argument, std::vector<sym::Expr> &extents) {
                return ExtentCode(nested, argument, dimension_, {}).build(&extents);
            });
        if (!found_.obstacle.empty())
            return found_.obstacle;
        if (plain)
            *plain = plainExtents();
        extent_ = g_.freshName("extent");
        g_.symbols.set(extent_, Type(ScalarKind::Int64));
        reduce(g_);
        for (LoopRegion *l : loops_)
            leap(*l, extent_, sites_);
        addResult();
        forgetOthers();
        return "";
    }

private:
    // ------------------------------------------------------------------------------------------------ the copy

    /// The extents, if they only depend on symbols that callers pass.
    std::vector<sym::Expr> plainExtents() const {
        std::vector<sym::Expr> out;
        for (const Block *b : allBlocks(g_)) {
            if (!found_.kept.count(b))
                continue;
            const auto *s = dyn_cast<State>(b);
            if (!s || b->parent() != &g_)
                return {};
            if (!found_.tasklets.empty())
                return {};
            for (const ExtentAccess &a : found_.of.at(s)) {
                if (a.nested || !a.around.empty())
                    return {};
                out.push_back(a.extent);
            }
        }
        for (const auto &e : g_.edges())
            for (const auto &[symbol, text] : e->assignments)
                if (found_.needed.count(symbol))
                    return {};
        return found_.read.empty() && found_.ofEdges.empty() ? out : std::vector<sym::Expr>();
    }

    void reduce(Region &r) {
        for (const auto &e : r.edges()) {
            std::erase_if(e->assignments, [&](const auto &a) { return !found_.needed.count(a.first); });
            if (const auto read = found_.ofEdges.find(e.get()); read != found_.ofEdges.end())
                raise(*e, read->second);
        }
        std::vector<Block *> blocks;
        for (const auto &b : r.blocks())
            blocks.push_back(b.get());
        for (Block *b : blocks)
            if (auto *s = dyn_cast<State>(b))
                reduce(*s);
            else if (!found_.kept.count(b))
                replaceByState(*b, b->label);
            else if (auto *c = dyn_cast<ConditionalBlock>(b))
                for (auto &branch : c->branches())
                    reduce(*branch.region);
            else
                reduce(*cast<Region>(b));
        if (auto *l = dyn_cast<LoopRegion>(&r))
            loops_.push_back(l);
    }

    void reduce(State &s) {
        std::vector<ExtentAccess> accesses = std::move(found_.of[&s]);
        Region &r = *s.parent();
        if (!accesses.empty()) {
            State *after = r.addStateAfter(&s, g_.freshLabel(s.label + "_end"));
            InterstateEdge *direct = s.outEdges().front();
            Sequence sequence(r, &s, s.label);
            std::set<std::string> done;
            for (const ExtentAccess &a : accesses)
                if (done.insert(textOf(a)).second)
                    addAccess(a, sequence);
            r.removeEdge(direct);
            r.connect(sequence.last(), after);
        }
        removeDataflow(s);
    }

    /// Removes all but the tasklets that compute what is needed.
    void removeDataflow(State &s) {
        std::set<const Node *> stay;
        for (const auto &n : s.nodes())
            if (const auto *t = dyn_cast<Tasklet>(n.get()); t && found_.tasklets.count(t)) {
                stay.insert(t);
                for (const Edge *e : t->inEdges())
                    stay.insert(e->src);
                for (const Edge *e : t->outEdges())
                    stay.insert(e->dst);
            }
        std::vector<Node *> nodes;
        for (const auto &n : s.nodes())
            if (!stay.count(n.get()))
                nodes.push_back(n.get());
        s.removeNodes(nodes);
    }

    static std::string textOf(const ExtentAccess &a) {
        std::string text;
        for (const MapEntry *m : a.around)
            text += std::to_string(m->id()) + " ";
        return text + (a.nested ? "in " + std::to_string(a.nested->id()) : a.extent.str());
    }

    /// Adds loops over the parameters of the maps around an access, and its extent.
    void addAccess(const ExtentAccess &a, Sequence &to) {
        Sequence at = to;
        bool isOutermost = true;
        for (const MapEntry *m : a.around) {
            std::vector<std::pair<Name, std::string>> values;
            for (const Edge *e : m->inEdges())
                if (analysis::isDynamicRange(e->dstConn) && !g_.desc(e->dstConn)) { // otherwise the container of this name is read
                    values.emplace_back(e->dstConn, elementOf(*e, g_));
                    g_.symbols.set(e->dstConn, g_.desc(e->memlet.data)->dtype);
                }
            if (!values.empty())
                at.add<State>();
            for (std::size_t d = 0; d < m->params.size(); ++d) {
                LoopRegion &l = at.add<LoopRegion>(std::move(values));
                values.clear();
                fillLoop(l, m->params[d], m->ranges[d]);
                if (isOutermost)
                    to = at;
                isOutermost = false;
                at = Sequence(l, nullptr, l.label);
                at.add<State>();
            }
        }
        addExtent(a, at);
        if (isOutermost)
            to = at;
        for (Region *r = &at.region(); r != &to.region(); r = r->parent())
            loops_.push_back(cast<LoopRegion>(r));
    }

    void fillLoop(LoopRegion &l, Name parameter, const sym::Range &range) {
        const std::string p = parameter.str();
        g_.symbols.set(parameter, Type(ScalarKind::Int64));
        l.variable = parameter;
        l.init = Code{p + " = " + range.begin.str()};
        l.condition = Code{p + " <= " + range.end.str()};
        l.update = Code{p + " = " + p + " + " + range.step.str()};
    }

    void addExtent(const ExtentAccess &a, Sequence &at) {
        sym::Expr extent = a.extent;
        if (a.nested) {
            State &s = at.add<State>();
            const Name found = g_.addTransient("found", scalar());
            extent = sym::Expr::symbol(found);
            callNested(s, *a.nested, found);
        }
        at.add<State>();
        raise(*at.last()->inEdges().front(), {extent});
    }

    /// Lets an edge raise the extent.
    void raise(InterstateEdge &e, const std::vector<sym::Expr> &extents) {
        std::string all = extent_.str();
        for (const sym::Expr x : extents)
            all += ", " + x.str();
        e.assignments.emplace_back(extent_, "max(" + all + ")");
        sites_[&e] = extents;
    }

    static DataDesc scalar() {
        DataDesc d = DataDesc::scalar(Type(ScalarKind::Int64));
        d.transient = true;
        d.storage = Storage::Register;
        return d;
    }

    static void callNested(State &s, const NestedSDFGNode &original, Name found) {
        auto *n = s.add<NestedSDFGNode>();
        n->label = original.label;
        n->debugInfo = original.debugInfo;
        n->sdfg = clone(*original.sdfg);
        n->sdfg->parentNode = n;
        for (const Name symbol : analysis::requiredSymbols(*n->sdfg))
            if (const sym::Expr *value = original.mapped(symbol))
                n->symbolMapping.emplace_back(symbol, *value);
        for (const auto &[name, d] : n->sdfg->arrays)
            if (name != extentOutput() && !d.transient) {
                const Edge *e = original.inEdge(name);
                n->addIn(name, analysis::containerType(d));
                s.connect(s.add<AccessNode>(e->memlet.data), {}, n, name, e->memlet);
            }
        n->addOut(extentOutput(), Type(ScalarKind::Int64));
        s.connect(n, extentOutput(), s.add<AccessNode>(found), {}, Memlet::simple(found, s.sdfg()->desc(found)->fullSubset()));
    }

    // ------------------------------------------------------------------------------------------------ ends

    /// Starts with an extent of 0, and stores the result at the end.
    void addResult() {
        g_.arrays.set(extentOutput(), scalar());
        g_.arrays.find(extentOutput())->transient = false;
        Block *start = g_.start();
        auto *zero = g_.add<State>();
        zero->label = g_.freshLabel("extent_start");
        std::vector<Block *> last;
        for (const auto &b : g_.blocks())
            if (b->outEdges().empty() && b.get() != zero)
                last.push_back(b.get());
        g_.connect(zero, start, Code{"1"}, {{extent_, "0"}});
        g_.setStart(zero);
        auto *end = g_.add<State>();
        end->label = g_.freshLabel("extent_end");
        for (Block *b : last)
            g_.connect(b, end);
        Tasklet *t = end->addTasklet("extent", Code{"out = " + extent_.str()});
        t->addOut("out", Type(ScalarKind::Int64));
        end->connect(t, "out", end->add<AccessNode>(extentOutput()), {},
                     Memlet::simple(extentOutput(), g_.desc(extentOutput())->fullSubset()));
    }

    /// Removes containers and symbols that the code does not use.
    void forgetOthers() {
        std::vector<Name> containers, symbols;
        for (const auto &[name, d] : g_.arrays)
            if (name != extentOutput() && !found_.read.count(name) && !(d.transient && d.isScalar() && isUsedInDataflow(g_, name)))
                containers.push_back(name);
        for (const Name n : containers)
            g_.arrays.erase(n);
        std::set<Name> used = analysis::freeSymbols(g_);
        for (const Region *r : allRegions(g_)) {
            for (const auto &e : r->edges())
                for (const auto &[symbol, text] : e->assignments)
                    used.insert(symbol);
            if (const auto *l = dyn_cast<LoopRegion>(r))
                used.insert(l->variable);
        }
        for (const auto &[name, d] : g_.arrays)
            used.merge(d.freeSymbols());
        for (const auto &[name, type] : g_.symbols)
            if (!used.count(name))
                symbols.push_back(name);
        for (const Name n : symbols)
            g_.symbols.erase(n);
        g_.argNames.clear();
        g_.passedSymbols.clear();
        g_.handleSizes.clear();
        g_.globalCode.clear();
        g_.initCode.clear();
        g_.exitCode.clear();
    }

    SDFG &g_;
    const Name array_;
    const std::size_t dimension_;
    const std::set<Name> members_;
    Name extent_;
    ExtentAccesses found_;
    ExtentSites sites_;
    std::vector<LoopRegion *> loops_; // inner ones first
};

/// Does dataflow write the container, or a member of it?
bool isWritten(const SDFG &root, Name container, const FlatMembers &members) {
    return writtenInDataflow(root, container) || std::any_of(members.moved.begin(), members.moved.end(), [&](const MovedMember &m) {
               return m.member.view().starts_with(container.str() + ".") && writtenInDataflow(root, m.container);
           });
}

} // namespace

AccessedExtent accessedExtent(const SDFG &root, Name argument, const std::set<Name> &known, const FlatMembers &members) {
    AccessedExtent out;
    const DataDesc &d = *root.desc(argument);
    const auto isKnown = [&](sym::Expr e) {
        const std::vector<Name> &names = e.freeSymbols();
        return !e.isUndefined() && std::all_of(names.begin(), names.end(), [&](Name n) { return known.count(n) != 0; });
    };
    std::vector<std::size_t> unknown;
    for (std::size_t k = 0; k < d.shape.size(); ++k)
        if (!isKnown(d.shape[k]))
            unknown.push_back(k);
    const bool isPlain = std::all_of(d.offset.begin(), d.offset.end(), [](sym::Expr e) { return e.isZero(); });
    if (!isPlain || unknown.size() != 1 || !std::all_of(d.strides.begin(), d.strides.end(), isKnown)) {
        out.obstacle = "its layout depends on it";
        return out;
    }
    out.dimension = unknown.front();
    if (d.totalSize != d.strides[out.dimension] * d.shape[out.dimension]) {
        out.obstacle = "its layout depends on it";
        return out;
    }
    if (writtenInDataflow(root, argument) && analysis::containersReadByControlFlow(root).count(argument)) {
        out.obstacle = "control flow reads what the program writes to it";
        return out;
    }
    std::set<Name> containers;
    for (const MovedMember &m : members.moved)
        containers.insert(m.container);
    out.code = clone(root);
    out.code->renumber();
    out.obstacle = ExtentCode(*out.code, argument, out.dimension, std::move(containers)).build();
    for (const Name n : analysis::freeSymbols(*out.code))
        if (!known.count(n) && out.obstacle.empty())
            out.obstacle = "its accesses mention `" + n.str() + "`";
    for (const auto &[name, inner] : out.code->arrays)
        if (name != extentOutput() && !inner.transient && isWritten(root, name, members) && out.obstacle.empty())
            out.obstacle = "it depends on `" + name.str() + "`, which the program writes";
    return out;
}

void addExtentCode(State &s, AccessedExtent extent, Name result, const std::function<Name(Name)> &hostName) {
    SDFG &g = *s.sdfg();
    auto *n = s.add<NestedSDFGNode>();
    n->label = g.freshLabel("extent_of_" + result.str());
    n->sdfg = std::move(extent.code);
    n->sdfg->parentNode = n;
    n->sdfg->name = n->label;
    for (const Name symbol : analysis::requiredSymbols(*n->sdfg))
        n->symbolMapping.emplace_back(symbol, sym::Expr::symbol(symbol));
    for (const auto &[name, d] : n->sdfg->arrays)
        if (name != extentOutput() && !d.transient) {
            const Name outside = hostName(name);
            n->addIn(name, analysis::containerType(d));
            s.connect(s.add<AccessNode>(outside), {}, n, name, Memlet::simple(outside, g.desc(outside)->fullSubset()));
        }
    n->addOut(extentOutput(), Type(ScalarKind::Int64));
    s.connect(n, extentOutput(), s.add<AccessNode>(result), {}, Memlet::simple(result, g.desc(result)->fullSubset()));
}

UnknownSizes unknownSizes(const SDFG &root, const std::set<Name> &parameters, const FlatMembers &members, bool find,
                          pass::Arguments where) {
    UnknownSizes out;
    std::set<Name> settled; // they need no size
    std::string because;
    const std::set<Name> read = analysis::containersReadByControlFlow(root);
    for (const Name argument : arraysOfUnknownSize(root, parameters)) {
        const bool isMember =
            std::any_of(members.moved.begin(), members.moved.end(), [&](const MovedMember &m) { return m.container == argument; });
        const bool isResident = where == pass::Arguments::Device && !isMember;
        if (!isUsedInDataflow(root, argument) || (isResident && !read.count(argument))) {
            settled.insert(argument);
            continue;
        }
        if (find && where != pass::Arguments::Host) {
            because = ", nor can the program find it, because what it would read for that may be in device memory";
            continue;
        }
        if (!find)
            continue;
        AccessedExtent extent = accessedExtent(root, argument, parameters, members);
        if (extent.obstacle.empty()) {
            settled.insert(argument);
            out.extents.emplace(argument, std::move(extent));
        } else if (because.empty()) {
            because = ", nor can the program find it: " + extent.obstacle;
        }
    }
    if (const std::string missing = neededForCopies(root, parameters, settled); !missing.empty())
        out.obstacle = missing + because;
    return out;
}

} // namespace sdfgc::transforms
