// Building blocks of library nodes: operands, whose elements are read and written one at a time, and arithmetic on their values.
//
//     NodeReader   the node of the graph: its operands by connector, its properties
//     Elements     an operand: the elements of a subset, counted in row-major order over its dimensions
//     Conversion, Coefficient, Sum, Term
//                  values in registers, computed like tasklet code, so that types have the same meaning
//
// Each node is one task. It finds its operands (locate), reads what it needs, and writes. Every element access is recorded, and an
// output's conflict resolution is applied to each written element.
#pragma once

#include "../../Values.h"
#include "../Side.h"

#include <initializer_list>

namespace sdfgc::interpret {

class NodeReader;

/// An operand of a library node: the elements of a subset of a container, or the value on an edge from another node.
class Elements {
public:
    Type type;                   // of an element
    std::vector<int64_t> shape;  // of the subset, all its dimensions
    std::vector<bool> alwaysOne; // dimensions of size one for all values of the symbols

    /// Locates the elements for the current values of the symbols. All other members refer to these elements.
    void locate(Machine &m);
    int64_t count() const { return static_cast<int64_t>(positions_.size()); }
    const Site *site() const { return side_.site; }

    /// Element k; if it does not exist, reports this and returns zeros.
    const std::byte *read(Machine &m, int64_t k);
    /// The old value of element k, for an update; not counted as a separate read.
    const std::byte *old(int64_t k) const;
    /// Has element k been written? If a node combines its result with the old value of an output, a missing value counts as
    /// neutral.
    bool hasValue(int64_t k) const;
    /// Assigns element k a value of this operand's type, or combines it with the old value as the memlet specifies.
    void write(Machine &m, int64_t k, const std::byte *value);
    /// Writes a value computed from the old one: an update.
    void update(Machine &m, int64_t k, const std::byte *value);
    bool hasConflictResolution() const { return !wcr_.empty(); }
    const std::string &conflictResolution() const { return wcr_; }

    /// All elements, in order.
    std::vector<std::byte> readAll(Machine &m);
    /// The element as a C++ number, converted.
    template <class T> T get(Machine &m, int64_t k) {
        T out{};
        const std::byte *at = read(m, k);
        withScalar(type.scalar(), [&](auto tag) { out = converted<T>(as<typename decltype(tag)::type>(at)); });
        return out;
    }
    template <class T> void put(Machine &m, int64_t k, T value) {
        withScalar(type.scalar(), [&](auto tag) {
            const auto element = converted<typename decltype(tag)::type>(value);
            write(m, k, reinterpret_cast<const std::byte *>(&element));
        });
    }
    /// The relevant dimensions for a node that takes at most `most`: all, if there are no more. Otherwise, dimensions that are
    /// indexed in the subset are dropped and, if there are still more, those that currently have one element.
    std::vector<std::size_t> dimensions(std::size_t most) const;
    /// Do both refer to the same elements of the same memory?
    bool isSameAs(const Elements &other) const;

private:
    friend class NodeReader;
    bool isInside(int64_t k) const { return k >= 0 && k < count() && positions_[static_cast<std::size_t>(k)] >= 0; }
    Buffer &buffer() const { return *side_.container->buffer; }

    Side side_;
    Operand value_; // of an edge from or to another node: not a container
    std::string wcr_;
    Code indices_, combine_;
    Operand given_, old_, combined_; // registers of combine_
    std::vector<int64_t> positions_; // in bytes
};

/// A library node of the graph. Rejects errors; refused() is true afterwards.
class NodeReader {
public:
    NodeReader(Planner &p, Scope &scope, const ir::LibraryNode &n) : planner(p), scope(scope), node(n), where(ir::elementName(n)) {}

    Planner &planner;
    Scope &scope;
    const ir::LibraryNode &node;
    const std::string where;

    bool hasInput(Name connector) const { return node.inEdge(connector) && !node.inEdge(connector)->memlet.isEmpty(); }
    bool hasOutput(Name connector) const { return node.outEdge(connector) && !node.outEdge(connector)->memlet.isEmpty(); }
    Elements input(Name connector);
    Elements output(Name connector);
    /// The edge that carries data into or out of the node, whatever its connector.
    Elements onlyInput() { return input(onlyEdge(node.inEdges())); }
    Elements onlyOutput() { return output(onlyEdge(node.outEdges())); }

    std::string text(const char *property, std::string otherwise) const;
    bool boolean(const char *property, bool otherwise) const;
    std::optional<std::vector<int64_t>> integers(const char *property) const;

    Builder builder() { return planner.builder(scope, planner.pythonDivision(), planner.site(node)); }
    Code finish(Builder &b) {
        refused_ = refused_ || !b.refusal().empty();
        return planner.finish(b, where);
    }
    /// The expression in a text, such as a lambda of two arguments.
    py::ExprRef expression(const std::string &text);

    void refuse(const std::string &why) {
        refused_ = true;
        planner.refuse(where, why);
    }
    bool refused() const { return refused_; }

private:
    static const ir::Edge *onlyEdge(const std::vector<ir::Edge *> &edges);
    Elements input(const ir::Edge *e);
    Elements output(const ir::Edge *e);
    Elements operand(const ir::Edge &e, Container &c, const std::optional<sym::Subset> &subset);
    bool refused_ = false;
};

/// A library node, ready for execution.
class LibraryStep : public NodeStep {
public:
    void run(Machine &m) final {
        m.order.task();
        for (Elements &e : operands_)
            e.locate(m);
        compute(m);
    }

protected:
    virtual void compute(Machine &m) = 0;
    /// Keeps an operand, which is located before compute().
    Elements &keep(Elements e) { return operands_.emplace_back(std::move(e)); }
    /// The operand of a connector; null if nothing is connected.
    Elements *inputIfAny(NodeReader &r, Name connector) { return r.hasInput(connector) ? &keep(r.input(connector)) : nullptr; }
    Elements *outputIfAny(NodeReader &r, Name connector) { return r.hasOutput(connector) ? &keep(r.output(connector)) : nullptr; }
    /// Reports that the shapes of the operands do not match.
    static void mismatch(Machine &m, const Elements &result) {
        m.report(FaultKind::OutsideShape, result.site(), "the shapes of the operands do not match");
    }

private:
    std::deque<Elements> operands_;
};

/// Converts values from one type to another.
class Conversion {
public:
    Conversion(NodeReader &r, Type from, Type to);
    const std::byte *operator()(Machine &m, const std::byte *value);

private:
    Operand in_, out_;
    Code code_;
};

/// A numeric property of a node, such as alpha: a text that may mention symbols, evaluated in a given type.
class Coefficient {
public:
    Coefficient(NodeReader &r, const std::string &text, Type t);
    void evaluate(Machine &m) { code_.run(m); }
    /// Is it 1 for all values of the symbols?
    bool isOne() const { return one_; }
    bool isZero() const;
    Operand value;

private:
    Code code_;
    bool one_;
};

/// A sum in a register.
class Sum {
public:
    Sum(NodeReader &r, Type t) : value(r.builder().reserve(t)) {}
    Operand value;
    void clear() { std::fill_n(value.at, sizeOf(value.type), std::byte(0)); }
};

/// A product added to a sum: `sum += coefficient * a * b * ...`. A coefficient of one is omitted.
class Term {
public:
    Term(NodeReader &r, const Sum &sum, const std::vector<Type> &factors, const Coefficient &coefficient);
    void add(Machine &m, std::initializer_list<const std::byte *> factors) { add(m, factors.begin()); }
    void add(Machine &m, const std::byte *const *factors);

private:
    std::vector<Operand> factors_;
    Code code_;
};

/// Common part of nodes with alpha and beta: out = alpha * (the node's result) + beta * addend.
///
/// The addend is the input of a connector, or else the old value of the output. An output with conflict resolution is combined with
/// its old value anyway; then beta without an addend has no effect. If beta is zero, nothing is read.
class ScaledStep : public LibraryStep {
protected:
    ScaledStep(NodeReader &r, Elements out, Name addend, const std::string &alpha, const std::string &beta)
        : out_(keep(std::move(out))), addend_(addend ? inputIfAny(r, addend) : nullptr), alpha_(r, alpha, out_.type),
          beta_(r, beta, out_.type), sum_(r, out_.type), old_(r, sum_, {addend_ ? addend_->type : out_.type}, beta_) {}

    void evaluate(Machine &m) {
        alpha_.evaluate(m);
        beta_.evaluate(m);
    }
    /// Sums are computed in the order of the output's elements: the sum for element `o` starts with its addend.
    void begin(Machine &m, int64_t o);
    void end() { end(sum_.value.at); }
    void end(const std::byte *value) { results_.insert(results_.end(), value, value + sizeOf(out_.type)); }
    /// Writes the computed sums.
    void writeResults(Machine &m);

    Elements &out_;
    Elements *addend_;
    Coefficient alpha_, beta_;
    Sum sum_;

private:
    int64_t inAddend(int64_t o) const;
    Term old_;
    std::vector<std::byte> results_;
};

/// Advances an index below the given sizes in row-major order: `do ... while (next(...))`, if there are any.
bool nextIndex(std::vector<int64_t> &index, const std::vector<int64_t> &sizes);
int64_t product(const std::vector<int64_t> &sizes);
/// The strides of a packed row-major array of that shape.
std::vector<int64_t> rowMajorStrides(const std::vector<int64_t> &shape);
std::vector<int64_t> withoutOnes(const std::vector<int64_t> &shape);

} // namespace sdfgc::interpret
