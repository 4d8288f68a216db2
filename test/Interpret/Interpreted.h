// A graph from text, run in the interpreter with arrays of doubles.
#pragma once

#include "../Graphs.h"

#include "sdfgc/Interpret/Interpret.h"

#include <catch2/catch.hpp>

namespace sdfgc::test {

using interpret::FaultKind;

class Interpreted {
public:
    explicit Interpreted(const std::string &text, const interpret::Options &options = {}) {
        diag::Engine diags;
        auto graph = serialize::readText(text, "test.sdfgt", diags);
        REQUIRE(graph);
        program_ = interpret::PreparedProgram::prepare(std::move(graph), options, diags);
        for (const diag::Diagnostic &d : diags.all())
            if (d.severity == diag::Severity::Error)
                refusals.push_back(d.message);
    }

    /// Arrays must live until run() has returned.
    template <class T> Interpreted &bind(const char *name, std::vector<T> &values) {
        program_->bind(Name(name), values.data());
        return *this;
    }
    Interpreted &set(const char *symbol, int64_t value) {
        program_->set(Name(symbol), value);
        return *this;
    }
    /// The kinds of faults, in order of detection.
    std::vector<FaultKind> run() {
        REQUIRE(program_);
        reports = program_->run();
        std::vector<FaultKind> kinds;
        for (const interpret::Report &r : reports)
            kinds.push_back(r.kind);
        return kinds;
    }
    bool timedOut() const { return program_->timedOut(); }

    std::vector<std::string> refusals;
    std::vector<interpret::Report> reports;

private:
    std::unique_ptr<interpret::PreparedProgram> program_;
};

using Kinds = std::vector<FaultKind>;

} // namespace sdfgc::test
