// Compiles tasklets, conditions and sizes to instructions.
//
// The input is trees of the Python front end; the surrounding element defines the meaning of their names (Names). Types follow
// docs/user/semantics.md and are inferred while instructions are created.
#pragma once

#include "Operations.h"

#include "sdfgc/Symbolic/Subset.h"

#include <functional>
#include <set>

namespace sdfgc::interpret {

class Builder;

/// The indices of a subscript, which may be a tuple of several; empty for other expressions.
std::vector<py::ExprRef> indicesOf(const py::Expr &e);
/// The value of a number in the text of the code, possibly with a sign or a conversion that keeps it.
std::optional<double> numberIn(const py::Expr &e);

/// The meaning of names in the surrounding code.
class Names {
public:
    virtual ~Names() = default;
    /// The value of a name; none if it is unknown here.
    virtual Operand read(Builder &b, Name name) = 0;
    /// The value of a subscript, an attribute or a reference to memory; none if it does not access a container or connector.
    virtual Operand element(Builder &b, const py::Expr &e) = 0;
    /// Stores to a name, subscript or attribute; false if it does not belong to this element.
    virtual bool store(Builder &b, const py::Expr &target, Operand value) = 0;
    /// Is a store to the target an update with conflict resolution that takes effect immediately? In that case, updated() is the
    /// previous value.
    virtual bool isUpdate(const py::Expr &) { return false; }
    virtual Operand updated(const py::Expr &) { return {}; }
    /// May code read the name? Does not create an instruction. If not, it is a local of the code.
    virtual bool knows(Name name) const = 0;
    /// The result of a function that only this element knows; none for other functions.
    virtual Operand call(Builder &, Name, const std::vector<Operand> &) { return {}; }
    /// The address of a container in a comparison with None; none for other names.
    virtual Operand address(Builder &, Name) { return {}; }
    /// Structure types by name.
    virtual std::optional<Type> structure(Name) const { return std::nullopt; }
};

/// The meaning of `/`, `//` and `%`.
enum class Division : uint8_t {
    Python,
    C,        // all of them as in C: `--compat dace`
    Symbolic, // as in Python, except that `/` divides integers as in C: conditions, assignments to symbols, sizes
    Lowered,  // `/` as in C, the others unchanged: a tree has a separate operator for each
};

class Builder {
public:
    Builder(Machine &m, Names &names, Division division, const Site *site)
        : machine(m), names_(names), division_(division), site_(site) {}

    Machine &machine;

    // ---- code
    Operand expression(const py::Expr &e);
    /// A value of symbolic arithmetic as an int64.
    Operand symbolic(sym::Expr e);
    const int64_t *integer(sym::Expr e);
    /// The same for a bound of a range: a quotient is rounded down.
    const int64_t *roundedDown(sym::Expr e);
    const int64_t *integer(const py::Expr &e);
    /// A value returned by integer(), or an access's index.
    static Operand integerAt(const int64_t *at) {
        return {ScalarKind::Int64, const_cast<std::byte *>(reinterpret_cast<const std::byte *>(at))};
    }
    void block(const std::vector<py::StmtRef> &statements);
    /// The body of a lambda applied to the given arguments.
    Operand apply(const py::Expr &lambda, const std::vector<Operand> &arguments);

    // ---- single instructions
    Operand reserve(Type t);
    Operand convert(Operand a, Type t);
    void copy(Operand to, Operand from); // both have the same type
    Operand binary(py::Op op, Operand a, Operand b);
    /// The bool `a op b`; for vectors, one per lane.
    Operand compare(py::Op op, Operand a, Operand b);
    Operand callFunction(const std::string &name, const std::vector<Operand> &arguments);
    void emit(const Instruction &i) { list_.push_back(i); }
    template <class T> Operand constant(Type t, T value) {
        const Operand out = reserve(t);
        interpret::as<T>(out.at) = value;
        return out;
    }
    Operand load(const Access *x, Type t, bool update = false);
    void store(const Access *x, Operand value, bool update = false);
    Operand loadAt(Operand pointer, Type t, bool update = false);
    void storeAt(Operand pointer, Operand value, bool update = false);
    Operand addressOf(const Access *x, Type pointee);
    /// `pointer + index` in elements of its pointee.
    Operand advance(Operand pointer, Operand index);

    /// The value of a local of the last block; none if the block has no such local.
    Operand local(Name name) const {
        const auto found = locals_.find(name);
        return found != locals_.end() ? found->second : Operand();
    }
    Names &names() { return names_; }
    const Site *site() const { return site_; }
    /// Sets the site of the following code.
    void at(const Site *site) { site_ = site; }

    /// Returns the code. The builder is empty afterwards.
    Code take();

    /// Records why something cannot be interpreted; only the first reason is kept.
    Operand refuse(std::string why);
    const std::string &refusal() const { return refusal_; }

    std::size_t position() const { return list_.size(); }
    /// Reserves a jump; land() sets its target to the end of the code at that time.
    std::size_t jumpLater(Operand unless = {});
    void land(std::size_t jump);
    void jumpBack(std::size_t to, Operand unless = {});

private:
    friend class LocalTypes;

    Operand literal(const py::Expr &e);
    Operand valueOfLiteral(const py::Expr &e);
    Operand unary(const py::Expr &e);
    Operand boolean(const py::Expr &e);
    Operand comparison(const py::Expr &e);
    Operand choice(const py::Expr &e);
    Operand call(const py::Expr &e);
    Operand quotient(py::Op op, const std::vector<Operand> &arguments);
    Operand structure(const py::Expr &e);
    Operand member(Operand base, Name field);
    Operand laneOf(Operand vector, const py::Expr &index);
    Operand combined(py::Op op, Type t, Operand a, Operand b);
    Operand power(const py::Expr &e);
    Operand wholePower(Operand base, uint64_t n);
    Operand cast(const py::Expr &e);
    Operand name(const py::Expr &e);
    Operand asBool(Operand a);
    Operand plainExpression(const py::Expr &e);
    Operand plainSymbolic(sym::Expr e);
    Operand symbolicOperation(sym::Expr e);
    Operand foldSymbolic(py::Op op, sym::Expr e);

    // ---- Quotients.cpp
    /// above / below; without `below`, an integer or a floating-point number.
    struct Quotient {
        Operand above, below;
    };
    Quotient quotientOf(const py::Expr &e);
    /// Is it an operator or a function that sees the fraction of an integer quotient?
    bool seesFractions(const py::Expr &e) const;
    std::optional<Quotient> quotientOfCall(const py::Expr &e);
    Quotient quotientOf(sym::Expr e);
    Quotient powerOf(const Quotient &base, sym::Expr exponent);
    Type typeOf(const py::Expr &e);
    /// `a op b` for `+ - * /`.
    Quotient combined(py::Op op, const Quotient &a, const Quotient &b);
    /// A quotient rounded down, or a remainder.
    Quotient divided(py::Op op, const Quotient &x, const Quotient &y);
    Quotient extremum(bool least, const Quotient &a, const Quotient &b);
    Quotient chosen(Operand condition, const std::function<Quotient()> &yes, const std::function<Quotient()> &no);
    Operand rounded(const std::string &function, const Quotient &q);
    Operand real(const Quotient &q);
    Operand truncated(const Quotient &q);
    Operand whole(Operand a);
    Operand times(Operand a, Operand b);

    void statement(const py::Stmt &s);
    void assignTo(const py::Expr &target, Operand value);
    void assign(const py::Stmt &s);
    void branch(const py::Stmt &s);
    void loop(const py::Stmt &s);
    void rangeLoop(const py::Stmt &s);
    /// The body of a loop; `next` creates the code that follows an iteration, before the jump back to `top`; `continue` jumps
    /// there. `break` jumps to where the jump `end` lands.
    void iterate(const py::Stmt &s, std::size_t top, std::size_t end, const std::function<void()> &next);
    void callStatement(const py::Expr &e);
    void results(const py::Expr &e, const std::string &function);

    Names &names_;
    Division division_;
    const Site *site_;
    std::vector<Instruction> list_;
    std::set<const std::byte *> literals_; // registers that no instruction changes
    std::map<Name, Operand> locals_;
    std::map<Name, Type> localTypes_;
    std::map<Name, py::ExprRef> functions_; // lambdas that code assigns to names
    bool measuring_ = false;                // the types of locals are still being inferred
    std::vector<std::vector<std::size_t>> breaks_, continues_;
    std::vector<std::size_t> returns_;
    std::string refusal_;
};

} // namespace sdfgc::interpret
