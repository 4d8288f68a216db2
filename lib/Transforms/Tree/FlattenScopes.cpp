// Removes unnecessary scopes and moves their statements into the enclosing scope.
//
//     {                                              double a;
//         double a;                                  a = B[0];
//         a = B[0];                    becomes       C[0] = a;
//         C[0] = a;
//     }
//
// The lowering opens a scope around each element of the graph that could need one: maps, nested SDFGs, states. A scope is needed if
// its end releases memory, or if a name that it declares is also mentioned next to it. Blocks without braces only group statements
// and are always removed; their comments stay.
//
// Runs before sink-declarations, which needs all statements of a scope side by side.
//
// Not handled: scopes with labels, since a goto must not jump over an initialisation, and loops of kernels, which
// declare their variable in place.
#include "sdfgc/Transforms/Passes.h"
#include "sdfgc/Tree/Effects.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace tree;

/// Blocks whose braces are unnecessary: none of their declarations is mentioned next to them, and no memory is released at their
/// end.
class Flattener {
public:
    explicit Flattener(const Function &f) : f_(f), table_(f) {}

    /// Moves statements of blocks without braces up, so that all statements of a C++ scope are side by side. Returns whether a
    /// block was opened.
    bool run(Block &b) {
        flatten(b);
        return changed_;
    }

private:
    void flatten(Block &b) {
        while (std::any_of(b.body.begin(), b.body.end(), isGroup))
            moveUp(b);
        for (NodePtr &n : b.body)
            forEachBlock(*n, [this](Block &inner) { flatten(inner); });
        auto isScope = [](const NodePtr &n) { return n->kind == TreeKind::Block; };
        if (hasLabel(b) || std::none_of(b.body.begin(), b.body.end(), isScope))
            return;
        std::unordered_map<Name, int> mentioned; // number of statements
        for (const NodePtr &n : b.body)
            for (Name name : table_.of(*n).names)
                ++mentioned[name];
        for (NodePtr &n : b.body)
            if (isScope(n) && needsNoBraces(static_cast<Block &>(*n), mentioned))
                static_cast<Block &>(*n).braces = false;
        moveUp(b);
    }

    static bool isGroup(const NodePtr &n) { return n->kind == TreeKind::Block && !static_cast<const Block &>(*n).braces; }

    void moveUp(Block &b) {
        std::vector<NodePtr> out;
        for (NodePtr &n : b.body) {
            if (!isGroup(n)) {
                out.push_back(std::move(n));
                continue;
            }
            changed_ = true;
            auto *group = static_cast<Block *>(n.get());
            if (!group->comment.empty() && !group->body.empty())
                out.push_back(std::make_unique<Comment>(group->comment));
            for (NodePtr &inner : group->body) {
                if (inner->origin.empty())
                    inner->origin = group->origin;
                out.push_back(std::move(inner));
            }
        }
        b.body = std::move(out);
    }

    bool needsNoBraces(const Block &b, const std::unordered_map<Name, int> &mentioned) const {
        return !hasLabel(b) && std::all_of(b.body.begin(), b.body.end(), [&](const NodePtr &n) {
            if (n->kind == TreeKind::For && static_cast<const For &>(*n).spread) // in a kernel: declares its variable in place
                return false;
            if (n->kind != TreeKind::Declare)
                return true;
            const Variable &v = f_.vars[static_cast<const Declare &>(*n).var];
            const bool plain = v.kind == VarKind::Value || v.kind == VarKind::Pointer || v.kind == VarKind::Reference ||
                               v.kind == VarKind::StructPtr;
            auto it = mentioned.find(v.name);
            return plain && (it == mentioned.end() || it->second == 1);
        });
    }

    const Function &f_;
    EffectTable table_;
    bool changed_ = false;
};

class FlattenScopes : public pass::FunctionPass {
    bool run(Function &f, const Module &, pass::Context &) override { return Flattener(f).run(f.body); }
};

} // namespace

std::unique_ptr<pass::Pass> createFlattenScopes() { return std::make_unique<FlattenScopes>(); }

} // namespace sdfgc::transforms
