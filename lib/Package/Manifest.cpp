// manifest.json: what a build folder contains and how its library is called, for people and for bindings.
#include "sdfgc/Package/Flags.h"
#include "sdfgc/Package/Package.h"

namespace sdfgc::package {

namespace {

json::Value expressions(const std::vector<sym::Expr> &es) {
    json::Value out = json::Value::array();
    for (sym::Expr e : es)
        out.push(e.str());
    return out;
}

json::Value parameter(const tree::Param &p) {
    json::Value out = json::Value::object();
    out.set("name", p.name.str());
    if (!p.desc) {
        out.set("kind", p.type.isCallback() ? "callback" : "symbol");
        out.set("type", p.type.str());
        return out;
    }
    const ir::DataDesc &d = *p.desc;
    out.set("kind", d.isScalar() ? "scalar" : d.isStream() ? "stream" : d.isStructure() ? "structure" : "array");
    out.set("type", d.dtype.str());
    if (d.isScalar())
        return out;
    out.set("shape", expressions(d.shape));
    out.set("strides", expressions(d.strides));
    out.set("total_size", d.totalSize.str());
    out.set("storage", std::string(ir::name(d.storage)));
    if (d.optional)
        out.set("optional", *d.optional);
    return out;
}

json::Value strings(const std::vector<std::string> &list) {
    json::Value out = json::Value::array();
    for (const std::string &s : list)
        out.push(s);
    return out;
}

json::Value functions(const tree::Module &m) {
    const std::string &n = m.name.str();
    json::Value out = json::Value::object();
    out.set("initialize", strings({"__dace_init_" + n, n + "_initialize"}));
    out.set("program", strings({"__program_" + n, n + "_program"}));
    out.set("finalize", strings({"__dace_exit_" + n, n + "_finalize"}));
    out.set("error", strings({n + "_error"}));
    out.set("error_message", strings({n + "_error_message"}));
    return out;
}

} // namespace

json::Value manifest(const Request &r) {
    const tree::Module &m = *r.module;
    json::Value out = json::Value::object();
    out.set("schema", 1);
    out.set("name", m.name.str());
    out.set("sdfgc", SDFGC_VERSION);
    out.set("target", r.compile->target);
    out.set("library", "lib/lib" + m.name.str() + ".so");
    out.set("header", "include/" + m.name.str() + ".h");
    out.set("functions", functions(m));
    json::Value init = json::Value::array(), arguments = json::Value::array();
    for (const tree::Param &p : m.init)
        init.push(parameter(p));
    for (const tree::Param &p : m.params)
        arguments.push(parameter(p));
    out.set("init_arguments", init);
    out.set("arguments", arguments);
    json::Value sources = json::Value::array();
    for (const codegen::SourceFile &f : r.sources->files)
        if (f.translationUnit)
            sources.push(f.path);
    out.set("sources", sources);
    out.set("fp_model", r.compile->fpModel);
    out.set("compile_flags", strings(compileFlags(fpModel(r.compile->fpModel), r.sources->openmp)));
    out.set("libraries", strings(r.sources->libraries));
    out.set("openmp", r.sources->openmp);
    return out;
}

} // namespace sdfgc::package
