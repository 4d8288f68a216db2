// Counts the device's work per call by a walk over the tree of host code.
//
// The work of a block is a vector of formulas. A loop multiplies that of its body by its trip count, or sums it if it
// depends on the loop's variable linearly; a call substitutes the arguments. Variables that host code assigns are
// replaced with their values as long as these are integer formulas. What the walk cannot know becomes a symbol
// (DeviceWork::Unknown).
#include "sdfgc/Package/DeviceWork.h"

#include "sdfgc/Analysis/Flow/LoopHeader.h"
#include "sdfgc/Tree/Walk.h"

#include <algorithm>
#include <array>
#include <map>

namespace sdfgc::package {
namespace {

using namespace tree;
using sym::Expr;

struct Count {
    const char *key, *text; // in JSON, in a table
    Expr DeviceWork::*formula;
};

constexpr Count counts[] = {
    {"kernels", "kernels", &DeviceWork::kernels},
    {"libraryCalls", "calls of libraries", &DeviceWork::libraryCalls},
    {"fills", "fills", &DeviceWork::fills},
    {"copies", "copies within the device", &DeviceWork::copies},
    {"copiesIn", "copies to the device", &DeviceWork::copiesIn},
    {"bytesIn", "bytes to the device", &DeviceWork::bytesIn},
    {"copiesOut", "copies to the host", &DeviceWork::copiesOut},
    {"bytesOut", "bytes to the host", &DeviceWork::bytesOut},
    {"waits", "waits of the host", &DeviceWork::waits},
    {"graphs", "launches of graphs", &DeviceWork::graphs},
};

void change(DeviceWork &w, const std::function<Expr(Expr)> &f) {
    for (const Count &c : counts)
        w.*c.formula = f(w.*c.formula);
}

void add(DeviceWork &to, const DeviceWork &w) {
    for (const Count &c : counts)
        to.*c.formula += w.*c.formula;
}

/// The sum of `term` over the values first, first + step, ... of a variable.
Expr sumOver(Expr term, Name variable, Expr first, Expr step, Expr trips) {
    if (!term.dependsOn(variable))
        return term * trips;
    const auto line = sym::affineIn(term, variable);
    if (!line)
        return Expr::undefined();
    return trips * (line->second + line->first * first) + line->first * step * (trips * (trips - 1) / Expr(2));
}

class HostWalk {
public:
    HostWalk(const Module &m, DeviceWork &result) : m_(m), result_(result) {}

    DeviceWork function(const Function &f) {
        const Function *const outer = std::exchange(f_, &f);
        const auto values = std::exchange(values_, {});
        const DeviceWork work = block(f.body);
        f_ = outer;
        values_ = values;
        return work;
    }

private:
    DeviceWork block(const Block &b) {
        DeviceWork work;
        for (const NodePtr &n : b.body)
            add(work, statement(*n));
        return work;
    }

    DeviceWork statement(const Node &n) {
        switch (n.kind) {
        case TreeKind::Declare:
            return declare(static_cast<const Declare &>(n)), DeviceWork();
        case TreeKind::Code:
            return code(static_cast<const Code &>(n)), DeviceWork();
        case TreeKind::For:
            return loop(static_cast<const For &>(n));
        case TreeKind::Loop:
            return loop(static_cast<const Loop &>(n));
        case TreeKind::If:
            return branches(static_cast<const If &>(n));
        case TreeKind::Call:
            return call(static_cast<const Call &>(n));
        default:
            break;
        }
        DeviceWork work = operation(n);
        forEachBlock(n, [&](const Block &inner) { add(work, block(inner)); });
        return work;
    }

    /// In a graph, transfers and waits without a number are those of the host's copy of a flag, which the graph replaces.
    bool isLeftOut(const GraphNode &n) const { return f_->graph && n.node < 0; }

    DeviceWork operation(const Node &n) {
        DeviceWork work;
        if (isa<Launch>(&n)) {
            work.kernels = 1;
        } else if (isa<DeviceFill>(&n)) {
            work.fills = 1;
        } else if (const auto *allocate = dyn_cast<Allocate>(&n); allocate && allocate->zero) {
            work.fills = isDeviceOwned(f_->vars[allocate->var].kind) ? 1 : 0;
        } else if (const auto *library = dyn_cast<LibraryCall>(&n)) {
            work.libraryCalls = library->stream != LibraryCall::host && !isLeftOut(*library) ? 1 : 0;
        } else if (const auto *copy = dyn_cast<DeviceCopy>(&n); copy && !isLeftOut(*copy)) {
            const Expr bytes = value(copy->width * copy->rows * copy->slices) * Expr(copy->type.bytes().value_or(1));
            work.copies = copy->direction == DeviceCopy::DeviceToDevice ? 1 : 0;
            if (copy->direction == DeviceCopy::HostToDevice)
                work.copiesIn = 1, work.bytesIn = bytes;
            else if (copy->direction == DeviceCopy::DeviceToHost)
                work.copiesOut = 1, work.bytesOut = bytes;
        } else if (const auto *wait = dyn_cast<EventWait>(&n)) {
            work.waits = wait->stream < 0 && !f_->graph ? 1 : 0;
        } else if (isa<Synchronise>(&n)) {
            work.waits = f_->graph ? 0 : 1;
        }
        return work;
    }

    DeviceWork call(const Call &c) {
        const Function &callee = *m_.functions[c.function];
        DeviceWork work = function(callee);
        std::map<Name, Expr> arguments;
        for (std::size_t i = 0; i < callee.params.size() && i < c.arguments.size(); ++i) {
            const Call::Argument &a = c.arguments[i];
            const auto given = a.expr ? integerOf(a.expr) : a.ref ? scalarOf(f_->refs[a.ref]) : std::optional(value(a.value));
            arguments.emplace(callee.vars[callee.params[i]].name, given.value_or(Expr::undefined()));
        }
        change(work, [&](Expr e) { return sym::substitute(e, arguments); });
        if (callee.graph)
            work.graphs += 1;
        return work;
    }

    DeviceWork branches(const If &n) {
        DeviceWork work;
        Expr others = 1; // the part of executions that reaches the next branch
        for (const If::Branch &b : n.branches) {
            const auto before = values_;
            DeviceWork one = block(*b.body);
            values_ = before;
            if (b.condition && isNothing(one))
                continue;
            const Expr part = b.condition ? Expr::symbol(unknown(false, b.condition)) : others;
            change(one, [&](Expr e) { return e * part; });
            add(work, one);
            others = others - part;
        }
        forgetAssigned(n);
        return work;
    }

    DeviceWork loop(const For &n) {
        const Expr first = value(n.begin), step = value(n.step), trips = sym::floorDiv(value(n.end) - first, step) + 1;
        return loop(n, n.body, f_->vars[n.var].name, first, step, trips);
    }

    DeviceWork loop(const Node &n, const Block &body, Name variable, Expr first, Expr step, Expr trips) {
        forgetAssigned(n);
        values_.erase(variable);
        DeviceWork work = block(body);
        change(work, [&](Expr e) { return e.isZero() ? e : sumOver(e, variable, first, step, trips); });
        work.kernels -= emptyLaunches(body, variable, first, step, trips);
        forgetAssigned(n);
        return work;
    }

    /// Launches in a body without any block: those of the first or the last iteration, such as for the rows behind row `i`.
    int64_t emptyLaunches(const Block &body, Name variable, Expr first, Expr step, Expr trips) const {
        const Expr last = first + step * (trips - 1);
        int64_t empty = 0;
        for (const NodePtr &n : body.body)
            if (const auto *l = dyn_cast<Launch>(n.get())) {
                const Expr blocks = value(l->grid[0] * l->grid[1] * l->grid[2]);
                const auto isEmpty = [&](Expr at, Expr next) {
                    const auto none = sym::substitute(blocks, {{variable, at}}).asInt(),
                               some = sym::substitute(blocks, {{variable, next}}).asInt();
                    return none && some && *none <= 0 && *some > 0;
                };
                empty += blocks.dependsOn(variable) && (isEmpty(last, last - step) || isEmpty(first, first + step));
            }
        return empty;
    }

    DeviceWork loop(const Loop &n) {
        const auto header = n.form == Loop::Normal && !n.flag && !contains(n.body, TreeKind::Break) ? headerOf(n) : std::nullopt;
        if (header)
            return loop(n, n.body, header->variable, header->first, header->step, header->trips());
        forgetAssigned(n);
        DeviceWork work = block(n.body);
        forgetAssigned(n);
        if (n.flag && n.form != Loop::Once)
            work.kernels += 1; // sets the condition of the graph's node from the flag, after each iteration
        if (!isNothing(work)) {
            const Expr often = Expr::symbol(unknown(n.form != Loop::Once, n.condition));
            change(work, [&](Expr e) { return e * often; });
        }
        work.kernels += n.flag ? 1 : 0; // the same before the loop
        return work;
    }

    std::optional<analysis::LoopHeader> headerOf(const Loop &n) const {
        if (!n.init || !n.update || n.init->targets.size() != 1 || n.update->targets.size() != 1)
            return std::nullopt;
        const Name variable = nameOf(n.init->targets[0]);
        analysis::LoopHeader header;
        header.variable = variable;
        const auto first = integerOf(n.init->value), next = integerOf(n.update->value, variable);
        const py::ExprRef &c = n.condition;
        if (!variable || !(variable == nameOf(n.update->targets[0])) || n.update->kind != py::StmtKind::Assign || !first || !next ||
            !c || c->kind != py::ExprKind::Compare || c->ops.size() != 1 || assigns(n.body, variable))
            return std::nullopt;
        const auto left = integerOf(c->args[0], variable), right = integerOf(c->args[1], variable);
        const auto test = left && right ? analysis::testOf(c->ops[0], *left, *right, variable) : std::nullopt;
        header.first = *first;
        header.step = *next - Expr::symbol(variable);
        const auto step = header.step.asInt();
        header.down = step && *step < 0;
        if (!test || !step || *step == 0 || !test->bounds(header.down) || changes(n.body, test->bound))
            return std::nullopt;
        header.end = test->end();
        return header;
    }

    // ---- values of variables

    void declare(const Declare &d) {
        const Variable &v = f_->vars[d.var];
        if (v.kind == VarKind::Value)
            set(v.name, integerOf(d.init));
    }

    void code(const Code &c) {
        for (const py::StmtRef &s : c.stmts) {
            const Name target = s->kind == py::StmtKind::Assign && s->targets.size() == 1 ? nameOf(s->targets[0]) : Name();
            const auto given = target ? integerOf(s->value) : std::nullopt;
            for (Name written : assignedBy(*s))
                set(written, std::nullopt);
            if (target)
                set(target, given);
        }
    }

    void set(Name variable, std::optional<Expr> to) {
        values_[variable] = to && !to->dependsOn(variable) ? *to : Expr::undefined();
    }

    Expr value(Expr e) const { return sym::substitute(e, values_); }

    /// The variable behind an expression, if it is one that has no elements.
    Name nameOf(const py::ExprRef &e) const {
        if (e->kind == py::ExprKind::Name)
            return e->name;
        if (e->kind != py::ExprKind::MemRef || !e->args.empty())
            return {};
        const MemRef &r = f_->refs[RefId(e->slot)];
        const Variable &v = f_->vars[r.var];
        return v.kind == VarKind::Value && r.offset.isZero() && !r.address ? v.name : Name();
    }
    std::optional<Expr> scalarOf(const MemRef &r) const {
        const Variable &v = f_->vars[r.var];
        return v.kind == VarKind::Value ? std::optional(value(Expr::symbol(v.name))) : std::nullopt;
    }

    /// The integer value of an expression, with the values of variables, except those of `kept`.
    std::optional<Expr> integerOf(const py::ExprRef &e, Name kept = {}) const {
        if (!e)
            return std::nullopt;
        bool other = false;
        const py::ExprRef plain = py::rewrite(e, [&](const py::ExprRef &x) {
            const py::ExprRef same = plainForm(x);
            other = other || !same;
            return same ? same : x;
        });
        const auto parsed = other ? std::nullopt : sym::parse(py::print(*plain)).expr;
        if (!parsed)
            return std::nullopt;
        auto values = values_;
        values.erase(kept);
        return sym::substitute(*parsed, values);
    }

    /// An operation as sym::parse knows it; null if its value is no integer, or memory. Quotients round down, since sizes are not
    /// negative.
    py::ExprRef plainForm(const py::ExprRef &x) const {
        if (x->type.isFloat() || x->type.isComplex() || x->kind == py::ExprKind::Raw)
            return nullptr;
        if (x->kind == py::ExprKind::MemRef)
            return nameOf(x) ? py::name(nameOf(x)) : nullptr;
        if (x->kind == py::ExprKind::Cast)
            return x->args.size() == 1 && x->type.isInteger() ? x->args[0] : nullptr;
        if (x->kind == py::ExprKind::Binary && (x->op == py::Op::CDiv || x->op == py::Op::CMod))
            return py::binary(x->op == py::Op::CDiv ? py::Op::FloorDiv : py::Op::Mod, x->args[0], x->args[1]);
        if (x->kind != py::ExprKind::Call)
            return x;
        const std::string callee = py::print(*x->args[0]);
        if (callee == "ipow" && x->args.size() == 3)
            return py::binary(py::Op::Pow, x->args[1], x->args[2]);
        return callee == "min" || callee == "max" || callee == "abs" ? x : nullptr;
    }

    std::vector<Name> assignedBy(const py::Stmt &s) const {
        std::vector<Name> names;
        const py::BlockNames all = py::blockNames({std::make_shared<py::Stmt>(s)});
        names.insert(names.end(), all.written.begin(), all.written.end());
        for (const py::ExprRef &t : s.targets)
            if (const Name target = nameOf(t))
                names.push_back(target);
        return names;
    }
    /// Calls `f` for the variables without elements that a statement and those inside of it assign.
    void forEachAssigned(const Node &n, const std::function<void(Name)> &f) const {
        if (const auto *c = dyn_cast<Code>(&n))
            for (const py::StmtRef &s : c->stmts)
                for (Name name : assignedBy(*s))
                    f(name);
        if (const auto *l = dyn_cast<Loop>(&n))
            for (const py::StmtRef &s : {l->init, l->update})
                if (s)
                    for (Name name : assignedBy(*s))
                        f(name);
        if (const auto *c = dyn_cast<Call>(&n))
            forEachResult(*c, f);
        forEachBlock(n, [&](const Block &b) {
            for (const NodePtr &inner : b.body)
                forEachAssigned(*inner, f);
        });
    }
    void forEachResult(const Call &c, const std::function<void(Name)> &f) const {
        const Function &callee = *m_.functions[c.function];
        for (std::size_t i = 0; i < callee.params.size() && i < c.arguments.size(); ++i)
            if (const RefId ref = c.arguments[i].ref; ref && callee.vars[callee.params[i]].kind != VarKind::Value)
                f(f_->vars[f_->refs[ref].var].name);
    }
    void forgetAssigned(const Node &n) {
        forEachAssigned(n, [&](Name name) { values_[name] = Expr::undefined(); });
    }
    bool assigns(const Block &b, Name variable) const {
        bool found = false;
        for (const NodePtr &n : b.body)
            forEachAssigned(*n, [&](Name name) { found = found || name == variable; });
        return found;
    }
    bool changes(const Block &b, Expr e) const {
        return std::any_of(e.freeSymbols().begin(), e.freeSymbols().end(), [&](Name name) { return assigns(b, name); });
    }

    // ---- what is unknown

    static bool isNothing(const DeviceWork &w) {
        return std::all_of(std::begin(counts), std::end(counts), [&](const Count &c) { return (w.*c.formula).isZero(); });
    }
    Name unknown(bool isLoop, const py::ExprRef &condition) {
        const char *word = isLoop ? "trips_" : "part_";
        const auto same = std::count_if(result_.unknown.begin(), result_.unknown.end(),
                                        [&](const DeviceWork::Unknown &u) { return u.isLoop == isLoop; });
        const Name symbol(word + std::to_string(same + 1));
        result_.unknown.push_back({symbol, isLoop, condition ? conditionText(condition) : "True"});
        return symbol;
    }
    /// A condition with the names of variables, as a reader of the sources knows them.
    std::string conditionText(const py::ExprRef &condition) const {
        const py::ExprRef named = py::rewrite(condition, [&](const py::ExprRef &x) {
            if (x->kind != py::ExprKind::MemRef)
                return x;
            const MemRef &r = f_->refs[RefId(x->slot)];
            const Variable &v = f_->vars[r.var];
            std::string index = r.offset.str();
            for (const py::ExprRef &more : x->args)
                index += " + " + py::print(*more);
            return py::name(Name(v.name.str() + (v.kind == VarKind::Value ? "" : "[" + index + "]")));
        });
        return py::print(*named);
    }

    const Module &m_;
    DeviceWork &result_;
    const Function *f_ = nullptr;
    std::map<Name, Expr> values_; // of variables that host code assigns, by name
};

} // namespace

DeviceWork deviceWorkOf(const Module &m) {
    DeviceWork result;
    if (m.streams == 0 || m.functions.empty())
        return result;
    add(result, HostWalk(m, result).function(*m.functions.back()));
    std::map<Name, Expr> names; // of the arguments, as callers know them
    for (const Param &p : m.params)
        if (!(p.cName == p.name))
            names.emplace(p.cName, Expr::symbol(p.name));
    change(result, [&](Expr e) { return sym::substitute(e, names); });
    return result;
}

std::string asText(const DeviceWork &w) {
    std::string out = "device work per call:\n  operations: " + w.operations().str() + "\n";
    for (const Count &c : counts)
        if (const Expr e = w.*c.formula; !e.isZero())
            out += "  " + std::string(c.text) + ": " + e.str() + "\n";
    for (const DeviceWork::Unknown &u : w.unknown)
        out += "  " + u.symbol.str() + (u.isLoop ? ": how often a loop runs while " : ": part of the executions in which ") +
               u.condition + "\n";
    return out;
}

json::Value toJson(const DeviceWork &w) {
    json::Value v = json::Value::object();
    const auto set = [&](const char *key, Expr e) {
        if (e.isUndefined())
            v.set(key, json::Value());
        else
            v.set(key, e.str());
    };
    set("operations", w.operations());
    for (const Count &c : counts)
        set(c.key, w.*c.formula);
    json::Value unknown = json::Value::array();
    for (const DeviceWork::Unknown &u : w.unknown) {
        json::Value one = json::Value::object();
        one.set("symbol", u.symbol.str());
        one.set("of", u.isLoop ? "loop" : "branch");
        one.set("condition", u.condition);
        unknown.push(std::move(one));
    }
    v.set("unknown", std::move(unknown));
    return v;
}

} // namespace sdfgc::package
