// sdfgc clean: removes files that sdfgc created, and nothing else.
#include "Driver/Subcommand.h"
#include "sdfgc/Build/Cache.h"
#include "sdfgc/Support/File.h"

namespace sdfgc::driver {
namespace {

class Clean : public Subcommand {
    void addOptions(CommandLine &line) override {
        line.argument("DIR", folder_, "build folder to remove; a folder with files that sdfgc did not write is kept", true);
        line.group("Cache");
        line.flag("--cache", cache_, "empty the user's cache of shared objects and of programs of `sdfgc run`");
        line.check([this](diag::Engine &d) {
            if (folder_.empty() && !cache_)
                d.report(diag::Id::ArgumentMissing, {}, "DIR", "sdfgc clean DIR, or sdfgc clean --cache");
        });
    }

    void run(Session &s) override {
        if (!folder_.empty() && build::removeBuildFolder(folder_, s.diags))
            s.log().result("removed {}", folder_);
        if (cache_)
            emptyCache(s);
    }

    static void emptyCache(Session &s) {
        const std::string folder = build::userCacheFolder();
        if (folder.empty() || !file::exists(folder)) {
            s.log().result("there is no cache");
            return;
        }
        for (const std::string &busy : build::emptyCache(folder))
            s.diags.report(diag::Id::FolderBusy, {}, busy).hint = "wait for it";
        if (file::exists(folder))
            s.log().info("{} has other files, which are kept", folder);
        s.log().result("emptied {}", folder);
    }

    std::string folder_;
    bool cache_ = false;
};

} // namespace

std::unique_ptr<Subcommand> createClean() { return std::make_unique<Clean>(); }

} // namespace sdfgc::driver
