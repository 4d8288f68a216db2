#include "Structures.h"

#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/IR/StateGraph.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace sdfgc::random {
namespace {

using namespace ir;

constexpr std::size_t mostMembers = 5;

bool isAlias(const SDFG &g, const Node *n) {
    const auto *a = dyn_cast<AccessNode>(n);
    const DataDesc *d = a ? g.desc(a->data) : nullptr;
    return d && (d->alias != AliasKind::None || d->isStream());
}

/// Ordinary arrays and scalars that no view shows and no reference is set to: arguments, or transients. Transients private to
/// iterations of maps stay: iterations would share a member.
std::vector<Name> candidates(const SDFG &g, bool arguments) {
    std::vector<Name> out;
    const std::set<Name> shared = analysis::sharedContainers(g);
    for (const auto &[name, d] : g.arrays)
        if (d.transient != arguments && (arguments || shared.count(name)) && (d.isArray() || d.isScalar()) &&
            d.alias == AliasKind::None && d.lifetime == Lifetime::Scope && d.storage == Storage::Default && d.className.empty())
            out.push_back(name);
    for (const State *s : allStates(g))
        for (const AccessNode *a : nodesOf<AccessNode>(*s)) {
            const auto touches = [&](const Edge *e) { return isAlias(g, e->src) || isAlias(g, e->dst); };
            if (a->setZero || std::any_of(a->inEdges().begin(), a->inEdges().end(), touches) ||
                std::any_of(a->outEdges().begin(), a->outEdges().end(), touches))
                std::erase(out, a->data);
        }
    return out;
}

class Bundling {
public:
    /// `isPassed`: the structure is an argument.
    Bundling(SDFG &g, std::vector<Name> members, test::RandomNumbers &random, bool isPassed)
        : g_(g), random_(random), isPassed_(isPassed), structure_(g.freshName(isPassed ? "passed" : "str")),
          members_(std::move(members)) {}

    Name structure() const { return structure_; }

    void run() {
        for (const Name n : members_)
            styles_[n] = static_cast<Style>(random_.below(3));
        for (const State *s : allStates(std::as_const(g_)))
            for (const NestedSDFGNode *n : nodesOf<NestedSDFGNode>(*s))
                for (const Edge *e : n->inEdges())
                    if (n->outEdge(e->dstConn) && styles_.count(e->memlet.data)) // both ends must name the same container
                        styles_[e->memlet.data] = Style::Member;
        for (const Region *r : allRegions(g_))
            code(const_cast<Region &>(*r));
        for (State *s : allStates(g_))
            state(*s);
        DataDesc d;
        d.kind = DataKind::Structure;
        d.structName = Name(isPassed_ ? "Passed" : "Fields");
        d.transient = !isPassed_;
        d.shape = d.strides = {1};
        d.offset = {0};
        d.totalSize = 1;
        std::vector<std::pair<Name, Type>> fields;
        std::vector<std::pair<Name, std::string>> lengths;
        for (const Name n : members_) {
            auto member = std::make_unique<DataDesc>(*g_.desc(n));
            member->transient = false;
            fields.emplace_back(n, member->isArray() ? Type::pointer(member->dtype) : member->dtype);
            if (member->isArray())
                lengths.emplace_back(n, member->totalSize.str());
            d.members.emplace_back(n, std::move(member));
            g_.arrays.erase(n);
        }
        d.dtype = Type::pointer(Type::structure(d.structName, std::move(fields), std::move(lengths)));
        g_.arrays.set(structure_, std::move(d));
    }

private:
    bool isMember(Name n) const { return std::find(members_.begin(), members_.end(), n) != members_.end(); }
    Name path(Name member) const { return Name(structure_.str() + "." + member.str()); }

    // ---- control flow

    std::string renamed(const std::string &text) const {
        const auto isWord = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; };
        std::string out;
        for (std::size_t at = 0; at < text.size();) {
            std::size_t end = at;
            while (end < text.size() && isWord(text[end]))
                ++end;
            const std::string word = text.substr(at, std::max<std::size_t>(end - at, 1));
            out += isMember(Name(word)) ? path(Name(word)).str() : word;
            at += word.size();
        }
        return out;
    }
    void code(std::optional<Code> &c) const {
        if (c)
            c = Code(renamed(c->text()), c->language());
    }
    void code(Region &r) {
        for (const auto &e : r.edges()) {
            e->condition = renamed(e->condition.text());
            for (auto &[symbol, text] : e->assignments)
                text = renamed(text);
        }
        for (const auto &b : r.blocks())
            if (auto *c = dyn_cast<ConditionalBlock>(b.get()))
                for (auto &branch : c->branches())
                    code(branch.condition);
        if (auto *l = dyn_cast<LoopRegion>(&r))
            for (auto *part : {&l->init, &l->condition, &l->update})
                code(*part);
    }

    // ---- dataflow

    /// The access node of a member to which an edge belongs; null if there is none.
    static AccessNode *nodeOf(const Edge &e) {
        const std::vector<Edge *> path = memletPath(&e);
        auto *from = dyn_cast<AccessNode>(path.front()->src), *to = dyn_cast<AccessNode>(path.back()->dst);
        return from && from->data == e.memlet.data ? from : to && to->data == e.memlet.data ? to : nullptr;
    }

    void state(State &s) {
        std::map<const AccessNode *, std::vector<Edge *>> edges; // whose memlets name the container of the node
        for (const auto &e : s.edges())
            if (!e->memlet.isEmpty() && isMember(e->memlet.data))
                if (const AccessNode *a = nodeOf(*e))
                    edges[a].push_back(e.get());
        for (AccessNode *a : nodesOf<AccessNode>(s))
            if (isMember(a->data))
                rename(edges[a], access(s, *a, edges[a]));
    }

    static void rename(const std::vector<Edge *> &edges, Name data) {
        for (Edge *e : edges)
            e->memlet.data = data;
    }

    /// Rewrites an access node. Returns the new name of its data in memlets.
    Name access(State &s, AccessNode &a, const std::vector<Edge *> &edges) {
        const Name member = a.data;
        const auto moves = [](const Edge *e) { return !e->memlet.isEmpty(); };
        const bool isRead = std::any_of(a.outEdges().begin(), a.outEdges().end(), moves);
        const bool isWritten = std::any_of(a.inEdges().begin(), a.inEdges().end(), moves);
        const auto isNamed = [&](const Edge *e) {
            return e->memlet.isEmpty() || std::find(edges.begin(), edges.end(), e) != edges.end();
        };
        const auto isCopy = [](const Edge *e) {
            const std::vector<Edge *> path = memletPath(e);
            return isa<AccessNode>(path.front()->src) && isa<AccessNode>(path.back()->dst);
        };
        const bool isSimple = std::all_of(edges.begin(), edges.end(), [&](const Edge *e) { return !isCopy(e); }) &&
                              std::all_of(a.inEdges().begin(), a.inEdges().end(), isNamed) &&
                              std::all_of(a.outEdges().begin(), a.outEdges().end(), isNamed);
        if (isRead != isWritten && styles_.at(member) == Style::Views)
            return view(s, a, isRead);
        a.data = isSimple && styles_.at(member) != Style::Member ? structure_ : path(member);
        return path(member);
    }

    Name view(State &s, AccessNode &a, bool isRead) {
        const Name member = a.data;
        DataDesc d = *g_.desc(member);
        const sym::Subset all = d.fullSubset();
        d.alias = AliasKind::View;
        d.transient = true;
        a.data = g_.freshName(member.str() + "_view");
        g_.arrays.set(a.data, std::move(d));
        auto *base = s.add<AccessNode>(structure_);
        const Name connector("views");
        (isRead ? a.inConnectors : a.outConnectors).push_back({connector, Type()});
        if (isRead)
            s.connect(base, {}, &a, connector, Memlet::simple(path(member), all));
        else
            s.connect(&a, connector, base, {}, Memlet::simple(path(member), all));
        return a.data;
    }

    enum class Style { Structure, Member, Views }; // of access nodes
    SDFG &g_;
    test::RandomNumbers &random_;
    const bool isPassed_;
    std::map<Name, Style> styles_;
    const Name structure_;
    const std::vector<Name> members_;
};

std::vector<Name> someOf(std::vector<Name> members, test::RandomNumbers &random) {
    while (members.size() > mostMembers || (members.size() > 1 && random.oneIn(4)))
        members.erase(members.begin() + static_cast<std::ptrdiff_t>(random.below(members.size())));
    return members;
}

/// A state that copies arguments to the members of a structure, or back.
State *addCopies(SDFG &g, Name structure, const std::vector<Name> &members, bool isBack) {
    auto *s = g.add<State>();
    s->label = isBack ? "unpack" : "pack";
    for (const Name n : members) {
        const Name member(structure.str() + "." + n.str());
        auto *outside = s->add<AccessNode>(n), *inside = s->add<AccessNode>(member);
        Memlet m = Memlet::simple(isBack ? member : n, g.desc(n)->fullSubset());
        m.otherSubset = m.subset;
        s->connect(isBack ? inside : outside, {}, isBack ? outside : inside, {}, std::move(m));
    }
    return s;
}

} // namespace

bool bundle(SDFG &g, test::RandomNumbers &random) {
    std::vector<Name> members = someOf(candidates(g, false), random);
    if (members.empty())
        return false;
    Bundling(g, std::move(members), random, false).run();
    return true;
}

std::unique_ptr<SDFG> passStructure(std::unique_ptr<SDFG> g, test::RandomNumbers &random) {
    const std::vector<Name> members = someOf(candidates(*g, true), random);
    if (members.empty())
        return g;
    auto outer = std::make_unique<SDFG>(g->name);
    for (const auto &[name, d] : g->arrays)
        if (!d.transient)
            outer->arrays.set(name, d);
    Bundling bundling(*g, members, random, true);
    bundling.run();
    const Name structure = bundling.structure();
    DataDesc owned = *g->desc(structure);
    owned.transient = true;
    outer->arrays.set(structure, std::move(owned));
    State *first = addCopies(*outer, structure, members, false), *last = addCopies(*outer, structure, members, true);
    auto *call = outer->add<State>();
    call->label = "call";
    outer->connect(first, call);
    outer->connect(call, last);
    outer->setStart(first);
    auto *node = call->add<NestedSDFGNode>();
    node->label = "inner";
    for (const Name n : analysis::freeSymbols(*g)) {
        if (!g->symbols.contains(n))
            continue;
        outer->symbols.set(n, Type(ScalarKind::Int64));
        node->symbolMapping.emplace_back(n, sym::Expr::symbol(n));
    }
    for (const auto &[name, d] : g->arrays)
        if (!d.transient) {
            const Memlet all = Memlet::simple(name, d.fullSubset());
            call->connect(call->add<AccessNode>(name), {}, node, name, all);
            call->connect(node, name, call->add<AccessNode>(name), {}, all);
        }
    g->name = Name("inner");
    g->parentNode = node;
    node->sdfg = std::move(g);
    return outer;
}

} // namespace sdfgc::random
