#include "Pass/Observers.h"
#include "sdfgc/Support/Diff.h"
#include "sdfgc/Support/File.h"

#include <algorithm>
#include <ostream>

namespace sdfgc::pass {
namespace {

bool contains(const std::vector<std::string> &names, const std::string &name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

} // namespace

std::string positionText(std::size_t position) {
    std::string text = std::to_string(position);
    return text.size() < 2 ? "0" + text : text;
}

void Printer::print(const ir::SDFG &g, const Event &e, const char *when) {
    *options_.out << "// ---- " << when << ' ' << e.pass.name << " (" << positionText(e.position) << " of " << positionText(e.total)
                  << ") ----\n"
                  << options_.printGraph(g);
}

void Printer::before(const ir::SDFG &g, const Event &e, Context &) {
    if (contains(options_.printBefore, e.pass.name))
        print(g, e, "before");
    if (options_.printAfterChange)
        textBefore_ = options_.printGraph(g);
}

void Printer::after(const ir::SDFG &g, const Event &e, bool, Context &) {
    if (options_.printAfterAll || contains(options_.printAfter, e.pass.name))
        print(g, e, "after");
    if (!options_.printAfterChange)
        return;
    std::string diff = unifiedDiff(textBefore_, options_.printGraph(g), "before " + e.pass.name, "after " + e.pass.name);
    *options_.out << "// ---- " << (diff.empty() ? "no change by " : "change by ") << e.pass.name << " ("
                  << positionText(e.position) << " of " << positionText(e.total) << ") ----\n"
                  << diff;
}

void Printer::failed(const ir::SDFG &g, const Event &e, Context &) {
    if (options_.printAfterFailure)
        print(g, e, "after failure of");
}

void Dumper::begin(const ir::SDFG &g, Context &c) {
    if (Result<void> made = file::makeFolder(options_.dumpDir); !made) {
        c.diags.report(diag::Id::DumpFailed, {}, {made.error()});
        return;
    }
    options_.saveGraph(g, file::join(options_.dumpDir, positionText(0) + "-input.sdfg"));
}

void Dumper::after(const ir::SDFG &g, const Event &e, bool, Context &) {
    options_.saveGraph(g, file::join(options_.dumpDir, positionText(e.position) + "-" + e.pass.name + ".sdfg"));
}

} // namespace sdfgc::pass
