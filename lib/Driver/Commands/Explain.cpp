// sdfgc explain: explains a diagnostic or the code of a remark, and how to fix it.
#include "sdfgc/Diag/Explain.h"
#include "Driver/Subcommand.h"

#include <ostream>

namespace sdfgc::driver {
namespace {

class Explain : public Subcommand {
    void addOptions(CommandLine &line) override {
        line.argument(
            "CODE", code_,
            "code (SD2045) or name (UnknownContainer) of a diagnostic, or code of a remark (dependence) (default: list all)", true);
        line.group("Output");
        line.text("--markdown", folder_, "DIR", "write the pages of the documentation to DIR");
    }

    void run(Session &s) override {
        if (!folder_.empty())
            s.writePages(folder_, pages());
        else if (code_.empty())
            s.environment.out << diag::kindList() << diag::reasonList();
        else if (std::optional<diag::Id> id = diag::findKind(code_))
            s.environment.out << diag::explanationText(*id);
        else if (std::optional<diag::Why> why = diag::findReason(code_))
            s.environment.out << diag::explanationText(*why);
        else
            reportUnknown(s);
    }

    static std::vector<std::pair<std::string, std::string>> pages() {
        std::vector<std::pair<std::string, std::string>> out{{"README", diag::explanationIndex()}, {"remarks", diag::reasonPage()}};
        for (std::size_t i = 0; i < diag::kindCount(); ++i) {
            const auto id = static_cast<diag::Id>(i);
            out.emplace_back(diag::info(id).code, diag::explanationPage(id));
        }
        return out;
    }

    void reportUnknown(Session &s) const {
        std::vector<std::string> names;
        for (const diag::Info &kind : diag::allKinds()) {
            names.emplace_back(kind.name);
            names.emplace_back(kind.code);
        }
        for (const diag::Why why : diag::allReasons())
            names.emplace_back(diag::info(why).code);
        const std::string near = diag::nearest(code_, names);
        s.diags.report(diag::Id::DiagnosticUnknown, {}, code_,
                       near.empty() ? "`sdfgc explain` lists all" : "did you mean `" + near + "`?");
    }

    std::string code_, folder_;
};

} // namespace

std::unique_ptr<Subcommand> createExplain() { return std::make_unique<Explain>(); }

} // namespace sdfgc::driver
