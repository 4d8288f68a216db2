// sdfgc view: draws a graph, or the graphs after every pass, on one page. With --run-passes: the graph as it is and after the
// passes, with their remarks. Beside the graph: the user's Python files, and the generated program.
#include "Driver/Compilation/PipelineOptions.h"
#include "Driver/Reports/Remarks.h"
#include "Driver/Reports/ViewSources.h"
#include "Driver/Subcommand.h"
#include "sdfgc/Build/Folder.h"
#include "sdfgc/IR/ViewModel.h"
#include "sdfgc/Serialize/Serialize.h"
#include "sdfgc/Support/File.h"
#include "sdfgc/Support/Resources.h"

#include <algorithm>
#include <map>

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

/// The graphs of a page, each with the Python files that it names. One that looks like the graph before it is left out.
class Steps {
public:
    void add(const std::string &name, const ir::SDFG &graph, const ir::ElementNotes &notes) {
        for (const auto &[file, line] : ir::sourceFiles(graph))
            files[file] = std::max(files[file], line);
        std::string model = embedded(ir::viewModel(graph, notes).dump());
        if (!list_.empty() && list_.back().model == model)
            list_.back().same.push_back(name);
        else
            list_.push_back({name, std::move(model), {}});
    }
    std::string scripts() const {
        std::string out;
        for (const ShownGraph &s : list_)
            out += "<script type=\"application/json\" data-step=\"" + escaped(s.name) + "\" data-same=\"" +
                   escaped(json::strings(s.same).dump()) + "\">" + s.model + "</script>\n";
        return out;
    }
    std::map<std::string, int> files; // files that are named, with the last line of each

private:
    struct ShownGraph {
        std::string name, model;
        std::vector<std::string> same; // names of the following graphs that look the same
    };
    std::vector<ShownGraph> list_;
};

class View : public Subcommand {
    void addOptions(CommandLine &line) override {
        line.argument("PROG.sdfg|DIR", input_, "graph to draw (`-` reads standard input), or a folder that --dump-dir wrote");
        line.group("Output");
        line.text("-o,--output", output_, "FILE", "file for the page (default: <name>.html)");
        line.flag("--run-passes", runPasses_,
                  "run the passes and show the graph before and after them, with what they did and could not do");
        line.flag("--emit", emit_, "generate the program and show its sources beside the graph");
        line.text("--build-folder", buildFolder_, "DIR",
                  "show the sources of this build folder (default: ./<name>.build, if it belongs to the graph)");
        pipeline_.addTo(line);
        target_.addTo(line);
        toolchain_.addTo(line);
        line.check([this](diag::Engine &d) {
            if (emit_ && !buildFolder_.empty())
                d.report(diag::Id::OptionConflict, {}, "--emit", "--build-folder");
            if (emit_ && (input_ == "-" || file::isFolder(input_)))
                d.report(diag::Id::OptionMisused, {}, "--emit is for a graph in a file", "name the .sdfg file of the program");
        });
    }

    void run(Session &s) override {
        std::string title;
        Steps steps;
        if (runPasses_ ? !beforeAndAfter(s, title, steps) : !stepByStep(s, title, steps))
            return;
        const std::optional<std::string> sources = sourceScript(s, title, steps);
        if (!sources)
            return;
        std::optional<std::string> page = filled(s, title, steps.scripts() + *sources);
        if (!page)
            return;
        output_ = output_.empty() ? title + ".html" : output_;
        if (s.writeOutput(output_, *page) && output_ != "-")
            s.log().result("wrote {}", output_);
    }

    /// The graphs of the input as they are. Returns false after errors.
    bool stepByStep(Session &s, std::string &title, Steps &steps) const {
        for (const std::string &file : inputs(s)) {
            std::unique_ptr<ir::SDFG> graph = file == "-" ? s.readGraph(file) : readUnverified(s, file);
            if (!graph)
                return false;
            title = graph->name.str();
            std::string step = file::nameOf(file);
            steps.add(step.substr(0, step.rfind(".sdfg")), *graph, {});
        }
        return !s.failed();
    }

    /// The graph before and after the passes that precede `lower`. Remarks are attached to elements with matching names, before or
    /// after.
    bool beforeAndAfter(Session &s, std::string &title, Steps &steps) {
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
        steps.add("before the passes", *before, notes);
        steps.add("after the passes", *graph, notes);
        return true;
    }

    /// Which passes make the program for --emit. With --run-passes, the same passes run a second time without any output.
    PipelineOptions passesForEmit() const { return runPasses_ ? pipeline_.repeated() : pipeline_; }

    /// {"python": [SOURCE...], "generated": [SOURCE...], "from": where these come from}. Returns nothing after errors.
    std::optional<std::string> sourceScript(Session &s, const std::string &title, const Steps &steps) const {
        const std::string folder = file::isFolder(input_) ? input_ : file::folderOf(input_);
        SourceList generated;
        std::string from;
        if (emit_) {
            std::optional<SourceList> made = emittedSources(s, input_, target_, toolchain_, passesForEmit());
            if (!made)
                return std::nullopt;
            generated = std::move(*made);
            from = "for target " + target_.target.name();
        } else if (const std::string built = builtFolder(title); !built.empty()) {
            generated = builtSources(built);
            from = "from " + built + (isOlder(built) ? ", which is older than the graph" : "");
            if (generated.empty()) {
                s.diags.report(diag::Id::InputFailed, {},
                               built + " holds no generated sources; `sdfgc build` and `emit` write src/");
                return std::nullopt;
            }
        }
        json::Value v = json::Value::object();
        v.set("python", json::Value::array(pythonSources(steps.files, {folder, file::folderOf(file::absolute(folder))})));
        v.set("generated", json::Value::array(std::move(generated)));
        v.set("from", from);
        return "<script type=\"application/json\" id=\"sources\">" + embedded(v.dump()) + "</script>\n";
    }

    /// The build folder that was named, or else the default one of `sdfgc build` if it belongs to this graph; empty if there is
    /// none.
    std::string builtFolder(const std::string &title) const {
        if (!buildFolder_.empty())
            return buildFolder_;
        const std::string usual = "./" + title + ".build";
        return input_ != "-" && build::Folder::origin(usual) == file::absolute(input_) ? usual : "";
    }
    bool isOlder(const std::string &folder) const {
        const std::optional<file::Stamp> manifest = file::stamp(file::join(folder, "manifest.json")), graph = file::stamp(input_);
        return manifest && graph && manifest->modifiedNs < graph->modifiedNs;
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

    /// Users also want to see a graph that violates rules.
    static std::unique_ptr<ir::SDFG> readUnverified(Session &s, const std::string &file) {
        s.log().info("reading {}", file);
        return serialize::readFile(file, s.diags);
    }

    /// The viewer's page with the graphs embedded.
    static std::optional<std::string> filled(Session &s, const std::string &title, const std::string &data) {
        std::optional<std::string> page = part(s, "page.html");
        for (const auto &[mark, name] :
             {std::pair{"@STYLE@", "style.css"}, {"@LAYOUT@", "layout.js"}, {"@PANES@", "panes.js"}, {"@VIEWER@", "viewer.js"}}) {
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

    std::string input_, output_, buildFolder_;
    bool runPasses_ = false, emit_ = false;
    PipelineOptions pipeline_;
    TargetOptions target_;
    ToolchainChoice toolchain_;
};

} // namespace

std::unique_ptr<Subcommand> createView() { return std::make_unique<View>(); }

} // namespace sdfgc::driver
