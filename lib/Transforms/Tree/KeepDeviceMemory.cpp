// keep-device-memory: move buffers of a GPU program to the program's handle, which keeps them between calls.
//
//     sdfgc::gpu::Buffer<double> T("T", N * N);            __state->T.reserve(N * N);
//     graph step { ... T ... }                   becomes   graph step { ... __state->T ... }
//
// Allocating device memory takes up to a millisecond, and releasing it makes the host wait for the device. `reserve`
// allocates on the first call, and again only if a later call needs more. A GPU graph also stores addresses: if they
// changed in each call, each node of the graph would have to be updated before each launch.
//
// The cost is memory that stays allocated between calls. With the option `all=false`, only buffers that graphs use are
// kept.
//
// Not handled: pool memory, memory that is already in the program's state, and buffers of loops and of called
// functions, which may be used again while the device is still busy with them. A graph's buffers are an exception to
// the last rule, since a graph is a single operation of a stream.
#include "FunctionNames.h"

#include "sdfgc/Transforms/Passes.h"
#include "sdfgc/Tree/Fields.h"

#include <algorithm>
#include <set>

namespace sdfgc::transforms {
namespace {

using namespace tree;

class Keeper {
public:
    Keeper(Module &m, Function &f) : m_(m), f_(f), names_(namesOf(m, f, effectsOf(f))) {}

    /// `all`: also buffers that no graph uses.
    bool run(bool all) {
        find(f_.body, false);
        if (all)
            keep(f_.body);
        for (VarId v : kept_)
            makeField(v);
        if (!kept_.empty())
            block(f_.body);
        f_.needsState = f_.needsState || !kept_.empty();
        return !kept_.empty();
    }

    // ---- visitor of rebind()
    void var(VarId &) {}
    void slot(RefId &r) {
        if (const VarId root = r ? rootOf(f_, f_.refs[r].var) : VarId(); root && isOwn(f_.vars[root].kind))
            kept_.insert(root);
    }
    void sym(sym::Expr &) {}
    void expr(py::ExprRef &) {}
    void stmt(py::StmtRef &) {}

private:
    static bool isOwn(VarKind k) { return k == VarKind::DeviceBuffer || k == VarKind::PinnedBuffer; }

    /// Keeps the buffers of statements that run once in each call, also if their time is measured.
    void keep(const Block &b) {
        for (const NodePtr &n : b.body) {
            if (const auto *d = dyn_cast<Declare>(n.get()); d && isOwn(f_.vars[d->var].kind))
                kept_.insert(d->var);
            if (const auto *m = dyn_cast<Measure>(n.get()))
                keep(m->body);
        }
    }

    void find(Block &b, bool inGraph) {
        for (NodePtr &n : b.body) {
            if (inGraph)
                rebind(*n, *this);
            forEachBlock(*n, [&](Block &inner) { find(inner, inGraph || n->kind == TreeKind::GraphRegion); });
        }
    }
    /// Turns the variable into a field, which has no memory yet.
    void makeField(VarId id) {
        Variable &v = f_.vars[id];
        StateField field;
        field.name = freshField(m_, names_, v.name, v.name);
        field.type = v.type;
        field.storage = v.kind == VarKind::PinnedBuffer ? ir::Storage::CPU_Pinned : ir::Storage::GPU_Global;
        field.count = 0;
        field.alignment = v.alignment;
        field.startOffset = v.startOffset;
        field.comment = "kept from call to call";
        counts_[id] = v.count;
        v.name = field.name;
        v.kind = VarKind::StateField;
        v.count = 1; // an array, whatever its length: with no count it would be a single value
        m_.fields.push_back(std::move(field));
    }
    /// Reserves memory at the former declarations of buffers; those with a late allocation do so already.
    void block(Block &b) {
        for (NodePtr &n : b.body) {
            forEachBlock(*n, [this](Block &inner) { block(inner); });
            const auto *d = dyn_cast<Declare>(n.get());
            if (!d || !kept_.count(d->var))
                continue;
            if (!f_.vars[d->var].countKnown) {
                n = nullptr;
                continue;
            }
            auto reserve = std::make_unique<Allocate>(d->var, counts_[d->var]);
            reserve->reserve = true;
            reserve->zero = f_.vars[d->var].zeroed;
            std::swap(reserve->comment, n->comment);
            std::swap(reserve->origin, n->origin);
            n = std::move(reserve);
        }
        std::erase_if(b.body, [](const NodePtr &n) { return !n; });
    }

    Module &m_;
    Function &f_;
    NameScopes names_;
    std::set<VarId> kept_;
    std::map<VarId, sym::Expr> counts_;
};

class KeepDeviceMemory : public pass::TreePass {
    bool run(Module &m, pass::Context &) override {
        bool changed = false;
        for (auto &f : m.functions) { // callees come first
            const bool all = option<bool>("all") && f.get() == m.functions.back().get();
            if (all || contains(f->body, TreeKind::GraphRegion))
                changed |= Keeper(m, *f).run(all);
            f->needsState = f->needsState || usesState(f->body, m);
        }
        return changed;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createKeepDeviceMemory() { return std::make_unique<KeepDeviceMemory>(); }

} // namespace sdfgc::transforms
