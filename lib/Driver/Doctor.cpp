// sdfgc doctor: what this machine can build with.
#include "Driver/PipelineOptions.h"
#include "Driver/Subcommand.h"
#include "sdfgc/Support/Process.h"
#include "sdfgc/Support/Resources.h"
#include "sdfgc/Support/Version.h"
#include "sdfgc/Targets/Targets.h"

#include <ostream>

namespace sdfgc::driver {
namespace {

class Doctor : public Subcommand {
    void addOptions(CommandLine &line) override { toolchain_.addTo(line); }

    void run(Session &s) override {
        std::ostream &out = s.environment.out;
        out << "sdfgc " << version() << '\n';
        resource(s, "pipelines", "pipelines");
        resource(s, "runtime-headers", "runtime headers");
        pass::CompileOptions unused;
        if (std::optional<build::Toolchain> toolchain = toolchain_.find(s, unused, true))
            describe(out, *toolchain);
        const std::string cmake = process::find("cmake");
        out << "cmake: " << (cmake.empty() ? "not found (only needed to build the CMake projects of build folders)" : cmake)
            << '\n';
    }

    static void resource(Session &s, const std::string &kind, const std::string &words) {
        if (std::optional<std::string> folder = findResource(kind, ""))
            s.environment.out << words << ": " << *folder << '\n';
        else
            s.diags.report(diag::Id::ResourceMissing, {}, {kind, "", resourceFolders()});
    }

    static void describe(std::ostream &out, const build::Toolchain &t) {
        out << "compiler: " << process::quoted(t.compiler.command) << " (" << t.compiler.version << "; from " << t.source << ")\n";
        for (const std::string &name : build::knownLibraries()) {
            const build::Library library = t.library(name);
            out << "library " << name << ": ";
            if (library.found())
                out << "found (" << process::quoted(library.linkFlags) << ")\n";
            else
                out << "not found: " << library.missing << "; install " << library.package << '\n';
        }
    }

    ToolchainChoice toolchain_;
};

} // namespace

std::unique_ptr<Subcommand> createDoctor() { return std::make_unique<Doctor>(); }

} // namespace sdfgc::driver
