// The module: interface, types, constants, and the program function.
#include "Lowering.h"

#include "sdfgc/Support/Json.h"

#include <algorithm>

namespace sdfgc::tree {

using namespace ir;

Lowering::Lowering(SDFG &root, pass::Context &context) : root_(root), context_(context), module_(std::make_unique<Module>()) {}

void Lowering::error(diag::Message message, diag::Location place) {
    if (place.file.empty())
        place.file = context_.options.file;
    context_.diags.report(std::move(message), std::move(place));
}

std::unique_ptr<Module> Lowering::run() {
    std::size_t errors = context_.diags.errorCount();
    module_->name = root_.name;
    module_->source = context_.options.file;
    arguments_ = analysis::argumentList(root_);
    for (Name n : arguments_.undefined)
        error(diag::Id::UndefinedSymbol, {"", 0, 0, "", elementName(root_), {}}, n.str());
    moduleInterface();
    structTypes();
    constants();
    userCode();
    if (context_.diags.errorCount() == errors)
        program();
    if (usesUndefinedSize_)
        undefinedSize();
    return context_.diags.errorCount() == errors ? std::move(module_) : nullptr;
}

/// Containers of the caller may have sizes that nobody knows (`?`) as long as no code needs them.
void Lowering::undefinedSize() {
    auto isUndefined = [](sym::Expr e) { return e.isUndefined(); };
    std::string names;
    for (const auto &[name, d] : root_.arrays)
        if (std::any_of(d.shape.begin(), d.shape.end(), isUndefined) ||
            std::any_of(d.strides.begin(), d.strides.end(), isUndefined))
            names += (names.empty() ? "`" : ", `") + name.str() + "`";
    if (!names.empty()) // else it is arithmetic on sizes of zero, in loops that do not run
        error(diag::Id::UndefinedSizeUsed, {"", 0, 0, "", elementName(root_), {}}, names);
}

namespace {

/// What the interface says of a container: no debug information, attributes of the front end, or members.
std::shared_ptr<const DataDesc> described(const DataDesc *d) {
    if (!d)
        return nullptr;
    auto out = std::make_shared<DataDesc>();
    out->kind = d->kind;
    out->alias = d->alias;
    out->dtype = d->dtype;
    out->shape = d->shape;
    out->strides = d->strides;
    out->offset = d->offset;
    out->totalSize = d->totalSize;
    out->startOffset = d->startOffset;
    out->bufferSize = d->bufferSize;
    out->structName = d->structName;
    out->mayAlias = d->mayAlias;
    if (d->optional.value_or(false))
        out->optional = true;
    out->storage = d->storage;
    out->lifetime = d->lifetime;
    out->alignment = d->alignment;
    return out;
}

} // namespace

void Lowering::moduleInterface() {
    NameScopes names;
    names.open();
    std::map<Name, Name> spelled;
    auto spell = [&](const auto &arguments, bool symbols) { // in the order in which the program declares them
        for (const auto &a : arguments)
            if (symbols == !a.desc && !spelled.count(a.name))
                spelled[a.name] = names.declare(a.name);
    };
    spell(arguments_.program, true);
    spell(arguments_.program, false);
    spell(arguments_.init, true);
    for (const auto &a : arguments_.program)
        module_->params.push_back({a.name, spelled[a.name], a.type, described(a.desc)});
    for (const auto &a : arguments_.init)
        module_->init.push_back({a.name, spelled[a.name], a.type, described(a.desc)});
}

// ---------------------------------------------------------------------------------------------------- types

namespace {

void addStruct(Type t, std::vector<Type> &out) {
    if (t.isPointer() || t.isVector())
        return addStruct(t.element(), out);
    if (!t.isStruct() || std::any_of(out.begin(), out.end(), [&](Type other) { return other.name() == t.name(); }))
        return;
    for (const auto &[name, field] : t.fields())
        if (!(field.isPointer() && field.element() == t))
            addStruct(field, out);
    // One definition a name: files may list the fields of one structure in two orders.
    if (std::none_of(out.begin(), out.end(), [&](Type other) { return other.name() == t.name(); }))
        out.push_back(t);
}

void addStructs(const DataDesc &d, std::vector<Type> &out) {
    for (const auto &[n, m] : d.members)
        addStructs(*m, out);
    if (d.elementDesc)
        addStructs(*d.elementDesc, out);
    addStruct(d.dtype, out);
}

} // namespace

void Lowering::structTypes() {
    for (SDFG *g : allSDFGs(root_))
        for (const auto &[n, d] : g->arrays)
            addStructs(d, module_->structs);
}

// ---------------------------------------------------------------------------------------------------- constants

namespace {

void flatten(const json::Value &v, std::vector<const json::Value *> &out) {
    if (v.isArray())
        for (const json::Value &item : v.items())
            flatten(item, out);
    else
        out.push_back(&v);
}

/// C++ literal of one constant value: numbers, numbers as text (`"1.5"`, `"True"`), complex as `"(1+2j)"`.
std::string literal(const json::Value &v, Type t) {
    std::string text = v.text();
    if (text == "True" || text == "true")
        return t.isBool() ? "true" : "1";
    if (text == "False" || text == "false")
        return t.isBool() ? "false" : "0";
    if (auto e = py::parseExpr(text); e.value && v.isString() && text.find('j') != std::string::npos) {
        py::Env env;
        env.typeOf = [](Name) { return std::optional<Type>(); };
        py::CppPrinter printer;
        return printer.expr(*py::lowerOperators(py::inferTypes(py::resolveModules(*e.value, env), env), py::Semantics::Python));
    }
    if (text == "NaN" || text == "nan")
        return "NAN";
    if (text == "Infinity" || text == "inf")
        return "INFINITY";
    if (text == "-Infinity" || text == "-inf")
        return "-INFINITY";
    if (t.isInteger())
        if (auto dot = text.find('.'); dot != std::string::npos && text.find_first_not_of('0', dot + 1) == std::string::npos)
            return text.substr(0, dot);
    return text;
}

} // namespace

void Lowering::constants() {
    std::set<Name> known;
    for (SDFG *g : allSDFGs(root_))
        for (const auto &[n, c] : g->constants) {
            if (!known.insert(n).second)
                continue;
            ConstantDef def;
            def.name = n;
            def.type = c.desc.dtype;
            def.isArray = !c.desc.isScalar();
            const json::Value *data = c.value.isObject() ? c.value.get("data") : &c.value;
            std::vector<const json::Value *> values;
            if (data)
                flatten(*data, values);
            for (const json::Value *v : values)
                def.values.push_back(literal(*v, def.type));
            module_->constants.push_back(std::move(def));
        }
}

// ---------------------------------------------------------------------------------------------------- the program

void Lowering::program() {
    auto function = std::make_unique<Function>();
    FunctionContext context;
    context.function = function.get();
    context.names.open();
    for (const ConstantDef &c : module_->constants)
        context.names.declare(c.name);
    function->name = Name("program");
    Instance in;
    in.g = &root_;
    in.fn = &context;
    in.declarations = analysis::declarationsOf(root_);

    // Symbols first: shapes and strides of the containers are over their variables.
    std::vector<VarId> variables(module_->params.size());
    for (std::size_t i = 0; i < module_->params.size(); ++i) {
        const Param &p = module_->params[i];
        if (p.desc)
            continue;
        Type t = symbolVariableType(p.type);
        VarId v = declareValue(in, p.name, t);
        if (t.isCallback())
            function->vars[v].kind = VarKind::Callback;
        variables[i] = v;
        in.symbols[p.name] = sym::Expr::symbol(varName(in, v));
        in.symbolTypes[p.name] = t;
        auto hint = root_.symbolHints.find(p.name);
        sym::SymbolFacts &facts = context.facts[varName(in, v)];
        if (hint != root_.symbolHints.end()) {
            facts.nonnegative = hint->second.nonnegative || hint->second.positive;
            facts.positive = hint->second.positive;
        }
    }
    // A symbol that is a dimension of a container is a size.
    for (const auto &[n, d] : root_.arrays)
        for (sym::Expr s : d.shape)
            if (s.isSymbol())
                if (auto it = in.symbols.find(s.name()); it != in.symbols.end() && it->second.isSymbol())
                    context.facts[it->second.name()].nonnegative = true;
    for (std::size_t i = 0; i < module_->params.size(); ++i) {
        const Param &p = module_->params[i];
        if (!p.desc)
            continue;
        const DataDesc &d = *root_.desc(p.name); // the interface's copy has no members
        Variable v;
        v.name = context.names.declare(p.name);
        v.type = d.dtype;
        v.kind = d.isStream()      ? VarKind::StreamRef
                 : d.isStructure() ? VarKind::StructPtr
                 : d.isScalar()    ? VarKind::Value
                                   : VarKind::Pointer;
        if (d.isStructure() && v.type.isPointer())
            v.type = v.type.element();
        v.isRestrict = v.kind == VarKind::Pointer && !d.mayAlias;
        variables[i] = function->vars.add(std::move(v));
        in.places[p.name] = placeFor(in, variables[i], d);
        if (d.isStructure())
            in.places[p.name].type = function->vars[variables[i]].type;
        if (d.isScalar())
            context.facts[varName(in, variables[i])].type = d.dtype;
    }
    function->params = variables;
    tree::Block *body = &function->body;
    if (root_.instrument == Instrumentation::Timer) {
        auto *timer = body->add<Timer>();
        timer->name = "SDFG " + root_.name.str();
        timer->cfg = 0;
        body = &timer->body;
        instrumented(in);
    }
    lateInitCode(in, *body);
    declareSymbols(in, *body);
    context.top = body;
    context.topAt = body->body.size();
    declareTop(in, *body);
    region(in, root_, *body);
    module_->functions.add(std::move(function));
}

Name Lowering::functionName(std::string wanted, const char *suffix) {
    if (containerNames_.empty()) {
        containerNames_.insert("__state");
        for (const ir::SDFG *g : ir::allSDFGs(root_)) {
            for (const auto &[name, d] : g->arrays)
                containerNames_.insert(name.str());
            for (const auto &[name, type] : g->symbols)
                containerNames_.insert(name.str());
        }
    }
    if (!isFunctionName(wanted) || containerNames_.count(wanted))
        wanted += suffix;
    std::string name = wanted;
    while (containerNames_.count(name) || !functionNames_.insert(name).second)
        name = wanted + "_" + std::to_string(++functionCopies_[wanted]);
    return Name(name);
}

std::unique_ptr<Module> lower(SDFG &root, pass::Context &context) { return Lowering(root, context).run(); }

} // namespace sdfgc::tree
