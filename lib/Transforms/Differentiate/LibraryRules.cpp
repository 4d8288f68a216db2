#include "Transforms/Differentiate/LibraryRules.h"

#include "Transforms/Differentiate/Rules.h"
#include "Transforms/Differentiate/TangentRules.h"

#include "sdfgc/Nest/Build.h"

#include <algorithm>

namespace sdfgc::transforms::gradient {

using namespace ir;
using nest::Step;
using nest::Use;

bool RuleNode::isSet(std::string_view property, bool otherwise) const {
    const json::Value *v = node.properties.find(std::string(property));
    if (!v || v->isNull())
        return otherwise;
    const std::string value = v->text();
    return value == "True" || value == "true" || value == "1";
}

const Use *RuleNode::use(Name connector, bool written) const {
    for (const Use &u : step.uses)
        if (u.connector == connector && u.writes() == written)
            return &u;
    return nullptr;
}

std::vector<const Use *> RuleNode::uses(bool written) const {
    std::vector<const Use *> out;
    for (const Use &u : step.uses)
        if (u.writes() == written)
            out.push_back(&u);
    return out;
}

analysis::Combination RuleNode::how() const {
    return analysis::combinationOf(node, nest::operandsOf(step.uses)).value_or(analysis::Combination());
}

bool Rule::refuse(const std::string &why) {
    reverser.fail({diag::Id::GradientOfNode, node.className() + ": " + why, "expand the node first: `expand-library-nodes`"}, node);
    return false;
}

namespace {

/// In the order of the table.
constexpr NodeRules rows[] = {
#define SDFGC_LIBRARY_NODE_GRADIENT(Kind, Reverse, Tangent) {libnodes::Gradient::Kind, Reverse, Tangent},
#include "sdfgc/Analysis/LibraryNodes.def"
};

/// Nodes of one kind have rules, and no other nodes do.
constexpr bool areComplete() {
    for (const NodeRules &r : rows)
        if ((r.kind == libnodes::Gradient::Rule) != (r.reverse && r.tangent))
            return false;
    return true;
}
static_assert(areComplete());

} // namespace

NodeRules rulesOf(const LibraryNode &n) {
    const auto row = analysis::libraryRow(n);
    return row ? rows[*row] : NodeRules();
}

std::string obstacleOfMatrices(const LibraryNode &n, const Step &s) {
    const auto isOneOf = [rule = rulesOf(n).reverse](std::initializer_list<decltype(NodeRules::reverse)> rules) {
        return rule && std::find(rules.begin(), rules.end(), rule) != rules.end();
    };
    if (!isOneOf(
            {reverseCholesky, reverseInversion, reverseFactorisation, reverseSolution, reverseTriangle, reverseFactoredSolution}))
        return {};
    std::set<Name> matrices{"_a", "_ain", "_aout", "_xin", "_xout"};
    if (isOneOf({reverseCholesky}))
        matrices.insert("_b");
    for (const Use &u : s.uses)
        if (matrices.count(u.connector) && (!subsetOf(u) || subsetOf(u)->nonUnitDims().size() != 2))
            return "`" + u.data.str() + "` is not a matrix with several rows and columns";
    return {};
}

namespace {

/// Does the result certainly overwrite an operand, in a node with unspecified order? Addends, such as C in C = A B + C, are read
/// first.
bool overwritesOperand(const Rule &r) {
    const Name addend = r.how().addend;
    const auto isAddend = [addend](const Use &u, const Use &w) {
        return addend && u.connector == addend && u.data == w.data && subsetOf(u) == subsetOf(w);
    };
    for (const Use *w : r.uses(true))
        for (const Use *u : r.uses(false))
            if (u->memory == w->memory && u->data == w->data && subsetOf(*u) && subsetOf(*w) && !isAddend(*u, *w) &&
                sym::intersects(*subsetOf(*u), *subsetOf(*w)) == sym::Truth::True)
                return true;
    return false;
}

} // namespace

void reverseLibraryNode(ItemReverser &r, const Step &s, const LibraryNode &n, Body &b, std::vector<nest::Item> &out) {
    Rule rule{{s, n}, r, b, out};
    for (const Use *u : rule.uses(true))
        if (u->kind == nest::UseKind::Update && r.isActive(*u)) {
            rule.refuse("its result is an update");
            return;
        }
    const NodeRules rules = rulesOf(n);
    const bool ordered = rules.reverse != reverseProduct && rules.reverse != reverseTransposition &&
                         rules.reverse != reverseReduction && rules.reverse != reverseSparse;
    if (const std::string why = obstacleOfMatrices(n, s); !why.empty())
        rule.refuse(why);
    else if (!ordered && overwritesOperand(rule))
        rule.refuse("it overwrites its operand");
    else if (rules.reverse)
        rules.reverse(rule);
    else
        rule.refuse("there is no rule for it");
}

} // namespace sdfgc::transforms::gradient
