// Loops, branches and jumps.
#include "Translator.h"

#include "../Values.h"

namespace sdfgc::interpret {

using namespace tree;

namespace {

const Instruction *enterMapNow(const Instruction *i, Machine &m) {
    m.order.enterMap();
    return i + 1;
}
const Instruction *iterationNow(const Instruction *i, Machine &m) {
    m.order.iteration();
    m.order.task();
    return i + 1;
}
const Instruction *leaveNow(const Instruction *i, Machine &m) {
    m.order.leave();
    return i + 1;
}
/// The test of a loop is that of the generated code: `i < end + 1`, or `i >= end` if it counts down. The last value n - 1 could
/// overflow.
sym::Expr bound(const For &f) { return f.descending ? f.end : f.end + 1; }
py::Op relation(const For &f) { return f.descending ? py::Op::Ge : py::Op::Lt; }

/// Ends the code, at any point, when the time limit is reached.
const Instruction *goOnNow(const Instruction *i, Machine &m) { return m.goesOn() ? i + 1 : nullptr; }

const Instruction *checkStepNow(const Instruction *i, Machine &m) {
    if (as<int64_t>(i->a) > 0)
        return i + 1;
    m.report(FaultKind::ZeroStep, static_cast<const Site *>(i->extra), "the step of a map is " + std::to_string(as<int64_t>(i->a)));
    return nullptr;
}

} // namespace

// ---------------------------------------------------------------------------------------------------- loops of maps

void Translator::translate(const For &f) {
    const bool parallel = f.omp && collapsed_ == 0;
    const int inner = f.omp ? f.omp->collapse - 1 : std::max(collapsed_ - 1, 0);
    const bool counts = (f.omp || collapsed_ > 0) && inner == 0; // its iterations belong to the parallel loop
    collapsed_ = 0;
    const Variable &v = variable(f.var);
    Location counter;
    counter.type = v.type;
    counter.value = b().reserve(v.type);
    if (f.spread)
        return spreadLoop(f, counter);
    if (f.checkStep) {
        const Operand step = b().convert(b().symbolic(f.step), ScalarKind::Int64);
        b().emit({checkStepNow, nullptr, step.at, nullptr, 1, b().site()});
    }
    const std::vector<Reducing> reductions = beginReductions(f.omp ? f.omp->reductions : f.accumulators);
    if (parallel)
        b().emit({enterMapNow});
    const bool shares = parallel && f.omp->inParallelRegion; // every thread of the region runs some iterations
    const Operand number = b().reserve(ScalarKind::Int64), one = b().constant(ScalarKind::Int64, int64_t(1));
    if (shares)
        b().copy(number, b().constant(ScalarKind::Int64, int64_t(0)));
    iterate(
        f, counter, b().symbolic(f.begin), [&] { return b().symbolic(f.step); },
        [&] {
            if (shares) {
                const Operand mine = b().binary(py::Op::CMod, number, Builder::integerAt(&m_.teamSize));
                b().copy(number, b().binary(py::Op::Add, number, one));
                frame().loops.back().continues.push_back(
                    b().jumpLater(b().compare(py::Op::Eq, mine, Builder::integerAt(&m_.thread))));
            }
            if (counts)
                b().emit({iterationNow});
            collapsed_ = inner;
            translate(f.body);
            collapsed_ = 0;
        });
    if (parallel)
        b().emit({leaveNow});
    endReductions(reductions);
    if (shares)
        meet(Meeting::Block);
}

/// Does a size have the same value in all iterations of the loop over this variable? It does if it consists of registers alone.
bool Translator::isFixed(sym::Expr size, VarId counter) const {
    const auto symbols = size.freeSymbols();
    return std::all_of(symbols.begin(), symbols.end(), [&](Name n) {
        const auto found = frame().visible.find(n);
        return found != frame().visible.end() && found->second != counter &&
               frame().places[static_cast<std::size_t>(found->second.index)].value;
    });
}

void Translator::iterate(const For &f, const Location &counter, Operand begin, const std::function<Operand()> &step,
                         const std::function<void()> &make) {
    const Operand x = counter.value;
    b().copy(x, b().convert(begin, x.type));
    frame().places[static_cast<std::size_t>(f.var.index)] = counter;
    frame().visible[variable(f.var).name] = f.var;
    const sym::Expr stop = bound(f);
    const Operand fixed = isFixed(stop, f.var) ? b().symbolic(stop) : Operand();
    const std::size_t top = b().position();
    b().emit({goOnNow});
    const std::size_t done = b().jumpLater(b().compare(relation(f), x, fixed ? fixed : b().symbolic(stop)));
    frame().loops.emplace_back();
    make();
    for (const std::size_t j : frame().loops.back().continues)
        b().land(j);
    b().copy(x, b().convert(b().binary(py::Op::Add, x, step()), x.type));
    b().jumpBack(top);
    b().land(done);
    for (const std::size_t j : frame().loops.back().breaks)
        b().land(j);
    frame().loops.pop_back();
}

/// The number of threads in a block.
Operand Translator::blockThreads() {
    Operand out = Builder::integerAt(m_.blockSize);
    for (int k = 1; k < 3; ++k)
        out = b().binary(py::Op::Mul, out, Builder::integerAt(m_.blockSize + k));
    return out;
}

/// Iterations that are distributed over the threads of a kernel by index.
void Translator::spreadLoop(const For &f, Location &counter) {
    const Spread &s = *f.spread;
    const auto product = [&](Operand a, Operand c) { return b().binary(py::Op::Mul, a, c); };
    const auto sum = [&](Operand a, Operand c) { return b().binary(py::Op::Add, a, c); };
    const auto size = [&](const int64_t *at) {
        return product(product(Builder::integerAt(at), Builder::integerAt(at + 1)), Builder::integerAt(at + 2));
    };
    Operand index, stride;
    if (s.axis < 0) {
        const bool ofBlock = s.level == Spread::Block;
        index = call(b(), ofBlock ? number::threadInBlock : number::threadInGrid, {});
        stride = ofBlock ? size(m_.blockSize) : product(size(m_.blockSize), size(m_.gridSize));
    } else {
        const Operand block = Builder::integerAt(m_.blockIndex + s.axis), blocks = Builder::integerAt(m_.gridSize + s.axis);
        const Operand thread = Builder::integerAt(m_.threadIndex + s.axis), threads = Builder::integerAt(m_.blockSize + s.axis);
        index = s.level == Spread::Grid ? block : s.level == Spread::Block ? thread : sum(product(block, threads), thread);
        stride = s.level == Spread::Grid ? blocks : s.level == Spread::Block ? threads : product(blocks, threads);
    }
    const Operand begin = sum(b().symbolic(f.begin), product(b().symbolic(f.step), index));
    if (!s.once) {
        iterate(
            f, counter, begin, [&] { return product(b().symbolic(f.step), stride); }, [&] { translate(f.body); });
        return;
    }
    b().copy(counter.value, b().convert(begin, counter.type));
    frame().places[static_cast<std::size_t>(f.var.index)] = counter;
    frame().visible[variable(f.var).name] = f.var;
    const std::size_t no = s.exact ? 0 : b().jumpLater(b().compare(relation(f), counter.value, b().symbolic(bound(f))));
    translate(f.body);
    if (!s.exact)
        b().land(no);
}

// ---------------------------------------------------------------------------------------------------- reductions

/// The initial value of a reduction.
Operand Translator::neutral(py::Reduction r, Type t) {
    using py::Reduction;
    const Type lane = t.isVector() ? t.element() : t;
    const auto limit = [&](bool highest) {
        Operand out = b().reserve(lane);
        withScalar(lane.scalar(), [&](auto tag) {
            using T = typename decltype(tag)::type;
            if constexpr (std::is_floating_point_v<T>)
                as<T>(out.at) = highest ? std::numeric_limits<T>::infinity() : -std::numeric_limits<T>::infinity();
            else if constexpr (std::is_integral_v<T>)
                as<T>(out.at) = highest ? std::numeric_limits<T>::max() : std::numeric_limits<T>::min();
            else if constexpr (isLow<T>)
                as<T>(out.at) = converted<T>(highest ? INFINITY : -INFINITY);
        });
        return out;
    };
    switch (r) {
    case Reduction::Product:
    case Reduction::LogicalAnd:
        return b().constant(ScalarKind::Int32, int32_t(1));
    case Reduction::BitAnd:
        return b().constant(ScalarKind::Int64, int64_t(-1));
    case Reduction::Min:
        return limit(true);
    case Reduction::Max:
        return limit(false);
    default:
        return b().constant(ScalarKind::Int32, int32_t(0));
    }
}

std::vector<Translator::Reducing> Translator::beginReductions(const std::vector<Omp::Reduction> &list) {
    std::vector<Reducing> out;
    for (const Omp::Reduction &r : list) {
        Reducing x;
        x.reduction = r.kind;
        x.variable = r.var;
        x.outer = place(r.var);
        x.count =
            r.count.isZero() ? b().constant(ScalarKind::Int64, int64_t(1)) : b().convert(b().symbolic(r.count), ScalarKind::Int64);
        x.own = memory(variable(r.var), true);
        makeMemory(x.own, x.count, {});
        const Operand first = b().convert(neutral(r.kind, x.own.type), x.own.type);
        fillElements(x.own.pointer, x.count, first);
        frame().places[static_cast<std::size_t>(r.var.index)] = x.own;
        out.push_back(std::move(x));
    }
    return out;
}

void Translator::endReductions(const std::vector<Reducing> &list) {
    for (const Reducing &x : list) {
        frame().places[static_cast<std::size_t>(x.variable.index)] = x.outer;
        const Operand k = b().reserve(ScalarKind::Int64), one = b().constant(ScalarKind::Int64, int64_t(1));
        b().copy(k, b().constant(ScalarKind::Int64, int64_t(0)));
        const std::size_t top = b().position(), done = b().jumpLater(b().compare(py::Op::Lt, k, x.count));
        const Operand own = b().loadAt(b().advance(x.own.pointer, k), x.own.type);
        const Operand at = b().advance(pointerTo(x.outer), k), old = b().loadAt(at, x.outer.type, true);
        // For subtraction, OpenMP starts each thread at zero and adds the partial results.
        const py::Reduction by = x.reduction == py::Reduction::Sub ? py::Reduction::Sum : x.reduction;
        b().storeAt(at, b().convert(combined(by, nullptr, old, own), x.outer.type), true);
        b().copy(k, b().binary(py::Op::Add, k, one));
        b().jumpBack(top);
        b().land(done);
    }
}

// ---------------------------------------------------------------------------------------------------- loops of the graph

void Translator::simple(const py::StmtRef &s) {
    if (s)
        b().block({s});
}

void Translator::translate(const Loop &l) {
    collapsed_ = 0;
    if (l.declares) {
        const Variable &v = variable(l.declares);
        Location &p = frame().places[static_cast<std::size_t>(l.declares.index)];
        p = {};
        p.type = v.type;
        p.value = b().reserve(v.type); // only the header assigns it
        frame().visible[v.name] = l.declares;
    }
    simple(l.init);
    const std::size_t top = b().position();
    b().emit({goOnNow});
    std::vector<std::size_t> done;
    const auto test = [&] {
        if (l.condition)
            done.push_back(b().jumpLater(b().convert(b().expression(*l.condition), ScalarKind::Bool)));
    };
    if (l.form == Loop::Normal || l.form == Loop::Once)
        test();
    frame().loops.emplace_back();
    translate(l.body);
    const Frame::Loop jumps = frame().loops.back();
    frame().loops.pop_back();
    const auto landContinues = [&] {
        for (const std::size_t j : jumps.continues)
            b().land(j);
    };
    switch (l.form) {
    case Loop::Normal:
        landContinues();
        simple(l.update);
        break;
    case Loop::DoWhile: // the update ends the body
        simple(l.update);
        landContinues();
        test();
        break;
    case Loop::TestLast:
        test();
        landContinues();
        simple(l.update);
        break;
    case Loop::Once:
        landContinues();
        break;
    }
    if (l.form != Loop::Once)
        b().jumpBack(top);
    for (const std::size_t j : done)
        b().land(j);
    for (const std::size_t j : jumps.breaks)
        b().land(j);
}

void Translator::translate(const If &i) {
    collapsed_ = 0;
    std::vector<std::size_t> done;
    for (const If::Branch &branch : i.branches) {
        const std::optional<std::size_t> no =
            branch.condition ? std::optional(b().jumpLater(b().convert(b().expression(*branch.condition), ScalarKind::Bool)))
                             : std::nullopt;
        translate(*branch.body);
        done.push_back(b().jumpLater());
        if (no)
            b().land(*no);
    }
    for (const std::size_t j : done)
        b().land(j);
}

// ---------------------------------------------------------------------------------------------------- jumps

void Translator::jumpTo(Name name) {
    Frame::Label &label = frame().labels[name];
    b().emit({goOnNow});
    if (label.at)
        b().jumpBack(*label.at);
    else
        label.jumps.push_back(b().jumpLater());
}

void Translator::translate(const Goto &g) { jumpTo(g.label); }

void Translator::translate(const Break &) { frame().loops.back().breaks.push_back(b().jumpLater()); }

void Translator::translate(const Continue &) { frame().loops.back().continues.push_back(b().jumpLater()); }

void Translator::translate(const Return &) { frame().returns.push_back(b().jumpLater()); }

void Translator::translate(const Label &l) {
    Frame::Label &label = frame().labels[l.label];
    label.at = b().position();
    for (const std::size_t j : label.jumps)
        b().land(j);
    label.jumps.clear();
}

} // namespace sdfgc::interpret
