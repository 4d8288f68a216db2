#include "IndexTypes.h"

#include "CountingLoop.h"
#include "EachReference.h"

#include "sdfgc/Tree/Fields.h"
#include "sdfgc/Tree/SymbolicToPython.h"

#include <algorithm>
#include <charconv>

namespace sdfgc::transforms {

using namespace tree;

using py::ExprKind;
using py::ExprRef;
using sym::Magnitude;
using sym::SymbolRange;

namespace {

const Type wideType(ScalarKind::Int64);

/// Of a block, along one axis and in all.
constexpr int64_t mostThreads = 1024;
/// More terms would cost the host more than the kernel gains, and are hard to read.
constexpr std::size_t mostTerms = 48;
bool isReal(const py::Expr &e) { return e.type == Type(ScalarKind::Float64) || e.type == Type(ScalarKind::Float32); }

} // namespace

// ---------------------------------------------------------------------------------------------------- variables

std::optional<SymbolRange> IndexTypes::rangeOf(Name n) {
    inSizes_.insert(n);
    const auto found = known_.find(n);
    return found == known_.end() ? std::nullopt : std::optional(found->second.range);
}

bool IndexTypes::canBeIndex(VarId v) const {
    const Variable &x = f_.vars[v];
    return x.kind == VarKind::Value && x.type == wideType && referenced_.count(v) == 0 && inText_.count(x.name) == 0;
}

void IndexTypes::know(VarId v, const SymbolRange &range, bool isIndex) {
    known_[f_.vars[v].name] = {range, isIndex};
    if (isIndex)
        indices_.insert(v);
}

/// A variable that keeps its type. Integers of fewer bits have no range: what is computed from them and an index would have 32 bits.
void IndexTypes::knowWide(VarId v) {
    if (f_.vars[v].kind == VarKind::Value && f_.vars[v].type == wideType)
        know(v, {{}, true}, false);
    else
        known_.erase(f_.vars[v].name);
}

/// Parameters of other signed types are bounded, too, and need no conversion: no integer in the kernel is shorter.
void IndexTypes::parameters(const std::set<Name> *inSizes) {
    const Effects &all = table_.of(f_.body);
    for (const VarId p : f_.params) {
        const Variable &v = f_.vars[p];
        if (v.kind != VarKind::Value || !v.type.isSigned() || all.changes(v.name))
            continue;
        const bool isUsed = !inSizes || inSizes->count(v.name) != 0;
        if (v.type != wideType || (canBeIndex(p) && isUsed))
            know(p, {Magnitude::symbol(v.name)}, v.type == wideType);
        else
            knowWide(p);
    }
}

bool IndexTypes::isWorthwhile() const {
    return !indices_.empty() && magnitudes_.greatest().size() <= mostTerms &&
           magnitudes_.greatest().greatestCoefficient() <= static_cast<double>(mostNarrow);
}

void IndexTypes::rewrite() {
    for (auto &[place, e] : rewritten_)
        *place = std::move(e);
    for (auto &[place, s] : statements_)
        *place = std::move(s);
}

void IndexTypes::applyNarrow() {
    for (const VarId v : indices_)
        f_.vars[v].type = Type(ScalarKind::Int32);
    rewrite();
}

void IndexTypes::apply(Name index) {
    for (const VarId v : indices_)
        f_.vars[v].isIndex = true;
    rewrite();
    f_.kernel->index = index;
    f_.kernel->range = magnitudes_.greatest().expr();
    f_.kernel->stride = stride_;
}

// ---------------------------------------------------------------------------------------------------- statements

bool IndexTypes::analyse(const std::set<Name> *inSizes) {
    EachReference each([this](const RefId &r) { referenced_.insert(rootOf(f_, f_.refs[r].var)); });
    for (NodePtr &n : f_.body.body)
        rebindAll(*n, each);
    parameters(inSizes);
    block(f_.body);
    return !failed_;
}

void IndexTypes::block(Block &b) {
    const std::map<Name, Known> outside = known_;
    for (NodePtr &n : b.body)
        if (!failed_)
            statement(*n);
    known_ = outside;
}

void IndexTypes::statement(Node &n) {
    switch (n.kind) {
    case TreeKind::For:
        return loop(static_cast<For &>(n));
    case TreeKind::Declare:
        return declare(static_cast<Declare &>(n));
    case TreeKind::Update:
        update_ = &static_cast<const Update &>(n);
        reference(update_->target, update_->targetIndices);
        break;
    case TreeKind::RawTasklet:
        for (NodePtr &write : static_cast<RawTasklet &>(n).after)
            statement(*write);
        break;
    case TreeKind::Loop:
        if (countedLoop(static_cast<Loop &>(n)))
            return;
        if (const VarId v = static_cast<Loop &>(n).declares)
            knowWide(v);
        break;
    case TreeKind::Block:
    case TreeKind::Comment:
    case TreeKind::Code:
    case TreeKind::If:
    case TreeKind::Memcpy:
    case TreeKind::Fill:
    case TreeKind::SetPointer:
    case TreeKind::Call:
    case TreeKind::LibraryCall:
    case TreeKind::Break:
    case TreeKind::Continue:
    case TreeKind::Return:
    case TreeKind::Goto:
    case TreeKind::Label:
    case TreeKind::Barrier:
        break;
    default:
        failed_ = true;
        return;
    }
    rebind(n, *this);
    update_ = nullptr;
    forEachBlock(n, [this](Block &b) { block(b); });
}

/// Its variable is bounded by the first and the last value in the body, and one step more when it ends. In a loop that is spread,
/// this is at most the number of threads times the step, which the launch tests.
void IndexTypes::loop(For &f) {
    const std::optional<SymbolRange> begin = size(f.begin), end = size(f.end), after = size(f.end + sym::Expr(1)),
                                     step =
                                         f.step.isInteger() ? SymbolRange{Magnitude::constant(f.step.numerator())} : size(f.step);
    if (failed_)
        return;
    const std::map<Name, Known> outside = known_;
    const bool isBounded = !begin->wide && !end->wide && !step->wide && canBeIndex(f.var);
    if (isBounded && !table_.of(f.body).changes(f_.vars[f.var].name)) {
        const bool fromZero = f.begin.isInteger() && f.begin.numerator() >= 0 && !f.descending;
        const Magnitude inside = either(begin->magnitude, fromZero ? after->magnitude : end->magnitude);
        if (f.spread && !f.step.isInteger())
            failed_ = true;
        else if (f.spread)
            stride_ = std::max(stride_, std::abs(f.step.numerator()));
        magnitudes_.add(f.spread ? inside : inside + step->magnitude);
        know(f.var, {inside}, true);
    } else {
        knowWide(f.var);
    }
    block(f.body);
    known_ = outside;
}

/// A loop region `for (i = a; i < b; i = i + c)` with a variable that nothing else changes. Returns whether it is one.
bool IndexTypes::countedLoop(Loop &l) {
    const std::optional<CountingLoop> c = l.declares && canBeIndex(l.declares) ? countingLoopOf(l) : std::nullopt;
    if (!c || table_.of(l.body).changes(c->variable))
        return false;
    const std::optional<sym::Expr> first = arithmetic(*c->begin), end = arithmetic(*c->end), step = arithmetic(*c->step);
    if (!first || !end || !step)
        return false;
    const std::optional<SymbolRange> begin = size(*first), last = size(*end);
    if (failed_ || begin->wide || last->wide)
        return false;
    const std::map<Name, Known> outside = known_;
    const Magnitude inside = either(begin->magnitude, last->magnitude);
    magnitudes_.add(inside + Magnitude::constant(step->numerator()));
    know(l.declares, {inside}, true);
    block(l.body);
    known_ = outside;
    return true;
}

/// The range of a constant that is the number of a thread, or computed from indices.
std::optional<SymbolRange> IndexTypes::initialRange(const Variable &v, const ExprRef &init) {
    if (!init || !v.isConst)
        return std::nullopt;
    const py::Expr &e = init->kind == ExprKind::Cast && init->type == wideType && init->args.size() == 1 ? *init->args[0] : *init;
    if (e.kind == ExprKind::Name && (e.name == number::threadX || e.name == number::threadY || e.name == number::threadZ))
        return SymbolRange{Magnitude::constant(mostThreads)};
    const std::optional<sym::Expr> value = arithmetic(e);
    return value ? size(*value) : std::nullopt;
}

void IndexTypes::declare(Declare &d) {
    const Variable &v = f_.vars[d.var];
    const std::optional<SymbolRange> range = canBeIndex(d.var) ? initialRange(v, d.init) : std::nullopt;
    if (range && !range->wide) {
        if (d.init->kind == ExprKind::Cast)
            rewritten_.emplace_back(&d.init, d.init->args[0]);
        know(d.var, *range, true);
        return;
    }
    rebind(d, *this);
    if (!v.count.isZero())
        size(v.count);
    knowWide(d.var);
}

// ---------------------------------------------------------------------------------------------------- sizes and values

/// Bounds a size and its parts; fails if that is impossible.
std::optional<SymbolRange> IndexTypes::size(sym::Expr e) {
    const sym::Expr plain = sym::rewrite(e, [](sym::Expr part) {
        if (part.kind() != sym::SymbolicKind::Call || (part.name() != cDivision && part.name() != cRemainder))
            return part;
        return part.name() == cDivision ? sym::floorDiv(part.operands()[0], part.operands()[1])
                                        : sym::mod(part.operands()[0], part.operands()[1]);
    });
    const std::optional<SymbolRange> range = magnitudes_.add(plain);
    failed_ = failed_ || !range;
    return range;
}

/// Bounds the offset of a reference, and what data-dependent indices that are sizes add to it.
void IndexTypes::reference(RefId r, const std::vector<ExprRef> &args) {
    const MemRef &m = f_.refs[r];
    sym::Expr offset = m.offset;
    for (const sym::Expr stride : m.strides)
        size(stride);
    for (std::size_t i = 0; i < args.size(); ++i)
        if (const std::optional<sym::Expr> index = arithmetic(*args[i]))
            offset += *index * (i < m.strides.size() ? m.strides[i] : sym::Expr(1));
    size(m.offset);
    size(offset);
}

/// The value as a size, if it is a sum or product of variables in scope and constants.
std::optional<sym::Expr> IndexTypes::arithmetic(const py::Expr &e) {
    switch (e.kind) {
    case ExprKind::Int: {
        int64_t value = 0;
        const auto [end, error] = std::from_chars(e.text.data(), e.text.data() + e.text.size(), value);
        return error == std::errc() && end == e.text.data() + e.text.size() ? std::optional(sym::Expr(value)) : std::nullopt;
    }
    case ExprKind::Name:
        return known_.count(e.name) ? std::optional(sym::Expr::symbol(e.name)) : std::nullopt;
    case ExprKind::Unary: {
        const std::optional<sym::Expr> a = e.op == py::Op::Neg ? arithmetic(*e.args[0]) : std::nullopt;
        return a ? std::optional(-*a) : std::nullopt;
    }
    case ExprKind::Binary:
        return combined(e.args[0], e.args[1], [&](sym::Expr a, sym::Expr b) -> std::optional<sym::Expr> {
            switch (e.op) {
            case py::Op::Add:
                return a + b;
            case py::Op::Sub:
                return a - b;
            case py::Op::Mul:
                return a * b;
            case py::Op::FloorDiv:
            case py::Op::CDiv:
                return sym::floorDiv(a, b);
            case py::Op::Mod:
            case py::Op::CMod:
                return sym::mod(a, b);
            default:
                return std::nullopt;
            }
        });
    case ExprKind::Call:
        if (e.args.size() != 3 || !e.keywords.empty() || e.args[0]->kind != ExprKind::Name)
            return std::nullopt;
        return combined(e.args[1], e.args[2], [&](sym::Expr a, sym::Expr b) -> std::optional<sym::Expr> {
            const std::string_view name = e.args[0]->name.view();
            return name == "min"        ? std::optional(sym::min({a, b}))
                   : name == "max"      ? std::optional(sym::max({a, b}))
                   : name == "floordiv" ? std::optional(sym::floorDiv(a, b))
                   : name == "floormod" ? std::optional(sym::mod(a, b))
                                        : std::nullopt;
        });
    default:
        return std::nullopt;
    }
}

/// The text keeps terms that cancel out, so both operands are parts as well.
template <class F> std::optional<sym::Expr> IndexTypes::combined(const ExprRef &left, const ExprRef &right, F operation) {
    const std::optional<sym::Expr> a = arithmetic(*left), b = arithmetic(*right);
    const std::optional<sym::Expr> result = a && b ? operation(*a, *b) : std::nullopt;
    if (result) {
        size(*a);
        size(*b);
    }
    return result;
}

bool IndexTypes::isIndex(const py::Expr &e) const {
    const auto found = e.kind == ExprKind::Name ? known_.find(e.name) : known_.end();
    return found != known_.end() && found->second.isIndex;
}

/// An index of a reference: no conversion if it is bounded, or nothing is added to it; else the whole index has 64 bits.
ExprRef IndexTypes::widenedIndex(const ExprRef &e, const MemRef &m) {
    if (arithmetic(*e))
        return e;
    const ExprRef inside = widenedInside(e);
    const bool isAlone = m.offset.isZero() && m.strides.size() < 2 && (m.strides.empty() || m.strides.front().isOne());
    return isAlone || inside->type == wideType || inside->kind == ExprKind::Cast ? inside : py::castTo(wideType, inside);
}

/// What a value becomes, if it is not to be looked into (the function of py::replace): an index is converted, unless it is compared
/// with another one.
ExprRef IndexTypes::widened(const ExprRef &e) {
    switch (e->kind) {
    case ExprKind::Compare: {
        auto copy = std::make_shared<py::Expr>(*e);
        for (ExprRef &side : copy->args)
            if (const std::optional<sym::Expr> plain = arithmetic(*side))
                size(*plain);
            else if (side->type.isSigned() || isReal(*side))
                side = widenedInside(side);
            else
                return nullptr;
        return copy;
    }
    case ExprKind::Cast:
        return e->args.size() == 1 && isIndex(*e->args[0]) ? e : nullptr;
    case ExprKind::Binary: { // with a real number, of which it becomes one
        auto copy = std::make_shared<py::Expr>(*e);
        if (isIndex(*e->args[0]) && isReal(*e->args[1]))
            copy->args[1] = widenedInside(e->args[1]);
        else if (isIndex(*e->args[1]) && isReal(*e->args[0]))
            copy->args[0] = widenedInside(e->args[0]);
        else
            return nullptr;
        return copy;
    }
    case ExprKind::Name:
        return isIndex(*e) ? py::castTo(wideType, e) : nullptr;
    case ExprKind::MemRef: {
        reference(refOf(*e), e->args);
        auto copy = std::make_shared<py::Expr>(*e);
        for (ExprRef &a : copy->args)
            a = widenedIndex(a, f_.refs[refOf(*e)]);
        return copy;
    }
    default:
        return nullptr;
    }
}

} // namespace sdfgc::transforms
