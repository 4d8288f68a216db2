#include "Transforms/Differentiate/UserRules.h"

#include "Transforms/Differentiate/Signatures.h"
#include "Transforms/Edits/Completion.h"

#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Serialize/Serialize.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {

namespace gradient {

using namespace ir;
using nest::Item;
using nest::Step;
using nest::Use;
using nest::UseKind;

std::string userRuleOf(const Node &n) {
    const json::Value *v = nullptr;
    if (const auto *t = dyn_cast<Tasklet>(&n))
        v = t->extra.find("gradient");
    else if (const auto *l = dyn_cast<LibraryNode>(&n))
        v = l->properties.find("gradient");
    return v && !v->isNull() ? v->text() : "";
}

namespace {

const std::string prefix = "gradient_";

/// A rule, and the node that calls it.
class Call {
public:
    Call(ItemReverser &r, const Step &s, const Node &n, Body &b, std::vector<Item> &out, pass::Context &context)
        : r_(r), s_(s), n_(n), b_(b), out_(out), context_(context), name_(userRuleOf(n)) {}

    void run() {
        if (!read() || !connect() || !mapSymbols())
            return;
        for (const Name data : containers())
            if (!argument(data))
                return;
        complete();
        auto node = std::make_shared<NestedSDFGNode>();
        node->label = name_ + "_of_" + n_.label;
        node->sdfg = std::move(rule_);
        node->sdfg->parentNode = node.get();
        node->debugInfo = n_.debugInfo;
        node->symbolMapping.assign(symbols_.begin(), symbols_.end());
        std::sort(node->symbolMapping.begin(), node->symbolMapping.end(),
                  [](const auto &a, const auto &b) { return a.first.str() < b.first.str(); });
        for (const Use &u : uses_) {
            const Type type = Type::pointer(r_.desc(u).dtype);
            u.writes() ? node->addOut(u.connector, type) : node->addIn(u.connector, type);
        }
        out_.push_back(Maker::step(std::move(node), std::move(uses_)));
        for (const Use &u : s_.uses) // it may refer to the same container as an operand
            if (u.writes() && r_.isActive(u))
                r_.clear(u, b_, out_);
        for (const Use &u : s_.uses)
            if (operands_.count(&u))
                add(u);
    }

private:
    bool fail(const std::string &why, const std::string &hint = "") {
        r_.fail({diag::Id::GradientOfNode, "`" + n_.label + "`: the rule `" + name_ + "` does not match: " + why, hint}, n_);
        return false;
    }

    /// The program's root SDFG has the rules, however deeply the node is nested.
    bool read() {
        SDFG *root = r_.maker().sdfg().root();
        const json::Value *rules = root->extra.find("gradient_rules");
        const json::Value *text = rules && rules->isObject() ? rules->get(name_) : nullptr;
        if (!text)
            return fail("there is no such rule", "`gradient_rules` of the SDFG `" + root->name.str() + "` has all of them");
        const std::size_t before = context_.diags.errorCount();
        const std::string file = "gradient rule " + name_;
        rule_ = serialize::readText(text->isString() ? text->text() : text->dump(), file, context_.diags);
        if (!rule_ || context_.diags.errorCount() != before)
            return fail("it cannot be read");
        if (!analysis::verify(*rule_, Level::Loaded, context_.diags, file))
            return fail("it is not a valid SDFG");
        for (const auto &pass : {createFillScopeConnectors(), createRaiseControlFlow()}) {
            pass::Program program{*rule_, nullptr};
            pass->run(program, context_);
        }
        return context_.diags.errorCount() == before || fail("its control flow or its scopes are invalid");
    }

    std::vector<Name> containers() const {
        std::vector<Name> out;
        for (const auto &[data, d] : rule_->arrays)
            if (!d.transient)
                out.push_back(data);
        return out;
    }

    /// Finds the counterpart of each container of the rule.
    bool connect() {
        for (const Use &u : s_.uses) {
            if (usesAt(s_, u.connector, u.writes()).size() != 1 || !usesAt(s_, u.connector, !u.writes()).empty())
                return fail(u.connector.empty() ? "the connectors of the node have no names"
                                                : "the connector `" + u.connector.str() + "` has several edges");
            const Name gradient(prefix + u.connector.str());
            const bool isActive = r_.isActive(u);
            const DataDesc *value = rule_->desc(u.connector), *ofGradient = rule_->desc(gradient);
            if (isActive && (!ofGradient || ofGradient->transient || ofGradient->isView()))
                return fail("it has no `" + gradient.str() + "`",
                            "add an argument of this name, as large as the gradient of `" + u.connector.str() + "`");
            if (value && !value->transient)
                meaning_[u.connector] = &u;
            if (ofGradient && !ofGradient->transient) {
                meaning_[gradient] = &u;
                if (isActive && !u.writes())
                    operands_[&u] = {};
            }
        }
        for (const Name data : containers())
            if (const auto at = meaning_.find(data); at == meaning_.end())
                return fail("the node has no connector `" + data.str() + "`",
                            "arguments have the names of connectors, or `gradient_` before them");
            else if (!fits(data, *at->second))
                return false;
        return true;
    }

    bool isGradient(Name data) const { return data.view().starts_with(prefix) && !usesNamed(data); }
    bool usesNamed(Name connector) const {
        return std::any_of(s_.uses.begin(), s_.uses.end(), [&](const Use &u) { return u.connector == connector; });
    }

    static std::vector<sym::Expr> withoutOnes(std::vector<sym::Expr> sizes) {
        std::erase_if(sizes, [](const sym::Expr &e) { return e.isOne(); });
        return sizes;
    }

    /// Do type and shape match? A symbol of the rule that is itself a size gets the operand's size.
    bool fits(Name data, const Use &u) {
        DataDesc &d = *rule_->desc(data);
        const auto subset = subsetOf(u);
        if (!analysis::isPlain(&d) || !subset)
            return fail("`" + data.str() + "` is not an array");
        if (d.dtype != r_.desc(u).dtype)
            return fail("`" + data.str() + "` is of type " + d.dtype.str() + ", not " + r_.desc(u).dtype.str());
        const std::vector<sym::Expr> own = withoutOnes(d.shape), given = withoutOnes(subset->sizes());
        if (own.size() != given.size())
            return fail("`" + data.str() + "` has " + std::to_string(own.size()) +
                        (own.size() == 1 ? " dimension" : " dimensions") + ", not " + std::to_string(given.size()));
        for (std::size_t k = 0; k < own.size(); ++k) {
            if (own[k].isSymbol() && !symbols_.count(*own[k].freeSymbols().begin()))
                symbols_.emplace(*own[k].freeSymbols().begin(), given[k]);
            const sym::Expr size = sym::substitute(own[k], symbols_);
            if (sym::isEqual(size, given[k]) == sym::Truth::False)
                return fail("`" + data.str() + "` has " + size.str() + " elements in a dimension, not " + given[k].str());
        }
        if (d.isScalar()) // passed by value, so nothing could be returned
            d.kind = DataKind::Array;
        return true;
    }

    /// Other symbols are those of the program.
    bool mapSymbols() {
        for (const auto &[symbol, type] : rule_->symbols)
            if (!symbols_.count(symbol) && !assignsSymbol(symbol)) {
                if (!r_.maker().sdfg().symbols.contains(symbol))
                    return fail("its symbol `" + symbol.str() + "` is neither a symbol of the program nor a size of an argument");
                symbols_.emplace(symbol, sym::Expr::symbol(symbol));
            }
        return true;
    }
    bool assignsSymbol(Name symbol) {
        for (const InterstateEdge *e : allInterstateEdges(*rule_))
            for (const auto &[name, value] : e->assignments)
                if (name == symbol)
                    return true;
        for (const Region *r : allRegions(*rule_))
            if (const auto *l = dyn_cast<LoopRegion>(r); l && l->variable == symbol)
                return true;
        return false;
    }

    /// A container that the rule reads is copied if its layout differs from the rule's; one that it writes is added afterwards.
    bool argument(Name data) {
        const Use &u = *meaning_.at(data);
        const DataDesc &d = *rule_->desc(data);
        const std::vector<sym::Expr> shape = withoutOnes(subsetOf(u)->sizes());
        if (isGradient(data) && !u.writes()) {
            const Name sum = r_.temporary(data.str() + "_part", r_.desc(u), shape, b_);
            if (const auto operand = operands_.find(&u); operand != operands_.end())
                operand->second = sum;
            uses_.push_back(r_.maker().whole(UseKind::Write, sum, data));
            return true;
        }
        const std::optional<Use> v = isGradient(data) ? std::optional(r_.gradient(u, UseKind::Read, data, b_))
                                     : u.writes()     ? r_.resultValue(u, data, b_)
                                                      : r_.value(u, data, b_);
        if (!v)
            return false;
        Use read = r_.maker().part(*v, UseKind::Read, *subsetOf(*v), data);
        if (!liesAlike(read, d)) {
            const Name copy = r_.temporary(data.str() + "_given", r_.desc(u), shape, b_);
            const Maker::Walk walk = r_.maker().walkOver(*read.subset);
            const Name in = r_.maker().connector("__in"), out = r_.maker().connector("__out");
            Item item =
                r_.maker().tasklet("give", out.str() + " = " + in.str(),
                                   {r_.maker().part(read, UseKind::Read, walk.elementOf(*read.subset), in),
                                    r_.maker().write(copy, walk.elementOf(r_.maker().sdfg().desc(copy)->fullSubset()), out)});
            out_.push_back(r_.maker().over(walk, "give_" + data.str(), std::move(item), b_.inScope()));
            read = r_.maker().whole(UseKind::Read, copy, data);
        }
        uses_.push_back(std::move(read));
        return true;
    }

    bool liesAlike(const Use &u, const DataDesc &d) const {
        const DataDesc &outer = r_.desc(u);
        if (u.subset->isOneElement())
            return true;
        if (!(*u.subset == outer.fullSubset()) || outer.rank() != d.rank())
            return false;
        for (std::size_t k = 0; k < d.rank(); ++k)
            if (sym::isEqual(sym::substitute(d.strides[k], symbols_), outer.strides[k]) != sym::Truth::True)
                return false;
        return true;
    }

    /// Adds schedules and types as in the surrounding program.
    void complete() {
        if (b_.inScope())
            for (SDFG *g : allSDFGs(*rule_))
                for (State *s : allStates(*g))
                    for (const auto &n : s->nodes())
                        if (auto *m = dyn_cast<MapEntry>(n.get()); m && m->schedule == Schedule::Default)
                            m->schedule = Schedule::Sequential;
        decideDefaults(*rule_, context_);
        inferTypes(*rule_, context_);
    }

    void add(const Use &operand) {
        Maker &m = r_.maker();
        const Use to = r_.gradient(operand, UseKind::Update, {}, b_);
        const Name from = operands_.at(&operand), in = m.connector("__in"), out = m.connector("__sum");
        const Maker::Walk walk = m.walkOver(*to.subset);
        Item item = m.tasklet("add", out.str() + " = " + in.str(),
                              {m.read(from, walk.elementOf(m.sdfg().desc(from)->fullSubset()), in),
                               m.part(to, UseKind::Update, walk.elementOf(*to.subset), out)});
        out_.push_back(m.over(walk, "add_" + to.data.str(), std::move(item), b_.inScope()));
    }

    ItemReverser &r_;
    const Step &s_;
    const Node &n_;
    Body &b_;
    std::vector<Item> &out_;
    pass::Context &context_;
    std::string name_;
    std::unique_ptr<SDFG> rule_;
    std::map<Name, const Use *> meaning_;  // by containers of the rule
    std::map<const Use *, Name> operands_; // those with gradients, and their containers in the rule
    std::map<Name, sym::Expr> symbols_;    // of the rule
    std::vector<Use> uses_;
};

} // namespace

void reverseByUserRule(ItemReverser &r, const Step &s, const Node &n, Body &b, std::vector<Item> &out, pass::Context &context) {
    Call(r, s, n, b, out, context).run();
}

} // namespace gradient
} // namespace sdfgc::transforms
