#include "Evaluate.h"

#include "sdfgc/Interpret/Interpret.h"
#include "sdfgc/Serialize/Serialize.h"

#include <catch2/catch.hpp>

namespace sdfgc::py::test {

namespace {

std::string container(Name connector) { return "c_" + connector.str(); }

std::string shape(const Column &c, std::size_t points) {
    return std::to_string(points) + (c.width > 1 ? ", " + std::to_string(c.width) : "");
}

std::string ranges(const Column &c, const std::string &first) {
    return first + (c.width > 1 ? ", 0:" + std::to_string(c.width) : "");
}

std::string graphOf(const std::vector<StmtRef> &block, const Columns &inputs, const Columns &outputs, std::size_t points, Type t) {
    std::string arguments, mapReads, mapWrites, reads, writes;
    const std::string all = "0:" + std::to_string(points);
    const auto comma = [](const std::string &list) { return list.empty() ? "" : ", "; };
    for (const auto &[n, c] : inputs) {
        arguments += "  argument " + container(n) + ": " + t.str() + "[" + shape(c, points) + "]\n";
        mapReads += comma(mapReads) + ("<- " + container(n) + "[" + ranges(c, all) + "]");
        reads += comma(reads) + n.str() + " <- " + container(n) + "[" + ranges(c, "point") + "]";
    }
    for (const auto &[n, c] : outputs) {
        arguments += "  argument " + container(n) + ": " + t.str() + "[" + shape(c, points) + "]\n";
        mapWrites += comma(mapWrites) + ("-> " + container(n) + "[" + ranges(c, all) + "]");
        writes += comma(writes) + n.str() + " -> " + container(n) + "[" + ranges(c, "point") + "]";
    }
    return "sdfg f {\n" + arguments + "  state s {\n    map m[point = " + all + "] with " + mapReads + "; " + mapWrites +
           " {\n      t with " + reads + "; " + writes + " {\n" + print(block, 2) + "\n      }\n    }\n  }\n}\n";
}

template <class T> void run(interpret::PreparedProgram &program, const Columns &inputs, Columns &outputs) {
    std::map<Name, std::vector<T>> memory;
    for (const Columns *columns : {&inputs, static_cast<const Columns *>(&outputs)})
        for (const auto &[n, c] : *columns) {
            auto &values = memory[n];
            for (double v : c.values)
                values.push_back(static_cast<T>(v));
            program.bind(Name(container(n)), values.data());
        }
    for (const interpret::Report &r : program.run())
        FAIL_CHECK(r.element << ": " << r.what);
    for (auto &[n, c] : outputs)
        c.values.assign(memory[n].begin(), memory[n].end());
}

} // namespace

void evaluate(const std::vector<StmtRef> &block, const Columns &inputs, Columns &outputs, std::size_t points, Type t) {
    const std::string text = graphOf(block, inputs, outputs, points, t);
    INFO(text);
    diag::Engine diags;
    auto graph = serialize::readText(text, "test.sdfgt", diags);
    for (const diag::Diagnostic &d : diags.all())
        UNSCOPED_INFO(d.message);
    REQUIRE(graph);
    const auto program = interpret::PreparedProgram::prepare(std::move(graph), {}, diags);
    for (const diag::Diagnostic &d : diags.all())
        UNSCOPED_INFO(d.message);
    REQUIRE(program);
    if (t == Type(ScalarKind::Float32))
        run<float>(*program, inputs, outputs);
    else
        run<double>(*program, inputs, outputs);
}

} // namespace sdfgc::py::test
