// sdfgc print: the text form of a graph, as it is in the file.
#include "sdfgc/IR/Print.h"
#include "Driver/Subcommand.h"

namespace sdfgc::driver {
namespace {

class Print : public Subcommand {
    void addOptions(CommandLine &line) override {
        line.argument("PROG.sdfg", input_, "the graph; `-` reads standard input");
        line.group("Output");
        line.text("-o,--output", output_, "FILE", "where the text goes (standard output)");
        line.flag("--debug-info", debugInfo_, "with the lines of the user's program");
    }

    void run(Session &s) override {
        if (std::unique_ptr<ir::SDFG> graph = s.readGraph(input_))
            s.writeOutput(output_, ir::print(*graph, {debugInfo_}));
    }

    std::string input_, output_ = "-";
    bool debugInfo_ = false;
};

} // namespace

std::unique_ptr<Subcommand> createPrint() { return std::make_unique<Print>(); }

} // namespace sdfgc::driver
