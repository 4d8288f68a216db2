// hold-elements: keep an element in a variable while the loops of a thread use it.
//
//     C[N * i + j] = 0;                               double C_value = 0;
//     for (k ...)                                     for (k ...)
//         C[N * i + j] += A[N * i + k] * B[k];   ->       C_value += A[N * i + k] * B[k];
//                                                     C[N * i + j] = C_value;
//
// In memory, each iteration would wait for the store of the one before, and the compiler of a kernel only avoids that if it can
// prove that every iteration stores: not with a condition around the update.
//
// On the host, GCC knows that an array is `restrict` only in the function itself, and not in the one that it makes of a parallel loop.
// A product of 3 x 3 matrices and 400,000 vectors, summed up in memory, took 3.3 times as long there.
//
// Consecutive assignments of a tasklet are statements of their own here. A statement that assigns the element, or updates it, starts
// the span in which the variable stands for it; the span ends with the last statement of the same block that mentions the array.
// Legal when:
//   - all statements of the span access the array at this element only, whose index does not change in the span;
//   - the array is a `restrict` parameter, so that no other name means the element;
//   - nothing in the span lets other threads see the element or leaves the span: it consists of assignments, updates that are not
//     atomic, declarations, branches, and loops of a single thread.
// The element is stored even if no iteration runs, because the first statement stored it before. The variable has the type of the
// array, so values are rounded as before: class F0.
//
// Profitable when a loop of the span uses the element, or several statements change it.
//
// Not handled: vectors, and elements at data-dependent indices.
#include "EachReference.h"
#include "FunctionNames.h"

#include "sdfgc/Transforms/Passes.h"
#include "sdfgc/Tree/Effects.h"
#include "sdfgc/Tree/Fields.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace tree;

using py::ExprKind;
using py::StmtKind;

constexpr int severalChanges = 2; // after the first statement

/// Consecutive statements of a block, of which the first assigns the element.
struct Span {
    std::size_t first = 0, last = 0;
    RefId element;
    const Node *loop = nullptr; // that uses the element, or a statement around it
    int changes = 0;            // statements after the first that change the element
    bool isUpdate = false;      // the first statement is an Update
};

class ElementHolder {
public:
    ElementHolder(const Module &m, Function &f, pass::Context &context) : module_(m), f_(f), context_(context) {
        table_.emplace(f);
    }

    /// Returns whether anything changed.
    bool run() {
        block(f_.body);
        return changed_;
    }

private:
    void block(Block &b) {
        for (std::size_t k = 0; k < b.body.size(); ++k) {
            splitAssignments(b, k);
            if (const std::optional<Span> span = spanFrom(b, k))
                hold(b, *span);
            forEachBlock(*b.body[k], [this](Block &inner) { block(inner); });
        }
    }

    void splitAssignments(Block &b, std::size_t at);
    std::optional<Span> spanFrom(Block &b, std::size_t first);
    RefId assignedBy(const Node &n) const;
    RefId updatedBy(const Node &n) const;
    bool canHold(const Variable &v) const;
    bool isHarmless(Node &n, bool inLoop) const;
    bool accessesOnly(Node &n, const MemRef &element);
    bool keeps(const Node &n, const MemRef &element);
    bool isUsedInLoop(Node &n, Name array);
    void hold(Block &b, const Span &span);
    VarId variableFor(const MemRef &element, bool isConst);

    const Module &module_;
    Function &f_;
    pass::Context &context_;
    std::optional<EffectTable> table_;
    std::optional<NameScopes> names_; // of the function, once one is needed
    bool changed_ = false;
};

/// Makes statements of the assignments of a tasklet, if a loop follows that may use what they assign.
void ElementHolder::splitAssignments(Block &b, std::size_t at) {
    auto *code = dyn_cast<Code>(b.body[at].get());
    const auto isLoop = [](const NodePtr &n) { return n->kind == TreeKind::For || n->kind == TreeKind::Loop; };
    if (!code || code->stmts.size() < 2 || code->braces || !code->locals.empty() ||
        std::any_of(code->stmts.begin(), code->stmts.end(), [](const py::StmtRef &s) { return s->kind != StmtKind::Assign; }) ||
        std::none_of(b.body.begin() + static_cast<std::ptrdiff_t>(at), b.body.end(), isLoop))
        return;
    std::vector<NodePtr> rest;
    for (std::size_t k = 1; k < code->stmts.size(); ++k) {
        auto one = std::make_unique<Code>();
        one->origin = code->origin;
        one->stmts = {code->stmts[k]};
        rest.push_back(std::move(one));
    }
    table_->forget(*code);
    code->stmts.resize(1);
    insert(b, at + 1, std::move(rest));
}

/// The element that a statement assigns, if it does nothing else.
RefId ElementHolder::assignedBy(const Node &n) const {
    const auto *code = n.kind == TreeKind::Code ? static_cast<const Code *>(&n) : nullptr;
    if (!code || code->stmts.size() != 1 || !code->locals.empty())
        return {};
    const py::Stmt &s = *code->stmts.front();
    if (s.kind != StmtKind::Assign || s.targets.size() != 1 || s.targets[0]->kind != ExprKind::MemRef ||
        !s.targets[0]->args.empty())
        return {};
    const RefId r = refOf(*s.targets[0]);
    const MemRef &m = f_.refs[r];
    return m.address || m.pop || !m.castTo.isVoid() || m.element ? RefId() : r;
}

/// The element that a statement updates, if it does nothing else.
RefId ElementHolder::updatedBy(const Node &n) const {
    const auto *update = n.kind == TreeKind::Update ? static_cast<const Update *>(&n) : nullptr;
    if (!update || update->atomic || update->byBlock || update->old || !update->targetIndices.empty())
        return {};
    const MemRef &m = f_.refs[update->target];
    return m.address || m.pop || !m.castTo.isVoid() || m.element ? RefId() : update->target;
}

bool ElementHolder::canHold(const Variable &v) const {
    return v.kind == VarKind::Pointer && v.isRestrict && !v.isConst && v.type.isScalar() &&
           std::any_of(f_.params.begin(), f_.params.end(), [&](VarId p) { return &f_.vars[p] == &v; });
}

/// Can other threads neither see what it does, nor can it leave the span? `inLoop`: of the span.
bool ElementHolder::isHarmless(Node &n, bool inLoop) const {
    switch (n.kind) {
    case TreeKind::Comment:
    case TreeKind::Code:
    case TreeKind::If:
    case TreeKind::Block:
        break;
    case TreeKind::Declare:
        if (static_cast<const Declare &>(n).target)
            return false;
        break;
    case TreeKind::Update:
        if (static_cast<const Update &>(n).atomic || static_cast<const Update &>(n).byBlock)
            return false;
        break;
    case TreeKind::Break:
    case TreeKind::Continue:
        return inLoop;
    case TreeKind::For:
        if (static_cast<const For &>(n).omp || static_cast<const For &>(n).spread)
            return false;
        inLoop = true;
        break;
    case TreeKind::Loop:
        inLoop = true;
        break;
    default:
        return false;
    }
    bool harmless = true;
    forEachBlock(n, [&](Block &b) {
        for (NodePtr &inner : b.body)
            harmless = harmless && isHarmless(*inner, inLoop);
    });
    return harmless;
}

/// Are all accesses of the array in a statement accesses of the element?
bool ElementHolder::accessesOnly(Node &n, const MemRef &element) {
    bool only = true;
    EachReference each([&](RefId &r) {
        const MemRef &m = f_.refs[r];
        if (m.var == element.var)
            only = only && m.offset == element.offset && m.strides.empty() && !m.address && !m.pop && m.castTo.isVoid();
    });
    rebindAll(n, each);
    return only;
}

/// Does the index of the element have the same value after a statement as before?
bool ElementHolder::keeps(const Node &n, const MemRef &element) {
    const Effects &effects = table_->of(n);
    const std::vector<Name> &symbols = element.offset.freeSymbols();
    return std::none_of(symbols.begin(), symbols.end(), [&](Name s) { return effects.changes(s) || effects.declared.count(s); });
}

bool ElementHolder::isUsedInLoop(Node &n, Name array) {
    if (n.kind == TreeKind::For || n.kind == TreeKind::Loop)
        return table_->of(n).has(array);
    bool found = false;
    forEachBlock(n, [&](Block &b) {
        for (NodePtr &inner : b.body)
            found = found || isUsedInLoop(*inner, array);
    });
    return found;
}

std::optional<Span> ElementHolder::spanFrom(Block &b, std::size_t first) {
    const RefId assigned = assignedBy(*b.body[first]), r = assigned ? assigned : updatedBy(*b.body[first]);
    if (!r || !canHold(f_.vars[f_.refs[r].var]))
        return std::nullopt;
    const MemRef element = f_.refs[r];
    const Name array = f_.vars[element.var].name;
    Span out{first, first, r, nullptr, 0, !assigned};
    for (std::size_t k = first + 1; k < b.body.size(); ++k)
        if (const Effects &effects = table_->of(*b.body[k]); effects.has(array)) {
            out.last = k;
            out.changes += effects.changes(array);
            if (!out.loop && isUsedInLoop(*b.body[k], array))
                out.loop = b.body[k].get();
        }
    if ((!out.loop && out.changes < severalChanges) || !keeps(*b.body[first], element) ||
        (out.isUpdate && !accessesOnly(*b.body[first], element)))
        return std::nullopt;
    for (std::size_t k = first + 1; k <= out.last; ++k)
        if (Node &n = *b.body[k]; !isHarmless(n, false) || !accessesOnly(n, element) || !keeps(n, element))
            return std::nullopt;
    return out;
}

VarId ElementHolder::variableFor(const MemRef &element, bool isConst) {
    const Variable &array = f_.vars[element.var];
    std::string wanted = array.name.str();
    if (wanted.rfind("gpu_", 0) == 0)
        wanted.erase(0, 4);
    if (!names_)
        names_.emplace(namesOf(module_, f_, table_->of(f_.body)));
    Variable v;
    v.type = array.type;
    v.name = names_->declare(Name(wanted + "_value"));
    v.isConst = isConst;
    return f_.vars.add(std::move(v));
}

void ElementHolder::hold(Block &b, const Span &span) {
    const MemRef element = f_.refs[span.element];
    const Name array = f_.vars[element.var].name;
    const Type type = f_.vars[element.var].type;
    context_.done(context_.loop(f_, span.loop ? *span.loop : *b.body[span.first]),
                  "has a variable for an element of `" + array.str() + "`");
    const VarId held = variableFor(element, span.changes == 0 && !span.isUpdate);
    EachReference replace([&](RefId &r) {
        if (f_.refs[r].var != element.var)
            return;
        MemRef here;
        here.var = held;
        r = f_.refs.add(std::move(here));
    });
    const std::size_t own = span.isUpdate ? 0 : 1; // an update reads the variable, too
    for (std::size_t k = span.first + own; k <= span.last; ++k)
        rebindAll(*b.body[k], replace);
    auto declaration = std::make_unique<Declare>(held);
    declaration->origin = b.body[span.first]->origin;
    auto store = std::make_unique<Code>();
    store->origin = declaration->origin;
    store->stmts.push_back(py::assign(memRef(span.element, type), py::name(f_.vars[held].name, type)));
    if (span.isUpdate) {
        declaration->init = memRef(span.element, type);
    } else {
        auto &assignment = static_cast<Code &>(*b.body[span.first]);
        declaration->init = assignment.stmts.front()->value;
        declaration->comment = std::move(assignment.comment);
    }
    const std::size_t last = span.changes > 0 ? span.last : span.first;
    b.body.insert(b.body.begin() + static_cast<std::ptrdiff_t>(last) + 1, std::move(store));
    if (span.isUpdate)
        b.body.insert(b.body.begin() + static_cast<std::ptrdiff_t>(span.first), std::move(declaration));
    else
        b.body[span.first] = std::move(declaration);
    table_.emplace(f_);
    changed_ = true;
}

class HoldElements : public pass::FunctionPass {
    bool run(Function &f, const Module &m, pass::Context &context) override {
        return (f.kernel || f.device || !context.options.gpu()) && ElementHolder(m, f, context).run();
    }
};

} // namespace

std::unique_ptr<pass::Pass> createHoldElements() { return std::make_unique<HoldElements>(); }

} // namespace sdfgc::transforms
