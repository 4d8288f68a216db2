// Statements of tasklets. A local has the common type of all values assigned to it: code is built repeatedly until the types no
// longer change, and then built for good.
#include "Builder.h"

#include "../Values.h"

namespace sdfgc::interpret {

using py::ExprKind;
using py::StmtKind;

Code Builder::take() {
    for (const std::size_t j : std::exchange(returns_, {}))
        land(j);
    emit({stop});
    return Code(std::exchange(list_, {}));
}

std::size_t Builder::jumpLater(Operand unless) {
    emit(unless ? Instruction{jumpUnless, nullptr, unless.at} : Instruction{jump});
    return list_.size() - 1;
}

void Builder::land(std::size_t at) { list_[at].n = static_cast<int64_t>(list_.size()) - static_cast<int64_t>(at); }

void Builder::jumpBack(std::size_t to, Operand unless) {
    const std::size_t at = jumpLater(unless);
    list_[at].n = static_cast<int64_t>(to) - static_cast<int64_t>(at);
}

void Builder::block(const std::vector<py::StmtRef> &statements) {
    const std::size_t start = position();
    const std::map<Name, Operand> outer = locals_;
    constexpr int rounds = 8; // types only grow, in few steps
    measuring_ = true;
    for (int round = 0; round < rounds; ++round) {
        const std::map<Name, Type> before = localTypes_;
        for (const py::StmtRef &s : statements)
            statement(*s);
        list_.resize(start);
        returns_.clear();
        locals_ = outer;
        if (localTypes_ == before)
            break;
    }
    measuring_ = false;
    for (const auto &[local, type] : localTypes_)
        locals_[local] = reserve(type);
    for (const py::StmtRef &s : statements)
        statement(*s);
    localTypes_.clear();
}

void Builder::assignTo(const py::Expr &target, Operand value) {
    if (target.kind == ExprKind::Name && !names_.knows(target.name)) {
        if (measuring_) {
            Type &t = localTypes_[target.name];
            t = t.isVoid() || value.type.isStruct() || value.type.isPointer() || t == value.type ? value.type
                                                                                                 : commonType(t, value.type);
            Operand &local = locals_[target.name];
            if (!local || !(local.type == t))
                local = reserve(t);
            return;
        }
        const Operand local = locals_[target.name];
        copy(local, convert(value, local.type));
        return;
    }
    if (names_.store(*this, target, value))
        return;
    if (target.kind == ExprKind::Attribute && target.args[0]->kind == ExprKind::Name) { // a member of a local
        const Operand base = expression(*target.args[0]);
        const Operand field = member(base, target.name);
        copy(field, convert(value, field.type));
        return;
    }
    if (target.kind == ExprKind::Subscript && target.args.size() == 2) {
        const Operand base = expression(*target.args[0]);
        if (base.type.isVector() && target.args[1]->kind == ExprKind::Int) {
            const Operand element = laneOf(base, *target.args[1]);
            copy(element, convert(value, element.type));
            return;
        }
        if (base.type.isPointer()) {
            storeAt(advance(base, expression(*target.args[1])), convert(value, base.type.element()));
            return;
        }
    }
    refuse("an assignment to `" + py::print(target) + "`");
}

void Builder::assign(const py::Stmt &s) {
    if (s.value->kind == ExprKind::Lambda && s.targets.size() == 1 && s.targets[0]->kind == ExprKind::Name) {
        functions_[s.targets[0]->name] = s.value;
        return;
    }
    const bool tuple = s.targets.size() == 1 && s.targets[0]->kind == ExprKind::Tuple && s.value->kind == ExprKind::Tuple &&
                       s.targets[0]->args.size() == s.value->args.size();
    if (tuple) { // compute all values before the first assignment
        std::vector<Operand> values;
        for (const py::ExprRef &v : s.value->args) {
            const Operand one = expression(*v);
            values.push_back(reserve(one.type));
            copy(values.back(), one);
        }
        for (std::size_t k = 0; k < values.size(); ++k)
            assignTo(*s.targets[0]->args[k], values[k]);
        return;
    }
    // In a chain, the other targets get the previous value that an update found.
    Operand value = expression(*s.value);
    const bool chain = s.targets.size() > 1;
    for (const py::ExprRef &target : s.targets)
        if (chain && names_.isUpdate(*target)) {
            assignTo(*target, value);
            value = names_.updated(*target);
        }
    for (const py::ExprRef &target : s.targets)
        if (!chain || !names_.isUpdate(*target))
            assignTo(*target, value);
}

void Builder::branch(const py::Stmt &s) {
    const std::size_t no = jumpLater(asBool(expression(*s.value)));
    for (const py::StmtRef &x : s.body)
        statement(*x);
    const std::size_t done = jumpLater();
    land(no);
    for (const py::StmtRef &x : s.orelse)
        statement(*x);
    land(done);
}

void Builder::statement(const py::Stmt &s) {
    switch (s.kind) {
    case StmtKind::Assign:
        assign(s);
        return;
    case StmtKind::AnnAssign:
        if (s.targets[0]->kind == ExprKind::Name && !names_.knows(s.targets[0]->name) && s.type)
            assignTo(*s.targets[0], s.value ? convert(expression(*s.value), s.type) : reserve(s.type));
        else if (s.value)
            assignTo(*s.targets[0], expression(*s.value));
        return;
    case StmtKind::AugAssign: {
        const py::ExprRef sum = py::binary(s.op, s.targets[0], s.value);
        assignTo(*s.targets[0], expression(*sum));
        return;
    }
    case StmtKind::ExprStmt:
        if (s.value->kind == ExprKind::Call)
            callStatement(*s.value);
        return; // other expressions have no effect
    case StmtKind::If:
        branch(s);
        return;
    case StmtKind::While:
        loop(s);
        return;
    case StmtKind::For:
        rangeLoop(s);
        return;
    case StmtKind::Break:
    case StmtKind::Continue: {
        auto &list = s.kind == StmtKind::Break ? breaks_ : continues_;
        if (!list.empty())
            list.back().push_back(jumpLater());
        return;
    }
    case StmtKind::Return:
        returns_.push_back(jumpLater());
        return;
    case StmtKind::Pass:
    case StmtKind::Assert:
        return;
    case StmtKind::Raw:
        refuse("code that is not Python: `" + s.text + "`");
        return;
    }
}

void Builder::iterate(const py::Stmt &s, std::size_t top, std::size_t end, const std::function<void()> &next) {
    breaks_.emplace_back();
    continues_.emplace_back();
    for (const py::StmtRef &x : s.body)
        statement(*x);
    for (const std::size_t j : continues_.back())
        land(j);
    next();
    jumpBack(top);
    land(end);
    for (const std::size_t j : breaks_.back())
        land(j);
    breaks_.pop_back();
    continues_.pop_back();
}

void Builder::loop(const py::Stmt &s) {
    const std::size_t top = position(), end = jumpLater(asBool(expression(*s.value)));
    iterate(s, top, end, [] {});
}

/// `for i in range(begin, end, step)`: end and step are computed once, and the body cannot change the count.
void Builder::rangeLoop(const py::Stmt &s) {
    const py::Expr &range = *s.value;
    const bool isRange = range.kind == ExprKind::Call && range.args[0]->kind == ExprKind::Name &&
                         range.args[0]->name.view() == "range" && range.args.size() >= 2 && range.args.size() <= 4;
    if (!isRange) {
        refuse("a loop over anything but `range`");
        return;
    }
    const auto bound = [&](std::size_t k, int64_t otherwise) {
        const Operand out = reserve(ScalarKind::Int64);
        copy(out, k < range.args.size() ? convert(expression(*range.args[k]), ScalarKind::Int64)
                                        : constant(ScalarKind::Int64, otherwise));
        return out;
    };
    const bool one = range.args.size() == 2;
    const Operand count = one ? reserve(ScalarKind::Int64) : bound(1, 0);
    if (one)
        copy(count, constant(ScalarKind::Int64, int64_t(0)));
    const Operand end = bound(one ? 1 : 2, 0), step = bound(3, 1);
    const Operand goesOn = reserve(ScalarKind::Bool);
    const std::size_t top = position();
    emit({[](const Instruction *i, Machine &) {
              const int64_t n = interpret::as<int64_t>(i->a), e = interpret::as<int64_t>(i->b);
              const int64_t by = interpret::as<int64_t>(static_cast<const std::byte *>(i->extra));
              interpret::as<bool>(i->to) = by > 0 ? n < e : by < 0 && n > e;
              return i + 1;
          },
          goesOn.at, count.at, end.at, 1, step.at});
    const std::size_t done = jumpLater(goesOn);
    const Operand variable = convert(count, ScalarKind::Int32);
    assignTo(*s.targets[0], division_ == Division::Symbolic ? count : variable);
    iterate(s, top, done, [&] { copy(count, binary(py::Op::Add, count, step)); });
}

/// Calls used as statements: functions that return results in arguments; the results of others are ignored.
void Builder::callStatement(const py::Expr &e) {
    const std::string function = e.args[0]->kind == ExprKind::Name ? e.args[0]->name.str() : "";
    if (function == "py_divmod" || function == "cpp_divmod" || function == "np_modf" || function == "np_frexp")
        results(e, function);
    else
        expression(e);
}

void Builder::results(const py::Expr &e, const std::string &function) {
    const bool division = function.ends_with("divmod");
    const std::size_t inputs = division ? 2 : 1;
    if (e.args.size() != inputs + 3) {
        refuse("the call `" + py::print(e) + "`");
        return;
    }
    std::vector<Operand> given;
    for (std::size_t k = 1; k <= inputs; ++k)
        given.push_back(expression(*e.args[k]));
    const bool python = function == "py_divmod";
    const Division outer = std::exchange(division_, Division::Python);
    for (std::size_t k = 0; k < 2; ++k) {
        Operand result;
        if (!division)
            result = callFunction(function + ":" + std::to_string(k), given);
        else if (k == 0 && !python && !given[0].type.isInteger()) { // towards zero, as its remainder has the sign of the dividend
            const Operand multiple = binary(py::Op::Sub, given[0], binary(py::Op::CMod, given[0], given[1]));
            result = callFunction("rint", {binary(py::Op::TrueDiv, multiple, given[1])});
        } else
            result = binary(k == 0 ? (python ? py::Op::FloorDiv : py::Op::CDiv) : (python ? py::Op::Mod : py::Op::CMod), given[0],
                            given[1]);
        assignTo(*e.args[inputs + 1 + k], result);
    }
    division_ = outer;
}

} // namespace sdfgc::interpret
