#include "Transforms/Normalise/FlowInterpreter.h"

#include "sdfgc/Tasklet/Ast.h"

#include <catch2/catch.hpp>

namespace sdfgc::test {
namespace {

using namespace ir;

enum class Outcome { Done, Break, Continue, Return, OutOfSteps };

class Interpreter {
public:
    Interpreter(FlowResult &r, int steps) : result_(r), steps_(steps) {}

    Outcome region(const Region &r) {
        const Block *b = r.start();
        REQUIRE(b);
        while (true) {
            if (--steps_ < 0)
                return Outcome::OutOfSteps;
            if (Outcome o = block(*b); o != Outcome::Done)
                return o;
            const InterstateEdge *taken = edgeFrom(b);
            if (!taken)
                return Outcome::Done;
            // All values are computed before any symbol changes: the assignments of an edge are independent of each other.
            std::vector<std::pair<std::string, int64_t>> values;
            for (const auto &[name, text] : taken->assignments)
                values.emplace_back(name.str(), evaluate(text));
            for (auto &[name, value] : values)
                result_.symbols[name] = value;
            b = taken->dst;
        }
    }

private:
    const InterstateEdge *edgeFrom(const Block *b) {
        const InterstateEdge *otherwise = nullptr;
        for (const InterstateEdge *e : b->outEdges()) {
            if (e->isUnconditional())
                otherwise = otherwise ? otherwise : e;
            else if (evaluate(e->condition.text()))
                return e;
        }
        return otherwise;
    }

    Outcome block(const Block &b) {
        switch (b.kind()) {
        case BlockKind::State:
            if (!static_cast<const State &>(b).nodes().empty())
                result_.trace.push_back(b.label);
            return Outcome::Done;
        case BlockKind::Break:
            return Outcome::Break;
        case BlockKind::Continue:
            return Outcome::Continue;
        case BlockKind::Return:
            return Outcome::Return;
        case BlockKind::Loop:
            return loop(static_cast<const LoopRegion &>(b));
        case BlockKind::Conditional:
            for (const auto &branch : static_cast<const ConditionalBlock &>(b).branches())
                if (!branch.condition || evaluate(branch.condition->text()))
                    return region(*branch.region);
            return Outcome::Done;
        default:
            return region(static_cast<const Region &>(b));
        }
    }

    void statement(const std::optional<Code> &c) {
        if (!c)
            return;
        auto equals = c->text().find('=');
        std::string name = c->text().substr(0, c->text().find_last_not_of(' ', equals - 1) + 1);
        result_.symbols[name] = evaluate(c->text().substr(equals + 1));
    }

    Outcome loop(const LoopRegion &l) {
        statement(l.init);
        bool first = l.inverted;
        while (first || evaluate(l.condition->text())) {
            first = false;
            if (--steps_ < 0)
                return Outcome::OutOfSteps;
            Outcome o = region(l);
            if (o == Outcome::Break)
                return Outcome::Done;
            if (o == Outcome::Return || o == Outcome::OutOfSteps)
                return o;
            if (l.inverted && !l.updateBeforeCondition && !evaluate(l.condition->text()))
                return Outcome::Done;
            statement(l.update);
            first = l.inverted && !l.updateBeforeCondition;
        }
        return Outcome::Done;
    }

    int64_t evaluate(const std::string &text) {
        auto parsed = py::parseExpr(text);
        INFO(text);
        REQUIRE(parsed.value);
        return evaluate(**parsed.value);
    }

    int64_t evaluate(const py::Expr &e) {
        auto arg = [&](std::size_t i) { return evaluate(*e.args[i]); };
        switch (e.kind) {
        case py::ExprKind::Int:
            return std::stoll(e.text);
        case py::ExprKind::Bool:
            return e.text == "True";
        case py::ExprKind::Name: {
            auto known = result_.symbols.find(e.name.str());
            return known == result_.symbols.end() ? 0 : known->second;
        }
        case py::ExprKind::Unary:
            return e.op == py::Op::Not ? !arg(0) : -arg(0);
        case py::ExprKind::Compare:
            switch (e.ops[0]) {
            case py::Op::Lt:
                return arg(0) < arg(1);
            case py::Op::Ge:
                return arg(0) >= arg(1);
            case py::Op::Eq:
                return arg(0) == arg(1);
            default:
                return arg(0) != arg(1);
            }
        case py::ExprKind::Binary:
            switch (e.op) {
            case py::Op::Add:
                return arg(0) + arg(1);
            case py::Op::Mul:
                return arg(0) * arg(1);
            case py::Op::Mod:
                return arg(0) % arg(1);
            default:
                return arg(0) - arg(1);
            }
        default:
            FAIL("expression not known to the interpreter");
            return 0;
        }
    }

    FlowResult &result_;
    int steps_;
};

} // namespace

FlowResult interpret(const SDFG &g, int steps, std::map<std::string, int64_t> symbols) {
    FlowResult r;
    r.symbols = std::move(symbols);
    r.finished = Interpreter(r, steps).region(g) != Outcome::OutOfSteps;
    return r;
}

} // namespace sdfgc::test
