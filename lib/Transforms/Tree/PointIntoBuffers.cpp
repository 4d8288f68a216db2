// Accesses buffers through local pointers in functions with one-byte elements.
//
//     sdfgc::rt::Buffer<bool> mask(N);               sdfgc::rt::Buffer<bool> mask_buffer(N);
//     #pragma omp parallel for                       bool *mask = mask_buffer.data();
//     for (i ...)                        becomes     #pragma omp parallel for
//         mask[i] = A[i] < 2.0;                      for (i ...)
//                                                        mask[i] = A[i] < 2.0;
//
// A thread team captures the buffer as an object in memory and loads the data pointer from it. A byte may alias any
// object: each store of a byte might change that pointer, so it is reloaded in every iteration, and the C++ compiler
// does not vectorise the loop. A local pointer is captured by value. Loops outside teams gain nothing, since there the
// compiler sees that nothing else can reach the buffer; `restrict` does not help either.
//
// The pointer takes over the buffer's name, which statements mention, and the buffer is renamed.
//
// Legal when the buffer's memory does not change after its declaration. Profitable when a team at the same level or
// inside uses it.
//
// Not handled: names mentioned in verbatim C++ text.
#include "Bindings.h"
#include "FunctionNames.h"

#include "sdfgc/Transforms/Passes.h"
#include "sdfgc/Tree/Fields.h"

#include <algorithm>
#include <map>
#include <set>

namespace sdfgc::transforms {
namespace {

using namespace tree;

bool isOneByte(const Variable &v) {
    const bool memory = v.kind == VarKind::Buffer || v.kind == VarKind::Pointer || v.kind == VarKind::Stack;
    return memory && v.type.bytes() == 1;
}

class Pointers {
public:
    Pointers(const Module &m, Function &f)
        : f_(f), table_(f), bindings_(f), mentions_(effectsOf(f)), names_(namesOf(m, f, mentions_)) {}

    /// Returns whether there is a new pointer.
    bool run() {
        block(f_.body);
        return changed_;
    }

private:
    void block(Block &b) {
        for (std::size_t i = 0; i < b.body.size(); ++i) {
            forEachBlock(*b.body[i], [this](Block &inner) { block(inner); });
            if (b.body[i]->kind != TreeKind::Declare)
                continue;
            const VarId buffer = static_cast<const Declare &>(*b.body[i]).var;
            if (keepsItsMemory(buffer) && usedInTeams(b, i + 1, f_.vars[buffer].name))
                b.body.insert(b.body.begin() + static_cast<std::ptrdiff_t>(++i), pointInto(buffer));
        }
    }

    /// Is it a buffer that gets memory only from its declaration?
    bool keepsItsMemory(VarId id) const {
        const Variable &v = f_.vars[id];
        const bool hasMembers = std::any_of(f_.vars.begin(), f_.vars.end(), [&](const Variable &member) {
            return member.kind == VarKind::Member && member.parent == id;
        });
        return v.kind == VarKind::Buffer && v.countKnown && bindings_.timesAssigned(id) == 1 && !hasMembers &&
               !mentions_.inText.count(v.name);
    }

    bool usedInTeams(const Block &b, std::size_t from, Name name) {
        for (std::size_t i = from; i < b.body.size(); ++i) {
            const Node &n = *b.body[i];
            if (!table_.of(n).has(name))
                continue;
            bool used = hasThreads(n);
            forEachBlock(n, [&](const Block &inner) { used = used || usedInTeams(inner, 0, name); });
            if (used)
                return true;
        }
        return false;
    }

    /// The declaration of a pointer that all references to the buffer use from now on.
    NodePtr pointInto(VarId buffer) {
        changed_ = true;
        Variable v;
        v.name = f_.vars[buffer].name;
        v.type = f_.vars[buffer].type;
        v.kind = VarKind::Pointer;
        f_.vars[buffer].name = names_.declare(Name(v.name.str() + "_buffer"));
        const VarId pointer = f_.vars.add(std::move(v));
        for (MemRef &r : f_.refs)
            if (r.var == buffer)
                r.var = pointer;
        MemRef memory;
        memory.var = buffer;
        memory.address = true;
        auto declaration = std::make_unique<Declare>(pointer);
        declaration->target = f_.refs.add(memory);
        return declaration;
    }

    Function &f_;
    EffectTable table_;
    Bindings bindings_;
    Effects mentions_;
    NameScopes names_;
    bool changed_ = false;
};

class PointIntoBuffers : public pass::FunctionPass {
    bool run(Function &f, const Module &m, pass::Context &) override {
        const bool elsewhere = m.streams > 0 || f.kernel || f.device;
        return !elsewhere && std::any_of(f.vars.begin(), f.vars.end(), isOneByte) && Pointers(m, f).run();
    }
};

} // namespace

std::unique_ptr<pass::Pass> createPointIntoBuffers() { return std::make_unique<PointIntoBuffers>(); }

} // namespace sdfgc::transforms
