// The parts of the generator: one GraphMaker per SDFG, including nested ones, which writes the lines of its text form.
//
//     Generator.cpp   the program: sizes, arguments, nested SDFGs
//     Flow.cpp        states, loops, branches, jumps, assignments
//     Nests.cpp       nests of loops over elements
//     Bodies.cpp      loops whose bodies have any control flow
//     BodyData.cpp    what such bodies use
//     Calls.cpp       nested SDFGs in such bodies
//     States.cpp      operations of a state, and what orders them
//     Maps.cpp        maps: which elements they write, schedules, bodies
//     Nested.cpp      nested SDFGs
//     Scopes.cpp      streams, consume scopes, ranges that are read at run time, phases of blocks
//     Copies.cpp      copies, views, references
//     Library.cpp     library nodes
//     Types.cpp       types that differ along a path
#pragma once

#include "Expressions.h"
#include "Generator.h"

#include <deque>
#include <functional>
#include <optional>
#include <set>

namespace sdfgc::random {

using Lines = std::vector<std::string>;

/// Adds lines, indented by one more level.
void addInside(Lines &to, const Lines &what);

struct Container {
    std::string name, type;
    std::vector<Index> shape; // for scalars: empty
    std::string attributes;
    std::string keyword = "transient"; // in its declaration, unless it is an argument
    std::string prefix;                // of its type: `Stream `
    bool isArgument = false;
    bool isWritten = false; // every element has a value at this point
    bool isWritable = true;
    bool isDevice = false;    // GPU memory
    bool accumulates = false; // contains sums: integers that may grow
    bool isHidden = false;    // private to one operation
    bool isOperand = false;   // created for library nodes
    bool isScalar() const { return shape.empty(); }
};

/// A read or write of a node.
struct Access {
    std::string connector; // for scopes: empty
    Container *container;
    std::string subset;      // without brackets
    std::string attributes;  // how a conflict is resolved, ...
    std::string otherSubset; // of copies: the destination
    std::string type;        // of the connector; empty: that of the container
};

/// A node of a state or scope, before it is written.
struct Operation {
    std::string head, label;
    std::vector<Access> reads, writes;
    std::optional<Lines> body;
    Container *copiesTo = nullptr; // a copy: identified by the access node that it creates
};

/// A dimension of the elements that a map writes: the subscript, and the range of its values if the parameters up to `first`, or up
/// to the last one, are fixed (a tile).
struct Written {
    std::string subscript, image, tile;
    std::size_t first = 0, last = 0;
};

struct Parameter {
    std::string name, range;
    Index index;
    bool isConstant = false; // the range is constant
};

/// The plan of a map: its parameters from the outside in, and the element that each iteration writes.
struct MapPlan {
    std::vector<Parameter> parameters;
    std::vector<Written> dimensions;
    bool isInner = false; // inside of another map
    std::string subscripts() const;
    /// All elements written by iterations of the parameters from `from` on.
    std::string image(std::size_t from) const;
};

/// The path of a value to its destination.
struct Write {
    enum class Value { Any, Whole, Sign };
    Container *container;
    std::string subset;
    std::string conflict; // attribute for conflict resolution; empty: none
    Value value = Value::Any;
};

/// Shared by all SDFGs of a program.
struct Shared {
    Random random;
    Flavour flavour;
    int labels = 0;
    int depth = 0;       // of nested SDFGs
    bool mixed = false;  // types change along paths
    Random types{0};     // chooses the types; otherwise, programs are the same
    bool bodies = false; // has loops with any control flow
    Random more{0};      // chooses where; otherwise, programs are the same
    bool forms = false; // bodies have further forms: symbols that are real numbers, variables of several loops, mapped scalars, ...
    Random further{0};  // chooses them; otherwise, programs are the same
    /// The settings for a nested SDFG.
    Shared inside(Flavour f) {
        return {Random(random.next()),
                f,
                labels,
                depth + 1,
                mixed,
                mixed ? Random(types.next()) : Random(0),
                false,
                Random(0),
                forms,
                forms ? Random(further.next()) : Random(0)};
    }
};

class GraphMaker {
public:
    GraphMaker(Shared &shared, std::string name) : shared_(shared), random_(shared.random), name_(std::move(name)) {}

    Container &argument(const std::string &name, const std::string &type, std::vector<Index> shape, bool isWritten);
    /// A symbol set from outside; one with the same value everywhere is a size.
    void symbol(const std::string &name, Values low, Values high, bool isSize);
    /// A symbol that assignments change; its value is always in 0 ... bound - 1.
    void counter(const std::string &name, int64_t bound);
    /// A real number that is set from outside.
    void realSymbol(const std::string &name);
    /// The text of the whole SDFG; `blocks`: its approximate number of states and loops.
    /// Followed by `more`.
    Lines write(int blocks, const std::function<void(Lines &)> &more = nullptr);

private:
    // ---- Flow.cpp
    void region(Lines &out, int blocks, int depth, bool inLoop);
    void block(Lines &out, int depth, bool inLoop);
    void loop(Lines &out, int depth);
    void whileLoop(Lines &out, int depth);
    void branch(Lines &out, int depth, bool inLoop);
    void jump(Lines &out);
    void repeat(Lines &out);
    void assignments(Lines &out);
    void emptyState(Lines &out);
    std::string condition();
    std::string value();
    /// Runs `make`, then discards the information about which containers it has written.
    void apart(const std::function<void()> &make);

    // ---- Nests.cpp
    void nest(Lines &out, int levels);
    void elements(Lines &out);
    void turns(Lines &out);
    void wholeCopy(Container &from, Container &to);
    Index boundOf(bool isEnd);

    // ---- Bodies.cpp, BodyData.cpp
    /// What holds at a point of control flow.
    struct Path {
        std::vector<bool> written; // of containers: every element has a value
        std::vector<Index> variables;
        std::vector<std::string> reals;
        void join(const Path &other);
    };
    /// The loop under construction, with what its body uses.
    struct Body {
        Index variable;
        std::vector<Container *> own; // arrays with an element for each iteration
        std::vector<int64_t> shifts;  // of these elements
        std::vector<Container *> scratch, sums;
        std::vector<std::pair<Container *, Index>> arrays;  // of indices, with the bound
        std::vector<std::pair<std::string, Index>> symbols; // which edges assign, with the bound
        std::string counter;                                // a symbol without a bound
        std::vector<std::string> reals;                     // symbols that are real numbers, which edges assign
        int twists = 0;                                     // accesses of other iterations' elements, still to come
        int inner = 0;                                      // loops around the current block
        bool jumps = true;                                  // may continue or break
        bool returns = false;                               // may return
        bool mayBeOld = false;                              // reads scratch of earlier iterations
        bool inWhile = false;                               // the innermost loop is a while loop inside the body
    };
    Path path() const;
    void follow(const Path &p);
    void stateOf(Lines &out, const std::function<void()> &make);
    Container &indexArray(Lines &out, const Index &extent, const Index &bound);
    void prepare(Lines &out, Body &b, const Index &end);
    bool twists(Body &b);
    std::string elementOf(Body &b, const Container &c);
    void step(Body &b);
    void clear(Container &c);
    std::string dataOf(Body &b);
    std::string test(Body &b);
    std::string realOf(Body &b);
    const Container *scalarOf(bool isUntouched);
    bool further(std::size_t n) { return shared_.forms && shared_.further.oneIn(n); }
    std::string variableOfLoop();
    void declare(const std::string &name);
    void assign(Lines &out, Body &b);
    void arms(Lines &out, Body &b, int depth);
    void innerLoop(Lines &out, Body &b, int depth);
    void part(Lines &out, Body &b, int depth);
    void parts(Lines &out, Body &b, int depth);
    void iterations(Lines &out);

    // ---- Calls.cpp
    void call(Body &b, bool isLast);
    void callee(Lines &out, Body &b);

    // ---- States.cpp
    void state(Lines &out, int operations);
    void operation();
    void place(const Operation &op);
    void placeCopy(const Operation &op);
    void makeNode(const Container *c);
    /// The nodes for which an operation that writes the container must wait, except those implied by its reads of it.
    std::vector<std::string> whatTouched(const Container *c, const Operation &op);
    void wrote(const Container *c);
    void fill(Container &c);
    void writeOutputs(Lines &out);
    void moveToDevice(Lines &out);
    void moveBack(Lines &out);
    Container &transient(const std::string &type, std::vector<Index> shape);
    Container *pick(const std::function<bool(const Container &)> &fits);
    Container *target();
    bool canRead(const Container &c) const;
    std::string label(const std::string &stem) { return stem + std::to_string(shared_.labels++); }
    std::vector<Index> anyShape();
    std::string anyType();

    // ---- Maps.cpp
    void mapOver(Container &c, bool all);
    void accumulate(Container &c);
    void scan(Container &c);
    void single(Container &c);
    MapPlan planMap(const Container &c, bool all);
    Written planDimension(MapPlan &plan, const Index &extent, bool all);
    void addParameter(MapPlan &plan, Written &w, const std::string &begin, const std::string &end, const std::string &step,
                      Index index);
    Operation mapOperation(const MapPlan &plan, std::size_t from, const Write &write, std::vector<Index> indices);
    std::string scheduleOf(const MapPlan &plan, std::size_t from, std::size_t to);
    Lines body(const Write &write, const std::vector<Index> &indices, std::vector<Access> &reads);
    void chain(Lines &out, const Write &write, const std::vector<Index> &indices, std::vector<Access> &reads);
    void innerSum(Lines &out, const Write &write, const std::vector<Index> &indices, std::vector<Access> &reads);
    Operation tasklet(const Write &write, const std::vector<Index> &indices, const std::vector<Access> &more = {});
    std::string codeOf(const Write &write, const std::string &connector, Expressions &e);
    void addRead(Operation &op, std::vector<Leaf> &leaves, const std::vector<Index> &indices);
    std::string subscriptFor(const Index &extent, const std::vector<Index> &indices);
    std::vector<Index> knownIndices() const;
    Write updateOf(Container &c);

    // ---- Nested.cpp
    Operation nestedInMap(const Write &write, const std::vector<Index> &indices);
    void nested(Container &c);

    // ---- Copies.cpp
    void copy(Container &to);
    void copyOverlapping(Container &c);
    void alias(Container &to, bool isView);
    std::optional<std::string> slice(const Index &extent, int64_t count, int64_t step);

    // ---- Scopes.cpp
    void stream(Container &to);
    void consume(Container &to);
    void dynamicMap(Container &to);
    void blockPhases();

    // ---- Library.cpp
    void libraryNode();
    void reduce();
    void product();
    void transposition();
    Container &operand(const std::string &type, std::vector<Index> shape, bool isWhole = true);
    void library(const std::string &what, const std::string &attributes, std::vector<Access> reads, const Access &write);

    // ---- Types.cpp
    /// The type of a connector that reads an element, or of an argument to which it is passed.
    std::string readAs(const Container &c);
    /// The type of a connector whose code computes values for an element.
    std::string writtenAs(const Container &c);
    /// The type of a container whose elements are converted to those of this one.
    std::string handedAs(const Container &c);

    Shared &shared_;
    Random &random_;
    std::string name_;
    std::deque<Container> containers_;
    std::vector<Index> symbols_, sizes_;               // set from outside
    std::vector<std::pair<Index, int64_t>> counters_;  // changed by assignments, with the bound
    std::vector<Index> loopVariables_;                 // of the enclosing loops
    std::size_t nestedIn_ = 0;                         // the number of them that enclose the current nest
    std::vector<std::string> loopNames_;               // of all loops: declared
    std::vector<std::string> realNames_, realSymbols_; // symbols that are real numbers: assigned here, set from outside
    std::vector<std::string> reals_;                   // those that have a value
    std::vector<std::string> variables_;               // of loops inside of bodies
    Lines globals_;

    // ---- the state under construction
    struct Touched {
        int nodes = 0;
        std::string last; // the most recent access node
        bool lastWrites = false;
        std::vector<std::string> readers; // since the last write
    };
    std::map<const Container *, Touched> touched_;
    Lines stateLines_;
    bool onDevice_ = false;             // the current operation runs on the device
    std::set<const Container *> taken_; // written by the current operation
};

/// May an element of one type be converted to the other? `isLarge`: it is a sum.
bool mayBecome(std::string_view from, std::string_view to, bool isLarge);
/// The text of a node, placed after others.
Lines textOf(const Operation &op, const std::vector<std::string> &after);
/// `A[subset]`
std::string memlet(const Container &c, const std::string &subset);
/// Adds the reads inside of a scope to those of the scope.
void mergeReads(std::vector<Access> &to, const std::vector<Access> &inside);
/// The subset of an entire container, without brackets.
std::string whole(const Container &c);

} // namespace sdfgc::random
