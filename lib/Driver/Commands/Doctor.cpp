// sdfgc doctor: lists the tools available for building on this machine, with versions, and the packages that provide missing ones.
#include "Driver/Compilation/CompilerCheck.h"
#include "Driver/Compilation/PipelineOptions.h"
#include "Driver/Subcommand.h"
#include "Driver/VersionText.h"
#include "sdfgc/Platform/Dialects.h"
#include "sdfgc/Support/File.h"
#include "sdfgc/Support/Process.h"
#include "sdfgc/Support/Resources.h"
#include "sdfgc/Targets/Targets.h"

#include <algorithm>
#include <array>
#include <optional>
#include <ostream>
#include <set>

namespace sdfgc::driver {
namespace {

/// The line with the version in the output of `PROGRAM --version`: the first one with digits, except that nvcc and hipcc print
/// other lines first.
std::string versionOf(const std::string &path) {
    const process::Outcome asked = process::run({{path, "--version"}, {}, {}, true}, {20, 1 << 16});
    if (!asked.ok() && asked.out.empty())
        return "does not report its version";
    std::string first;
    for (std::size_t at = 0; at < asked.out.size();) {
        const std::size_t end = std::min(asked.out.find('\n', at), asked.out.size());
        const std::string line = asked.out.substr(at, end - at);
        at = end + 1;
        if (line.find(", release ") != std::string::npos || line.starts_with("HIP version"))
            return line;
        if (first.empty() && !line.starts_with(' ') && line.find_first_of("0123456789") != std::string::npos)
            first = line;
    }
    return first.empty() ? "does not report its version" : first;
}

std::string restOfLine(const std::string &text, std::size_t at) {
    at = std::min(text.find_first_not_of(" \t", at), text.size());
    return text.substr(at, std::min(text.find('\n', at), text.size()) - at);
}

/// The version in a library's pkg-config file, which is searched where the compiler searches for libraries.
std::string libraryVersion(const build::Toolchain &t, const std::string &name) {
    for (const std::string &folder : t.compiler.libraryFolders)
        for (const char *suffix : {"pkgconfig", "../share/pkgconfig"}) {
            Result<std::string> text = file::read(file::join(file::join(folder, suffix), name + ".pc"), 1 << 16);
            const std::size_t at = text ? text->find("\nVersion:") : std::string::npos;
            if (at == std::string::npos)
                continue;
            const std::string value = restOfLine(*text, at + 9);
            if (!value.starts_with("${")) // a variable in the file
                return " " + value;
            const std::size_t variable = text->find("\n" + value.substr(2, value.find('}') - 2) + "=");
            return variable == std::string::npos ? "" : " " + restOfLine(*text, text->find('=', variable) + 1);
        }
    return "";
}

class Doctor : public Subcommand {
    void addOptions(CommandLine &line) override {
        toolchain_.addTo(line);
        line.flag("--compiler", faults_, "test the compilers for known faults that affect generated code");
    }

    void run(Session &s) override {
        std::ostream &out = s.environment.out;
        out << "sdfgc " << versionText() << '\n';
        resource(s, "pipelines", "pipelines");
        resource(s, "runtime-headers", "runtime headers");
        pass::CompileOptions unused;
        if (std::optional<build::Toolchain> toolchain = toolchain_.find(s, unused, true)) {
            const build::Compiler &c = toolchain->compiler;
            out << "compiler: " << process::quoted(c.command) << " (" << c.version << "; from " << toolchain->source << ")\n";
            if (faults_)
                return compilerFaults(s, *toolchain);
            out << "\nlibraries:\n";
            libraries(*toolchain);
            print(out);
        }
        out << "\nprograms:\n";
        programs();
        print(out);
        out << "\ntargets:\n";
        for (const targets::TargetInfo &t : targets::all())
            rows_.push_back({t.name, usability(t.name), ""});
        print(out);
        advice(out);
    }

    /// One row per bug: whether the compiler has it, and how generated code handles it.
    void compilerFaults(Session &s, const build::Toolchain &t) {
        const Result<file::TemporaryFolder> folder = file::TemporaryFolder::create();
        if (!folder) {
            s.diags.report(diag::Id::OutputFailed, {}, folder.error());
            return;
        }
        std::ostream &out = s.environment.out;
        if (!t.nvcc.empty())
            out << "nvcc: " << t.nvcc << " (" << versionOf(t.nvcc) << ")\n";
        out << "\nfaults of compilers that generated code avoids:\n";
        for (const platform::CompilerFault &fault : platform::compilerFaults()) {
            const FaultCheck found = check(fault, t, folder->path());
            const std::string tool = fault.tool == platform::CompilerFault::Tool::Nvcc ? "nvcc " : "";
            const char *words[] = {"absent", "present", "not tested"};
            rows_.push_back({std::string(fault.name), words[found.result],
                             tool + std::string(fault.what) + "; avoided by " + std::string(fault.avoidedBy) + "; seen in " +
                                 std::string(fault.seenIn) + (found.details.empty() ? "" : " (here: " + found.details + ")")});
        }
        print(out);
    }

    static std::string usability(const std::string &target) {
        const platform::Dialect *dialect = pass::Target(target).dialect();
        if (!dialect || !build::gpuCompiler(*dialect).empty())
            return "can be compiled";
        return "sources can be written; to compile them, install " + std::string(dialect->compiler) + " or use --emulate";
    }

    static void resource(Session &s, const std::string &kind, const std::string &words) {
        if (std::optional<std::string> folder = findResource(kind, ""))
            s.environment.out << words << ": " << *folder << '\n';
        else
            s.diags.report(diag::Id::ResourceMissing, {}, kind, "", resourceFolders());
    }

    void libraries(const build::Toolchain &t) {
        for (const platform::Library &known : platform::libraries()) {
            const std::string name(known.name);
            const build::Library library = t.library(name);
            if (library.found())
                rows_.push_back({name, "found" + libraryVersion(t, name), process::quoted(library.linkFlags)});
            else
                missing(name, library.missing);
        }
    }

    /// The path at which the build finds a program.
    static std::string pathOf(const std::string &program) {
        for (const platform::Dialect &d : platform::dialects())
            if (d.compiler == program)
                return build::gpuCompiler(d);
        return process::find(program);
    }

    void programs() {
        for (const platform::ExternalProgram &p : platform::programs()) {
            const std::string name(p.name), path = pathOf(name);
            if (path.empty())
                missing(name, "it " + std::string(p.purpose));
            else
                rows_.push_back({name, path, versionOf(path)});
        }
    }

    /// A row for something missing, with instructions. The command only lists packages that every index has, since apt installs all
    /// or nothing.
    void missing(const std::string &name, std::string why) {
        if (const std::optional<platform::Package> package = platform::packageOf(name)) {
            why += "; " + platform::describe(*package);
            if (package->origin == platform::Origin::Debian)
                packages_.insert(std::string(package->name));
            else
                elsewhere_ = true;
        }
        rows_.push_back({name, "missing", std::move(why)});
    }

    void advice(std::ostream &out) const {
        if (!packages_.empty()) {
            out << "\nto install what is missing: apt install";
            for (const std::string &package : packages_)
                out << ' ' << package;
            out << '\n';
        }
        if (elsewhere_)
            out << (packages_.empty() ? "\n" : "")
                << "packages from other repositories can be installed after adding these to apt's sources\n";
    }

    /// Prints the rows with aligned columns, and clears them.
    void print(std::ostream &out) {
        std::size_t first = 0, second = 0;
        for (const auto &[name, what, details] : rows_) {
            first = std::max(first, name.size());
            second = std::max(second, what.size());
        }
        for (const auto &[name, what, details] : rows_) {
            std::string line = "  " + name + std::string(first + 2 - name.size(), ' ') + what;
            if (!details.empty())
                line += std::string(second + 2 - what.size(), ' ') + details;
            out << line << '\n';
        }
        rows_.clear();
    }

    std::vector<std::array<std::string, 3>> rows_;
    std::set<std::string> packages_; // Debian packages, for a single command
    bool elsewhere_ = false;         // something missing is available from other repositories
    bool faults_ = false;            // test the compilers
    ToolchainChoice toolchain_;
};

} // namespace

std::unique_ptr<Subcommand> createDoctor() { return std::make_unique<Doctor>(); }

} // namespace sdfgc::driver
