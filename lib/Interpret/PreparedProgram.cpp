#include "Parts.h"
#include "Plan.h"
#include "Values.h"

#include <algorithm>

namespace sdfgc::interpret {

namespace {

/// An executable graph.
struct GraphParts final : PreparedProgram::Parts {
    GraphParts(std::shared_ptr<const ir::SDFG> g, const Options &o, diag::Engine &diags)
        : graph(std::move(g)), state(o), planner(state, diags), root(planner, *graph, nullptr), registers(state.saved()) {}

    /// Compiles code that is not Python.
    void compile(diag::Engine &diags) { planner.native.compile(*graph, state.options.native, diags); }

    Machine &machine() override { return state; }
    Operand argument(Name name) override {
        const auto found = root.symbols.find(name);
        return found != root.symbols.end() ? found->second : Operand();
    }
    void run() override {
        root.enter(state);
        state.forgetPointers();
        for (const auto &[name, bytes] : memory)
            if (Container *c = root.container(name))
                root.give(state, *c, static_cast<std::byte *>(bytes),
                          isMeasured(*c) ? Graph::Memory::Measured : Graph::Memory::Open);
        root.run(state);
    }
    bool forget() override {
        state.load(registers);
        for (Graph *g : planner.graphs)
            g->forget();
        memory.clear();
        given.clear();
        return true;
    }

private:
    /// Does the caller know the size of a container?
    bool isMeasured(const Container &c) const {
        const std::vector<sym::Expr> &shape = c.desc->shape;
        if (std::any_of(shape.begin(), shape.end(), [](const sym::Expr &extent) { return extent.isUndefined(); }))
            return false;
        return !state.options.sizesUnknown || std::all_of(shape.begin(), shape.end(), [&](const sym::Expr &extent) {
            const auto &symbols = extent.freeSymbols();
            return std::all_of(symbols.begin(), symbols.end(),
                               [&](Name n) { return given.count(n) || !graph->symbols.contains(n); });
        });
    }

    std::shared_ptr<const ir::SDFG> graph;
    Machine state;
    Planner planner;
    Graph root;
    const std::vector<std::byte> registers; // before the first run
};

template <class T> void setTo(Operand symbol, T value) {
    if (symbol && symbol.type.isScalar())
        withScalar(symbol.type.scalar(), [&](auto tag) {
            using S = typename decltype(tag)::type;
            as<S>(symbol.at) = converted<S>(value);
        });
}

} // namespace

PreparedProgram::PreparedProgram(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
PreparedProgram::~PreparedProgram() = default;

std::unique_ptr<PreparedProgram> PreparedProgram::prepare(std::shared_ptr<const ir::SDFG> graph, const Options &options,
                                                          diag::Engine &diags) {
    const std::size_t before = diags.errorCount();
    auto parts = std::make_unique<GraphParts>(std::move(graph), options, diags);
    if (diags.errorCount() == before)
        parts->compile(diags);
    return diags.errorCount() == before ? std::unique_ptr<PreparedProgram>(new PreparedProgram(std::move(parts))) : nullptr;
}

void PreparedProgram::bind(Name container, void *memory) { parts_->memory[container] = memory; }

void PreparedProgram::set(Name symbol, int64_t value) {
    parts_->given.insert(symbol);
    setTo(parts_->argument(symbol), value);
}
void PreparedProgram::set(Name symbol, double value) {
    parts_->given.insert(symbol);
    setTo(parts_->argument(symbol), value);
}

bool PreparedProgram::forget(uint8_t unwritten) {
    if (!parts_->forget())
        return false;
    parts_->machine().options.unwritten = unwritten;
    return true;
}

int64_t PreparedProgram::memory() const { return parts_->machine().held; }

bool PreparedProgram::timedOut() const { return parts_->machine().stopped(); }

std::vector<Report> PreparedProgram::run() {
    Machine &m = parts_->machine();
    m.reports.clear();
    m.startClock();
    m.order.leaveAll();
    parts_->run();
    return std::move(m.reports);
}

} // namespace sdfgc::interpret
