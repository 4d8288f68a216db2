// Loops that a team shares only where that pays, inside of sequential loops, are written twice.
//
//     for (t ...)                                              for (t ...)
//         #pragma omp parallel for if(N * N >= 3000)               if (N * N >= 3000) {
//         for (i ...)                                becomes           #pragma omp parallel for
//             ...                                                      for (i ...) ...
//                                                                  } else {
//                                                                      for (i ...) ...
//                                                                  }
//
// A parallel region whose condition does not hold runs on one thread, but it is entered all the same: its body is a function of its own,
// called through the runtime, which takes about a third of a microsecond. In front of a loop over time that is nothing; in a loop
// over rows, around a few elements, it is most of the time.
//
// Left alone: loops outside of sequential loops, long ones (option `statements`), those that reduce whole arrays, and conditions other than
// comparisons of integer polynomials.
#include "StatementCount.h"

#include "sdfgc/Symbolic/Factor.h"
#include "sdfgc/Tasklet/Types.h"
#include "sdfgc/Transforms/Passes.h"
#include "sdfgc/Tree/Fields.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace tree;

/// Has the expression only sums, products and small powers of integers and symbols?
bool isPolynomial(sym::Expr e) {
    switch (e.kind()) {
    case sym::Kind::Integer:
    case sym::Kind::Symbol:
        return true;
    case sym::Kind::Add:
    case sym::Kind::Mul:
        return std::all_of(e.operands().begin(), e.operands().end(), isPolynomial);
    case sym::Kind::Pow: {
        const auto exponent = e.operands()[1].asInt();
        return isPolynomial(e.operands()[0]) && exponent && *exponent >= 1 && *exponent <= 4;
    }
    default:
        return false;
    }
}

/// A polynomial with integer coefficients as code, a product where it is one.
std::optional<py::ExprRef> valueOf(sym::Expr e) {
    if (!isPolynomial(e))
        return std::nullopt;
    std::string text;
    for (const sym::Expr factor : sym::factors(e))
        text += (text.empty() ? "(" : " * (") + factor.str() + ")";
    const py::Parsed<py::ExprRef> parsed = py::parseExpr(text);
    if (!parsed.value)
        return std::nullopt;
    const py::Env integers{[](Name) { return std::optional<Type>(ScalarKind::Int64); }};
    return py::lowerOperators(py::inferTypes(*parsed.value, integers), py::Semantics::Symbolic);
}

std::optional<py::ExprRef> conditionOf(sym::Expr e) {
    static const std::map<sym::Kind, py::Op> operators{
        {sym::Kind::Ge, py::Op::Ge}, {sym::Kind::Gt, py::Op::Gt}, {sym::Kind::Le, py::Op::Le}, {sym::Kind::Lt, py::Op::Lt}};
    const auto op = operators.find(e.kind());
    if (op == operators.end())
        return std::nullopt;
    const auto left = valueOf(e.operands()[0]), right = valueOf(e.operands()[1]);
    return left && right ? std::optional(py::compare(op->second, *left, *right)) : std::nullopt;
}

/// The variables that a statement and those inside of it declare.
void addDeclared(Node &n, std::vector<VarId> &out) {
    visit(n, [&out](auto &node) {
        forEachField(node, [&out](const auto &each, auto &owner) {
            constexpr Role role = std::decay_t<decltype(each)>::role;
            if constexpr (role == Role::Declares || role == Role::Iterates)
                if (each.of(owner))
                    out.push_back(each.of(owner));
        });
    });
    forEachBlock(n, [&out](Block &b) {
        for (const NodePtr &inner : b.body)
            addDeclared(*inner, out);
    });
}

/// A copy that has variables of its own, of the same names.
NodePtr twin(const Node &n, Function &f) {
    NodePtr copy = clone(n);
    std::vector<VarId> declared;
    addDeclared(*copy, declared);
    for (const VarId v : declared)
        replaceVariable(f, *copy, v, f.vars.add(Variable(f.vars[v])));
    return copy;
}

class Versioning {
public:
    Versioning(Function &f, std::size_t limit) : f_(f), limit_(limit) {}

    /// Returns whether a loop was written twice.
    bool run() {
        block(f_.body, false);
        return changed_;
    }

private:
    void block(Block &b, bool inLoop) {
        for (NodePtr &n : b.body) {
            auto *loop = n->kind == Kind::For ? static_cast<For *>(n.get()) : nullptr;
            if (loop && loop->omp) {
                if (inLoop)
                    version(n);
                continue;
            }
            const bool inside = inLoop || n->kind == Kind::Loop || (loop && !loop->spread);
            if (n->kind != Kind::ParallelRegion && n->kind != Kind::Sections && n->kind != Kind::Consume)
                forEachBlock(*n, [&](Block &inner) { block(inner, inside); });
        }
    }

    void version(NodePtr &n) {
        auto &loop = static_cast<For &>(*n);
        const Omp &omp = *loop.omp;
        const std::optional<py::ExprRef> condition = conditionOf(omp.onlyIf);
        const bool sections =
            std::any_of(omp.reductions.begin(), omp.reductions.end(), [](const auto &r) { return !(r.count == sym::Expr(0)); });
        if (!condition || omp.inParallelRegion || sections || statements(loop.body) > limit_)
            return;
        auto choice = std::make_unique<If>();
        std::swap(choice->comment, loop.comment);
        choice->origin = loop.origin;
        NodePtr sequential = twin(loop, f_);
        if (omp.simd)
            static_cast<For &>(*sequential).simd = omp.reductions;
        static_cast<For &>(*sequential).omp.reset();
        loop.omp->onlyIf = sym::Expr::boolean(true);
        choice->branches.push_back({*condition, std::make_unique<Block>()});
        choice->branches.back().body->body.push_back(std::move(n));
        choice->branches.push_back({nullptr, std::make_unique<Block>()});
        choice->branches.back().body->body.push_back(std::move(sequential));
        n = std::move(choice);
        changed_ = true;
    }

    Function &f_;
    const std::size_t limit_;
    bool changed_ = false;
};

class VersionLoops : public pass::FunctionPass {
    bool run(Function &f, const Module &, pass::Context &) override {
        return Versioning(f, static_cast<std::size_t>(std::max<int64_t>(option<int64_t>("statements"), 0))).run();
    }
};

} // namespace

std::unique_ptr<pass::Pass> createVersionLoops() { return std::make_unique<VersionLoops>(); }

} // namespace sdfgc::transforms
