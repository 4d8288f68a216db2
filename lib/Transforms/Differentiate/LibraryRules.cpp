#include "Transforms/Differentiate/LibraryRules.h"

#include "Transforms/Differentiate/Rules.h"
#include "Transforms/Differentiate/TangentRules.h"

#include <algorithm>

namespace sdfgc::transforms::gradient {

using namespace ir;
using nest::Step;
using nest::Use;

bool isSet(const LibraryNode &n, std::string_view property, bool otherwise) {
    const json::Value *v = n.properties.find(std::string(property));
    if (!v || v->isNull())
        return otherwise;
    const std::string value = v->text();
    return value == "True" || value == "true" || value == "1";
}

const Use *Rule::use(Name connector, bool written) const {
    for (const Use &u : step.uses)
        if (u.connector == connector && u.writes() == written)
            return &u;
    return nullptr;
}

std::vector<const Use *> Rule::uses(bool written) const {
    std::vector<const Use *> out;
    for (const Use &u : step.uses)
        if (u.writes() == written)
            out.push_back(&u);
    return out;
}

std::string Rule::text(std::string_view property, std::string_view otherwise) const {
    const json::Value *v = node.properties.find(std::string(property));
    return v && !v->isNull() ? v->text() : std::string(otherwise);
}

bool Rule::isSet(std::string_view property, bool otherwise) const { return transforms::gradient::isSet(node, property, otherwise); }

bool Rule::refuse(const std::string &why) {
    reverser.fail({diag::Id::GradientOfNode, node.className() + ": " + why, "expand the node first: `expand-library-nodes`"}, node);
    return false;
}

namespace {

struct Row {
    std::string_view className, library;
    NodeRules rules;
};

constexpr Row rows[] = {
#define SDFGC_LIBRARY_NODE(Class, Library, Expander, Implementations, Summary)                                                     \
    {                                                                                                                              \
#Class, #Library,
#define SDFGC_LIBRARY_NODE_GRADIENT(Kind, Reverse, Tangent)                                                                        \
    { libnodes::Gradient::Kind, Reverse, Tangent }                                                                                 \
    }                                                                                                                              \
    ,
#include "sdfgc/Analysis/LibraryNodes.def"
};

/// Nodes of one kind have rules, and no other nodes do.
constexpr bool areComplete() {
    for (const Row &r : rows)
        if ((r.rules.kind == libnodes::Gradient::Rule) != (r.rules.reverse && r.rules.tangent))
            return false;
    return true;
}
static_assert(areComplete());

} // namespace

NodeRules rulesOf(const LibraryNode &n) {
    if (const libnodes::Definition *d = libnodes::find(n))
        for (const Row &r : rows)
            if (r.className == d->className && r.library == d->library)
                return r.rules;
    return {};
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
    const auto isAddend = [&r](const Use &u, const Use &w) {
        return (u.connector == Name("_cin") || u.connector == Name("_c") || u.connector == Name("_y")) && u.data == w.data &&
               subsetOf(u) == subsetOf(w) && r.node.className() != "Einsum";
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
    Rule rule{r, s, n, b, out};
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
