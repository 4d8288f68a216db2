#include "Transforms/GpuGraphs/ControlKernel.h"

#include "Transforms/Edits/DevicePlacement.h"

#include "sdfgc/IR/LabelName.h"
#include "sdfgc/IR/ScopeConnectors.h"
#include "sdfgc/Support/Text.h"
#include "sdfgc/Tasklet/Ast.h"

namespace sdfgc::transforms {

using namespace ir;

std::string ControlKernel::fresh(const std::string &prefix) {
    std::string name = prefix;
    for (int i = 1; g_.freshName(name) != Name(name) || !taken_.insert(name).second; ++i)
        name = prefix + "_" + std::to_string(i);
    return name;
}

Name ControlKernel::input(Name data, const sym::Subset &element) {
    for (const Port &p : inputs_)
        if (p.data == data && p.element == element)
            return p.connector;
    inputs_.push_back({Name(fresh("in_" + data.str())), data, element});
    return inputs_.back().connector;
}

Name ControlKernel::output(Name data) {
    for (const Port &p : outputs_)
        if (p.data == data)
            return p.connector;
    outputs_.push_back({Name(fresh("out_" + data.str())), data, g_.desc(data)->fullSubset()});
    return outputs_.back().connector;
}

std::string ControlKernel::current(Name symbol) {
    auto [at, isNew] = now_.try_emplace(symbol);
    if (isNew) {
        const Name cell = cells_.at(symbol);
        at->second = input(cell, g_.desc(cell)->fullSubset()).str();
    }
    return at->second;
}

std::string ControlKernel::value(const analysis::SymbolValue &v) {
    std::map<Name, py::ExprRef> replaced;
    for (const analysis::SymbolValue::Read &r : v.reads)
        replaced[r.connector] = py::name(input(r.data, r.element));
    for (const Name s : v.symbols)
        if (cells_.count(s))
            replaced[s] = py::name(Name(current(s)));
    return py::print(*py::substitute(*py::parseExpr(v.code).value, replaced));
}

std::string ControlKernel::named(const std::string &prefix, const std::string &value) {
    const std::string name = fresh(prefix);
    lines_.push_back(name + " = " + value);
    return name;
}

void ControlKernel::assign(Name symbol, const std::string &value) {
    const std::string type(g_.desc(cells_.at(symbol))->dtype.str());
    now_[symbol] = named("next_" + symbol.str(), "dace." + type + "(" + value + ")");
}

void ControlKernel::assignIf(const std::string &condition, Name symbol, const std::string &value) {
    const std::string old = current(symbol);
    assign(symbol, "(" + value + ") if " + condition + " else " + old);
}

void ControlKernel::store(Name container, const std::string &value) { lines_.push_back(output(container).str() + " = " + value); }

void ControlKernel::build(State &s, const std::string &label, const DebugInfo &where) {
    for (const auto &[symbol, value] : now_)
        if (const Name cell = cells_.at(symbol); std::none_of(
                inputs_.begin(), inputs_.end(), [cell, &v = value](const Port &p) { return p.data == cell && p.connector == v; }))
            store(cell, value);
    MapEntry *entry = addThread(s, identifierOf(label, "control_"), where);
    MapExit *exit = entry->exit;
    Tasklet *tasklet = s.addTasklet(entry->label, sdfgc::text::joined(lines_, "\n"));
    tasklet->debugInfo = where;
    int number = 0;
    std::map<Name, AccessNode *> nodes;
    for (const Port &p : inputs_) {
        const std::string suffix = std::to_string(number++);
        AccessNode *&node = nodes[p.data];
        node = node ? node : s.add<AccessNode>(p.data);
        const Memlet m = Memlet::simple(p.data, p.element);
        s.connect(node, {}, entry, scopeInput(suffix), m);
        s.connect(entry, scopeOutput(suffix), tasklet, p.connector, m);
        entry->addIn(scopeInput(suffix));
        entry->addOut(scopeOutput(suffix));
        tasklet->addIn(p.connector, g_.desc(p.data)->dtype);
    }
    if (inputs_.empty())
        s.connect(entry, {}, tasklet, {}, Memlet::empty());
    for (const Port &p : outputs_) {
        const std::string suffix = std::to_string(number++);
        const Memlet m = Memlet::simple(p.data, p.element);
        s.connect(tasklet, p.connector, exit, scopeInput(suffix), m);
        s.connect(exit, scopeOutput(suffix), s.add<AccessNode>(p.data), {}, m);
        exit->addIn(scopeInput(suffix));
        exit->addOut(scopeOutput(suffix));
        tasklet->addOut(p.connector, g_.desc(p.data)->dtype);
    }
}

} // namespace sdfgc::transforms
