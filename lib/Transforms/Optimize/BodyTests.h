// Comparisons in the body of a loop that decide about stores of the compared value, and what such stores store.
#pragma once

#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Tasklet/Types.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sdfgc::transforms {

/// The comparisons in the body of one loop.
class BodyTests {
public:
    BodyTests(ir::LoopRegion &l, ir::SDFG &g) : loop_(l), g_(g) {}

    /// `if (value > x) x = value`
    struct Test {
        ir::ConditionalBlock *block;
        std::size_t arm; // that stores; the other one is empty
        bool isMaximum;
        bool isStrict; // `>`, not `>=`
        py::ExprRef value;
    };
    /// Conditions that compare a symbol, or the only element of a container. With `amongOthers`, the comparison may be an operand of
    /// `and`, and the other operands do not read the value.
    std::vector<Test> testsOf(Name value, bool amongOthers = false) const;
    /// The function of such tests, as conflict resolution.
    static std::string functionOf(const Test &t);

protected:
    std::optional<Test> testOf(ir::ConditionalBlock &c, Name value, bool amongOthers) const;
    static bool isLiteral(const py::Expr &e);
    bool isSameValue(const py::ExprRef &a, const py::ExprRef &b) const;
    static ir::State *onlyState(ir::Region &r);
    static std::size_t assignmentsIn(const ir::Region &r);
    static bool isIdle(ir::Region &r);
    bool isValue(const py::Expr &e, Name value) const;
    Type typeOf(const py::ExprRef &e, const ir::Tasklet *in) const;
    Type typeOfName(Name n, const ir::Tasklet *in) const;
    py::ExprRef loadedBy(const ir::Tasklet &t, Name connector) const;
    bool isShownAlike(Name view) const;
    /// Does anything in the loop read a symbol? Neither exempt states and conditionals nor, unless `byItself`, its own assignments
    /// count.
    bool readsSymbol(Name symbol, const std::function<bool(const ir::Block &)> &isExempt, bool byItself = false) const;

    ir::LoopRegion &loop_;
    ir::SDFG &g_;
};

} // namespace sdfgc::transforms
