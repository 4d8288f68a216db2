// place-in-memory: choose the kind of memory of each transient.
//
//   before:  transient s: float64 (Register)               after:  transient s: float64 (Register, in Value)
//            transient t: float64[N] (CPU_Heap, SDFG)              transient t: float64[N] (CPU_Heap, SDFG, in Heap)
//            transient w: float64[8] (CPU_Heap)                    transient w: float64[8] (CPU_Heap, in Stack)
//
// The storage of a container specifies which processor it belongs to. This pass decides its form in the program, by the
// table in sdfgc/Analysis/Memory/Allocation.h: a variable; an array on the stack, on the heap, or on the heap with a part for
// each thread; device memory, pool memory, page-locked memory; in kernels shared memory, slices of device memory that
// the host allocates, or the device's heap; or a field of the program's state. The lowering declares accordingly, and
// the verifier checks that the choice is possible.
//
// The host allocates memory that a kernel's grid shares, or of which each thread or block has a slice. It becomes a
// container of the SDFG that launches the kernel, an arena, which lives until the device has finished:
//
//   before:  map k[i = 0:N] GPU_Device { t: float64[M] }   after:  transient t_slices: float64[M] (GPU_Global, SDFG, in Slices)
//                                                                  map k[i = 0:N] GPU_Device { t: float64[M] (in t_slices) }
//
// Options: the largest constant-size array allowed on a stack, in bytes, for containers in CPU_Heap, in Register, and
// in a thread of a kernel.
//
// Not handled: containers whose memory is already chosen keep it. Views, constants and unused containers have none.
//
// Runs after allocate-containers, because the table depends on its lifetimes and nodes.
#include "sdfgc/Analysis/Memory/Allocation.h"
#include "sdfgc/Pass/Pass.h"
#include "sdfgc/Transforms/Passes.h"

namespace sdfgc::transforms {
namespace {

using namespace ir;

class PlaceInMemory : public pass::GraphPass {
public:
    bool run(SDFG &root, pass::Context &context) override {
        const analysis::StackLimits limits{option<int64_t>("heap-limit"), option<int64_t>("register-limit"),
                                           option<int64_t>("kernel-limit")};
        analysis::MemoryTable table(context.options.gpu());
        bool changed = false;
        for (SDFG *g : allSDFGs(root))
            analysis::forEachDeclaration(*g, analysis::declarationsOf(*g),
                                         [&](Name name, const DataDesc &, const State *s, const Node *scope) {
                                             DataDesc &d = *g->arrays.find(name);
                                             if (d.memory != MemoryKind::Undecided)
                                                 return;
                                             d.memory = analysis::chooseMemory(d, table.facts(*g, name, d, s, scope), limits);
                                             changed = true;
                                             if (analysis::isInArena(d))
                                                 inKernels_.push_back({g, name, s, scope});
                                         });
        for (const Declared &c : inKernels_)
            addArena(c, context);
        return changed;
    }

private:
    struct Declared {
        SDFG *g;
        Name name;
        const State *state;
        const Node *scope;
    };

    /// Moves the memory of a kernel's container to a container of the SDFG that launches the kernel.
    void addArena(const Declared &c, pass::Context &context) {
        DataDesc &d = *c.g->arrays.find(c.name);
        SDFG &host = *const_cast<SDFG *>(analysis::kernelAround(*c.g, c.state, c.scope)->state()->sdfg());
        const sym::Expr size = values_.of(*c.g, d.totalSize, c.state, c.scope, &host).value;
        DataDesc arena = DataDesc::array(d.dtype, {size}, true);
        arena.storage = Storage::GPU_Global;
        arena.lifetime = host.isRoot() || analysis::becomesFunction(host) ? Lifetime::SDFG : Lifetime::Global;
        arena.memory = d.memory;
        arena.debugInfo = d.debugInfo;
        const MemoryKind kind = d.memory;
        const Name name = host.addTransient(c.name.str() + (kind == MemoryKind::Slices ? "_slices" : "_of_grid"), std::move(arena));
        c.g->arrays.find(c.name)->arena = name;
        context.done({elementName(*c.g) + ", container " + c.name.str(), pass::Element(*c.g, c.name).source},
                     kind == MemoryKind::Slices ? "each thread or block of the kernel has a slice of `" + name.str() + "`"
                                                : "all threads of the kernel share `" + name.str() + "`");
    }

    analysis::OuterValues values_;
    std::vector<Declared> inKernels_;
};

} // namespace

std::unique_ptr<pass::Pass> createPlaceInMemory() { return std::make_unique<PlaceInMemory>(); }

} // namespace sdfgc::transforms
