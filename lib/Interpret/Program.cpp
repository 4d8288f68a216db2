#include "sdfgc/Interpret/Interpret.h"

#include "Plan.h"
#include "Values.h"

#include <cstring>

namespace sdfgc::interpret {

struct Program::Parts {
    Parts(std::unique_ptr<ir::SDFG> g, const Options &o) : graph(std::move(g)), machine(o) {}
    std::unique_ptr<ir::SDFG> graph;
    Machine machine;
    std::unique_ptr<Planner> planner;
    std::unique_ptr<Graph> root;
    std::map<Name, void *> memory;
};

Program::Program(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Program::~Program() = default;

std::unique_ptr<Program> Program::prepare(std::unique_ptr<ir::SDFG> graph, const Options &options, diag::Engine &diags) {
    const std::size_t before = diags.errorCount();
    auto parts = std::make_unique<Parts>(std::move(graph), options);
    parts->planner = std::make_unique<Planner>(parts->machine, diags);
    parts->root = std::make_unique<Graph>(*parts->planner, *parts->graph, nullptr);
    if (diags.errorCount() == before)
        parts->planner->native.compile(*parts->graph, options.native, diags);
    if (diags.errorCount() != before)
        return nullptr;
    return std::unique_ptr<Program>(new Program(std::move(parts)));
}

void Program::bind(Name container, void *memory) { parts_->memory[container] = memory; }

namespace {

template <class T> void setSymbol(std::map<Name, Operand> &symbols, Name name, T value) {
    const auto found = symbols.find(name);
    if (found == symbols.end() || !found->second.type.isScalar())
        return;
    withScalar(found->second.type.scalar(), [&](auto tag) {
        using S = typename decltype(tag)::type;
        as<S>(found->second.at) = converted<S>(value);
    });
}

} // namespace

void Program::set(Name symbol, int64_t value) { setSymbol(parts_->root->symbols, symbol, value); }
void Program::set(Name symbol, double value) { setSymbol(parts_->root->symbols, symbol, value); }

namespace {

/// Memory of the caller for a container; of a structure for its members, which its fields have or point to.
void give(Graph &root, Container &c, std::byte *memory) {
    c.start = 0;
    const int64_t elements = c.desc->isArray() ? c.total : std::max<int64_t>(c.total, 1);
    c.buffer = memory ? std::make_shared<Buffer>(c.name, memory, elements, std::max<int64_t>(c.unit, 1)) : nullptr;
    for (const auto &[name, desc] : c.desc->members) {
        Container *member = root.container(Name(c.name.str() + "." + name.str()));
        const auto at = offsetOf(c.type, name);
        if (!member || !at || !memory)
            continue;
        const bool pointer = c.type.field(name)->isPointer();
        give(root, *member, pointer ? as<std::byte *>(memory + *at) : memory + *at);
    }
}

} // namespace

bool Program::timedOut() const { return parts_->machine.stopped(); }

std::vector<Report> Program::run() {
    Machine &m = parts_->machine;
    m.reports.clear();
    m.startClock();
    Graph &root = *parts_->root;
    root.enter(m);
    for (const auto &[name, memory] : parts_->memory)
        if (Container *c = root.container(name))
            give(root, *c, static_cast<std::byte *>(memory));
    root.run(m);
    return std::move(m.reports);
}

} // namespace sdfgc::interpret
