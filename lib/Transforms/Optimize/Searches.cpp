#include "Transforms/Optimize/Searches.h"

#include "Transforms/Optimize/UpdateFunctions.h"

#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/IR/Identifier.h"
#include "sdfgc/IR/StateGraph.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;

namespace {

void addCompared(const py::Expr &e, std::set<Name> &out) {
    if (e.kind == py::ExprKind::Compare)
        for (const py::ExprRef &side : e.args) {
            const py::Expr &value = side->kind == py::ExprKind::Subscript ? *side->args[0] : *side;
            if (value.kind == py::ExprKind::Name)
                out.insert(value.name);
        }
    else if (e.kind == py::ExprKind::BoolOp || (e.kind == py::ExprKind::Unary && e.op == py::Op::Not))
        for (const py::ExprRef &operand : e.args)
            addCompared(*operand, out);
}

/// Does a block of the region, or an edge between them, store it?
bool stores(const Region &r, Name n) {
    return std::any_of(r.edges().begin(), r.edges().end(),
                       [n](const auto &e) {
                           return std::any_of(e->assignments.begin(), e->assignments.end(),
                                              [n](const auto &a) { return a.first == n; });
                       }) ||
           std::any_of(r.blocks().begin(), r.blocks().end(), [n](const auto &b) {
               const auto *s = dyn_cast<State>(b.get());
               return s && std::any_of(s->nodes().begin(), s->nodes().end(), [n](const auto &node) {
                          const auto *a = dyn_cast<AccessNode>(node.get());
                          return a && a->data == n && !a->inEdges().empty();
                      });
           });
}

/// The names that the first condition compares, and a branch stores.
std::set<Name> comparedNames(const ConditionalBlock &c) {
    std::set<Name> out;
    if (!c.branches().empty() && c.branches().front().condition && c.branches().front().condition->isPython())
        addCompared(*c.branches().front().condition->expressionOrRaw(), out);
    std::erase_if(out, [&c](Name n) {
        return std::none_of(c.branches().begin(), c.branches().end(),
                            [n](const auto &branch) { return stores(*branch.region, n); });
    });
    return out;
}

} // namespace

std::vector<Search> Searches::find() const {
    std::vector<Search> out;
    const auto arms = armsThatLeave(loop_);
    if (!arms || !arms->empty()) {
        if (auto s = arms ? searchUntil(*arms) : std::nullopt)
            out.push_back(std::move(*s));
        return out;
    }
    std::set<Name> seen;
    for (Block *b : allBlocks(loop_)) {
        const auto *c = dyn_cast<ConditionalBlock>(b);
        for (const Name key : c ? comparedNames(*c) : std::set<Name>())
            if (std::optional<Search> s = seen.insert(key).second ? searchFor(key) : std::nullopt)
                out.push_back(std::move(*s));
    }
    addLast(out);
    return out;
}

/// Results that branches only store. Branches of other searches do not count: they run more often in parts.
void Searches::addLast(std::vector<Search> &out) const {
    std::set<Name> read; // containers
    for (const State *s : allStates(std::as_const(loop_)))
        for (const AccessNode *a : nodesOf<AccessNode>(*s))
            if (!a->outEdges().empty())
                read.insert(ownerOf(a->data));
    analysis::forEachControlRead(loop_, [&read](Name container, const Region &) { read.insert(ownerOf(container)); });
    std::set<Name> others;
    for (const Search &s : out)
        for (Region *arm : s.arms)
            for (const auto &[n, result] : storedBy(*arm))
                others.insert(n);
    std::map<Name, std::pair<std::vector<Region *>, std::vector<Stored>>> all; // branches that store the name
    for (Block *b : allBlocks(loop_))
        if (auto *c = dyn_cast<ConditionalBlock>(b))
            for (auto &branch : c->branches()) {
                Stored stored = storedBy(*branch.region);
                std::erase_if(stored, [&](const auto &r) { return read.count(r.first) || others.count(r.first); });
                for (const auto &[n, result] : stored) {
                    all[n].first.push_back(branch.region.get());
                    all[n].second.push_back({{n, result}});
                }
            }
    for (const auto &[n, places] : all) {
        const auto &[arms, stored] = places;
        if (!isStoredOnly(n, stored, [](const Block &) { return false; }))
            continue;
        const auto like = std::find_if(out.begin(), out.end(),
                                       [&arms](const Search &s) { return s.kind == Search::Kind::Last && s.arms == arms; });
        Search &s = like == out.end() ? out.emplace_back() : *like;
        s.kind = Search::Kind::Last;
        s.arms = arms;
        s.results.push_back(resultOf(n, stored));
    }
}

/// The branches of states that leave the loop at their end. Nothing if other code does.
std::optional<std::vector<Region *>> Searches::armsThatLeave(LoopRegion &l) {
    std::vector<Region *> out;
    for (Block *b : allBlocks(l)) {
        if (b->kind() == BlockKind::Return)
            return std::nullopt;
        if (b->kind() != BlockKind::Break || analysis::loopAround(b->parent()) != &l)
            continue;
        const std::vector<Block *> blocks = analysis::sequenceOf(*b->parent());
        const bool isEnd = b->parent()->conditional() && !blocks.empty() && blocks.back() == b &&
                           std::all_of(blocks.begin(), blocks.end() - 1, [](const Block *s) { return isa<State>(s); });
        if (!isEnd)
            return std::nullopt;
        out.push_back(b->parent());
    }
    return out;
}

std::optional<Search> Searches::searchUntil(const std::vector<Region *> &arms) const {
    Search out;
    out.kind = Search::Kind::First;
    out.arms = arms;
    std::vector<Stored> stored;
    for (Region *arm : arms)
        stored.push_back(storedBy(*arm));
    for (const auto &[n, result] : stored.front())
        if (isStoredOnly(n, stored, [](const Block &) { return false; }))
            out.results.push_back(resultOf(n, stored));
    return out;
}

std::optional<Search> Searches::searchFor(Name key) const {
    Search out;
    out.tests = testsOf(key, true);
    if (out.tests.empty())
        return std::nullopt;
    std::vector<Stored> stored;
    for (const Test &t : out.tests) {
        out.arms.push_back(t.block->branches()[t.arm].region.get());
        stored.push_back(storedBy(*out.arms.back()));
        const auto found = stored.back().find(key);
        if (found == stored.back().end() || t.isMaximum != out.isMaximum() || t.isStrict != out.isStrict() ||
            !storesValue(found->second, t))
            return std::nullopt;
    }
    const auto isTest = [&out](const Block &b) {
        return std::any_of(out.tests.begin(), out.tests.end(), [&b](const Test &t) { return t.block == &b; });
    };
    if (!isStoredOnly(key, stored, isTest))
        return std::nullopt;
    out.results.push_back(resultOf(key, stored));
    for (const auto &[n, result] : stored.front())
        if (n != key && isStoredOnly(n, stored, [](const Block &) { return false; }))
            out.results.push_back(resultOf(n, stored));
    return out;
}

/// Do all arms store it, and does, if it is a symbol, nothing but tests use it otherwise? Accesses of containers are known later, from
/// the body.
bool Searches::isStoredOnly(Name n, const std::vector<Stored> &arms, const std::function<bool(const Block &)> &isTest) const {
    if (!std::all_of(arms.begin(), arms.end(), [n](const Stored &arm) { return arm.count(n) != 0; }))
        return false;
    return g_.desc(n) || (assignmentsOf(n) == arms.size() && !readsSymbol(n, isTest, true));
}

SearchResult Searches::resultOf(Name n, const std::vector<Stored> &arms) {
    SearchResult out = arms.front().at(n);
    for (auto arm = arms.begin() + 1; arm != arms.end(); ++arm) {
        const SearchResult &more = arm->at(n);
        out.assignments.insert(out.assignments.end(), more.assignments.begin(), more.assignments.end());
        out.writes.insert(out.writes.end(), more.writes.begin(), more.writes.end());
    }
    return out;
}

/// What an arm of states, which may end with a jump, stores exactly once.
Searches::Stored Searches::storedBy(Region &arm) const {
    Stored out;
    const std::vector<Block *> blocks = analysis::sequenceOf(arm);
    if (!std::all_of(blocks.begin(), blocks.end(), [](const Block *b) { return isa<State>(b) || isa<BreakBlock>(b); }))
        return out;
    for (const auto &e : arm.edges())
        for (const auto &[name, text] : e->assignments)
            if (const Type *type = g_.symbols.find(name)) {
                SearchResult &r = out[name];
                r.name = name;
                r.isSymbol = true;
                r.type = *type;
                r.assignments.push_back(e.get());
            }
    for (State *s : allStates(arm)) {
        const ScopeTree scopes(*s);
        for (const AccessNode *a : nodesOf<AccessNode>(*s))
            for (Edge *e : a->inEdges()) {
                const DataDesc *d = g_.desc(a->data);
                if (e->memlet.isEmpty() || analysis::isViewing(*e) || !analysis::isPlain(d) || !analysis::isOnHost(d) ||
                    ownerOf(a->data) != a->data || !d->numElements().isOne())
                    continue;
                SearchResult &r = out[a->data];
                r.name = a->data;
                r.type = d->dtype;
                r.writes.push_back(e);
                const bool isStore = e->memlet.wcr.empty() && isa<Tasklet>(e->src) && !scopes.scopeOf(a) && a->outEdges().empty();
                if (!isStore)
                    r.writes.push_back(nullptr);
            }
    }
    std::erase_if(out, [](const auto &r) {
        const SearchResult &result = r.second;
        return result.assignments.size() + result.writes.size() != 1 || !isUpdatable(result.type);
    });
    return out;
}

/// Does the arm of a test store exactly the value that the test compared? Not if the arm changes what the value depends on.
bool Searches::storesValue(const SearchResult &key, const Test &t) const {
    if (!(typeOf(t.value, nullptr) == key.type) || key.type.isBool())
        return false;
    Region &arm = *t.block->branches()[t.arm].region;
    const std::set<Name> read = py::freeNames(*t.value);
    for (const auto &e : arm.edges())
        for (const auto &[name, text] : e->assignments)
            if (read.count(name) || (key.isSymbol && name == key.name && !isSameValue(py::parseExprOrRaw(text), t.value)))
                return false;
    for (const State *s : allStates(std::as_const(arm)))
        for (const AccessNode *a : nodesOf<AccessNode>(*s))
            if (read.count(ownerOf(a->data)) && !a->inEdges().empty())
                return false;
    if (key.isSymbol)
        return true;
    const Edge &write = *key.writes.front();
    const auto &from = *cast<Tasklet>(write.src);
    const py::ExprRef value = valueOf(from, write.srcConn);
    const Connector *made = from.outConnector(write.srcConn);
    if (!value || (made && made->type && !(made->type == key.type)))
        return false;
    return isSameValue(
        py::replace(value, [&](const py::ExprRef &e) { return e->kind == py::ExprKind::Name ? loadedBy(from, e->name) : nullptr; }),
        t.value);
}

std::size_t Searches::assignmentsOf(Name symbol) const {
    std::size_t count = loop_.variable == symbol;
    for (const Region *r : allRegions(std::as_const(loop_))) {
        if (const auto *l = dyn_cast<LoopRegion>(r); l && l != &loop_)
            count += l->variable == symbol;
        for (const auto &e : r->edges())
            count += static_cast<std::size_t>(
                std::count_if(e->assignments.begin(), e->assignments.end(), [symbol](const auto &a) { return a.first == symbol; }));
    }
    return count;
}

} // namespace sdfgc::transforms
