// Intentionally wrong passes.
#include "sdfgc/Transforms/Passes.h"

namespace sdfgc::transforms {
namespace {

/// The first tasklet whose code contains a text.
ir::Tasklet *firstTasklet(ir::SDFG &root, std::string_view text) {
    for (ir::SDFG *g : ir::allSDFGs(root))
        for (ir::State *s : ir::allStates(*g))
            for (ir::Tasklet *t : ir::nodesOf<ir::Tasklet>(*s))
                if (t->code.text().find(text) != std::string::npos)
                    return t;
    return nullptr;
}

/// Replaces a text that the code contains.
void replaceIn(ir::Tasklet &t, const std::string &from, const std::string &to) {
    std::string code = t.code.text();
    t.code = code.replace(code.find(from), from.size(), to);
}

class WrongValue : public pass::GraphPass {
    bool run(ir::SDFG &root, pass::Context &) override {
        ir::Tasklet *t = firstTasklet(root, " + ");
        if (t)
            replaceIn(*t, " + ", " - ");
        return t != nullptr;
    }
};

class Rounding : public pass::GraphPass {
    bool run(ir::SDFG &root, pass::Context &) override {
        ir::Tasklet *t = firstTasklet(root, " = ");
        if (t)
            t->code = t->code.text() + " + 1000.3 - 1000.3";
        return t != nullptr;
    }
};

class WrongOrder : public pass::GraphPass {
    bool run(ir::SDFG &root, pass::Context &) override {
        bool changed = false;
        for (ir::SDFG *g : ir::allSDFGs(root))
            for (ir::State *s : ir::allStates(*g))
                for (const auto &n : s->nodes())
                    if (ir::Schedule *schedule = ir::scheduleOf(n.get()); schedule && *schedule == ir::Schedule::Sequential) {
                        *schedule = ir::Schedule::CPU_Multicore;
                        changed = true;
                    }
        return changed;
    }
};

class WrongChange : public pass::GraphPass {
    bool run(ir::SDFG &root, pass::Context &context) override {
        bool changed = false;
        for (ir::SDFG *g : ir::allSDFGs(root))
            for (ir::State *s : ir::allStates(*g))
                for (ir::Tasklet *t : ir::nodesOf<ir::Tasklet>(*s)) {
                    if (t->code.text().find("2 * a") == std::string::npos || !context.mayChange(elementName(*t), "adds"))
                        continue;
                    replaceIn(*t, "2 * a", t->label == "wrong" ? "a - a" : "a + a");
                    changed = true;
                }
        return changed;
    }
};

class WrongElement : public pass::GraphPass {
    bool run(ir::SDFG &root, pass::Context &context) override {
        const std::unique_ptr<pass::Pass> right = createNameElements();
        right->options = {{"mode", std::string("reverse")}};
        pass::Program program{root, nullptr};
        if (!right->run(program, context))
            return false;
        for (ir::SDFG *g : ir::allSDFGs(root))
            for (ir::InterstateEdge *e : ir::allInterstateEdges(*g))
                for (auto &[symbol, value] : e->assignments)
                    if (const std::size_t at = value.find('['); at != std::string::npos)
                        value = value.substr(0, at) + "[0]";
        return true;
    }
};

} // namespace

std::unique_ptr<pass::Pass> createTestWrongValue() { return std::make_unique<WrongValue>(); }
std::unique_ptr<pass::Pass> createTestWrongRounding() { return std::make_unique<Rounding>(); }
std::unique_ptr<pass::Pass> createTestRounding() { return std::make_unique<Rounding>(); }
std::unique_ptr<pass::Pass> createTestRepair() { return std::make_unique<WrongValue>(); }
std::unique_ptr<pass::Pass> createTestWrongChange() { return std::make_unique<WrongChange>(); }
std::unique_ptr<pass::Pass> createTestWrongElement() { return std::make_unique<WrongElement>(); }
std::unique_ptr<pass::Pass> createTestWrongOrder() { return std::make_unique<WrongOrder>(); }

} // namespace sdfgc::transforms
