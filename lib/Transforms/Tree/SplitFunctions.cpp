// Splits large functions, because compilers need superlinear time for a function and parts can go to several files.
//
//   before:  program(A, B, N) { map 1; map 2; ... map 9000 }
//   after:   program_1(A, t, N) { map 1; ... }
//            program_2(t, B, N) { ... }
//            program(A, B, N) { t; program_1(A, t, N); program_2(t, B, N); }
//
// For each function above the limit:
//   1. large statements (sequential loops, branches, scopes) are split inside first;
//   2. declarations sink to their first use, so that most of them end up in one part;
//   3. neighbouring statements are grouped into runs of about half the limit, and each run is outlined. Values that it
//      changes are passed by reference. Declarations that are needed after the run stay before the call.
//
// Not handled: bodies of parallel loops and regions, runs with jumps to the outside, and variables that cannot be
// passed (see `passable`).
//
// The split depends only on the numbers of statements, so the same graph gives the same parts.
#include "Jumps.h"
#include "MovedFunctions.h"
#include "StatementCount.h"

#include "sdfgc/Transforms/Passes.h"
#include "sdfgc/Tree/Effects.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace tree;

/// Finds statements that rebind a variable of the caller to other memory.
void rebound(Node &n, std::set<VarId> &out) {
    if (n.kind == TreeKind::Allocate)
        out.insert(static_cast<Allocate &>(n).var);
    if (n.kind == TreeKind::Release)
        out.insert(static_cast<Release &>(n).var);
    if (n.kind == TreeKind::SetPointer)
        out.insert(static_cast<SetPointer &>(n).var);
    forEachBlock(n, [&](Block &b) {
        for (NodePtr &s : b.body)
            rebound(*s, out);
    });
}

class Splitter {
public:
    /// `large`: functions with more statements are split.
    Splitter(Function &f, std::size_t large, MovedFunctions &parts)
        : f_(f), large_(large), part_(large / 2), smallestPart_(large / 16), parts_(parts), visible_(f) {}

    void run() { block(f_.body); }

private:
    /// The statements of one block during splitting.
    struct Cutting {
        std::vector<NodePtr> body;
        EffectTable table;
        std::unordered_map<Name, std::size_t> lastUse; // position of the last statement that mentions a name
        std::vector<NodePtr> out;
    };
    void block(Block &b);
    void inside(Node &n);
    void sinkDeclarations(Cutting &c) const;
    std::size_t takeRun(Cutting &c, std::size_t begin);
    std::size_t withoutNeededAfter(Cutting &c, std::size_t begin, std::size_t end);
    bool passable(Cutting &c, std::size_t begin, std::size_t end);
    bool isNeededAfter(const Cutting &c, const Node &n, std::size_t end) const;
    void moveOut(Cutting &c, std::size_t begin, std::size_t end);

    Function &f_;
    const std::size_t large_, part_, smallestPart_; // statements
    MovedFunctions &parts_;
    VisibleVariables visible_;
};

/// Splits a statement that is itself large. A parallel loop stays in one piece, since its threads share its clauses.
void Splitter::inside(Node &n) {
    VarId declared;
    if (n.kind == TreeKind::For) {
        auto &loop = static_cast<For &>(n);
        if (loop.omp || loop.simd || !loop.accumulators.empty())
            return;
        declared = loop.var;
    } else if (n.kind == TreeKind::Loop) {
        declared = static_cast<Loop &>(n).declares;
    } else if (n.kind != TreeKind::If && n.kind != TreeKind::Block && n.kind != TreeKind::Measure) {
        return;
    }
    visible_.see(declared);
    forEachBlock(n, [&](Block &b) { block(b); });
    visible_.forget(declared);
}

void Splitter::block(Block &b) {
    if (statements(b) <= large_)
        return;
    std::vector<VarId> declared;
    for (NodePtr &n : b.body) {
        if (n->kind == TreeKind::Declare) {
            declared.push_back(static_cast<Declare &>(*n).var);
            visible_.see(declared.back());
        }
        if (statements(*n) > part_)
            inside(*n);
    }
    Cutting c{std::move(b.body), EffectTable(f_), {}, {}};
    sinkDeclarations(c);
    for (std::size_t k = 0; k < c.body.size(); ++k)
        for (Name n : c.table.of(*c.body[k]).names)
            c.lastUse[n] = k;
    for (std::size_t begin = 0; begin < c.body.size();)
        begin = takeRun(c, begin);
    b.body = std::move(c.out);
    for (auto v = declared.rbegin(); v != declared.rend(); ++v)
        visible_.forget(*v);
}

/// Moves declarations without an initial value down to their first use, if nothing in the block changes the values that their sizes
/// depend on.
void Splitter::sinkDeclarations(Cutting &c) const {
    std::unordered_set<Name> changed;
    for (const NodePtr &n : c.body) {
        const Effects &m = c.table.of(*n);
        changed.insert(m.changed.begin(), m.changed.end());
        changed.insert(m.inText.begin(), m.inText.end());
    }
    std::unordered_map<Name, std::size_t> waiting;
    std::vector<NodePtr> sorted;
    for (std::size_t k = 0; k < c.body.size(); ++k) {
        const Effects &m = c.table.of(*c.body[k]);
        if (c.body[k]->kind == TreeKind::Declare) {
            const auto &d = static_cast<const Declare &>(*c.body[k]);
            Name own = f_.vars[d.var].name;
            bool fixed = d.init || d.target;
            for (Name n : m.names)
                fixed = fixed || (n != own && changed.count(n));
            if (!fixed) {
                waiting[own] = k;
                continue;
            }
        }
        std::vector<std::size_t> wanted;
        for (Name n : m.names)
            if (auto it = waiting.find(n); it != waiting.end()) {
                wanted.push_back(it->second);
                waiting.erase(it);
            }
        std::sort(wanted.begin(), wanted.end());
        for (std::size_t w : wanted)
            sorted.push_back(std::move(c.body[w]));
        sorted.push_back(std::move(c.body[k]));
    }
    for (NodePtr &n : c.body) // never mentioned
        if (n)
            sorted.push_back(std::move(n));
    c.body = std::move(sorted);
}

/// Turns the run that starts at `begin` into a part, or leaves its statements in place. Returns the position after it.
std::size_t Splitter::takeRun(Cutting &c, std::size_t begin) {
    std::size_t end = begin, count = 0;
    while (end < c.body.size() && count < part_ && !jumpsOut(*c.body[end], false))
        count += statements(*c.body[end++]);
    end = withoutNeededAfter(c, begin, end);
    count = 0;
    for (std::size_t k = begin; k < end; ++k)
        count += statements(*c.body[k]);
    if (count >= smallestPart_ && passable(c, begin, end)) {
        moveOut(c, begin, end);
        return end;
    }
    end = std::min(std::max(end, begin + 1), c.body.size());
    std::move(c.body.begin() + static_cast<std::ptrdiff_t>(begin), c.body.begin() + static_cast<std::ptrdiff_t>(end),
              std::back_inserter(c.out));
    return end;
}

bool Splitter::isNeededAfter(const Cutting &c, const Node &n, std::size_t end) const {
    if (n.kind != TreeKind::Declare)
        return false;
    auto last = c.lastUse.find(f_.vars[static_cast<const Declare &>(n).var].name);
    return last != c.lastUse.end() && last->second >= end;
}

/// The end of a run in which no declaration is needed later, except those that can stay before it.
std::size_t Splitter::withoutNeededAfter(Cutting &c, std::size_t begin, std::size_t end) {
    for (std::size_t wanted = 0; wanted != end;) { // a shorter run may have more declarations that are needed later
        wanted = end;
        Effects before;
        for (std::size_t k = begin; k < end; ++k) {
            const Effects &here = c.table.of(*c.body[k]);
            if (isNeededAfter(c, *c.body[k], end)) {
                const auto &d = static_cast<const Declare &>(*c.body[k]);
                bool fixed = d.init || d.target;
                for (Name n : here.names)
                    fixed = fixed || (n != f_.vars[d.var].name && (before.changes(n) || before.declared.count(n)));
                if (fixed)
                    end = k;
            }
            before.add(here);
        }
    }
    return end;
}

/// Can everything that is used be passed to a function? Streams, callbacks and device memory cannot, and neither can a variable
/// that is rebound to other memory.
bool Splitter::passable(Cutting &c, std::size_t begin, std::size_t end) {
    Effects used;
    std::set<VarId> changed;
    for (std::size_t k = begin; k < end; ++k) {
        used.add(c.table.of(*c.body[k]));
        rebound(*c.body[k], changed);
    }
    for (std::size_t k = begin; k < end; ++k)
        if (c.body[k]->kind == TreeKind::Declare && !isNeededAfter(c, *c.body[k], end))
            changed.erase(static_cast<Declare &>(*c.body[k]).var);
    for (Name n : used.names) {
        const VarId v = visible_.find(n);
        if (!v)
            continue;
        switch (f_.vars[v].kind) {
        case VarKind::Value:
        case VarKind::Reference:
        case VarKind::Constant:
        case VarKind::StructPtr:
            break;
        case VarKind::Stack:
        case VarKind::Buffer:
        case VarKind::Pointer:
            if (changed.count(v))
                return false;
            break;
        default:
            return false;
        }
    }
    return true;
}

void Splitter::moveOut(Cutting &c, std::size_t begin, std::size_t end) {
    Block moved;
    for (std::size_t k = begin; k < end; ++k)
        (isNeededAfter(c, *c.body[k], end) ? c.out : moved.body).push_back(std::move(c.body[k]));
    const auto typeOf = [this](Name n) { return visible_.typeOf(n); };
    auto refuse = [](const Variable &, Obstacle) {}; // `passable` has already checked
    const std::string number = std::to_string(parts_.size() + 1);
    Outlined outlined = outline(f_, std::move(moved), Name(f_.name.str() + "_" + number), typeOf, refuse, Handover::ByReference);
    outlined.function->comment = "part " + number + " of " + f_.name.str();
    c.out.push_back(parts_.add(std::move(outlined)));
}

class SplitFunctions : public pass::TreePass {
    bool run(Module &m, pass::Context &) override {
        if (m.streams > 0 ||
            std::any_of(m.functions.begin(), m.functions.end(), [](const auto &f) { return f->kernel || f->device; }))
            return false;
        const auto large = static_cast<std::size_t>(std::max<int64_t>(16, option<int64_t>("statements")));
        return moveFunctions(m, [large](Function &f, MovedFunctions &parts) { Splitter(f, large, parts).run(); });
    }
};

} // namespace

std::unique_ptr<pass::Pass> createSplitFunctions() { return std::make_unique<SplitFunctions>(); }

} // namespace sdfgc::transforms
