// sdfgc view: one page that draws a graph, or the graphs after every pass. With --run-passes: the graph as it is and after the passes,
// with their remarks.
#include "Driver/PipelineOptions.h"
#include "Driver/Remarks.h"
#include "Driver/Subcommand.h"
#include "sdfgc/IR/ViewModel.h"
#include "sdfgc/Serialize/Serialize.h"
#include "sdfgc/Support/File.h"
#include "sdfgc/Support/Resources.h"

namespace sdfgc::driver {
namespace {

/// JSON inside of a script element: nothing in it may end the element.
std::string embedded(const std::string &json) {
    std::string out;
    for (char c : json)
        out += c == '<' ? "\\u003c" : std::string(1, c);
    return out;
}

std::string escaped(const std::string &text) {
    std::string out;
    for (char c : text)
        out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : std::string(1, c);
    return out;
}

class View : public Subcommand {
    void addOptions(CommandLine &line) override {
        line.argument("PROG.sdfg|DIR", input_, "the graph (`-` reads standard input), or a folder that --dump-dir wrote");
        line.group("Output");
        line.text("-o,--output", output_, "FILE", "where the page goes (<name>.html)");
        line.flag("--run-passes", runPasses_,
                  "run the passes on graphs: the page shows the graph before and after them, with what they did and could not do");
        pipeline_.addTo(line);
        target_.addTo(line);
        toolchain_.addTo(line);
    }

    void run(Session &s) override {
        std::string title, data;
        if (runPasses_ ? !beforeAndAfter(s, title, data) : !stepByStep(s, title, data))
            return;
        std::optional<std::string> page = filled(s, title, data);
        if (!page)
            return;
        output_ = output_.empty() ? title + ".html" : output_;
        if (s.writeOutput(output_, *page) && output_ != "-")
            s.log().result("wrote {}", output_);
    }

    /// The graphs of the input as they are. Returns false after errors.
    bool stepByStep(Session &s, std::string &title, std::string &data) const {
        for (const std::string &file : inputs(s)) {
            std::unique_ptr<ir::SDFG> graph = file == "-" ? s.readGraph(file) : readUnverified(s, file);
            if (!graph)
                return false;
            title = graph->name.str();
            std::string step = file::nameOf(file);
            data += script(step.substr(0, step.rfind(".sdfg")), *graph, {});
        }
        return !s.failed();
    }

    /// The graph, and what the passes in front of `lower` make of it. Remarks are at the elements that have their names, before or
    /// after.
    bool beforeAndAfter(Session &s, std::string &title, std::string &data) {
        const std::unique_ptr<ir::SDFG> graph = s.readGraph(input_);
        if (!graph)
            return false;
        title = graph->name.str();
        pass::CompileOptions compile = target_.compileOptions(input_);
        toolchain_.find(s, compile, false);
        if (pipeline_.passes && !pipeline_.passes->empty())
            raiseLevel(*graph);
        const std::unique_ptr<ir::SDFG> before = ir::clone(*graph);
        pass::Context context(s.diags, compile);
        pass::Program program(*graph, nullptr);
        if (!runPasses(s, program, pipeline_, context, nullptr, true))
            return false;
        const ir::ElementNotes notes = remarkNotes(context.remarks);
        data = script("before the passes", *before, notes) + script("after the passes", *graph, notes);
        return true;
    }

    static std::string script(const std::string &step, const ir::SDFG &graph, const ir::ElementNotes &notes) {
        return "<script type=\"application/json\" data-step=\"" + escaped(step) + "\">" +
               embedded(ir::viewModel(graph, notes).dump()) + "</script>\n";
    }

    /// The graphs of a folder in the order of their names, which --dump-dir numbers.
    std::vector<std::string> inputs(Session &s) const {
        if (!file::isFolder(input_))
            return {input_};
        std::vector<std::string> out;
        Result<std::vector<std::string>> names = file::list(input_);
        if (!names) {
            s.diags.report(diag::Id::InputFailed, {}, names.error());
            return out;
        }
        for (const std::string &name : *names)
            if (name.ends_with(".sdfg") || name.ends_with(".sdfgz") || name.ends_with(".sdfgt"))
                out.push_back(file::join(input_, name));
        if (out.empty())
            s.diags.report(diag::Id::InputFailed, {}, input_ + " holds no graph; --dump-dir writes files like 01-PASS.sdfg");
        return out;
    }

    /// A graph that breaks rules is what one wants to see.
    static std::unique_ptr<ir::SDFG> readUnverified(Session &s, const std::string &file) {
        s.log().info("reading {}", file);
        return serialize::readFile(file, s.diags);
    }

    /// The page of the viewer with the graphs in it.
    static std::optional<std::string> filled(Session &s, const std::string &title, const std::string &data) {
        std::optional<std::string> page = part(s, "page.html");
        for (const auto &[mark, name] : {std::pair{"@STYLE@", "style.css"}, {"@LAYOUT@", "layout.js"}, {"@VIEWER@", "viewer.js"}}) {
            std::optional<std::string> text = part(s, name);
            if (!page || !text)
                return std::nullopt;
            replace(*page, mark, *text);
        }
        replace(*page, "@TITLE@", escaped(title));
        replace(*page, "@DATA@", data);
        return page;
    }

    static void replace(std::string &page, std::string_view mark, const std::string &text) {
        if (const std::size_t at = page.find(mark); at != std::string::npos)
            page.replace(at, mark.size(), text);
    }

    static std::optional<std::string> part(Session &s, const std::string &name) {
        std::optional<std::string> path = findResource("viewer", name);
        Result<std::string> text = path ? file::read(*path) : Result<std::string>(Failure{});
        if (text)
            return *text;
        s.diags.report(diag::Id::ResourceMissing, {}, "viewer", name, resourceFolders());
        return std::nullopt;
    }

    std::string input_, output_;
    bool runPasses_ = false;
    PipelineOptions pipeline_;
    TargetOptions target_;
    ToolchainChoice toolchain_;
};

} // namespace

std::unique_ptr<Subcommand> createView() { return std::make_unique<View>(); }

} // namespace sdfgc::driver
