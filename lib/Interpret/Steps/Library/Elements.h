// What library nodes are made of: operands, which give and take elements one at a time, and arithmetic on their values.
//
//     NodeReader   the node of the graph: its operands by connector, its properties
//     Elements     an operand: the elements of a subset, counted in row-major order over its dimensions
//     Conversion, Coefficient, Sum, Term
//                  values in registers, computed as the code of tasklets is, so that types mean the same
//
// Each node is one task. It finds its operands (locate), reads what it needs, and writes. Every element that it reads or writes is
// noted, and the conflict resolution of an output applied to each element that is written.
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
    std::vector<bool> alwaysOne; // which dimensions have one element, whatever the symbols are

    /// Finds the elements as the symbols are now. What the rest of this class says is of these.
    void locate(Machine &m);
    int64_t count() const { return static_cast<int64_t>(positions_.size()); }
    const Site *site() const { return side_.site; }

    /// Element k; zeros, and a report, where there is none.
    const std::byte *read(Machine &m, int64_t k);
    /// What element k holds, for an update: not a read by itself.
    const std::byte *old(int64_t k) const;
    /// Has anything written element k? Where a node combines its result with what an output holds, nothing counts as neutral.
    bool hasValue(int64_t k) const;
    /// Lets element k have a value of this operand's type, or combines it with what is there, as the memlet says.
    void write(Machine &m, int64_t k, const std::byte *value);
    /// Writes what was made of the old value: an update.
    void update(Machine &m, int64_t k, const std::byte *value);
    bool hasConflictResolution() const { return !wcr_.empty(); }
    const std::string &conflictResolution() const { return wcr_; }

    /// All elements, one after the other.
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
    /// The dimensions that count where a node takes at most so many: all, if there are not more; those that are an index in the subset do
    /// not, nor, if there are still more, those that have one element now.
    std::vector<std::size_t> dimensions(std::size_t most) const;
    /// Do both stand for the same elements of the same memory?
    bool isSameAs(const Elements &other) const;

private:
    friend class NodeReader;
    bool isInside(int64_t k) const { return k >= 0 && k < count() && positions_[static_cast<std::size_t>(k)] >= 0; }
    Buffer &buffer() const { return *side_.container->buffer; }

    Side side_;
    Operand value_; // of an edge to or from another node: no container
    std::string wcr_;
    Code indices_, combine_;
    Operand given_, old_, combined_; // registers of combine_
    std::vector<int64_t> positions_; // in bytes
};

/// A library node of the graph. Whatever is wrong with it is refused; then refused() is true.
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
    /// The edge that carries data into the node, or out of it, whatever its connector.
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
    /// A lambda of two arguments, or what else a text says.
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

/// A library node, ready to be executed.
class LibraryStep : public Step {
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
    /// The operand of a connector; null where nothing is connected.
    Elements *inputIfAny(NodeReader &r, Name connector) { return r.hasInput(connector) ? &keep(r.input(connector)) : nullptr; }
    Elements *outputIfAny(NodeReader &r, Name connector) { return r.hasOutput(connector) ? &keep(r.output(connector)) : nullptr; }
    /// Operands of sizes with which the node means nothing.
    static void mismatch(Machine &m, const Elements &result) {
        m.report(FaultKind::OutsideShape, result.site(), "the shapes of the operands do not fit each other");
    }

private:
    std::deque<Elements> operands_;
};

/// Values of one type as another.
class Conversion {
public:
    Conversion(NodeReader &r, Type from, Type to);
    const std::byte *operator()(Machine &m, const std::byte *value);

private:
    Operand in_, out_;
    Code code_;
};

/// A number among the properties of a node, such as alpha: a text that may mention symbols, as a value of a type.
class Coefficient {
public:
    Coefficient(NodeReader &r, const std::string &text, Type t);
    void evaluate(Machine &m) { code_.run(m); }
    /// Is it a one whatever the symbols are?
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

/// A product that is added to a sum: `sum += coefficient * a * b * ...`. A coefficient of one is left out.
class Term {
public:
    Term(NodeReader &r, const Sum &sum, const std::vector<Type> &factors, const Coefficient &coefficient);
    void add(Machine &m, std::initializer_list<const std::byte *> factors) { add(m, factors.begin()); }
    void add(Machine &m, const std::byte *const *factors);

private:
    std::vector<Operand> factors_;
    Code code_;
};

/// What nodes with alpha and beta have in common: out = alpha * (what the node computes) + beta * addend.
///
/// The addend comes in by a connector, or else it is what the output holds. An output with conflict resolution combines with what it
/// holds anyway; then beta without an addend says nothing. A beta of zero reads nothing.
class ScaledStep : public LibraryStep {
protected:
    ScaledStep(NodeReader &r, Elements out, Name addend, const std::string &alpha, const std::string &beta)
        : out_(keep(std::move(out))), addend_(addend ? inputIfAny(r, addend) : nullptr), alpha_(r, alpha, out_.type),
          beta_(r, beta, out_.type), sum_(r, out_.type), old_(r, sum_, {addend_ ? addend_->type : out_.type}, beta_) {}

    void evaluate(Machine &m) {
        alpha_.evaluate(m);
        beta_.evaluate(m);
    }
    /// Sums are made in the order of the elements of the output: the one of element `o` begins with its addend.
    void begin(Machine &m, int64_t o);
    void end() { end(sum_.value.at); }
    void end(const std::byte *value) { results_.insert(results_.end(), value, value + sizeOf(out_.type)); }
    /// Writes what the sums were.
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

/// Counts through indices below some sizes in row-major order: `do ... while (next(...))`, where there are any.
bool nextIndex(std::vector<int64_t> &index, const std::vector<int64_t> &sizes);
int64_t product(const std::vector<int64_t> &sizes);
/// How far apart the elements of a packed array of that shape are along its dimensions.
std::vector<int64_t> rowMajorStrides(const std::vector<int64_t> &shape);
std::vector<int64_t> withoutOnes(const std::vector<int64_t> &shape);

} // namespace sdfgc::interpret
