// Pipelines in YAML (docs/user/pipelines.md):
//
//     description: what it is for
//     passes:
//       - infer-types                          # a pass
//       - expand-library-nodes: {prefer: blas} # a pass with options
//       - pass: offload                        # the long form, with a condition
//         options: {streams: 4}
//         when: {gpu: true}
//       - include: cleanup.yaml                # the steps of another file, relative to this one
//         when: {has: library-nodes}           # decided when the step is reached
//       - fixed-point: [fuse, clean-up]        # repeated until nothing changes
//         limit: 10
//
// The file is traversed with the positions recorded by yaml-cpp; every error has a line and a column. Steps whose condition does
// not hold are checked and dropped, so that a CPU build finds mistakes in the GPU part of a file.
#include "Pass/Options.h"
#include "sdfgc/Support/File.h"

#include <algorithm>
#include <map>
#include <set>
#include <yaml-cpp/yaml.h>

namespace sdfgc::pass {
namespace {

constexpr std::size_t maxSteps = 10000; // files that include each other repeatedly could grow without bound
constexpr std::size_t maxFiles = 1000;
constexpr uint64_t maxFileBytes = 16u << 20;

using Keys = std::vector<std::string>;

/// The properties of a compilation that a condition can test, with their current values: options, whether it is for a GPU, and
/// libraries by separate names.
std::map<std::string, std::string> askedOf(const CompileOptions &o) {
    std::map<std::string, std::string> out = askedOptions(o);
    out.emplace("gpu", optionText(o.gpu()));
    for (const auto &[key, library] : {std::pair("blas", "openblas"), std::pair("lapacke", "lapacke"), std::pair("fftw", "fftw3"),
                                       std::pair("tensor", "gputensor")})
        out.emplace(key, optionText(o.has(library)));
    return out;
}

/// A parsed `when`: whether it holds as far as is known before the run, and the conditions that the graph decides.
struct Condition {
    bool now = true;
    std::vector<GraphCondition> graph;
};

class PipelineReader {
public:
    PipelineReader(const Registry &r, const CompileOptions &o, diag::Engine &d) : registry_(r), asked_(askedOf(o)), diags_(d) {}

    std::optional<Pipeline> read(const std::string &path) {
        std::size_t errorsBefore = diags_.errorCount();
        pipeline_.name = path;
        readFile(path, diag::Location{path}, true);
        if (diags_.errorCount() != errorsBefore)
            return std::nullopt;
        shareOptions(pipeline_, registry_);
        return std::move(pipeline_);
    }

private:
    // `from`: where the file is named; `active`: whether its steps are used
    void readFile(const std::string &path, const diag::Location &from, bool active) {
        if (std::find(open_.begin(), open_.end(), path) != open_.end()) {
            diags_.report(diag::Id::PipelineIncludeCycle, from, path);
            return;
        }
        if (filesRead_++ == maxFiles) {
            tooLarge(from, maxFiles, "files");
            return;
        }
        // A path typed by a user may be a pipe. An include must be a regular file.
        Result<std::string> text = open_.empty() ? file::read(path, maxFileBytes) : file::readRegular(path, maxFileBytes);
        if (!text) {
            diags_.report(diag::Id::PipelineUnreadable, from, text.error());
            return;
        }
        if (std::find(pipeline_.files.begin(), pipeline_.files.end(), path) == pipeline_.files.end())
            pipeline_.files.push_back(path);
        open_.push_back(path);
        parse(*text, active);
        open_.pop_back();
    }

    void parse(const std::string &text, bool active) {
        try {
            readRoot(YAML::Load(text), active);
        } catch (const YAML::Exception &e) { // syntax errors; no other exception of yaml-cpp is expected
            diags_.report(diag::Id::PipelineSyntax, placeOf(e.mark), e.msg);
        }
    }

    void readRoot(const YAML::Node &root, bool active) {
        if (!root.IsMap()) {
            shape(root, "a pipeline", "a map with the key `passes`");
            return;
        }
        bool keysKnown = checkKeys(root, {"description", "passes"}, "a pipeline");
        const YAML::Node passes = root["passes"];
        if (!passes.IsDefined()) {
            if (keysKnown) // otherwise it is probably a typo
                shape(root, "a pipeline", "a map with the key `passes`");
            return;
        }
        if (!passes.IsSequence() && !passes.IsNull()) {
            shape(passes, "`passes`", "a list of passes");
            return;
        }
        for (const YAML::Node &step : passes)
            readStep(step, active);
    }

    void readStep(const YAML::Node &step, bool active) {
        if (step.IsScalar())
            addStep(step, YAML::Node(YAML::NodeType::Undefined), active);
        else if (!step.IsMap() || step.size() == 0)
            shape(step, "a step", "the name of a pass, `pass: {options}`, `pass:`, `include:` or `fixed-point:`");
        else if (step["include"].IsDefined())
            readInclude(step, active);
        else if (step[std::string(groupWord)].IsDefined())
            readGroup(step, active);
        else if (step["pass"].IsDefined())
            readLongForm(step, active);
        else if (step.size() == 1)
            addStep(step.begin()->first, step.begin()->second, active);
        else
            shape(step, "a step with several keys", "`pass:` with `options:` and `when:`, or `include:` with `when:`");
    }

    void readInclude(const YAML::Node &step, bool active) {
        checkKeys(step, {"include", "when"}, "an include");
        const bool kept = enter(step["when"]) && active;
        if (const YAML::Node file = step["include"]; file.IsScalar())
            readFile(file::join(file::folderOf(open_.back()), file.Scalar()), placeOf(file.Mark()), kept);
        else
            shape(file, "`include`", "the name of a file");
        conditions_.pop_back();
    }

    void readGroup(const YAML::Node &step, bool active) {
        const std::string key(groupWord);
        checkKeys(step, {key, "limit", "when"}, "a fixed-point group");
        Group group;
        const diag::Location place = placeOf(step.Mark());
        group.file = place.file;
        group.line = place.line;
        group.column = place.column;
        if (const YAML::Node limit = step["limit"]; limit.IsDefined())
            readLimit(group, limit.IsScalar() ? limit.Scalar() : "", placeOf(limit.Mark()), diags_);
        const YAML::Node passes = step[key];
        if (!passes.IsSequence()) {
            shape(passes, "`fixed-point`", "a list of passes");
            return;
        }
        if (inGroup_) {
            diags_.report(diag::Id::NestedGroup, place);
            return;
        }
        inGroup_ = true;
        const bool kept = enter(step["when"]) && active;
        group.first = pipeline_.steps.size();
        for (const YAML::Node &one : passes)
            readStep(one, kept);
        group.last = pipeline_.steps.size();
        conditions_.pop_back();
        inGroup_ = false;
        if (group.first != group.last)
            pipeline_.groups.push_back(std::move(group));
    }

    void readLongForm(const YAML::Node &step, bool active) {
        checkKeys(step, {"pass", "options", "when"}, "a step");
        const bool kept = enter(step["when"]) && active;
        addStep(step["pass"], step["options"], kept);
        conditions_.pop_back();
    }

    void addStep(const YAML::Node &name, const YAML::Node &options, bool active) {
        if (!name.IsScalar()) {
            shape(name, "`pass`", "the name of a pass");
            return;
        }
        diag::Location place = placeOf(name.Mark());
        PipelineStep step{name.Scalar(), {}, place.file, place.line, place.column};
        for (const std::vector<GraphCondition> &list : conditions_)
            step.conditions.insert(step.conditions.end(), list.begin(), list.end());
        if (const PassInfo *info = findPass(registry_, step.pass, place, diags_))
            readOptions(step, *info, options);
        if (!active)
            return;
        if (pipeline_.steps.size() == maxSteps)
            tooLarge(place, maxSteps, "steps");
        else
            pipeline_.steps.push_back(std::move(step));
    }

    void readOptions(PipelineStep &step, const PassInfo &pass, const YAML::Node &options) {
        if (!options.IsDefined() || options.IsNull())
            return;
        if (!options.IsMap()) {
            shape(options, "the options of pass `" + pass.name + "`", "a map");
            return;
        }
        for (const auto &entry : options) {
            if (!entry.first.IsScalar() || !entry.second.IsScalar()) {
                shape(entry.second, "an option of pass `" + pass.name + "`", "a name with a single value");
                continue;
            }
            addOption(step, pass, entry.first.Scalar(), entry.second.Scalar(), placeOf(entry.first.Mark()), diags_);
        }
    }

    /// Reads the condition of the following steps; the part that the graph decides applies to all steps until conditions_ is
    /// popped. Returns whether the rest holds.
    bool enter(const YAML::Node &when) {
        Condition c = read(when);
        conditions_.push_back(std::move(c.graph));
        return c.now;
    }

    /// A missing condition holds. Invalid conditions are reported.
    Condition read(const YAML::Node &when) {
        Condition all;
        if (!when.IsDefined())
            return all;
        if (!when.IsMap()) {
            shape(when, "`when`", "a map such as {target: cpu}");
            return all;
        }
        Keys known{"has", "not"};
        for (const auto &[key, value] : asked_)
            known.push_back(key);
        checkKeys(when, known, "a condition");
        for (const auto &entry : when) {
            const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "";
            if (key == "not")
                negate(entry.second, all);
            else if (key == "has")
                all.graph.push_back(readProperties(entry.second));
            else if (const auto now = asked_.find(key); now != asked_.end())
                all.now = matches(now->second, key, entry.second) && all.now;
        }
        return all;
    }
    /// Adds the negation of the map under `not`; only one level deep, so a file cannot make the recursion arbitrarily deep.
    void negate(const YAML::Node &inner, Condition &all) {
        if (inner.IsMap() && inner["not"].IsDefined()) {
            shape(inner, "the map under `not`", "a condition without another `not`");
            return;
        }
        Condition c = read(inner);
        if (c.graph.empty())
            all.now = all.now && !c.now;
        else if (c.now) // otherwise it does not hold for any graph
            for (GraphCondition &g : c.graph) {
                g.wanted = false;
                all.graph.push_back(std::move(g));
            }
    }

    GraphCondition readProperties(const YAML::Node &wanted) {
        GraphCondition c;
        std::vector<YAML::Node> values;
        if (wanted.IsSequence())
            for (const YAML::Node &one : wanted)
                values.push_back(one);
        else
            values.push_back(wanted);
        for (const YAML::Node &one : values) {
            if (one.IsScalar())
                addProperty(c, one.Scalar(), placeOf(one.Mark()), diags_);
            else
                shape(one, "condition `has`", "a property of graphs or a list of them");
        }
        return c;
    }

    /// One value or a list of values, one of which must be the current one.
    bool matches(const std::string &now, const std::string &key, const YAML::Node &wanted) {
        if (wanted.IsScalar())
            return wanted.Scalar() == now;
        if (!wanted.IsSequence()) {
            shape(wanted, "condition `" + key + "`", "a value or a list of values");
            return true;
        }
        bool any = false;
        for (const YAML::Node &one : wanted) {
            if (!one.IsScalar())
                shape(one, "condition `" + key + "`", "a value or a list of values");
            else
                any = any || one.Scalar() == now;
        }
        return any;
    }

    /// Reports unknown and duplicate keys; returns whether all were known.
    bool checkKeys(const YAML::Node &map, const Keys &known, const std::string &what) {
        bool allKnown = true;
        std::set<std::string> seen;
        for (const auto &entry : map) {
            const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "?";
            diag::Location place = placeOf(entry.first.Mark());
            if (std::find(known.begin(), known.end(), key) == known.end()) {
                allKnown = false;
                std::string near = diag::nearest(key, known);
                diags_.report(diag::Id::PipelineKey, place, key, what, near.empty() ? "" : "did you mean `" + near + "`?");
            } else if (!seen.insert(key).second) {
                diags_.report(diag::Id::PassOptionTwice, place, "key `" + key + "`");
            }
        }
        return allKnown;
    }

    diag::Location placeOf(const YAML::Mark &m) const {
        return {open_.back(), m.is_null() ? 0 : m.line + 1, m.is_null() ? 0 : m.column + 1, {}, {}, {}};
    }
    void shape(const YAML::Node &at, const std::string &what, const std::string &expected) {
        diags_.report(diag::Id::PipelineShape, placeOf(at.Mark()), what, expected);
    }
    void tooLarge(const diag::Location &place, std::size_t limit, const std::string &what) {
        if (!reportedTooLarge_)
            diags_.report(diag::Id::PipelineTooLarge, place, limit, what);
        reportedTooLarge_ = true;
    }

    const Registry &registry_;
    const std::map<std::string, std::string> asked_; // properties tested by conditions
    diag::Engine &diags_;
    Pipeline pipeline_;
    std::vector<std::vector<GraphCondition>> conditions_; // of the surrounding includes and groups, and of the step itself
    bool inGroup_ = false;
    std::vector<std::string> open_; // files being read, outermost first
    std::size_t filesRead_ = 0;     // including repetitions
    bool reportedTooLarge_ = false;
};

} // namespace

std::optional<Pipeline> readPipeline(const std::string &path, const Registry &r, const CompileOptions &o, diag::Engine &d) {
    return PipelineReader(r, o, d).read(path);
}

} // namespace sdfgc::pass
