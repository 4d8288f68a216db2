// The parts of a module besides functions.
#include "ModuleParts.h"

#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Support/Json.h"
#include "sdfgc/Tree/NameScopes.h"

#include <algorithm>

namespace sdfgc::tree::lowering {

using namespace ir;

// ---------------------------------------------------------------------------------------------------- the interface

namespace {

/// The descriptor of a container for the interface: without debug information and attributes of the front end.
std::unique_ptr<DataDesc> described(const DataDesc *d) {
    if (!d)
        return nullptr;
    auto out = std::make_unique<DataDesc>();
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
    for (const auto &[name, member] : d->members)
        out->members.emplace_back(name, described(member.get()));
    return out;
}

} // namespace

void addInterface(LoweredProgram &program) {
    const analysis::ArgumentList arguments = analysis::argumentList(program.root);
    for (Name n : arguments.undefined)
        program.error(diag::Id::UndefinedSymbol, {"", 0, 0, "", elementName(program.root), {}}, n.str());
    NameScopes names = program.names();
    std::map<Name, Name> spelled;
    auto spell = [&](const auto &arguments, bool symbols) { // in declaration order
        for (const auto &a : arguments)
            if (symbols == !a.desc && !spelled.count(a.name))
                spelled[a.name] = names.declare(a.name);
    };
    spell(arguments.program, true);
    spell(arguments.program, false);
    spell(arguments.init, true);
    spell(arguments.sizes, true);
    const std::map<Name, analysis::Access> access = analysis::containerAccess(program.root);
    auto add = [&](const auto &arguments, std::vector<Param> &to) {
        for (const auto &a : arguments) {
            const auto used = access.find(a.name);
            const analysis::Access of = used == access.end() ? analysis::Access{true, false} : used->second;
            to.push_back({a.name, spelled[a.name], a.type, of.read, of.written, described(a.desc)});
        }
    };
    add(arguments.program, program.module->params);
    add(arguments.init, program.module->init);
    for (const analysis::Argument &a : arguments.sizes)
        program.module->params.push_back({.name = a.name, .cName = spelled[a.name], .type = a.type, .onHandle = true});
    for (Name n : program.root.argNames)
        if (std::any_of(arguments.program.begin(), arguments.program.end(), [&](const auto &a) { return a.name == n; }))
            program.module->order.push_back(n);
}

// ---------------------------------------------------------------------------------------------------- types

namespace {

/// Appends a structure, preceded by those that it contains; does nothing for other types.
void addStruct(Type t, std::vector<Type> &out) {
    if (t.isPointer() || t.isVector())
        return addStruct(t.element(), out);
    if (!t.isStruct() || std::any_of(out.begin(), out.end(), [&](Type other) { return other.name() == t.name(); }))
        return;
    for (const auto &[name, field] : t.fields())
        if (!(field.isPointer() && field.element() == t))
            addStruct(field, out);
    // One definition per name: files may list the fields of a structure in different orders.
    if (std::none_of(out.begin(), out.end(), [&](Type other) { return other.name() == t.name(); }))
        out.push_back(t);
}

/// The structures of a container, of its members and of its elements.
void addStructsOf(const DataDesc &d, std::vector<Type> &out) {
    for (const auto &[n, m] : d.members)
        addStructsOf(*m, out);
    if (d.elementDesc)
        addStructsOf(*d.elementDesc, out);
    addStruct(d.dtype, out);
}

} // namespace

void addStructs(LoweredProgram &program) {
    for (SDFG *g : allSDFGs(program.root))
        for (const auto &[n, d] : g->arrays)
            addStructsOf(d, program.module->structs);
    const diag::Location place{"", 0, 0, "", elementName(program.root), {}};
    for (const Type t : program.module->structs) {
        if (!isStructName(t.name().view()))
            program.error(diag::Id::StructureName, place, "structure `" + t.name().str() + "`");
        for (const auto &[name, field] : t.fields())
            if (!isMemberName(name.view()))
                program.error(diag::Id::StructureName, place, "member `" + name.str() + "` of structure `" + t.name().str() + "`");
    }
}

// ---------------------------------------------------------------------------------------------------- constants

namespace {

/// The values of an array in row-major order, or the one value of a scalar.
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
    if (v.isString() && text.find('j') != std::string::npos)
        if (auto e = py::parseExpr(text); e.value) {
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

void addConstants(LoweredProgram &program) {
    std::set<Name> known;
    for (SDFG *g : allSDFGs(program.root))
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
            program.module->constants.push_back(std::move(def));
        }
}

} // namespace sdfgc::tree::lowering
