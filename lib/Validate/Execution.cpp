#include "sdfgc/Validate/Execution.h"

#include "sdfgc/Run/Values.h"
#include "sdfgc/Support/Time.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <set>

namespace sdfgc::validate {
namespace {

/// Sets a scalar that is not a container.
void setSymbol(interpret::PreparedProgram &p, const run::Argument &a) {
    if (a.type.isFloat()) {
        p.set(a.name, run::valueOf(a.type, a.data));
        return;
    }
    const std::string text = run::textOf(a.type, a.data);
    p.set(a.name, a.type.isBool() ? int64_t(text == "True") : static_cast<int64_t>(std::strtoll(text.c_str(), nullptr, 10)));
}

class Interpreted : public Subject {
public:
    /// Creates the program.
    using Prepare = std::function<std::unique_ptr<interpret::PreparedProgram>(const interpret::Options &, diag::Engine &)>;

    Interpreted(Prepare make, std::set<Name> containers, interpret::Options options)
        : make_(std::move(make)), containers_(std::move(containers)), options_(std::move(options)) {}

    /// Returns whether the interpreter supports the program.
    bool prepare(diag::Engine &diags) {
        program_ = make_(options_, diags);
        return program_ != nullptr;
    }

    Execution run(const run::Arguments &input, uint8_t unwritten) override {
        renew(unwritten);
        Execution out;
        for (const run::Argument &a : input.all)
            out.memory.push_back(a.data);
        const std::vector<char *> memory = placesOf(input, out);
        bind(input, memory);
        Timer timer;
        out.faults = program_->run();
        out.seconds = timer.seconds();
        run::unlink(input, memory);
        out.timedOut = program_->timedOut();
        out.held = program_->memory();
        for (std::size_t k = 0; k < input.all.size(); ++k) {
            if (const auto other = input.all[k].sharesWith)
                out.memory[k] = out.memory[*other];
            if (!input.all[k].isArray && !input.all[k].isMember) // passed by value: writes of the program are not visible
                out.memory[k] = input.all[k].data;
        }
        return out;
    }

private:
    /// Resets it as if it had been prepared for this run.
    void renew(uint8_t unwritten) {
        if (program_->forget(unwritten))
            return;
        diag::Engine none; // it has already been prepared
        if (wasRun_ || unwritten != options_.unwritten) {
            options_.unwritten = unwritten;
            prepare(none);
        }
        wasRun_ = true;
    }
    static std::vector<char *> placesOf(const run::Arguments &input, Execution &out) {
        std::vector<char *> memory;
        for (std::size_t k = 0; k < input.all.size(); ++k)
            memory.push_back(input.all[k].isNull ? nullptr : out.memory[input.all[k].sharesWith.value_or(k)].data());
        return memory;
    }
    void bind(const run::Arguments &input, const std::vector<char *> &memory) const {
        interpret::PreparedProgram &program = *program_;
        run::link(input, memory);
        for (const auto &[symbol, value] : input.symbols)
            program.set(symbol, value);
        for (std::size_t k = 0; k < input.all.size(); ++k) {
            const run::Argument &a = input.all[k];
            if (containers_.contains(a.name))
                program.bind(a.name, memory[k]);
            else if (!a.isMember)
                setSymbol(program, a);
        }
    }

    Prepare make_;
    std::set<Name> containers_; // those among the arguments; the others are symbols
    interpret::Options options_;
    std::unique_ptr<interpret::PreparedProgram> program_;
    bool wasRun_ = false;
};

std::unique_ptr<Subject> prepared(Interpreted::Prepare make, std::set<Name> containers, const interpret::Options &options,
                                  diag::Engine &diags) {
    auto subject = std::make_unique<Interpreted>(std::move(make), std::move(containers), options);
    return subject->prepare(diags) ? std::move(subject) : nullptr;
}

bool isUnwritten(const interpret::Report &r) { return r.kind == interpret::FaultKind::NotWritten; }

} // namespace

Execution execute(Subject &subject, const run::Arguments &input) {
    Execution first = subject.run(input);
    if (std::none_of(first.faults.begin(), first.faults.end(), isUnwritten))
        return first;
    const auto sameFault = [](const interpret::Report &a, const interpret::Report &b) {
        return a.kind == b.kind && a.element == b.element;
    };
    // Small numbers vanish in sums and large ones in minima; all bits set is NaN, which is visible in both, and -1.
    for (const uint8_t content : {0x01, 0x7f, 0xff}) {
        const Execution other = subject.run(input, content);
        if (first.memory != other.memory ||
            !std::equal(first.faults.begin(), first.faults.end(), other.faults.begin(), other.faults.end(), sameFault))
            return first;
    }
    std::erase_if(first.faults, isUnwritten);
    return first;
}

std::unique_ptr<Subject> interpreted(const ir::SDFG &graph, const interpret::Options &options, diag::Engine &diags) {
    std::set<Name> containers;
    for (const auto &[name, desc] : graph.arrays)
        containers.insert(name);
    const std::shared_ptr<const ir::SDFG> copy = ir::clone(graph);
    return prepared(
        [copy](const interpret::Options &o, diag::Engine &d) { return interpret::PreparedProgram::prepare(copy, o, d); },
        std::move(containers), options, diags);
}

std::unique_ptr<Subject> interpreted(std::shared_ptr<const tree::Module> tree, const interpret::Options &options,
                                     diag::Engine &diags) {
    std::set<Name> containers;
    for (const tree::Param &p : tree->params)
        if (p.desc)
            containers.insert(p.name);
    return prepared(
        [tree](const interpret::Options &o, diag::Engine &d) { return interpret::PreparedProgram::prepare(tree, o, d); },
        std::move(containers), options, diags);
}

} // namespace sdfgc::validate
