// The parts of the generator: one GraphMaker for each SDFG, nested ones included, which writes the lines of its text form.
//
//     Generator.cpp   the program: sizes, arguments, nested SDFGs
//     Flow.cpp        states, loops, branches, jumps, assignments
//     Nests.cpp       nests of loops over elements
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

/// Adds lines one step further in.
void addInside(Lines &to, const Lines &what);

struct Container {
    std::string name, type;
    std::vector<Index> shape; // of a scalar: none
    std::string attributes;
    std::string keyword = "transient"; // of its declaration, unless it is an argument
    std::string prefix;                // of its type: `Stream `
    bool isArgument = false;
    bool isWritten = false; // every element has a value here
    bool isWritable = true;
    bool isDevice = false;    // memory of the GPU
    bool accumulates = false; // holds sums: whole numbers that may grow
    bool isHidden = false;    // belongs to one operation
    bool isOperand = false;   // made for library nodes
    bool isScalar() const { return shape.empty(); }
};

/// What a node reads or writes.
struct Access {
    std::string connector; // of a scope: none
    Container *container;
    std::string subset;      // without brackets
    std::string attributes;  // how a conflict is resolved, ...
    std::string otherSubset; // of a copy: where it goes
    std::string type;        // of the connector; empty: as the container has it
};

/// A node of a state or scope, as it will be written.
struct Operation {
    std::string head, label;
    std::vector<Access> reads, writes;
    std::optional<Lines> body;
    Container *copiesTo = nullptr; // a copy: it is known by the access node that it makes
};

/// A dimension of what a map writes: the subscript, and the range of its values where the parameters up to `first` are fixed, or
/// where those up to the last one are (a tile).
struct Written {
    std::string subscript, image, tile;
    std::size_t first = 0, last = 0;
};

struct Parameter {
    std::string name, range;
    Index index;
    bool isConstant = false; // its range is
};

/// What a map does: parameters from the outside in, and the element that each iteration writes.
struct MapPlan {
    std::vector<Parameter> parameters;
    std::vector<Written> dimensions;
    bool isInner = false; // it stands in another map
    std::string subscripts() const;
    /// All that is written by iterations of the parameters from `from` on.
    std::string image(std::size_t from) const;
};

/// How a value gets to where it is written.
struct Write {
    enum class Value { Any, Whole, Sign };
    Container *container;
    std::string subset;
    std::string conflict; // attribute that resolves conflicts; empty: none
    Value value = Value::Any;
};

/// What all SDFGs of a program share.
struct Shared {
    Random random;
    Flavour flavour;
    int labels = 0;
    int depth = 0;      // of nested SDFGs
    bool mixed = false; // types change along paths
    Random types{0};    // chooses them: programs are the same otherwise
    /// The settings for a nested SDFG.
    Shared inside(Flavour f) {
        return {Random(random.next()), f, labels, depth + 1, mixed, mixed ? Random(types.next()) : Random(0)};
    }
};

class GraphMaker {
public:
    GraphMaker(Shared &shared, std::string name) : shared_(shared), random_(shared.random), name_(std::move(name)) {}

    Container &argument(const std::string &name, const std::string &type, std::vector<Index> shape, bool isWritten);
    /// A symbol that is given from outside; one with the same value everywhere is a size.
    void symbol(const std::string &name, Values low, Values high, bool isSize);
    /// A symbol that assignments change; always in 0 ... bound - 1.
    void counter(const std::string &name, int64_t bound);
    /// The text of the whole SDFG; `blocks`: about how many states and loops it has.
    Lines write(int blocks);

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
    /// Runs `make` and forgets afterwards which containers it has written.
    void apart(const std::function<void()> &make);

    // ---- Nests.cpp
    void nest(Lines &out, int levels);
    void elements(Lines &out);
    void turns(Lines &out);
    void wholeCopy(Container &from, Container &to);
    Index boundOf(bool isEnd);

    // ---- States.cpp
    void state(Lines &out, int operations);
    void operation();
    void place(const Operation &op);
    void placeCopy(const Operation &op);
    void makeNode(const Container *c);
    /// What an operation that writes the container has to wait for, without what its reads of it say.
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
    /// The type of a connector that reads an element, or of an argument that gets it.
    std::string readAs(const Container &c);
    /// The type of a connector whose code stores values for an element.
    std::string writtenAs(const Container &c);
    /// The type of a container whose elements, any of its type, become elements of this one.
    std::string handedAs(const Container &c);

    Shared &shared_;
    Random &random_;
    std::string name_;
    std::deque<Container> containers_;
    std::vector<Index> symbols_, sizes_;              // given from outside
    std::vector<std::pair<Index, int64_t>> counters_; // changed by assignments, with the bound
    std::vector<Index> loopVariables_;                // of the loops around
    std::size_t nestedIn_ = 0;                        // how many of them are around the nest that is being made
    std::vector<std::string> loopNames_;              // of all loops: declared
    Lines globals_;

    // ---- the state that is being written
    struct Touched {
        int nodes = 0;
        std::string last; // the access node that was made last
        bool lastWrites = false;
        std::vector<std::string> readers; // since the last write
    };
    std::map<const Container *, Touched> touched_;
    Lines stateLines_;
    bool onDevice_ = false;             // the operation that is being made is one of the device
    std::set<const Container *> taken_; // written by the operation that is being made
};

/// May an element of one type be converted to the other? `isLarge`: it is a sum.
bool mayBecome(std::string_view from, std::string_view to, bool isLarge);
/// A node as it is written, after others.
Lines textOf(const Operation &op, const std::vector<std::string> &after);
/// `A[subset]`
std::string memlet(const Container &c, const std::string &subset);
/// Reads of a scope's inside, as its own.
void mergeReads(std::vector<Access> &to, const std::vector<Access> &inside);
/// All of a container, without brackets.
std::string whole(const Container &c);

} // namespace sdfgc::random
