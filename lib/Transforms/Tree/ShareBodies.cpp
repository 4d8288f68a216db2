// Moves the body of a loop that occurs twice, for a team and for one thread, to a function that both call.
//
//     if (N >= 1000) {                                  inline void program_body(A, B, N, i) {
//         #pragma omp parallel for                          ... many lines
//         for (i ...) {                                 }
//             ... many lines                  becomes
//         }                                             if (N >= 1000) {
//     } else {                                              #pragma omp parallel for
//         for (i ...) {                                     for (i ...) program_body(A, B, N, i);
//             ... the same lines                        } else {
//         }                                                 for (i ...) program_body(A, B, N, i);
//     }                                                 }
//
// Pointers of the function are restrict and its values are its own, so compilers know at least as much as of the two bodies.
// The sequential loop keeps its machine code; in the team's loop, arrays no longer seem to overlap. Other forms cost time. A
// lambda that captures by reference is up to eight times slower, since a store of 64 bits may change what it captured. One loop
// with an `if` clause enters the team's region each time.
//
// Legal when:
//   - the bodies are the same except for the variables that they declare, and so are the headers of the loops; neither reduces;
//   - the body changes no value from outside, and does not jump out of the iteration;
//   - everything that it uses can be passed: values, constants, arrays.
//
// Not handled: bodies with fewer statements and declarations than option `statements`, which are shorter than the head of the
// function and its calls; text taken as written; programs with several sources; bodies with atomic updates, which differ; bodies
// that use a name which several variables of the function have, of other kinds, or that declare values in code.
#include "MovedFunctions.h"
#include "Versions.h"

#include "sdfgc/Transforms/Passes.h"
#include "sdfgc/Tree/Effects.h"
#include "sdfgc/Tree/Walk.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace tree;

/// Number of statements and declarations, including nested ones.
std::size_t lengthOf(const Block &b) {
    std::size_t count = 0;
    for (const NodePtr &n : b.body) {
        const auto *code = dyn_cast<Code>(n.get());
        count += code ? std::max<std::size_t>(1, code->stmts.size()) : n->kind != TreeKind::Comment && n->kind != TreeKind::Block;
        forEachBlock(std::as_const(*n), [&count](const Block &inner) { count += lengthOf(inner); });
    }
    return count;
}

class Sharing {
public:
    Sharing(Function &f, std::size_t least, MovedFunctions &parts) : f_(f), least_(least), parts_(parts) {}

    void run() { block(f_.body); }

private:
    void block(Block &b) {
        for (const NodePtr &n : b.body) {
            if (auto *choice = dyn_cast<If>(n.get()))
                share(*choice);
            forEachBlock(*n, [this](Block &inner) { block(inner); });
        }
    }

    void share(If &choice) {
        const auto [team, alone] = loopVersions(f_, choice);
        if (!team || lengthOf(alone->body) < least_ || !isPassable(f_, alone->body))
            return;
        const std::string over = f_.vars[alone->var].name.str();
        Outlined made = outline(
            f_, std::move(alone->body), parts_.freshName(f_, "_body"), [this](Name n) { return passedType(f_, n); },
            [](const Variable &, Obstacle) {}, Handover::ByReference);
        made.function->comment = (choice.comment.empty() ? "" : choice.comment + ": ") + "the iteration " + over;
        made.function->inlined = true;
        std::unique_ptr<Call> call = parts_.add(std::move(made));
        team->body.body.clear();
        team->body.body.push_back(clone(*call));
        alone->body.body.clear();
        alone->body.body.push_back(std::move(call));
    }

    Function &f_;
    const std::size_t least_;
    MovedFunctions &parts_;
};

class ShareBodies : public pass::TreePass {
    bool run(Module &m, pass::Context &) override {
        const auto least = static_cast<std::size_t>(option<int64_t>("statements"));
        return moveHostFunctions(m, [least](Function &f, MovedFunctions &parts) { Sharing(f, least, parts).run(); });
    }
};

} // namespace

std::unique_ptr<pass::Pass> createShareBodies() { return std::make_unique<ShareBodies>(); }

} // namespace sdfgc::transforms
