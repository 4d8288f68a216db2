#include "Graphs.h"

#include "Target.h"

#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/Serialize/Serialize.h"
#include "sdfgc/Serialize/Text.h"

namespace sdfgc::fuzz {
namespace {

std::string firstError(const diag::Engine &d) {
    for (const diag::Diagnostic &one : d.all())
        if (one.severity == diag::Severity::Error)
            return one.place.path + ": " + one.message + "\n";
    return "no error\n";
}

void requireSame(const ir::SDFG &graph, const std::string &written, const char *promise) {
    diag::Engine d;
    const std::unique_ptr<ir::SDFG> again = serialize::readText(written, "again", d);
    require(again != nullptr, promise, firstError(d) + written);
    const std::optional<std::string> difference = serialize::difference(graph, *again);
    if (difference && difference->find("facts about symbols") != std::string::npos && !serialize::looksLikeGraphText(written))
        return; // JSON has them in expressions that mention the symbol
    require(!difference, promise, difference.value_or("") + "\n" + written);
}

} // namespace

void requireRoundTrips(const std::string &text) {
    diag::Engine d;
    const std::unique_ptr<ir::SDFG> graph = serialize::readText(text, "input", d, {.depth = 300});
    require((graph == nullptr) == (d.errorCount() != 0), "a graph is read, or an error is told", firstError(d));
    if (!graph)
        return;
    const bool verified = analysis::verify(*graph, graph->level, d);
    if (verified || !serialize::looksLikeGraphText(text))
        requireSame(*graph, serialize::writeText(*graph), "what is written as JSON is read as the same graph");
    const std::string printed = serialize::print(*graph);
    if (verified)
        requireSame(*graph, printed, "what is printed as text is read as the same graph");
}

} // namespace sdfgc::fuzz
