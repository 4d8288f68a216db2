// offload-to-gpu: move a program written for the CPU to the GPU.
//
//   before:  A -> map[i] CPU_Multicore -> B            after:  state copy_in:   A -> gpu_A, B -> gpu_B
//                                                              gpu_A -> map[i] GPU_Device -> gpu_B
//                                                              state copy_out:  gpu_B -> B
//
// Graphs that already have a GPU schedule or storage stay as they are, because they have decided already. Only host
// scalars that kernels write are moved.
//
//   1. Every array of the dataflow outside maps gets device memory. Transients move. An argument gets a device twin. It
//      is filled at the start, unless the program overwrites all of it before reading any, and copied back at the end
//      if the program writes it.
//   2. Code that accesses device memory becomes a kernel, and memory that kernels write moves too (DevicePlacement.h).
//      Scalars that only the host writes stay there and are passed by value.
//   3. Control flow runs on the host and keeps reading the caller's arrays. A copy from the twin precedes every place
//      that reads an array which the device writes. (mirror-host-reads does this for transients.)
//   4. A sequential map whose iterations use each other's results (DependentIterations.h) runs in one thread of a
//      kernel, with a remark.
//   5. A size that only copies need is not a parameter, because the interface is the same for every target. The program
//      finds first how much it accesses (AccessedExtent.h), or callers set the size on the handle (HandleSizes.h).
//   6. Inside kernels, parallel CPU maps become loops of a thread, and heap memory becomes private memory.
//   7. Members of structures are moved like the caller's arrays (FlattenMembers.h). The pointer of a member may be null if
//      the program only uses it under a condition, so the pointer is tested before such a member is copied.
//      With `--arguments device`, arguments that code on the device uses are in device memory already: they have no twins and are not
//      copied. Control flow reads copies of them. Scalars and structures stay on the host.
//   8. Tasklets outside of maps whose code is for the host (C++, callbacks, side effects) stay there. They work on copies of what
//      their memlets name, made before and after. If these are more than single elements and the tasklet is in a loop, the
//      program stays on the host, because the copies would cost more than the device gains.
//
// Not handled, with a remark that names the reason:
//   - programs with streams, references, arrays of structures, structures that are used as a whole, persistent maps, or memory
//     that the caller provides;
//   - C++ tasklets, callbacks and side effects in maps;
//   - nested SDFGs in maps whose memory keeps values from one iteration to the next;
//   - early returns and irreducible control flow;
//   - ordered maps (loops) outside of maps; inside they are loops of a thread;
//   - arrays whose size is undefined or computed by the program (HandleSizes.h);
//   - without `--place device`, arrays whose size callers would have to set on the handle, since those of DaCe's
//     interface do not know of it;
//   - programs that would launch many kernels of few elements (FewElements.h), which run faster on the host. `--place
//     device` and the option `few-elements` move them.
//
// `--place require` makes each of these an error, and `--place host` moves nothing.
#include "Transforms/Edits/DevicePlacement.h"
#include "Transforms/Edits/HostReads.h"
#include "Transforms/Edits/StageOnHost.h"
#include "Transforms/Offload/AccessedExtent.h"
#include "Transforms/Offload/FewElements.h"
#include "Transforms/Offload/FlattenMembers.h"
#include "Transforms/Offload/HandleSizes.h"
#include "Transforms/Offload/KernelContents.h"
#include "Transforms/Offload/KernelLoops.h"
#include "Transforms/Offload/Obstacles.h"
#include "Transforms/Offload/Overwritten.h"
#include "Transforms/Offload/ScalarArguments.h"

#include "sdfgc/Analysis/Flow/Loops.h"
#include "sdfgc/Analysis/Memory/Copies.h"
#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/Analysis/Symbols/Mentions.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/IR/Identifier.h"
#include "sdfgc/LibraryNodes/LibraryNodes.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Support/OptionValues.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace sdfgc::transforms {
namespace {

using namespace ir;

class Offload {
public:
    /// `extents`: of arguments of unknown size.
    Offload(SDFG &root, FlatMembers members, std::map<Name, AccessedExtent> extents, pass::Context &context)
        : root_(root), context_(context), members_(std::move(members)), extents_(std::move(extents)) {}
    void run();

private:
    void moveArrays(SDFG &g);
    void mirrorResidents();
    void copyInAndOut();
    void copyMembers();
    void limitTwins();
    void addExtents();
    void refreshHost();
    void findOverwritten();
    void stageTasklets(SDFG &g);

    SDFG &root_;
    pass::Context &context_;
    FlatMembers members_;
    std::map<Name, AccessedExtent> extents_;
    std::map<Name, Name> limits_; // of their arguments: the symbol for the extent
    Twins callers_;               // arrays of the caller, and their twins
    std::set<Name> residents_;    // arguments that callers keep in device memory
    Twins mirrors_;               // copies that control flow reads of arguments that may be there
    std::set<Name> overwritten_;  // containers whose contents before the call have no effect
};

bool writtenByMaps(const SDFG &g, Name data) {
    for (const State *s : allStates(g))
        for (const auto &e : s->edges())
            if (const auto *a = dyn_cast<AccessNode>(e->dst);
                a && a->data == data && (e->src->isExit() || !analysis::ScopeTree(*s).enclosing(a).empty()))
                return true;
    return false;
}

/// Is it written by a tasklet that also uses an array? Such a tasklet becomes a kernel.
bool writtenBesideArrays(const SDFG &g, Name data) {
    for (const State *s : allStates(g))
        for (const auto &e : s->edges())
            if (const auto *a = dyn_cast<AccessNode>(e->dst); a && a->data == data && isa<Tasklet>(e->src) && usesArray(*e->src))
                return true;
    return false;
}

/// Do only tasklets use it whose code is for the host?
bool usedByHostOnly(const SDFG &g, Name data) {
    bool isUsed = false;
    const auto isHosts = [&](const Node *n) {
        isUsed = true;
        const auto *t = dyn_cast<Tasklet>(n);
        return t && isForHost(*t);
    };
    for (const State *s : allStates(g))
        for (const AccessNode *a : nodesOf<AccessNode>(*s)) {
            if (ownerOf(a->data) != data)
                continue;
            const auto &in = a->inEdges(), &out = a->outEdges();
            if (!std::all_of(in.begin(), in.end(), [&](const Edge *e) { return isHosts(e->src); }) ||
                !std::all_of(out.begin(), out.end(), [&](const Edge *e) { return isHosts(e->dst); }))
                return false;
        }
    return isUsed;
}

/// Arrays that more than one iteration of an outer map uses; scalars stay where they are unless a kernel writes them
/// (DevicePlacement.h).
void Offload::moveArrays(SDFG &g) {
    for (Name n : analysis::sharedContainers(g)) {
        DataDesc *d = g.arrays.find(n);
        if (!d || g.constant(n) || d->isView())
            continue;
        const bool callers = g.isRoot() && !d->transient;
        if (usedByHostOnly(g, n))
            continue;
        if (!d->isArray() && !(callers && d->isScalar() && (writtenByMaps(g, n) || writtenBesideArrays(g, n))))
            continue;
        if (callers && d->isArray() && context_.options.arguments == pass::Arguments::Device)
            residents_.insert(n);
        else if (callers)
            callers_[n] = splitForDevice(g, n);
        else if (d->transient)
            d->storage = Storage::GPU_Global;
    }
    for (NestedSDFGNode *nested : hostNested(g))
        moveArrays(*nested->sdfg);
}

/// Lets control flow read copies of arguments that are in device memory, or may be.
void Offload::mirrorResidents() {
    const std::set<Name> read = analysis::containersReadByControlFlow(root_);
    for (const Name n : residents_) {
        root_.arrays.find(n)->storage = Storage::GPU_Global;
        if (read.count(n))
            mirrors_[mirrorOnHost(root_, n)] = n;
    }
    if (context_.options.arguments == pass::Arguments::Auto)
        for (const auto &[argument, twin] : callers_)
            if (read.count(argument) && root_.arrays.find(argument)->isArray())
                mirrors_[mirrorOnHost(root_, argument)] = twin;
}

State &stateAtStart(SDFG &g, const std::string &label) {
    Block *start = g.start();
    State *s = g.add<State>();
    s->label = label;
    if (start)
        g.connect(s, start);
    g.setStart(s);
    return *s;
}

/// A block behind all others.
template <class T> T &blockAtEnd(SDFG &g, const std::string &label) {
    std::vector<Block *> last;
    for (const auto &b : g.blocks())
        if (b->outEdges().empty())
            last.push_back(b.get());
    T *added = g.add<T>();
    added->label = label;
    for (Block *b : last)
        g.connect(b, added);
    return *added;
}

/// A condition that the pointers to a member are not null, those of structures around it first. Empty if there are none.
std::string isPresent(const SDFG &g, Name member) {
    const std::string path = member.str();
    std::string condition;
    for (std::size_t at = path.find('.'); at != std::string::npos;) {
        at = path.find('.', at + 1);
        const std::string part = path.substr(0, at);
        const DataDesc *d = g.desc(Name(part));
        if (d && (d->isArray() || (d->isStructure() && d->dtype.isPointer())))
            condition += (condition.empty() ? "" : " and ") + part + " is not None";
    }
    return condition;
}

/// Copies the elements of a twin.
void copyTwin(State &s, Name from, Name to, Name twin) {
    const sym::Subset all = s.sdfg()->desc(twin)->fullSubset();
    Memlet m = Memlet::simple(from, all);
    m.otherSubset = all;
    auto *end = s.add<AccessNode>(to);
    s.connect(s.add<AccessNode>(from), {}, end, {}, std::move(m));
}

/// Copies the caller's arrays to the device first, and those that the program writes back at the end.
void Offload::copyInAndOut() {
    std::vector<std::pair<Name, Name>> in, out;
    for (const auto &[host, device] : callers_) {
        if (!overwritten_.count(host))
            in.emplace_back(host, device);
        if (writtenInDataflow(root_, device) && !root_.arrays.find(host)->isScalar()) // scalars are passed by value
            out.emplace_back(host, device);
    }
    for (const MovedMember &m : members_.moved)
        if (m.isCertain || isPresent(root_, m.member).empty()) {
            if (!overwritten_.count(m.container))
                in.emplace_back(m.member, m.container);
            if (writtenInDataflow(root_, m.container))
                out.emplace_back(m.member, m.container);
        }
    if (!in.empty()) {
        State &s = stateAtStart(root_, "copy_in");
        for (const auto &[host, device] : in)
            copyTwin(s, host, device, device);
    }
    if (!out.empty()) {
        State &s = blockAtEnd<State>(root_, "copy_out");
        for (const auto &[host, device] : out)
            copyTwin(s, device, host, device);
    }
}

/// Limits the twins of arguments of unknown size to the elements that the program accesses.
void Offload::limitTwins() {
    for (const auto &[argument, extent] : extents_) {
        DataDesc &d = *root_.arrays.find(callers_.at(argument));
        const Name limit = root_.freshName(argument.str() + "_extent");
        root_.symbols.set(limit, Type(ScalarKind::Int64));
        limits_[argument] = limit;
        d.shape[extent.dimension] = sym::Expr::symbol(limit);
        d.totalSize = d.strides[extent.dimension] * sym::Expr::symbol(limit);
    }
}

/// Finds the extents before anything else.
void Offload::addExtents() {
    if (extents_.empty())
        return;
    const auto onHost = [&](Name container) {
        for (const MovedMember &m : members_.moved)
            if (m.container == container)
                return m.member;
        return container;
    };
    std::vector<std::pair<Name, std::string>> values;
    State &s = stateAtStart(root_, "find_extents");
    for (auto &[argument, extent] : extents_) {
        DataDesc d = DataDesc::scalar(Type(ScalarKind::Int64));
        d.transient = true;
        d.storage = Storage::Register;
        const Name found = root_.addTransient(argument.str() + "_found", std::move(d));
        addExtentCode(s, std::move(extent), found, onHost);
        values.emplace_back(limits_.at(argument), found.str());
        context_.done(root_, "copies the elements of `" + argument.str() + "` that the program accesses, which it finds first");
    }
    s.outEdges().front()->assignments = std::move(values);
}

/// A block that copies a member if it has memory.
void copyIfPresent(ConditionalBlock &test, const std::string &condition, Name from, Name to) {
    auto branch = std::make_unique<Region>();
    branch->label = test.label + "_branch";
    auto *s = branch->add<State>();
    s->label = test.label + "_state";
    Region *arm = test.addBranch(Code{condition, Language::Python}, std::move(branch));
    cast<State>(arm->blocks().front().get())->copyAll(from, to);
}

/// Copies members whose pointers may be null.
void Offload::copyMembers() {
    for (const MovedMember &m : members_.moved) {
        const std::string condition = m.isCertain ? "" : isPresent(root_, m.member);
        if (condition.empty())
            continue;
        const bool isWritten = writtenInDataflow(root_, m.container); // apart from the copy in
        if (!overwritten_.count(m.container)) {
            Block *start = root_.start();
            auto *test = root_.add<ConditionalBlock>();
            test->label = root_.freshLabel("copy_in_" + m.container.str());
            copyIfPresent(*test, condition, m.member, m.container);
            if (start)
                root_.connect(test, start);
            root_.setStart(test);
        }
        if (isWritten)
            copyIfPresent(blockAtEnd<ConditionalBlock>(root_, root_.freshLabel("copy_out_" + m.container.str())), condition,
                          m.container, m.member);
    }
}

/// Control flow of the host sees what kernels wrote.
void Offload::refreshHost() {
    std::map<SDFG *, HostCopies> copies;
    for (const auto &[host, device] : callers_)
        if (writtenInDataflow(root_, device))
            copies[&root_][host].push_back({device, host});
    for (const auto &[host, device] : mirrors_)
        if (writtenInDataflow(root_, device))
            copies[&root_][host].push_back({device, host});
        else
            copyTwin(stateAtStart(root_, "copy_for_control_flow"), device, host, device);
    for (const auto &[g, read] : members_.reads)
        copies[g][read.name].push_back({read.container, read.member});
    for (const auto &[g, ofSdfg] : copies)
        refreshBeforeReads(*g, ofSdfg);
}

/// Lets tasklets whose code is for the host work on copies there.
void Offload::stageTasklets(SDFG &g) {
    const auto mayMove = [&](const DataDesc &d) {
        return d.storage == Storage::GPU_Global || d.isScalar() || d.isView() || (!g.isRoot() && !d.transient);
    };
    for (State *s : allStates(g))
        for (Tasklet *t : nodesOf<Tasklet>(*s))
            if (isForHost(*t)) {
                stageOnHost(*t, mayMove);
                context_.missed(*t, "runs on the host", {diag::Why::Host, "its code is not Python, or has effects"});
            }
    for (NestedSDFGNode *nested : hostNested(g))
        stageTasklets(*nested->sdfg);
}

/// Code for the host may leave elements as they are that its memlets name, so these have to be copied in.
void Offload::findOverwritten() {
    overwritten_ = overwrittenContainers(root_);
    analysis::Memories memories(root_);
    std::set<analysis::Memory> partial;
    for (SDFG *g : allSDFGs(root_))
        for (State *s : allStates(*g))
            for (const Tasklet *t : nodesOf<Tasklet>(*s))
                if (isForHost(*t))
                    for (const Edge *e : t->outEdges())
                        if (const auto *a = dyn_cast<AccessNode>(e->dst))
                            partial.insert(memories.of(*a));
    std::erase_if(overwritten_, [&](Name n) { return partial.count(memories.of(root_, n)) != 0; });
}

void Offload::run() {
    takeScalars(root_);
    findOverwritten();
    moveArrays(root_);
    mirrorResidents();
    limitTwins();
    stageTasklets(root_);
    placeOnDevice(root_, context_);
    refreshHost();
    copyInAndOut();
    copyMembers();
    makeKernelsSequential(root_);
    addExtents();
    root_.renumber();
}

/// Why a program would be slower on the device; empty if it would not. `persist`: will loops become kernels?
std::string whyFewElements(SDFG &root, bool persist) {
    if (onlyStores(root))
        return "kernels would only store single values that the host computes";
    LoopChoice choice{[](LoopRegion &l, KernelBlocks blocks) { return !whyNotInKernel(l, false, blocks); }};
    const DeviceWork work = estimateDeviceWork(root, persist ? &choice : nullptr);
    if (!work.isNotWorthwhile())
        return "";
    const auto rounded = [](double x) { return std::to_string(static_cast<int64_t>(std::llround(x))); };
    const auto counted = [&](double x, const std::string &what) {
        return rounded(x) + " " + what + (rounded(x) == "1" ? "" : "s");
    };
    std::string operations = counted(work.launches, "kernel");
    const double steps = work.steps + work.threadSteps;
    if (steps > 0)
        operations += ", in which threads run " + counted(steps, "step");
    return "it would launch " + operations + " of " + counted(work.elements / (work.launches + steps), "element") +
           " each, on average, if its loops count to 1000, which takes " + durationText(work.onDevice()) + " on the device and " +
           durationText(work.onHost()) + " on the host";
}

class OffloadToGpu : public pass::GraphPass {
public:
    bool run(SDFG &root, pass::Context &context) override {
        if (mentionsGpu(root))
            return keepsPlaces(root, context);
        const pass::Placement place = context.options.place;
        if (place == pass::Placement::Host)
            return stays(root, context, "`--place host` leaves it there");
        // Members become containers only if the program is moved, so everything that may prevent it is tried with a copy.
        std::unique_ptr<SDFG> trial = hasStructures(root) ? clone(root) : nullptr;
        SDFG &moved = trial ? *trial : root;
        const FlatMembers members = trial ? flattenMembers(moved) : FlatMembers();
        if (!members.obstacle.empty())
            return stays(root, context, members.obstacle);
        if (const std::string why = obstacle(moved); !why.empty())
            return stays(root, context, why);
        if (const std::string why = uncopiable(moved); !why.empty())
            return stays(root, context, why);
        const std::set<Name> parameters = parametersOnHost(root, context);
        const bool isForced = place == pass::Placement::Device;
        if (!isForced && !option<bool>("few-elements"))
            if (const std::string why =
                    whyFewElements(moved, option<bool>("blocks") && context.options.optimize >= pass::OptLevel::O2);
                !why.empty())
                return stays(root, context, why, "`--place device` moves it nevertheless");
        UnknownSizes sizes = unknownSizes(moved, parameters, members, option<bool>("find-sizes"), context.options.arguments);
        if (!isForced) // callers of DaCe's interface would not set a size on the handle
            if (const std::string &why = sizes.obstacle; !why.empty())
                return stays(root, context, why, "`--place device` moves it, and lets callers set this size on the handle");
        Offload(root, trial ? flattenMembers(root) : FlatMembers(), std::move(sizes.extents), context).run();
        keepParameters(root, parameters, context);
        if (place == pass::Placement::Require && !mentionsGpu(root))
            stays(root, context, "it has nothing for a device to do");
        return true;
    }

private:
    /// Reports why the program stays on the host, unless the user wants it there. It cannot stay if its arguments may be in device
    /// memory.
    static bool stays(const SDFG &root, pass::Context &context, const std::string &why, const std::string &hint = "") {
        context.missed(root, "the program stays on the host", {diag::Why::Host, why});
        diag::Location where;
        where.element = elementName(root);
        const auto refuse = [&](const std::string &option, const std::string &instead) -> diag::Diagnostic & {
            return context.diags.report(diag::Id::ProgramNotOnDevice, where, root.name.str(), why, option, instead);
        };
        if (context.options.arguments != pass::Arguments::Host) {
            auto &report = refuse("--arguments " + std::string(word(context.options.arguments)), "--arguments host");
            if (!hint.empty())
                report.hint = hint + "; `--arguments host` lets it stay there";
        } else if (context.options.place == pass::Placement::Require) {
            auto &report = refuse("--place require", "--place auto");
            if (!hint.empty())
                report.hint = hint;
        } else if (context.options.place != pass::Placement::Host) {
            auto &report = context.diags.report(diag::Id::ProgramOnHost, where, root.name.str(), why);
            if (!hint.empty())
                report.hint = hint + "; `--place require` makes this an error";
        }
        return false;
    }

    static bool keepsPlaces(SDFG &root, pass::Context &context) {
        if (context.options.arguments == pass::Arguments::Device) {
            diag::Location where;
            where.element = elementName(root);
            context.diags.report(diag::Id::ArgumentsPlaced, where, root.name.str());
        }
        return placeWrittenScalars(root, context);
    }
};

} // namespace

std::unique_ptr<pass::Pass> createOffloadToGpu() { return std::make_unique<OffloadToGpu>(); }

} // namespace sdfgc::transforms
