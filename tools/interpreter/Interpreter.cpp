#include "sdfgc_interpreter.h"

#include "sdfgc/Build/Tasklets.h"
#include "sdfgc/Interpret/Interpret.h"
#include "sdfgc/Serialize/Serialize.h"
#include "sdfgc/Support/File.h"
#include "sdfgc/Tree/Text.h"
#include "sdfgc/Tree/Verify.h"

using namespace sdfgc;

struct sdfgc_program {
    std::unique_ptr<interpret::PreparedProgram> program;
    std::string error;
    std::vector<std::string> reports;
};

namespace {

std::unique_ptr<interpret::PreparedProgram> ofTree(const char *path, const interpret::Options &options, diag::Engine &diags) {
    const Result<std::string> text = file::read(path);
    if (!text) {
        diags.report(diag::Id::FileUnreadable, {path}, text.error());
        return nullptr;
    }
    std::shared_ptr<const tree::Module> module = tree::parse(*text, path, diags);
    return module && tree::verify(*module, diags) ? interpret::PreparedProgram::prepare(std::move(module), options, diags)
                                                  : nullptr;
}

} // namespace

sdfgc_program *sdfgc_program_read(const char *path) {
    auto *p = new sdfgc_program;
    diag::Engine diags;
    interpret::Options options;
    options.sizesUnknown = true; // interfaces omit arguments that compiled code does not need
    options.native = build::taskletCompiler({});
    if (std::string_view(path).ends_with(tree::fileSuffix))
        p->program = ofTree(path, options, diags);
    else if (std::unique_ptr<ir::SDFG> graph = serialize::readFile(path, diags))
        p->program = interpret::PreparedProgram::prepare(std::move(graph), options, diags);
    if (!p->program)
        for (const diag::Diagnostic &d : diags.sorted())
            if (d.severity == diag::Severity::Error)
                p->error += d.place.element + ": " + d.message + "\n";
    return p;
}

const char *sdfgc_program_error(const sdfgc_program *p) { return p->program ? nullptr : p->error.c_str(); }

void sdfgc_program_bind(sdfgc_program *p, const char *container, void *memory) {
    if (p->program)
        p->program->bind(Name(container), memory);
}

void sdfgc_program_set_integer(sdfgc_program *p, const char *symbol, long long value) {
    if (p->program)
        p->program->set(Name(symbol), static_cast<int64_t>(value));
}

void sdfgc_program_set_real(sdfgc_program *p, const char *symbol, double value) {
    if (p->program)
        p->program->set(Name(symbol), value);
}

int sdfgc_program_run(sdfgc_program *p) {
    p->reports.clear();
    if (p->program)
        for (const interpret::Report &r : p->program->run())
            p->reports.push_back(r.element + ": " + r.what);
    return static_cast<int>(p->reports.size());
}

const char *sdfgc_program_report(const sdfgc_program *p, int number) {
    return number >= 0 && static_cast<std::size_t>(number) < p->reports.size()
               ? p->reports[static_cast<std::size_t>(number)].c_str()
               : "";
}

void sdfgc_program_free(sdfgc_program *p) { delete p; }
