// sdfgc package and sdfgc unpack: a build folder as one file, and back.
#include "Driver/Subcommand.h"
#include "sdfgc/Build/Archive.h"
#include "sdfgc/Support/File.h"
#include "sdfgc/Support/Resources.h"

#include <algorithm>

namespace sdfgc::driver {
namespace {

constexpr const char *suffix = ".sdfgc.zip";
constexpr std::uint64_t largestPackage = std::uint64_t{1} << 32;

class Package : public Subcommand {
    void addOptions(CommandLine &line) override {
        line.argument("DIR", folder_, "build folder of `sdfgc build`");
        line.group("Output");
        line.text("-o,--output", output_, "FILE", "package (default: ./<name>.sdfgc.zip); `-` writes to standard output");
        line.list("--license", licences_, "FILE,...", "add texts of licences, to the folder `licences`");
    }

    void run(Session &s) override {
        package::Files texts;
        for (const std::string &path : licences_) {
            Result<std::string> text = file::read(path);
            if (!text)
                s.diags.report(diag::Id::InputFailed, {}, text.error());
            else if (!texts.emplace(file::nameOf(path), std::move(*text)).second)
                s.diags.report(diag::Id::InputFailed, {}, "two licences have the file name " + file::nameOf(path));
        }
        if (s.failed())
            return;
        const std::optional<std::string> archive = build::packBuild(folder_, texts, s.diags);
        if (!archive || s.failed())
            return;
        const std::string base = file::nameOf(file::absolute(folder_));
        const std::string name = base.ends_with(".build") ? base.substr(0, base.size() - std::string(".build").size()) : base;
        const std::string path = output_.empty() ? name + suffix : output_;
        if (s.writeOutput(path, *archive) && path != "-")
            s.log().result("wrote {}", path);
    }

    std::string folder_, output_;
    std::vector<std::string> licences_;
};

class Unpack : public Subcommand {
    void addOptions(CommandLine &line) override {
        line.argument("FILE", file_, "package of `sdfgc package`");
        line.group("Output");
        line.text("-o,--output", output_, "DIR", "build folder (default: ./<name>.build)");
    }

    void run(Session &s) override {
        const Result<std::string> archive = file::read(file_, largestPackage);
        if (!archive) {
            s.diags.report(diag::Id::InputFailed, {}, archive.error());
            return;
        }
        const Result<build::UnpackedBuild> made = build::unpackBuild(*archive);
        if (!made)
            s.diags.report(diag::Id::PackageUnreadable, {}, file_, made.error());
        else
            place(s, *made);
    }

    void place(Session &s, const build::UnpackedBuild &made) const {
        const std::string folder = output_.empty() ? "./" + made.name + ".build" : output_;
        build::FolderOptions options;
        options.origin = file::absolute(file_);
        options.signature = made.signature;
        options.announceWait = !s.general.quiet;
        for (const build::StoredFile &f : made.entry.files)
            if (f.path != "manifest.json")
                options.files.push_back(f.path);
        const std::optional<build::Folder> opened = build::Folder::open(folder, made.name, s.diags, options);
        if (!opened || !build::placeBuild(*opened, made.entry, "package", {file_, executablePath()}, s.diags))
            return;
        const std::string stub = package::daceStubLibrary(made.name);
        const bool hasStub = std::find(options.files.begin(), options.files.end(), stub) != options.files.end();
        if (hasStub && !package::placeDaceLibraries(folder, made.name, s.diags))
            return;
        if (const Result<void> noted = opened->noteOrigin(options); !noted)
            s.diags.report(diag::Id::OutputFailed, {}, noted.error());
        else
            s.log().result("unpacked {} into {}", made.name, folder);
    }

    std::string file_, output_;
};

} // namespace

std::unique_ptr<Subcommand> createPackage() { return std::make_unique<Package>(); }
std::unique_ptr<Subcommand> createUnpack() { return std::make_unique<Unpack>(); }

} // namespace sdfgc::driver
