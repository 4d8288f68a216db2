// sdfgc cache: what the cache of finished builds contains, and how to empty it. `sdfgc clean --cache` is for the user's other cache.
#include "sdfgc/Build/Cache.h"
#include "Driver/Compilation/BuildCache.h"
#include "Driver/Reports/Table.h"
#include "Driver/Subcommand.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <ostream>

namespace sdfgc::driver {
namespace {

/// `3.4 MiB`.
std::string sizeText(std::uint64_t bytes) {
    constexpr const char *units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    double size = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; size >= 1024 && unit + 1 < std::size(units); ++unit)
        size /= 1024;
    return fmt::format("{:.{}f} {}", size, unit == 0 ? 0 : 1, units[unit]);
}

class Cache : public Subcommand {
    void addOptions(CommandLine &line) override {
        line.argumentChoice("stats|clean", action_, {"stats", "clean"},
                            "stats: print how many builds there are and how large they are; clean: remove them all");
        line.group("Cache");
        line.text("--cache", folder_, "DIR", "the cache, as for build (default: SDFGC_CACHE)");
        line.check([this](diag::Engine &d) {
            if (cacheFolder(folder_).empty())
                d.report(diag::Id::ArgumentMissing, {}, "--cache DIR",
                         "sdfgc cache stats|clean --cache DIR, unless SDFGC_CACHE is set");
        });
    }

    void run(Session &s) override {
        const std::optional<std::uint64_t> limit = build::cacheLimit(s.diags);
        if (!limit)
            return;
        const std::string folder = file::absolute(cacheFolder(folder_));
        const build::Store store = build::buildStore(folder, *limit);
        if (action_ == "stats") {
            print(s, folder, store.use(), *limit);
            return;
        }
        const std::size_t removed = store.clear();
        s.environment.out << fmt::format("removed {} builds from {}\n", removed, folder);
        if (const std::size_t left = store.use().entries)
            s.diags.report(diag::Id::OutputFailed, {}, fmt::format("{} builds in {} cannot be removed", left, folder));
    }

    static void print(Session &s, const std::string &folder, const build::StoreUse &use, std::uint64_t limit) {
        Table table(2);
        table.row({"builds", std::to_string(use.entries)});
        table.row({"size", sizeText(use.bytes)});
        table.row({"limit", limit ? sizeText(limit) : "none"});
        if (use.oldestNs)
            table.row({"least recently used", fmt::format("{:%Y-%m-%d %H:%M}", fmt::localtime(use.oldestNs / 1'000'000'000))});
        s.environment.out << folder << '\n' << table.str();
    }

    std::string action_, folder_;
};

} // namespace

std::unique_ptr<Subcommand> createCache() { return std::make_unique<Cache>(); }

} // namespace sdfgc::driver
