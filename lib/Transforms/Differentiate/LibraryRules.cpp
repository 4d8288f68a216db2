#include "Transforms/Differentiate/LibraryRules.h"

#include "Transforms/Differentiate/Rules.h"
#include "Transforms/Differentiate/TangentRules.h"

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
    reverser.fail({diag::Id::GradientOfNode, node.className() + ": " + why, "expand the node before: `expand-library-nodes`"},
                  node);
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
#include "sdfgc/LibraryNodes/LibraryNodes.def"
};

/// Those of one kind have rules, and no others have.
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

void reverseLibraryNode(ItemReverser &r, const Step &s, const LibraryNode &n, Body &b, std::vector<nest::Item> &out) {
    Rule rule{r, s, n, b, out};
    for (const Use *u : rule.uses(true))
        if (u->kind == nest::UseKind::Update && r.isActive(*u)) {
            rule.refuse("its result is an update");
            return;
        }
    if (const NodeRules rules = rulesOf(n); rules.reverse)
        rules.reverse(rule);
    else
        rule.refuse("there is no rule for it");
}

} // namespace sdfgc::transforms::gradient
