// The function of the entire program.
#include "ProgramFunction.h"

#include "Lower/Expressions/Symbols.h"
#include "Lower/Flow/ControlFlow.h"
#include "Lower/Memory/Containers.h"
#include "Lower/Memory/Elements.h"
#include "Measurements.h"
#include "UserCode.h"

namespace sdfgc::tree::lowering {

using namespace ir;

namespace {

/// A variable for a parameter that is a symbol or callback.
VarId addSymbol(Instance &in, Name symbol, Type declared) {
    const Type t = symbolVariableType(declared);
    const VarId v = in.declareValue(symbol, t);
    if (t.isCallback())
        in.function().vars[v].kind = VarKind::Callback;
    in.symbols[symbol] = sym::Expr::symbol(in.varName(v));
    in.symbolTypes[symbol] = t;
    sym::SymbolFacts &facts = in.fn->facts[in.varName(v)];
    if (auto hint = in.g->symbolHints.find(symbol); hint != in.g->symbolHints.end()) {
        facts.nonnegative = hint->second.nonnegative || hint->second.positive;
        facts.positive = hint->second.positive;
    }
    return v;
}

/// A symbol used as a dimension of a container is a size.
void noteSizes(Instance &in) {
    for (const auto &[n, d] : in.g->arrays)
        for (sym::Expr s : d.shape)
            if (s.isSymbol())
                if (auto it = in.symbols.find(s.name()); it != in.symbols.end() && it->second.isSymbol())
                    in.fn->facts[it->second.name()].nonnegative = true;
}

/// A variable for a parameter that is a container.
VarId addContainer(Instance &in, Name name) {
    const DataDesc &d = *in.g->desc(name); // the copy in the interface has no members
    Variable v;
    v.name = in.fn->names.declare(name);
    v.type = variableType(d);
    v.kind = d.isStream()      ? VarKind::StreamRef
             : d.isStructure() ? VarKind::StructPtr
             : d.isScalar()    ? VarKind::Value
                               : VarKind::Pointer;
    v.isRestrict = v.kind == VarKind::Pointer && !d.mayAlias;
    const VarId id = in.function().vars.add(std::move(v));
    in.places[name] = placeFor(in, id, d);
    if (d.isScalar())
        in.fn->facts[in.varName(id)].type = d.dtype;
    return id;
}

/// Variables for the parameters of the module, in their order.
std::vector<VarId> addParameters(Instance &in) {
    const std::vector<Param> &params = in.module().params;
    std::vector<VarId> variables(params.size());
    // Symbols first: shapes and strides of containers are expressed in their variables.
    for (std::size_t i = 0; i < params.size(); ++i)
        if (!params[i].desc)
            variables[i] = addSymbol(in, params[i].name, params[i].type);
    noteSizes(in);
    for (std::size_t i = 0; i < params.size(); ++i)
        if (params[i].desc)
            variables[i] = addContainer(in, params[i].name);
    return variables;
}

} // namespace

void addProgramFunction(LoweredProgram &program, const std::vector<std::string> &callCode) {
    auto function = std::make_unique<Function>();
    function->name = Name("program");
    const auto isStruct = [&](Name n) {
        const auto &all = program.module->structs;
        return std::any_of(all.begin(), all.end(), [n](Type t) { return t.name() == n; });
    };
    while (isStruct(function->name))
        function->name = Name(function->name.str() + "_");
    FunctionContext context(program, *function);
    for (const ConstantDef &c : program.module->constants)
        context.names.declare(c.name);
    Instance in(program.root, context);
    function->params = addParameters(in);
    tree::Block *body = &measuredSdfg(in, program.root, function->body);
    addCallCode(in, callCode, *body);
    declareSymbols(in, *body);
    context.top = body;
    context.topAt = body->body.size();
    declareTop(in, *body);
    lowerRegion(in, program.root, *body);
    program.module->functions.add(std::move(function));
}

} // namespace sdfgc::tree::lowering
