// sdfgc check: is this graph well formed?
#include "Driver/Subcommand.h"
#include "sdfgc/Analysis/Verify.h"

namespace sdfgc::driver {
namespace {

std::vector<std::string> levelNames() {
    std::vector<std::string> names;
    for (int l = 0; l <= int(ir::Level::Scheduled); ++l)
        names.emplace_back(ir::name(static_cast<ir::Level>(l)));
    return names;
}

class Check : public Subcommand {
    void addOptions(CommandLine &line) override {
        line.argument("PROG.sdfg", input_, "the graph; `-` reads standard input");
        line.group("What to check");
        line.choice("--level", level_, levelNames(), "the rules of this level and of those below (loaded)");
    }

    void run(Session &s) override {
        std::unique_ptr<ir::SDFG> graph = s.readGraph(input_);
        const std::vector<std::string> names = levelNames();
        std::size_t level = 0;
        while (names[level] != level_)
            ++level;
        if (graph && level != 0)
            analysis::verify(*graph, static_cast<ir::Level>(level), s.diags, input_);
    }

    std::string input_, level_ = "loaded";
};

} // namespace

std::unique_ptr<Subcommand> createCheck() { return std::make_unique<Check>(); }

} // namespace sdfgc::driver
