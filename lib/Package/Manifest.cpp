// manifest.json: the contents of a build folder and how to call its library, for people and for bindings.
#include "sdfgc/CodeGen/AsyncCall.h"
#include "sdfgc/Package/DeviceWork.h"
#include "sdfgc/Package/Flags.h"
#include "sdfgc/Package/Interface.h"
#include "sdfgc/Package/Package.h"

namespace sdfgc::package {

std::string builtTarget(const Request &r) {
    const bool staysOnHost = r.compile->gpu() && r.module->streams == 0;
    return staysOnHost ? "cpu" : r.compile->target.name();
}

json::Value manifest(const Request &r) {
    const std::string &n = r.module->name.str();
    json::Value out = json::Value::object();
    out.set("schema", 1);
    out.set("name", n);
    out.set("sdfgc", SDFGC_VERSION);
    out.set("target", builtTarget(r));
    if (builtTarget(r) != r.compile->target.name())
        out.set("requested_target", r.compile->target.name());
    out.set("library", "lib/lib" + n + ".so");
    if (r.staticLibrary) { // absent if there is none
        json::Value archive = json::Value::object();
        archive.set("file", staticLibrary(n));
        archive.set("link_flags", json::strings(r.staticLinkFlags));
        out.set("static_library", std::move(archive));
    }
    json::Value bindings = json::Value::object();
    bindings.set("c", "include/" + n + ".h");
    bindings.set("cpp", "include/" + n + ".hpp");
    bindings.set("fortran", "include/" + n + ".f90");
    bindings.set("python", "python/" + pythonModuleName(n) + ".py");
    out.set("bindings", std::move(bindings));
    const json::Value interface = toJson(interfaceOf(*r.module, r.compile->emulate));
    for (const auto &[key, value] : interface.members())
        out.set(key, value);
    if (r.async) {
        json::Value functions = *interface.get("functions");
        functions.set("program_async", json::strings({codegen::asyncName(*r.module)}));
        out.set("functions", std::move(functions));
    }
    json::Value sources = json::Value::array();
    for (const codegen::SourceFile &f : r.sources->files)
        if (f.translationUnit)
            sources.push(f.path);
    out.set("sources", sources);
    out.set("dispatcher", r.sources->dispatcher);
    if (r.caller) { // absent if there is none
        json::Value caller = json::Value::object();
        caller.set("source", callerSource(n));
        caller.set("program", callerProgram(n));
        out.set("caller", std::move(caller));
    }
    for (const auto &[key, value] : pass::recordedOptions(*r.compile))
        out.set(key, value);
    out.set("compile_flags", json::strings(compileFlags(r.compile->fpModel, r.sources->openmp)));
    out.set("libraries", json::strings(r.sources->libraries));
    out.set("openmp", r.sources->openmp);
    if (r.module->streams > 0)
        out.set("device_work", toJson(deviceWorkOf(*r.module)));
    return out;
}

} // namespace sdfgc::package
