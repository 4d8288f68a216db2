// A loop of the host that could be decided on the device, with the loops and branches inside of it.
#pragma once

#include "Transforms/Optimize/SymbolValues.h"

#include "sdfgc/Analysis/GraphRegions.h"
#include "sdfgc/Pass/Pass.h"

#include <functional>
#include <map>
#include <set>
#include <vector>

namespace sdfgc::transforms {

class ControlKernel;

/// The loop's control, in terms that kernels can compute, and the change of the graph.
class DeviceLoopNest {
public:
    /// `guards`: blocks that may stand at the end of an iteration; where they do not hold, no value counts (LoopJumps).
    DeviceLoopNest(ir::LoopRegion &outermost, analysis::GraphBlockers &blockers, bool compat,
                   std::set<const ir::Block *> guards = {})
        : g_(*outermost.sdfg()), outermost_(outermost), blockers_(blockers), compat_(compat), guards_(std::move(guards)) {}

    /// Does what the device computes decide about the loop, or one inside?
    bool readsDevice();
    /// What stands in the way of moving all of them to the device; an empty reason if nothing does. Changes nothing.
    diag::Reason plan();
    /// Moves them. Only after a plan without a reason.
    void move();
    /// For a remark: what else is on the device now.
    std::string moved() const;

private:
    /// An assignment on an edge, a loop's start, step or condition.
    struct Evaluation {
        Name symbol; // none: a condition
        SymbolValue value;
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
    /// Does the end of the program give the caller a container that the host does not look at in between?
    bool comesAtEnd(Name host) const;

    // ---- MoveLoops.cpp: moving them
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
    std::map<Name, Name> twins_; // containers of the host -> those in device memory that they are copied from
    std::vector<Loop> loops_;    // inner ones first
    std::vector<Branches> branches_;
    std::vector<Assignments> assignments_;                 // on edges
    std::vector<std::pair<ir::MapEntry *, Name>> readers_; // kernels that a symbol is handed to
    std::vector<ir::Block *> followers_;                   // states after the loop that the device goes on with, in order
    std::vector<ir::State *> emptied_;                     // by dropping copies
    std::map<Name, Name> cells_;                           // of symbols, in device memory
    std::map<const ir::LoopRegion *, Name> flags_;
};

} // namespace sdfgc::transforms
