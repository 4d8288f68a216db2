// Control flow: regions, loops, conditionals, states (format reference section 5).
#include "../Plan.h"

namespace sdfgc::interpret {

namespace {

/// A condition or an assigned value: its code and the operand of its result.
struct Value {
    Code code;
    Operand result;
};

/// The code at an element of control flow, with its result converted to a type.
Value value(Planner &p, Graph &g, const std::string &element, const ir::Code &code, Type t) {
    Builder b = p.builder(g.top, p.symbolicDivision(), p.machine.site(element, code.text(), {}));
    Value out;
    if (const py::ExprRef e = g.top.parse(b, code)) {
        const Operand v = b.expression(*e);
        out.result = t.isBool() && v.type.isPointer() ? b.refuse("an address as a condition") : b.convert(v, t);
    }
    out.code = p.finish(b, element);
    return out;
}

Value condition(Planner &p, Graph &g, const std::string &element, const ir::Code &code) {
    return value(p, g, element, code, ScalarKind::Bool);
}

// ---------------------------------------------------------------------------------------------------- assignments

/// Values and the symbols that get them; all values are computed before the first assignment.
class Assignments {
public:
    void add(Planner &p, Graph &g, const std::string &element, Name symbol, const std::string &text) {
        const auto found = g.symbols.find(symbol);
        if (found == g.symbols.end()) {
            p.refuse(element, "an assignment to `" + symbol.str() + "`, which is not a symbol");
            return;
        }
        Value v = value(p, g, element, {text, ir::Language::Python}, found->second.type);
        if (v.result) {
            // The value is copied until all are known: the code may return the register of a symbol itself.
            Builder b = p.builder(g.top, p.symbolicDivision(), nullptr);
            const Operand kept = b.reserve(found->second.type);
            b.copy(kept, v.result);
            values_.push_back(std::move(v.code));
            values_.push_back(p.finish(b, element));
            b.copy(found->second, kept);
            stores_.push_back(p.finish(b, element));
        }
    }
    void run(Machine &m) const {
        if (stores_.empty())
            return;
        m.order.task();
        for (const Code &c : values_)
            c.run(m);
        for (const Code &c : stores_)
            c.run(m);
    }

private:
    std::vector<Code> values_, stores_;
};

// ---------------------------------------------------------------------------------------------------- states

class StateFlow final : public Flow {
public:
    StateFlow(Planner &p, Graph &g, const ir::State &s) : g_(g) {
        std::set<Container *> used;
        for (const auto &n : s.nodes())
            if (const auto *access = dyn_cast<ir::AccessNode>(n.get()))
                for (Container *c : g.family(ir::ownerOf(access->data)))
                    if (used.insert(c).second)
                        used_.push_back(c);
        std::erase_if(used_, [&](Container *c) { return !g.needsPreparation(*c); });
        p.body(body_, g, g.top, s, nullptr);
    }
    Outcome run(Machine &m) override {
        for (Container *c : used_)
            g_.prepare(m, *c);
        body_.run(m);
        return Outcome::Next;
    }

private:
    Graph &g_;
    std::vector<Container *> used_;
    Body body_;
};

// ---------------------------------------------------------------------------------------------------- regions

class RegionFlow : public Flow {
public:
    RegionFlow(Planner &p, Graph &g, const ir::Region &r) {
        for (const auto &b : r.blocks())
            blocks_.push_back({p.flow(g, *b), {}});
        for (const auto &b : r.blocks())
            for (const ir::InterstateEdge *e : b->outEdges())
                add(p, g, r, *e);
        for (Block &b : blocks_) // unconditional edges go last
            std::stable_partition(b.edges.begin(), b.edges.end(), [](const Edge &e) { return !e.always; });
        start_ = r.start() ? r.start()->id() : 0;
    }
    Outcome run(Machine &m) override {
        if (blocks_.empty())
            return Outcome::Next;
        for (std::size_t at = start_;;) {
            const Outcome o = blocks_[at].flow->run(m);
            if (o != Outcome::Next)
                return o;
            if (!m.goesOn())
                return Outcome::Return;
            const Edge *taken = nullptr;
            for (const Edge &e : blocks_[at].edges) {
                if (!e.always) {
                    m.order.task();
                    e.condition.code.run(m);
                }
                if (e.always || as<bool>(e.condition.result.at)) {
                    taken = &e;
                    break;
                }
            }
            if (!taken)
                return Outcome::Next;
            taken->assignments.run(m);
            at = taken->to;
        }
    }

private:
    struct Edge {
        bool always = true;
        Value condition;
        Assignments assignments;
        std::size_t to = 0;
    };
    struct Block {
        std::unique_ptr<Flow> flow;
        std::vector<Edge> edges;
    };
    void add(Planner &p, Graph &g, const ir::Region &r, const ir::InterstateEdge &e) {
        Edge out;
        const std::string element = ir::elementName(e, r);
        out.always = e.isUnconditional();
        if (!out.always)
            out.condition = condition(p, g, element, e.condition);
        if (!out.always && !out.condition.result)
            return;
        for (const auto &[symbol, text] : e.assignments)
            out.assignments.add(p, g, element, symbol, text);
        out.to = e.dst->id();
        blocks_[e.src->id()].edges.push_back(std::move(out));
    }

    std::vector<Block> blocks_;
    std::size_t start_ = 0;
};

// ---------------------------------------------------------------------------------------------------- loops, branches, jumps

class LoopFlow final : public Flow {
public:
    LoopFlow(Planner &p, Graph &g, const ir::LoopRegion &l)
        : body_(p, g, l), inverted_(l.inverted), updateFirst_(l.updateBeforeCondition) {
        const std::string element = ir::elementName(l);
        statement(p, g, element, l.init, init_);
        statement(p, g, element, l.update, update_);
        if (l.condition && !l.condition->empty())
            condition_ = condition(p, g, element, *l.condition);
    }
    Outcome run(Machine &m) override {
        init_.run(m);
        for (bool first = true;; first = false) {
            if ((!inverted_ || (!first && updateFirst_)) && !holds(m))
                return Outcome::Next;
            const Outcome o = body_.run(m);
            if (o == Outcome::Break)
                return Outcome::Next;
            if (o == Outcome::Return)
                return o;
            if (inverted_ && !updateFirst_ && !holds(m))
                return Outcome::Next;
            update_.run(m);
        }
    }

private:
    bool holds(Machine &m) {
        m.order.task();
        condition_.code.run(m);
        return !condition_.result || as<bool>(condition_.result.at);
    }
    /// `i = 0`, `i += 1`.
    static void statement(Planner &p, Graph &g, const std::string &element, const std::optional<ir::Code> &code, Assignments &out) {
        if (!code || code->empty())
            return;
        const ir::Code::Block *parsed = code->block();
        if (!parsed || parsed->empty()) {
            p.refuse(element, "code that is not Python: `" + code->text() + "`");
            return;
        }
        const py::Stmt &s = *parsed->front();
        const bool assigns = (s.kind == py::StmtKind::Assign || s.kind == py::StmtKind::AugAssign) && s.targets.size() == 1 &&
                             s.targets[0]->kind == py::ExprKind::Name;
        if (!assigns) {
            p.refuse(element, "the statement `" + code->text() + "` of a loop");
            return;
        }
        const py::ExprRef value = s.kind == py::StmtKind::Assign ? s.value : py::binary(s.op, s.targets[0], s.value);
        out.add(p, g, element, s.targets[0]->name, py::print(*value));
    }

    RegionFlow body_;
    Assignments init_, update_;
    Value condition_;
    bool inverted_, updateFirst_;
};

class ConditionalFlow final : public Flow {
public:
    ConditionalFlow(Planner &p, Graph &g, const ir::ConditionalBlock &c) {
        for (const auto &b : c.branches()) {
            Branch out;
            out.always = !b.condition;
            if (b.condition)
                out.condition = condition(p, g, ir::elementName(c), *b.condition);
            out.region = std::make_unique<RegionFlow>(p, g, *b.region);
            branches_.push_back(std::move(out));
        }
    }
    Outcome run(Machine &m) override {
        for (Branch &b : branches_) {
            m.order.task();
            b.condition.code.run(m);
            if (b.always || (b.condition.result && as<bool>(b.condition.result.at)))
                return b.region->run(m);
        }
        return Outcome::Next;
    }

private:
    struct Branch {
        bool always = false;
        Value condition;
        std::unique_ptr<RegionFlow> region;
    };
    std::vector<Branch> branches_;
};

class JumpFlow final : public Flow {
public:
    explicit JumpFlow(Outcome o) : outcome_(o) {}
    Outcome run(Machine &) override { return outcome_; }

private:
    Outcome outcome_;
};

} // namespace

std::unique_ptr<Flow> Planner::flow(Graph &g, const ir::Block &b) {
    switch (b.kind()) {
    case ir::BlockKind::State:
        return std::make_unique<StateFlow>(*this, g, static_cast<const ir::State &>(b));
    case ir::BlockKind::Loop:
        return std::make_unique<LoopFlow>(*this, g, static_cast<const ir::LoopRegion &>(b));
    case ir::BlockKind::Conditional:
        return std::make_unique<ConditionalFlow>(*this, g, static_cast<const ir::ConditionalBlock &>(b));
    case ir::BlockKind::Break:
        return std::make_unique<JumpFlow>(Outcome::Break);
    case ir::BlockKind::Continue:
        return std::make_unique<JumpFlow>(Outcome::Continue);
    case ir::BlockKind::Return:
        return std::make_unique<JumpFlow>(Outcome::Return);
    default:
        return std::make_unique<RegionFlow>(*this, g, static_cast<const ir::Region &>(b));
    }
}

} // namespace sdfgc::interpret
