// Moves buffers to the program's handle, which keeps them between calls, and lets some of them share memory.
//
//     sdfgc::rt::Buffer<double> a(N * N);            __state->a_memory.reserve(N * N);
//     ... a ...                                      double *a = __state->a_memory.data();
//     sdfgc::rt::Buffer<double> b(N);     becomes    ... a ...
//     ... b ...                                      __state->a_memory.reserve(N);
//                                                    double *b = __state->a_memory.data();
//                                                    ... b ...
//
// The system reclaims large allocations when they are freed, and returns them as pages that must be cleared: more work
// than many programs do on them. `reserve` allocates on the first call, and again only if a later call needs more.
//
//   1. Declarations sink to the first statement that mentions the buffer, if its size does not change in between.
//   2. A buffer is *live* from its declaration to the last statement that mentions it. Statements are those of the
//      function and of plain blocks; a loop, a branch or a team is a single statement. A buffer is live until the end
//      if its address is stored (in a pointer or a view), or if there are jumps.
//   3. In the order of declarations, a buffer takes the first memory of its type and alignment that no live buffer
//      uses, or new memory.
//   4. A pointer to memory that no other buffer uses is `restrict`, since the compiler knows the same of a buffer's
//      memory.
//
// A handle serves one call at a time, so its memory needs no lock. Each function has separate fields, because it runs
// while its caller's buffers are live.
//
// Not handled: buffers declared by a team of threads, or by a function that a team calls, which belong to each thread;
// buffers that get their memory after their declaration; names mentioned in verbatim C++ text; programs for a GPU. With
// `for: call`, nothing is kept.
#include "Bindings.h"
#include "FunctionNames.h"

#include "sdfgc/Transforms/Choices.h"
#include "sdfgc/Transforms/Passes.h"
#include "sdfgc/Tree/Fields.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace sdfgc::transforms {
namespace {

using namespace tree;

/// A buffer that the handle can provide.
struct Served {
    VarId buffer;
    int begin = 0, end = 0; // first and last statement of its live range
    std::size_t memory = 0; // its index in the list
};

/// A field of the state, and the last statement that uses it.
struct Memory {
    VarId field;
    int end = 0, buffers = 0;
};

class Planner {
public:
    Planner(Module &m, Function &f)
        : m_(m), f_(f), table_(f), bindings_(f), mentions_(effectsOf(f)), names_(namesOf(m, f, mentions_)),
          jumps_(contains(f.body, TreeKind::Label)) {
        for (const Variable &v : f.vars)
            if (v.kind == VarKind::Member)
                structures_.insert(v.parent);
    }

    /// Returns whether the handle keeps any memory.
    bool run() {
        if (!jumps_)
            sink(f_.body);
        number(f_.body);
        for (Served &s : served_)
            assign(s);
        for (const Served &s : served_)
            places_.emplace(s.buffer, &s);
        replace(f_.body);
        for (MemRef &r : f_.refs)
            if (const auto pointer = pointers_.find(r.var); pointer != pointers_.end())
                r.var = pointer->second;
        f_.needsState = f_.needsState || !served_.empty();
        return !served_.empty();
    }

private:
    /// Moves buffers to their first mention, if their size is the same there.
    void sink(Block &b) {
        for (std::size_t i = b.body.size(); i-- > 0;) {
            const auto *d = dyn_cast<Declare>(b.body[i].get());
            if (!d || !canServe(d->var))
                continue;
            std::size_t to = i + 1;
            while (to < b.body.size() && mayPass(f_.vars[d->var], *b.body[to]))
                ++to;
            const auto at = [&b](std::size_t k) { return b.body.begin() + static_cast<std::ptrdiff_t>(k); };
            std::rotate(at(i), at(i + 1), at(to));
        }
        for (NodePtr &n : b.body)
            forEachBlock(*n, [this](Block &inner) { sink(inner); });
    }

    /// Can a buffer be declared after a statement as well as before it?
    bool mayPass(const Variable &buffer, const Node &n) {
        const Effects &all = table_.of(n);
        bool can = !all.has(buffer.name);
        for (sym::Expr e : {buffer.count, buffer.startOffset})
            for (Name s : e.freeSymbols())
                can = can && !all.changes(s) && !all.declared.count(s);
        return can;
    }

    /// Numbers the statements, and finds buffers and their live ranges.
    void number(Block &b) {
        for (NodePtr &n : b.body) {
            if (n->kind == TreeKind::Block) {
                number(static_cast<Block &>(*n));
                continue;
            }
            ++now_;
            for (Name name : table_.of(*n).names)
                if (const auto found = named_.find(name); found != named_.end())
                    for (std::size_t s : found->second)
                        served_[s].end = std::max(served_[s].end, now_);
            find(*n);
        }
    }

    /// Finds buffers in a statement and its inner statements, except for declarations of threads.
    void find(Node &n) {
        if (const auto *d = dyn_cast<Declare>(&n); d && canServe(d->var)) {
            named_[f_.vars[d->var].name].push_back(served_.size());
            served_.push_back({d->var, now_, jumps_ || bindings_.isKept(d->var) ? untilTheEnd : now_});
        }
        if (!hasThreads(n))
            forEachBlock(n, [this](Block &inner) {
                for (NodePtr &x : inner.body)
                    find(*x);
            });
    }

    bool canServe(VarId id) const {
        const Variable &v = f_.vars[id];
        return v.kind == VarKind::Buffer && v.countKnown && bindings_.timesAssigned(id) == 1 && !structures_.count(id) &&
               !mentions_.inText.count(v.name);
    }

    void assign(Served &s) {
        const Variable &v = f_.vars[s.buffer];
        const auto fits = [&](const Memory &m) {
            const Variable &field = f_.vars[m.field];
            return m.end < s.begin && field.type == v.type && field.alignment == v.alignment && field.startOffset == v.startOffset;
        };
        const auto found = std::find_if(memories_.begin(), memories_.end(), fits);
        s.memory = static_cast<std::size_t>(found - memories_.begin());
        if (found == memories_.end())
            memories_.push_back({addField(v), 0, 0});
        memories_[s.memory].end = s.end;
        ++memories_[s.memory].buffers;
    }

    /// A field, which has no memory yet.
    VarId addField(const Variable &buffer) {
        StateField field;
        const Name wanted(buffer.name.str() + "_memory");
        field.name = freshField(m_, names_, wanted, names_.declare(wanted));
        field.type = buffer.type;
        field.count = 0;
        field.startOffset = buffer.startOffset;
        field.alignment = buffer.alignment;
        field.comment = "kept from call to call";
        Variable v;
        v.name = field.name;
        v.type = field.type;
        v.kind = VarKind::StateField;
        v.count = 1; // an array, whatever its length: with no count it would be a single value
        v.startOffset = field.startOffset;
        v.alignment = field.alignment;
        m_.fields.push_back(std::move(field));
        return f_.vars.add(std::move(v));
    }

    /// Replaces the buffers with memory of the handle.
    void replace(Block &b) {
        std::vector<NodePtr> statements;
        statements.reserve(b.body.size());
        for (NodePtr &n : b.body) {
            forEachBlock(*n, [this](Block &inner) { replace(inner); });
            const auto *d = dyn_cast<Declare>(n.get());
            const auto place = d ? places_.find(d->var) : places_.end();
            if (place == places_.end()) {
                statements.push_back(std::move(n));
                continue;
            }
            const Memory &memory = memories_[place->second->memory];
            NodePtr pointer = pointTo(memory, d->var);
            NodePtr reserve = reserveFor(memory, d->var);
            std::swap(reserve->comment, n->comment);
            std::swap(reserve->origin, n->origin);
            statements.push_back(std::move(reserve));
            statements.push_back(std::move(pointer));
        }
        b.body = std::move(statements);
    }

    NodePtr reserveFor(const Memory &memory, VarId buffer) {
        auto reserve = std::make_unique<Allocate>(memory.field, f_.vars[buffer].count);
        reserve->reserve = true;
        reserve->zero = f_.vars[buffer].zeroed;
        return reserve;
    }

    /// The declaration of a pointer that replaces the buffer; finally, all references go through it.
    NodePtr pointTo(const Memory &memory, VarId buffer) {
        Variable v;
        v.name = f_.vars[buffer].name;
        v.type = f_.vars[buffer].type;
        v.kind = VarKind::Pointer;
        v.isRestrict = memory.buffers == 1 && !bindings_.isKept(buffer);
        const VarId pointer = f_.vars.add(std::move(v));
        pointers_.emplace(buffer, pointer);
        MemRef start;
        start.var = memory.field;
        start.address = true;
        auto declaration = std::make_unique<Declare>(pointer);
        declaration->target = f_.refs.add(start);
        return declaration;
    }

    static constexpr int untilTheEnd = std::numeric_limits<int>::max();

    Module &m_;
    Function &f_;
    EffectTable table_;
    Bindings bindings_;
    Effects mentions_;
    NameScopes names_;
    bool jumps_;
    int now_ = 0;
    std::vector<Served> served_; // in declaration order
    std::vector<Memory> memories_;
    std::map<VarId, const Served *> places_;
    std::set<VarId> structures_;                               // variables with members
    std::unordered_map<Name, std::vector<std::size_t>> named_; // buffers of the list, by their names
    std::map<VarId, VarId> pointers_;                          // replacements of buffers
};

/// The functions that threads of teams may call, directly or indirectly.
class CalledInTeams {
public:
    explicit CalledInTeams(const Module &m) {
        for (std::size_t i = m.functions.size(); i-- > 0;) // callers come last
            block(m.functions[FunctionId(i)]->body, has(FunctionId(i)));
    }
    bool has(FunctionId f) const { return functions_.count(f) != 0; }

private:
    void block(const Block &b, bool inTeam) {
        for (const NodePtr &n : b.body) {
            if (const auto *call = dyn_cast<Call>(n.get()); call && inTeam)
                functions_.insert(call->function);
            forEachBlock(std::as_const(*n), [&](const Block &inner) { block(inner, inTeam || hasThreads(*n)); });
        }
    }
    std::set<FunctionId> functions_;
};

class PlanMemory : public pass::TreePass {
    bool run(Module &m, pass::Context &) override {
        if (m.streams > 0 || option<MemoryKept>("for") == MemoryKept::Call ||
            std::any_of(m.functions.begin(), m.functions.end(), [](const auto &f) { return f->kernel || f->device; }))
            return false;
        const CalledInTeams inTeams(m);
        bool changed = false;
        for (std::size_t i = 0; i < m.functions.size(); ++i) { // callees come first
            Function &f = *m.functions[FunctionId(i)];
            if (!inTeams.has(FunctionId(i)))
                changed |= Planner(m, f).run();
            f.needsState = f.needsState || usesState(f.body, m);
        }
        return changed;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createPlanMemory() { return std::make_unique<PlanMemory>(); }

} // namespace sdfgc::transforms
