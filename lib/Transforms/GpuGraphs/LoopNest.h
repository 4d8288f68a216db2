// A loop of the host that the device might control, with its inner loops and branches.
#pragma once

#include "sdfgc/Analysis/Device/GraphRegions.h"
#include "sdfgc/Analysis/Flow/EdgeValues.h"
#include "sdfgc/Pass/Pass.h"

#include <functional>
#include <map>
#include <set>
#include <vector>

namespace sdfgc::transforms {

class ControlKernel;

/// The control of the loop in terms that kernels can compute, and the transformation of the graph.
class DeviceLoopNest {
public:
    /// `guards`: blocks that may be at the end of an iteration; if their condition is false, no value matters
    /// (LoopJumps).
    DeviceLoopNest(ir::LoopRegion &outermost, analysis::GraphBlockers &blockers, bool compat,
                   std::set<const ir::Block *> guards = {})
        : g_(*outermost.sdfg()), outermost_(outermost), blockers_(blockers), compat_(compat), guards_(std::move(guards)) {}

    /// Does the loop, or an inner one, depend on results of the device?
    bool readsDevice();
    /// Returns the obstacle to moving all loops to the device; an empty reason if there is none. Changes nothing.
    diag::Reason plan();
    /// Moves the loops. Requires a plan without an obstacle.
    void move();
    /// For a remark: further code that now runs on the device.
    std::string moved() const;

private:
    /// An assignment on an edge, or the initial value, step or condition of a loop.
    struct Evaluation {
        Name symbol; // empty: a condition
        analysis::SymbolValue value;
    };
    struct Loop {
        ir::LoopRegion *region;
        std::optional<Evaluation> init, update, condition;
    };
    struct Branches {
        ir::ConditionalBlock *block;
        std::vector<std::optional<Evaluation>> conditions; // by branch; nothing: else
    };
    struct Assignments {
        ir::Region *region;
        ir::InterstateEdge *edge;
        std::vector<Evaluation> all;
    };

    // ---- LoopNest.cpp: may they be moved?
    void collectSymbols();
    void collectTwins();
    void follow();
    void block(ir::Block &b);
    void loop(ir::LoopRegion &l);
    void conditional(ir::ConditionalBlock &c);
    void edges(ir::Region &r);
    void state(ir::State &s);
    void dataflow(ir::State &s);
    void kernel(ir::MapEntry &m, const std::set<Name> &used);
    Evaluation evaluation(Name symbol, const std::string &value, const std::vector<const ir::Block *> &before);
    std::optional<Evaluation> statement(const std::optional<ir::Code> &code, const std::vector<const ir::Block *> &before);
    Name readAs(Name data, const std::vector<const ir::Block *> &before) const;
    bool isCopyState(const ir::State &s) const;
    bool isCopiedBy(const ir::Block &b, Name data) const;
    bool isCopied(Name data) const { return twins_.count(data) != 0; }
    void reject(diag::Why why, std::string text);
    bool isInside(const ir::Block &b) const;
    bool isNeededOutside(Name name) const;
    bool isNeeded(Name name, const std::function<bool(const ir::Block &)> &counts) const;
    /// Does the caller receive a container at the end of the program that the host does not read before?
    bool comesAtEnd(Name host) const;

    // ---- MoveLoops.cpp: moving them
    bool isNeededAgain(Name symbol) const;
    void dropCopies();
    void handOver(ir::MapEntry &m, Name symbol);
    bool isLast(const Assignments &a) const;
    void assignAll(const Assignments &a, ControlKernel &kernel);
    void assign(Assignments &a);
    void choose(Branches &b);
    void lookAt(ir::ConditionalBlock &c, Name flag);
    void arm(Loop &l, const std::vector<Name> &given);
    void step(Loop &l);
    void look(Loop &l);
    void giveBack(const std::vector<Name> &symbols, const std::vector<Name> &copies);
    static void leaveOut(ir::State &s);

    ir::SDFG &g_;
    ir::LoopRegion &outermost_;
    analysis::GraphBlockers &blockers_;
    const bool compat_;
    const std::set<const ir::Block *> guards_;
    diag::Reason why_;
    std::set<Name> symbols_;     // assigned inside
    std::map<Name, Name> twins_; // host containers -> device containers that they are copied from
    std::vector<Loop> loops_;    // inner ones first
    std::vector<Branches> branches_;
    std::vector<Assignments> assignments_;                 // on edges
    std::vector<std::pair<ir::MapEntry *, Name>> readers_; // kernels that receive a symbol
    std::vector<ir::Block *> followers_;                   // states after the loop that continue on the device, in order
    std::vector<ir::State *> emptied_;                     // by dropping copies
    std::map<Name, Name> cells_;                           // of symbols, in device memory
    std::map<const ir::LoopRegion *, Name> flags_;
};

} // namespace sdfgc::transforms
