// copy-in-blocks: give each block of a kernel a copy, in shared memory, of a short array that all threads update.
//
//     for (i = thread of the grid; i < N; i += threads)            shared double hist_copy[2048];
//         atomic hist[bin(i)] += w[i];                             if (bins <= 2048) {
//                                                    becomes           for (k = thread; k < bins; ...) hist_copy[k] = 0;
//                                                                      barrier
//                                                                      for (i = ...) atomic hist_copy[bin(i)] += w[i];
//                                                                      barrier
//                                                                      for (k = thread; k < bins; ...)
//                                                                          if (hist_copy[k] != 0)
//                                                                              atomic hist[k] += hist_copy[k];
//                                                                  } else
//                                                                      the loop as it was
//
// An atomic update of device memory takes place in the second-level cache, where all threads of the device wait for each other if
// they update few elements. Shared memory belongs to the multiprocessor. Each block adds its copy to the array once; elements
// that it has not updated are left out. So a block never makes more updates of device memory than before, and the grid is
// limited (option `blocks`), to let each block make many updates.
//
// The length of the array is known at run time only, so the kernel chooses; it gets the symbols of the length as parameters. The
// grid is only limited if the array is short enough.
// All arrays of a kernel share the memory of a block (option `bytes`), which is small enough not to limit the number of blocks that
// run at once.
//
// Legal when:
//   - the kernel is a map of independent iterations: one thread of the grid for each, without barriers or threads of a block;
//   - it uses the array only in atomic updates by one operation that has an identity, and nothing else points to its memory;
//   - the length is that of a buffer of the program, in terms of its arguments.
//
// Results vary only as atomic updates do from run to run: in the order of sums.
//
// Not handled: kernels that are launched at several places; arrays of callers in device memory.
#include "FunctionNames.h"
#include "Versions.h"

#include "sdfgc/Analysis/Dependences/WcrReductions.h"
#include "sdfgc/Diag/Reason.h"
#include "sdfgc/Transforms/Passes.h"
#include "sdfgc/Tree/Effects.h"
#include "sdfgc/Tree/Walk.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace tree;
using diag::Reason;
using diag::Why;

/// More blocks than any kernel of a short time has.
constexpr int64_t manyBlocks = int64_t(1) << 20;

/// An array that the threads of a kernel update.
struct Updated {
    VarId array; // a parameter of the kernel
    py::Reduction kind;
    bool isPlain = true;  // updates of this kind, with only the new value
    sym::Expr onHost = 0; // its length, in the function that launches the kernel
    sym::Expr count = 0;  // the same in the kernel
    std::vector<Update *> updates;
    VarId copy;
};

/// One kernel, and the only place that launches it.
class BlockCopies {
public:
    BlockCopies(Function &kernel, Function &host, Launch &launch, const Module &m, int64_t bytes, int64_t blocks,
                pass::Context &context)
        : f_(kernel), host_(host), launch_(launch), module_(m), bytes_(bytes), blocks_(blocks), context_(context), table_(kernel) {}

    bool run() {
        if (!readLoops())
            return false;
        std::vector<Updated> all;
        for (Updated &u : updated()) {
            const Reason why = obstacle(u);
            if (!why)
                all.push_back(std::move(u));
            else
                context_.missed(where(), "updates `" + nameOf(u.array) + "` in device memory", why);
        }
        most_ = capacity(all);
        const auto isLong = [this](const Updated &u) { return u.onHost.asInt() && *u.onHost.asInt() > most_; };
        std::erase_if(all, isLong);
        most_ = capacity(all);
        if (all.empty() || !context_.mayChange(where(), "blocks have copies of the data that they update"))
            return false;
        rewrite(all);
        return true;
    }

private:
    pass::Element where() { return context_.loop(f_, *loops_.front()); }
    std::string nameOf(VarId v) const { return f_.vars[v].name.str(); }

    /// The loops over the threads of the grid, which must be all that the kernel does.
    bool readLoops() {
        if (f_.kernel->persistent || f_.kernel->barriers || contains(f_.body, TreeKind::Return) ||
            contains(f_.body, TreeKind::Barrier))
            return false;
        for (Block *b = &f_.body; b->body.size() == 1;) {
            auto *loop = dyn_cast<For>(b->body.front().get());
            if (!loop || !loop->spread || loop->spread->level != Spread::Threads || loop->spread->axis < 0)
                break;
            loops_.push_back(loop);
            b = &loop->body;
        }
        return !loops_.empty() && !isSpreadInside(loops_.back()->body);
    }
    static bool isSpreadInside(Block &b) {
        return std::any_of(b.body.begin(), b.body.end(), [](const NodePtr &n) {
            bool found = n->kind == TreeKind::For && static_cast<For &>(*n).spread;
            forEachBlock(*n, [&](Block &inner) { found = found || isSpreadInside(inner); });
            return found;
        });
    }

    std::vector<Updated> updated() {
        std::vector<Updated> out;
        forEachUpdate(*loops_.front(), [&](Update &u) {
            const MemRef &r = f_.refs[u.target];
            if (f_.vars[r.var].kind != VarKind::Pointer)
                return;
            auto at = std::find_if(out.begin(), out.end(), [&](const Updated &o) { return o.array == r.var; });
            if (at == out.end())
                at = out.insert(at, Updated{r.var, u.reduction});
            at->isPlain &= u.atomic && u.reduction == at->kind && !u.old && !u.byBlock && !r.castTo && !r.address && !r.pop;
            at->updates.push_back(&u);
        });
        std::erase_if(out, [](const Updated &u) { return std::none_of(u.updates.begin(), u.updates.end(), isAtomic); });
        return out;
    }
    static bool isAtomic(const Update *u) { return u->atomic; }

    /// Why blocks cannot have copies of an array; empty if they can.
    Reason obstacle(Updated &u) {
        const Variable &v = f_.vars[u.array];
        const std::string name = "`" + v.name.str() + "`";
        if (!u.isPlain || !py::reductionIdentity(u.kind, v.type) || !analysis::identityKeepsValues(u.kind, v.type) ||
            !(v.type.isInteger() || v.type.isFloat()) || v.type.bytes().value_or(0) < 4)
            return {Why::Update, name + " is updated by more than one operation, or by one without an identity"};
        if (!v.isRestrict || isMentionedElsewhere(*loops_.front(), v.name, u.updates, table_))
            return {Why::MayAlias, "the kernel does not only update " + name};
        if (!findCount(u))
            return {Why::UnknownWork, "the length of " + name + " is unknown"};
        return {};
    }

    /// The length of the buffer behind a parameter.
    bool findCount(Updated &u) {
        const auto param = std::find(f_.params.begin(), f_.params.end(), u.array);
        if (param == f_.params.end())
            return false;
        const Call::Argument &a = launch_.arguments[static_cast<std::size_t>(param - f_.params.begin())];
        if (!a.ref || !host_.refs[a.ref].offset.isZero() || !host_.refs[a.ref].strides.empty())
            return false;
        const VarId buffer = host_.refs[a.ref].var;
        const Variable &memory = host_.vars[buffer];
        const auto others = std::count_if(launch_.arguments.begin(), launch_.arguments.end(), [&](const Call::Argument &other) {
            return other.ref && host_.refs[other.ref].var == buffer;
        });
        if (others != 1 || !isOwned(memory.kind) || !memory.countKnown || !memory.startOffset.isZero() ||
            !(memory.type == f_.vars[u.array].type))
            return false;
        u.onHost = memory.count;
        const auto symbols = memory.count.freeSymbols();
        return codeOf(memory.count) &&
               std::all_of(symbols.begin(), symbols.end(), [this](Name n) { return bool(argumentOfHost(n)); });
    }
    /// A parameter of the launching function that it does not change.
    VarId argumentOfHost(Name n) {
        for (const VarId p : host_.params)
            if (host_.vars[p].name == n && host_.vars[p].kind == VarKind::Value && host_.vars[p].type.isInteger())
                return hostEffects().changes(n) ? VarId() : p;
        return {};
    }
    /// Which parameter of the kernel has a value of the launching function?
    VarId parameterFor(Name n) {
        for (std::size_t k = 0; k < f_.params.size(); ++k) {
            const Call::Argument &a = launch_.arguments[k];
            const Variable &v = f_.vars[f_.params[k]];
            const bool isPassed =
                a.expr ? a.expr->kind == py::ExprKind::Name && a.expr->name == n : !a.ref && a.value == sym::Expr::symbol(n);
            if (isPassed && v.kind == VarKind::Value && !table_.of(f_.body).changes(v.name))
                return f_.params[k];
        }
        return {};
    }
    /// Passes an argument of the launching function to the kernel as well.
    VarId passed(Name n) {
        Call::Argument a;
        Variable v;
        v.type = host_.vars[argumentOfHost(n)].type;
        v.name = names_->declare(n);
        a.expr = py::name(n, v.type);
        const VarId id = f_.vars.add(std::move(v));
        f_.params.push_back(id);
        launch_.arguments.push_back(std::move(a));
        return id;
    }
    const Effects &hostEffects() {
        if (!hostEffects_)
            hostEffects_ = effectsOf(host_);
        return *hostEffects_;
    }

    /// The number of elements that each of the arrays may have.
    int64_t capacity(const std::vector<Updated> &all) const {
        int64_t each = 0;
        for (const Updated &u : all)
            each += f_.vars[u.array].type.bytes().value_or(8);
        return each ? bytes_ / each : 0;
    }

    // ---- the change

    void rewrite(std::vector<Updated> &all) {
        names_.emplace(namesOf(module_, f_, table_.of(f_.body)));
        limitGrid(all);
        for (For *loop : loops_)
            loop->spread->once = loop->spread->exact = false;
        std::vector<py::ExprRef> fits;
        for (Updated &u : all) {
            std::map<Name, sym::Expr> inKernel;
            for (const Name n : u.onHost.freeSymbols()) {
                const VarId known = parameterFor(n);
                inKernel.emplace(n, sym::Expr::symbol(f_.vars[known ? known : passed(n)].name));
            }
            u.count = sym::substitute(u.onHost, inKernel);
            if (u.onHost.asInt())
                continue;
            const py::ExprRef isShort = py::compare(py::Op::Le, *codeOf(u.count), py::intLit(most_));
            if (std::none_of(fits.begin(), fits.end(), [&](const py::ExprRef &e) { return py::equal(*e, *isShort); }))
                fits.push_back(isShort);
        }
        NodePtr plain = fits.empty() ? nullptr : twin(*loops_.front(), f_);
        NodePtr loop = std::move(f_.body.body.front());
        f_.body.body.clear();
        for (Updated &u : all)
            declareCopy(u);
        NodePtr copies = withCopies(std::move(loop), all);
        if (plain)
            copies = choice(fits.size() == 1 ? fits[0] : py::boolOp(py::Op::And, fits), std::move(copies), std::move(plain));
        f_.body.body.push_back(std::move(copies));
        f_.kernel->barriers = true;
    }

    /// Few blocks if all arrays are short. The limit is that of the first axis; further ones share it.
    void limitGrid(const std::vector<Updated> &all) {
        sym::Expr longArrays = 0;
        for (const Updated &u : all)
            if (!u.onHost.asInt())
                longArrays += sym::floorDiv(u.onHost, most_ + 1);
        const sym::Expr isLong = sym::min({1, longArrays});
        const int64_t alongX = loops_.size() == 1 ? blocks_ : std::max<int64_t>(blocks_ / 16, 1);
        for (const For *loop : loops_) {
            sym::Expr &size = launch_.grid[static_cast<std::size_t>(loop->spread->axis)];
            const int64_t most = loop->spread->axis == 0 ? alongX : loops_.size() == 2 ? 16 : 4;
            size = sym::min({size, most + manyBlocks * isLong});
        }
    }

    void declareCopy(Updated &u) {
        Variable v;
        v.type = f_.vars[u.array].type;
        v.kind = VarKind::Shared;
        v.count = u.onHost.asInt() ? u.onHost : sym::Expr(most_);
        v.name = names_->declare(Name(nameOf(u.array) + "_copy"));
        v.comment = "of the block";
        u.copy = f_.vars.add(std::move(v));
        f_.body.add<Declare>(u.copy);
    }

    NodePtr withCopies(NodePtr loop, const std::vector<Updated> &all) {
        auto out = std::make_unique<Block>();
        std::swap(out->comment, loop->comment);
        out->origin = loop->origin;
        for (const Updated &u : all)
            fill(u, *out);
        out->add<Barrier>();
        for (const Updated &u : all)
            for (Update *update : u.updates) {
                MemRef r = f_.refs[update->target];
                r.var = u.copy;
                update->target = f_.refs.add(r);
            }
        out->body.push_back(std::move(loop));
        out->add<Barrier>();
        for (const Updated &u : all)
            combine(u, *out);
        return out;
    }

    /// `for (k = thread of the block; k < count; k += threads)`.
    For &elements(const Updated &u, Block &out, sym::Expr &index) {
        Variable k;
        k.type = Type(ScalarKind::Int64);
        k.name = names_->declare(Name("k"));
        index = sym::Expr::symbol(k.name);
        auto *loop = out.add<For>();
        loop->var = f_.vars.add(std::move(k));
        loop->begin = 0;
        loop->end = u.count - 1;
        loop->spread = Spread{Spread::Block, loops_.size() == 1 ? loops_.front()->spread->axis : -1};
        return *loop;
    }
    RefId element(VarId array, sym::Expr index) {
        MemRef r;
        r.var = array;
        r.offset = index;
        return f_.refs.add(r);
    }

    void fill(const Updated &u, Block &out) {
        sym::Expr k;
        const Type type = f_.vars[u.copy].type;
        For &loop = elements(u, out, k);
        auto *code = loop.body.add<Code>();
        code->stmts.push_back(py::assign(memRef(element(u.copy, k), type), *py::reductionIdentity(u.kind, type)));
    }

    void combine(const Updated &u, Block &out) {
        sym::Expr k;
        const Type type = f_.vars[u.copy].type;
        For &loop = elements(u, out, k);
        auto update = std::make_unique<Update>();
        update->target = element(u.array, k);
        update->value = memRef(element(u.copy, k), type);
        update->reduction = u.kind;
        update->atomic = true;
        auto *ifUpdated = loop.body.add<If>();
        auto body = std::make_unique<Block>();
        body->body.push_back(std::move(update));
        const py::ExprRef isUpdated =
            py::compare(py::Op::Ne, memRef(element(u.copy, k), type), *py::reductionIdentity(u.kind, type));
        ifUpdated->branches.push_back({isUpdated, std::move(body)});
    }

    Function &f_, &host_;
    Launch &launch_;
    const Module &module_;
    const int64_t bytes_, blocks_;
    pass::Context &context_;
    EffectTable table_;
    std::optional<Effects> hostEffects_;
    std::optional<NameScopes> names_; // those of the kernel
    std::vector<For *> loops_;        // outermost first
    int64_t most_ = 0;                // elements of a copy
};

struct LaunchPlace {
    Function *host;
    Launch *launch;
};

void findLaunches(Function &f, Block &b, std::map<FunctionId, std::vector<LaunchPlace>> &out) {
    for (NodePtr &n : b.body) {
        if (auto *launch = dyn_cast<Launch>(n.get()))
            out[launch->function].push_back({&f, launch});
        forEachBlock(*n, [&](Block &inner) { findLaunches(f, inner, out); });
    }
}

class CopyInBlocks : public pass::TreePass {
    bool run(Module &m, pass::Context &context) override {
        std::map<FunctionId, std::vector<LaunchPlace>> launches;
        for (auto &f : m.functions)
            findLaunches(*f, f->body, launches);
        const int64_t bytes = std::min<int64_t>(option<int64_t>("bytes"), 48 * 1024), blocks = option<int64_t>("blocks");
        bool changed = false;
        for (auto &[id, places] : launches)
            if (Function &kernel = *m.functions[id]; kernel.kernel && places.size() == 1 && blocks > 0)
                changed |= BlockCopies(kernel, *places.front().host, *places.front().launch, m, bytes, blocks, context).run();
        return changed;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createCopyInBlocks() { return std::make_unique<CopyInBlocks>(); }

} // namespace sdfgc::transforms
