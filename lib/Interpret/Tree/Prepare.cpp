// A tree as a program: its arguments and the memory it keeps between calls.
#include "../Parts.h"
#include "../Values.h"
#include "Translator.h"

#include "sdfgc/Diag/Kinds.h"

namespace sdfgc::interpret {

namespace {

using namespace tree;

/// Names of the interface, as used in sizes of arguments and fields: they are those of the graph. Sizes may mention symbols that
/// the program does not need as arguments; the caller still provides their values.
class ParameterNames final : public Names {
public:
    std::map<Name, Operand> values;

    Operand read(Builder &b, Name name) override {
        Operand &value = values[name];
        if (!value)
            value = b.reserve(ScalarKind::Int64);
        return value;
    }
    Operand element(Builder &, const py::Expr &) override { return {}; }
    bool store(Builder &, const py::Expr &, Operand) override { return false; }
    bool knows(Name) const override { return true; }
};

struct TreeParts final : PreparedProgram::Parts {
    TreeParts(std::shared_ptr<const Module> m, const Options &o, diag::Engine &diags)
        : module(std::move(m)), state(o), translator(state, *module, diags), code(translator.program()) {
        if (!module->functions.empty())
            parameters(diags);
    }

    Machine &machine() override { return state; }
    Operand argument(Name name) override {
        const auto found = names.values.find(name);
        return found != names.values.end() ? found->second : Operand();
    }

    void run() override {
        sizes.run(state);
        state.forgetPointers();
        for (const Argument &a : arrays)
            give(a);
        for (const Scalar &s : scalars)
            if (const auto bytes = memory.find(s.name); bytes != memory.end() && bytes->second)
                std::copy_n(static_cast<const std::byte *>(bytes->second), sizeOf(s.value.type), s.value.at);
        keepFields();
        if (module->streams == 0) {
            code.run(state);
            return;
        }
        state.streams =
            std::make_unique<Streams>(static_cast<std::size_t>(module->streams), static_cast<std::size_t>(module->events));
        state.order.task();
        state.order.enterStreams(*state.streams);
        state.order.task();
        state.streams->run(state.streams->host(), state.order.now);
        code.run(state);
        state.order.leaveAll();
    }

private:
    struct Argument {
        Name name;
        Operand pointer;
        const int64_t *total;
        Space space;
        int64_t unit;
    };
    struct Scalar { // a container passed by value
        Name name;
        Operand value;
    };
    struct Field {
        Location place;
        const int64_t *count, *start;
        std::shared_ptr<Buffer> buffer;
    };

    void parameters(diag::Engine &diags) {
        const std::vector<Location> &places = translator.parameters();
        for (std::size_t k = 0; k < module->params.size() && k < places.size(); ++k)
            if (places[k].value)
                names.values[module->params[k].name] = places[k].value;
        Builder b(state, names, Division::Lowered, nullptr);
        for (std::size_t k = 0; k < module->params.size() && k < places.size(); ++k) {
            const Param &p = module->params[k];
            if (places[k].pointer && p.desc)
                arrays.push_back({p.name, places[k].pointer, b.integer(p.desc->totalSize), spaceOf(p.desc->storage),
                                  std::max<int64_t>(sizeOf(places[k].type), 1)});
            else if (places[k].value && p.desc)
                scalars.push_back({p.name, places[k].value});
        }
        for (const StateField &f : module->fields)
            if (const auto used = translator.fields().find(f.name); used != translator.fields().end() && used->second.slot)
                fields.push_back({used->second, b.integer(f.isScalar ? sym::Expr(1) : f.count), b.integer(f.startOffset), nullptr});
        sizes = b.take();
        if (b.refusal().empty())
            return;
        diag::Location where;
        where.file = state.options.file;
        where.element = module->name.str();
        diags.report(diag::Id::NotInterpreted, where, b.refusal());
    }

    void give(const Argument &a) {
        const auto bytes = memory.find(a.name);
        auto &buffer = buffers[a.name];
        buffer = nullptr;
        if (bytes != memory.end() && bytes->second) {
            buffer =
                std::make_shared<Buffer>(a.name, static_cast<std::byte *>(bytes->second), std::max<int64_t>(*a.total, 0), a.unit);
            buffer->space = a.space;
        }
        as<Pointer>(a.pointer.at) = {buffer.get(), 0};
    }

    /// Allocates the memory of the state before the first call.
    void keepFields() {
        for (Field &f : fields) {
            Slot &slot = *f.place.slot;
            if (!f.buffer)
                renew(slot, f.buffer, std::max<int64_t>(*f.count, 0), state);
            as<Pointer>(f.place.pointer.at) = {f.buffer.get(), *f.start * slot.unit};
        }
    }

    std::shared_ptr<const Module> module;
    TreeMachine state;
    Translator translator;
    Code code;
    ParameterNames names;
    Code sizes;
    std::vector<Argument> arrays;
    std::vector<Scalar> scalars;
    std::vector<Field> fields;
    std::map<Name, std::shared_ptr<Buffer>> buffers;
};

} // namespace

std::unique_ptr<PreparedProgram> PreparedProgram::prepare(std::shared_ptr<const Module> tree, const Options &options,
                                                          diag::Engine &diags) {
    const std::size_t before = diags.errorCount();
    auto parts = std::make_unique<TreeParts>(std::move(tree), options, diags);
    return diags.errorCount() == before ? std::unique_ptr<PreparedProgram>(new PreparedProgram(std::move(parts))) : nullptr;
}

} // namespace sdfgc::interpret
