#include "sdfgc/Package/Interface.h"

#include "Callback.h"

#include "sdfgc/CodeGen/Interface.h"
#include "sdfgc/Tree/Walk.h"

#include <algorithm>

namespace sdfgc::package {
namespace {

ArgumentKind kindOf(const tree::Param &p) {
    if (!p.desc)
        return p.type.isCallback() ? ArgumentKind::Callback : ArgumentKind::Symbol;
    const ir::DataDesc &d = *p.desc;
    if (d.isScalar())
        return ArgumentKind::Scalar;
    if (d.isStream())
        return ArgumentKind::Stream;
    if (d.isContainerArray())
        return ArgumentKind::ContainerArray;
    return d.isStructure() ? ArgumentKind::Structure : ArgumentKind::Array;
}

Argument argument(const tree::Param &p) {
    Argument a;
    a.name = p.name.str();
    a.parameter = p.cName.str();
    a.declaration = codegen::cParameter(p);
    a.kind = kindOf(p);
    a.type = p.desc ? p.desc->dtype : p.type;
    if (!p.desc)
        return a;
    if (a.kind == ArgumentKind::Structure && a.type.isPointer())
        a.type = a.type.element();
    if (a.kind == ArgumentKind::Array || a.kind == ArgumentKind::ContainerArray) {
        a.shape = p.desc->shape;
        a.strides = p.desc->strides;
        a.totalSize = p.desc->totalSize;
    }
    a.storage = p.desc->storage;
    a.optional = p.desc->optional.value_or(false);
    a.access = {p.read, p.written};
    return a;
}

/// Names that the state of a handle depends on. User code may use any of them.
std::vector<std::string> fixedArguments(const tree::Module &m) {
    std::set<Name> used;
    for (const tree::StateField &f : m.fields)
        for (sym::Expr e : {f.count, f.startOffset})
            used.insert(e.freeSymbols().begin(), e.freeSymbols().end());
    std::vector<std::string> out;
    for (const tree::Param &p : m.init)
        if (!m.initCode.empty() || !m.rawFields.empty() || used.count(p.cName))
            out.push_back(p.name.str());
    return out;
}

json::Value texts(const std::vector<sym::Expr> &es) {
    json::Value out = json::Value::array();
    for (sym::Expr e : es)
        out.push(e.str());
    return out;
}

json::Value callbackJson(Type t) {
    const CallbackShape c = callbackShape(t);
    json::Value out = json::Value::object(), parameters = json::Value::array();
    for (const CallbackPart &p : c.parameters) {
        json::Value v = json::Value::object();
        v.set("type", toJson(p.type));
        v.set("kind", p.array ? "array" : "scalar");
        v.set("access", p.result ? "out" : "in");
        if (p.array)
            v.set("shape", json::strings(p.shape));
        parameters.push(std::move(v));
    }
    out.set("parameters", std::move(parameters));
    out.set("returns", c.returns ? toJson(*c.returns) : json::Value());
    return out;
}

json::Value argumentJson(const Argument &a) {
    json::Value out = json::Value::object();
    out.set("name", a.name);
    out.set("parameter", a.parameter);
    out.set("declaration", a.declaration);
    out.set("kind", name(a.kind));
    out.set("type", toJson(a.type));
    if (a.kind == ArgumentKind::Array || a.kind == ArgumentKind::ContainerArray) {
        out.set("shape", texts(a.shape));
        out.set("strides", texts(a.strides));
        out.set("total_size", a.totalSize.str());
    }
    if (a.kind == ArgumentKind::Symbol || a.kind == ArgumentKind::Callback)
        return out;
    out.set("storage", ir::name(a.storage));
    out.set("access", a.access.str());
    out.set("optional", a.optional);
    return out;
}

json::Value structJson(Type t) {
    json::Value out = json::Value::object(), fields = json::Value::array();
    out.set("name", t.name().str());
    for (const auto &[field, type] : t.fields()) {
        json::Value v = json::Value::object();
        v.set("name", field.str());
        v.set("type", toJson(type));
        for (const auto &[of, length] : t.fieldLengths())
            if (of == field)
                v.set("length", length);
        fields.push(std::move(v));
    }
    out.set("fields", std::move(fields));
    return out;
}

json::Value graphs(const Interface &i) {
    json::Value out = json::Value::array();
    for (const Interface::Graph &g : i.graphs) {
        json::Value v = json::Value::object();
        v.set("name", g.name);
        v.set("conditions", g.conditions);
        out.push(std::move(v));
    }
    return out;
}

json::Value functions(const Interface &i) {
    const std::string &n = i.name;
    json::Value out = json::Value::object();
    out.set("initialize", json::strings({"__dace_init_" + n, n + "_initialize"}));
    out.set("program", json::strings({"__program_" + n, n + "_program"}));
    out.set("finalize", json::strings({"__dace_exit_" + n, n + "_finalize"}));
    out.set("error", json::strings({n + "_error"}));
    out.set("error_message", json::strings({n + "_error_message"}));
    if (i.mpi)
        out.set("set_communicator", json::strings({n + "_set_communicator"}));
    if (i.gpu) {
        out.set("set_stream", json::strings({"__dace_gpu_set_stream"}));
        out.set("set_all_streams", json::strings({"__dace_gpu_set_all_streams"}));
        out.set("gpu_last_error", json::strings({"__dace_gpu_last_error"}));
        out.set("gpu_drain_error", json::strings({"__dace_gpu_drain_error"}));
        out.set("device_alloc", json::strings({n + "_device_alloc"}));
        out.set("device_free", json::strings({n + "_device_free"}));
        out.set("device_copy", json::strings({n + "_device_copy"}));
        if (i.pinned) {
            out.set("pinned_alloc", json::strings({n + "_pinned_alloc"}));
            out.set("pinned_free", json::strings({n + "_pinned_free"}));
        }
        if (!i.graphs.empty())
            out.set("gpu_graphs", json::strings({n + "_gpu_graphs"}));
    }
    return out;
}

} // namespace

std::string_view name(ArgumentKind k) {
    switch (k) {
    case ArgumentKind::Array:
        return "array";
    case ArgumentKind::Scalar:
        return "scalar";
    case ArgumentKind::Symbol:
        return "symbol";
    case ArgumentKind::Structure:
        return "structure";
    case ArgumentKind::ContainerArray:
        return "container_array";
    case ArgumentKind::Stream:
        return "stream";
    case ArgumentKind::Callback:
        return "callback";
    }
    return "";
}

Interface interfaceOf(const tree::Module &m, bool emulated) {
    Interface out;
    out.name = m.name.str();
    out.gpu = m.streams > 0;
    out.emulated = out.gpu && emulated;
    out.anyMemory = out.gpu && m.anyMemory;
    out.pinned = out.gpu && codegen::takesPinnedMemory(m);
    out.mpi = codegen::usesMpi(m);
    for (const auto &f : m.functions)
        if (f->graph)
            out.graphs.push_back({f->name.str(), tree::contains(f->body, tree::TreeKind::Loop)});
    for (const tree::Param &p : m.params)
        (p.onHandle ? out.sizes : out.arguments).push_back(argument(p));
    for (const tree::Param &p : m.init)
        out.init.push_back(argument(p));
    out.fixed = fixedArguments(m);
    for (Name n : m.order)
        out.order.push_back(n.str());
    out.structs = m.structs;
    out.external = codegen::externalStorages(m);
    return out;
}

json::Value toJson(Type t) {
    json::Value out = json::Value::object();
    switch (t.kind()) {
    case TypeKind::Scalar:
        return t.str();
    case TypeKind::Vector:
        out.set("vector", toJson(t.element()));
        out.set("lanes", t.lanes());
        break;
    case TypeKind::Pointer:
        out.set("pointer", toJson(t.element()));
        break;
    case TypeKind::Struct:
        out.set("struct", t.name().str());
        break;
    case TypeKind::Opaque:
        out.set("opaque", t.name().str());
        break;
    case TypeKind::Callback:
        out.set("callback", callbackJson(t));
        break;
    }
    return out;
}

json::Value toJson(const Interface &i) {
    json::Value out = json::Value::object();
    out.set("functions", functions(i));
    for (const auto &[key, list] : {std::pair{"init_arguments", &i.init}, std::pair{"arguments", &i.arguments}}) {
        json::Value values = json::Value::array();
        for (const Argument &a : *list)
            values.push(argumentJson(a));
        out.set(key, std::move(values));
    }
    if (!i.sizes.empty()) {
        json::Value sizes = json::Value::array();
        for (const Argument &s : i.sizes) {
            json::Value v = json::Value::object();
            v.set("name", s.name);
            v.set("type", toJson(s.type));
            v.set("set", i.setter(s));
            sizes.push(std::move(v));
        }
        out.set("sizes", std::move(sizes));
    }
    out.set("fixed_arguments", json::strings(i.fixed));
    out.set("argument_order", json::strings(i.order));
    json::Value structs = json::Value::array(), external = json::Value::array();
    for (Type t : i.structs)
        structs.push(structJson(t));
    for (ir::Storage s : i.external) {
        json::Value v = json::Value::object();
        v.set("storage", ir::name(s));
        v.set("size", "__dace_get_external_memory_size_" + std::string(ir::name(s)));
        v.set("set", "__dace_set_external_memory_" + std::string(ir::name(s)));
        external.push(std::move(v));
    }
    out.set("structs", std::move(structs));
    out.set("external_memory", std::move(external));
    out.set("gpu", i.gpu);
    out.set("emulated", i.emulated);
    if (i.anyMemory)
        out.set("any_memory", true);
    if (!i.graphs.empty())
        out.set("gpu_graphs", graphs(i));
    return out;
}

} // namespace sdfgc::package
