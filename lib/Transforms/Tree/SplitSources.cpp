// Distributes the functions of a large program over several sources of similar length, which are compiled in parallel.
//
//     program_1, program_2, ..., program_9, program     becomes     NAME_1.cpp: program_1 to program_3
//                                                                   NAME_2.cpp: program_4 to program_6 ...
//                                                                   NAME.cpp:   program, and the C interface
//
// Functions keep their order, so the same tree gives the same sources. The pass only numbers the functions; a target
// prints the shared declarations as a header.
//
// Not handled: programs with user code at file scope, which must not be duplicated, and programs for a GPU, whose
// kernels stay with the host code that launches them.
#include "Transforms/Tree/StatementCount.h"

#include "sdfgc/Transforms/Passes.h"

namespace sdfgc::transforms {
namespace {

using namespace tree;

class SplitSources : public pass::TreePass {
    bool run(Module &m, pass::Context &context) override {
        const auto limit = static_cast<std::size_t>(option<int64_t>("statements"));
        std::size_t all = 0;
        for (const auto &f : m.functions)
            all += statements(f->body);
        if (all <= limit || m.functions.size() < 2 || m.streams > 0 || !m.globalCode.empty())
            return false;
        int source = 1;
        std::size_t length = 0;
        for (const auto &f : m.functions) {
            if (&f == &m.functions.back())
                break; // the program itself
            const std::size_t own = statements(f->body);
            if (length > 0 && length + own > limit) {
                ++source;
                length = 0;
            }
            f->source = source;
            length += own;
        }
        context.done(context.program(m), "its functions have " + std::to_string(source + 1) + " sources");
        return true;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createSplitSources() { return std::make_unique<SplitSources>(); }

} // namespace sdfgc::transforms
