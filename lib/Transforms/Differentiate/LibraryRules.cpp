#include "Transforms/Differentiate/LibraryRules.h"

#include "Transforms/Differentiate/Rules.h"

#include "sdfgc/LibraryNodes/LibraryNodes.h"

namespace sdfgc::transforms::gradient {

using namespace ir;
using nest::Step;
using nest::Use;

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

bool Rule::flag(std::string_view property) const {
    const std::string value = text(property, "False");
    return value == "True" || value == "true" || value == "1";
}

bool Rule::refuse(const std::string &why) {
    reverser.fail({diag::Id::GradientOfNode, node.className() + ": " + why, "expand the node before: `expand-library-nodes`"},
                  node);
    return false;
}

namespace {

struct Row {
    std::string_view className;
    bool (*reverse)(Rule &);
};

constexpr Row rows[] = {
    {"MatMul", reverseProduct},
    {"BatchedMatMul", reverseProduct},
    {"Gemm", reverseProduct},
    {"Gemv", reverseProduct},
    {"Dot", reverseProduct},
    {"Einsum", reverseProduct},
    {"Reduce", reverseReduction},
    {"Transpose", reverseTransposition},
    {"TensorTranspose", reverseTransposition},
    {"Cholesky", reverseCholesky},
    {"Solve", reverseSolution},
    {"Inv", reverseInversion},
};

} // namespace

void reverseLibraryNode(ItemReverser &r, const Step &s, const LibraryNode &n, Body &b, std::vector<nest::Item> &out) {
    Rule rule{r, s, n, b, out};
    for (const Use *u : rule.uses(true))
        if (u->kind == nest::UseKind::Update && r.isActive(*u)) {
            rule.refuse("its result is an update");
            return;
        }
    for (const Row &row : rows)
        if (row.className == n.className()) {
            row.reverse(rule);
            return;
        }
    rule.refuse("there is no rule for it");
}

} // namespace sdfgc::transforms::gradient
