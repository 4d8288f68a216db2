#include "sdfgc/Validate/Validator.h"

#include "sdfgc/IR/StateGraph.h"
#include "sdfgc/Serialize/Serialize.h"
#include "sdfgc/Serialize/Text.h"
#include "sdfgc/Support/Process.h"
#include "sdfgc/Tree/Text.h"

#include <algorithm>

namespace sdfgc::validate {
namespace {

using diag::Id;

/// After this many timeouts, the remaining inputs would time out, too.
constexpr int patience = 3;

/// A run that takes this many times as long as the one before the pass is considered endless.
constexpr double endless = 50;

/// `fuse-maps (12 of 40)`
std::string placeOf(const pass::Event &event) {
    return event.pass.name + " (" + std::to_string(event.position) + " of " + std::to_string(event.total) + ")";
}

std::string firstError(const diag::Engine &diags) { return diags.all().empty() ? "" : diags.all().front().message; }

/// The last element of the graph that writes a container of the program.
std::string writerOf(const ir::SDFG &graph, Name container) {
    std::string element;
    for (const ir::State *state : ir::allStates(graph))
        for (const auto &edge : state->edges())
            if (const auto *access = dyn_cast<ir::AccessNode>(edge->dst); access && access->data == container)
                element = ir::elementName(*ir::pathSource(edge.get()));
    return element;
}

/// An argument of the program that the input lacks: a pass may remove arguments but not add any.
std::string foreignArgument(const tree::Module &interface, const run::Arguments &input) {
    for (const tree::Param &p : interface.params)
        if (!input.find(p.name.view()))
            return p.name.str();
    return {};
}

/// Did it run out of memory? A tree has separate memory for every thread of a kernel at once, where a graph has it in each
/// iteration.
bool needsMore(const Execution &e) {
    return std::any_of(e.faults.begin(), e.faults.end(),
                       [](const interpret::Report &r) { return r.kind == interpret::FaultKind::TooLarge; });
}

/// The program in the interpreter. A tree must not be changed while the subject lives.
std::unique_ptr<Subject> subjectOf(const pass::Program &program, const interpret::Options &options, diag::Engine &diags) {
    if (!program.tree)
        return interpreted(*program.graph, options, diags);
    return interpreted(std::shared_ptr<const tree::Module>(std::shared_ptr<void>(), program.tree.get()), options, diags);
}

/// The arguments of a program, without functions.
tree::Module interfaceOf(const pass::Program &program) {
    if (!program.tree)
        return run::interfaceOf(*program.graph);
    tree::Module out;
    out.name = program.tree->name;
    out.params = program.tree->params;
    out.init = program.tree->init;
    out.order = program.tree->order;
    return out;
}

Reductions reductionsIn(const pass::Program &program) {
    return program.tree ? validate::reductionsOf(*program.tree) : validate::reductionsOf(*program.graph);
}

ProgramText textOf(const pass::Program &program) {
    return program.tree ? ProgramText{tree::print(*program.tree), true} : ProgramText{serialize::print(*program.graph), false};
}

} // namespace

std::vector<Judged> usableInputs(InputMaker maker, Subject &subject, const ValidateOptions &options, std::string *why) {
    std::vector<Judged> out;
    std::string fault; // of the first input that cannot be used
    int late = 0;
    const auto take = [&](Input input) {
        options.say("input " + std::to_string(out.size() + 1) + ": " + input.name, false);
        Execution done = execute(subject, input.arguments);
        late += done.timedOut;
        if (!done.timedOut && done.faults.empty()) {
            options.say("input " + std::to_string(out.size() + 1) + ": " + input.name);
            out.push_back({std::move(input), std::move(done)});
            return;
        }
        const std::string found =
            "with " + input.name + ", " +
            (done.timedOut ? "it takes too long to execute" : done.faults.front().element + ": " + done.faults.front().what);
        options.say("no input: " + found);
        if (fault.empty())
            fault = found;
    };
    const bool isGiven = !options.inputs.folder.empty();
    if (std::optional<Input> given = maker.given())
        take(std::move(*given));
    const std::size_t wanted = static_cast<std::size_t>(options.count) + maker.edges();
    while ((!isGiven || !out.empty()) && out.size() < wanted && late < patience) {
        std::optional<Input> input = maker.next();
        if (!input)
            break;
        take(std::move(*input));
    }
    if (why && out.empty())
        *why = fault.empty() ? maker.problem()
               : isGiven     ? fault
                             : "the program has faults with every generated input; first, " + fault;
    return out;
}

std::string changesFromRunToRun(const Judged &judged, const std::function<std::unique_ptr<Subject>()> &make) {
    const std::unique_ptr<Subject> one = make(), other = make(); // both at once, so that their memory is at different addresses
    if (!one || !other)
        return {};
    Execution first = one->run(judged.input.arguments), second = other->run(judged.input.arguments);
    first.faults.clear(); // only values matter; reads without effect were left out earlier
    second.faults.clear();
    std::optional<Difference> found = compare(judged.input.arguments, judged.execution, first, pass::FloatClass::F0);
    if (!found)
        found = compare(judged.input.arguments, first, second, pass::FloatClass::F0);
    return found ? found->text() : "";
}

interpret::Options Validator::interpreterOptions(const pass::Context &context) const {
    return {.compatDace = context.options.hasDaceMeaning(),
            .file = options_.file,
            .seconds = options_.seconds,
            .largest = options_.inputs.largest,
            .native = options_.native};
}

void Validator::notValidated(pass::Context &context, const std::string &passes, const std::string &why) {
    context.diags.report(Id::NotValidated, {options_.file}, passes, why);
    stopped_ = true;
}

void Validator::begin(const pass::Program &program, pass::Context &context) {
    start(program, context, "of this program");
    if (!inputs_.empty() || why_.empty() || isRepaired())
        return;
    if (options_.inputs.folder.empty())
        context.diags.report(Id::NoUsableInput, {options_.file}, why_);
    else
        context.diags.report(Id::InputFailed, {options_.file}, "the given input cannot be used: " + why_);
}

/// Will a later pass repair the graph?
bool Validator::isRepaired() const {
    return std::any_of(pipeline_.steps.begin(), pipeline_.steps.end(), [&](const pass::PipelineStep &s) {
        const pass::PassInfo *info = registry_.find(s.pass);
        return info && info->repairs;
    });
}

/// Does the order of reductions affect infinities and NaN?
bool Validator::orderCounts(const Judged &before, const Execution &after, const Reductions &reductions) {
    const bool was = isFinite(before.input.arguments, before.execution);
    return (reductions.compares && !was) || (reductions.multiplies && !(was && isFinite(before.input.arguments, after)));
}

/// Chooses the inputs, and executes the program that the next one is compared with.
void Validator::start(const pass::Program &program, pass::Context &context, const std::string &passes) {
    inputs_.clear();
    why_.clear();
    keep(program);
    if (!program.tree) {
        stream_ = streamInAnyOrder(*program.graph);
        excused_.clear();
        if (reshapesMemory(*program.graph))
            excused_.insert(interpret::FaultKind::OutsideShape);
        if (givesHostMemoryToKernels(*program.graph))
            excused_.insert(interpret::FaultKind::OtherMemory);
    }
    diag::Engine refusals;
    const std::unique_ptr<Subject> subject = subjectOf(program, interpreterOptions(context), refusals);
    if (!subject)
        return notValidated(context, passes, firstError(refusals));
    inputs_ =
        usableInputs(program.tree ? InputMaker(interfaceOf(program), options_.inputs) : InputMaker(*program.graph, options_.inputs),
                     *subject, options_, &why_);
}

void Validator::keep(const pass::Program &program) {
    before_ = textOf(program);
    reductions_ = reductionsIn(program);
}

void Validator::after(const pass::Program &program, const pass::Event &event, bool changed, pass::Context &context) {
    if (stopped_)
        return;
    const bool repaired = event.pass.repairs;
    if (repaired && (changed || inputs_.empty())) {
        start(program, context, "from " + event.pass.name + " on");
        if (inputs_.empty() && !why_.empty())
            context.diags.report(Id::NoUsableInput, {options_.file}, why_);
    } else if (changed && event.pass.name == "insert-checks") {
        options_.say(placeOf(event) + ": not compared, because the interpreter performs the same checks itself");
    } else if (changed && !inputs_.empty()) {
        compareAfter(program, event, context);
    } else {
        options_.say(placeOf(event) + (changed ? ": not compared, because there are no inputs" : ": no change"));
    }
}

/// A pass that changed the program, and its result.
struct Validator::ValidatedStep {
    const pass::Program &program;
    const pass::Event &event;
    pass::Context &context;
    Subject &subject;         // the program after the pass
    Reductions reductions;    // before and after the pass
    pass::FloatClass allowed; // permitted changes of floating-point results
    bool reorders;            // reductions may be computed in another order
};

void Validator::compareAfter(const pass::Program &program, const pass::Event &event, pass::Context &context) {
    diag::Engine refusals;
    const std::unique_ptr<Subject> subject = subjectOf(program, interpreterOptions(context), refusals);
    if (!subject)
        return notValidated(context, "from " + event.pass.name + " on", firstError(refusals));
    const std::string name = foreignArgument(interfaceOf(program), inputs_.front().input.arguments);
    if (!name.empty())
        return report(inputs_.front(), "it takes an argument `" + name + "` that it did not take before", {}, program, event,
                      context);
    ValidatedStep step{
        program, event, context, *subject, reductions_, event.pass.floatClass, event.pass.floatClass != pass::FloatClass::F0};
    step.reductions |= reductionsIn(program);
    if (step.reductions.unordered &&
        context.options.reductions != pass::ReductionOrder::Ordered) { // the order is unspecified: threads use another one
        step.reorders = true;
        if (step.reductions.rounds)
            step.allowed = std::max(step.allowed, pass::FloatClass::F1);
    }
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
        options_.say(placeOf(event) + ": input " + std::to_string(i + 1) + " of " + std::to_string(inputs_.size()), false);
        if (!judge(inputs_[i], step)) {
            options_.say(placeOf(event) + ": input " + std::to_string(i + 1) + " differs");
            return;
        }
    }
    const std::size_t late = std::erase_if(inputs_, [](const Judged &j) { return j.execution.timedOut; });
    options_.say(placeOf(event) + ": " + std::to_string(inputs_.size()) +
                 (inputs_.size() == 1 ? " input agrees" : " inputs agree") +
                 (late ? ", " + std::to_string(late) + " take too long from here on" : ""));
    if (inputs_.empty())
        return notValidated(context, "after " + event.pass.name, "the program takes too long to execute");
    keep(program);
}

/// Does it end if it is given more time? Machines are busy occasionally, and trees take longer than graphs.
bool Validator::endsLater(const Judged &judged, const ValidatedStep &step) const {
    diag::Engine refusals;
    interpret::Options options = interpreterOptions(step.context);
    options.seconds *= 4;
    const std::unique_ptr<Subject> patient = subjectOf(step.program, options, refusals);
    return patient && !patient->run(judged.input.arguments).timedOut;
}

/// Compares an execution with the one before the pass, and then replaces that one. False if a second comparison confirms a
/// difference.
bool Validator::judge(Judged &judged, const ValidatedStep &step) {
    Execution after = execute(step.subject, judged.input.arguments);
    if (after.timedOut && judged.execution.seconds * endless < options_.seconds && !endsLater(judged, step)) {
        report(judged, "it no longer terminates", {}, step.program, step.event, step.context);
        return false;
    }
    if (needsMore(after)) { // treated like a timeout
        judged.execution.timedOut = true;
        return true;
    }
    const bool isOpen = step.reorders && after.faults.empty() && orderCounts(judged, after, step.reductions);
    const auto found = isOpen ? std::nullopt : compare(judged.input.arguments, judged.execution, after, step.allowed, excused_);
    if (!found) {
        judged.execution = std::move(after);
        return true;
    }
    const std::string reason = doubt(judged, *found, step);
    if (reason.empty()) {
        const std::string element = found->fault         ? found->fault->element
                                    : step.program.graph ? writerOf(*step.program.graph, found->container)
                                                         : std::string();
        report(judged, found->fault ? found->fault->what : found->text(), element, step.program, step.event, step.context);
        return false;
    }
    // Not a proof: such results cannot be used to judge later passes either.
    diag::Diagnostic &warning = step.context.diags.report(Id::NotValidated, {options_.file}, "from " + step.event.pass.name + " on",
                                                          found->text() + ", but " + reason);
    warning.notes.push_back({{}, "with " + judged.input.name});
    warning.hint = "`--reductions ordered` fixes the order of sums, a sequential map that of pushes";
    stopped_ = true;
    return false;
}

/// The reason why a difference may not be the pass's fault; empty if there is none.
std::string Validator::doubt(const Judged &judged, const Difference &found, const ValidatedStep &step) const {
    if (!found.fault && stream_)
        return "iterations of a parallel map push to `" + stream_.str() + "`: the order of its elements is unspecified";
    const std::string other = changesFromRunToRun(judged, [&] { return subjectBefore(step.context); });
    if (!other.empty())
        return "without the pass, results change from run to run: " + other;
    if (!found.isReal || judged.input.exact || !step.reorders || !step.reductions.rounds)
        return {};
    bool isTried = false;
    for (const Judged &exact : inputs_) { // earlier ones were already compared, and agree
        if (!exact.input.exact || exact.execution.timedOut)
            continue;
        isTried = true;
        if (compare(exact.input.arguments, exact.execution, execute(step.subject, exact.input.arguments), step.allowed, excused_))
            return {};
    }
    return isTried ? "results agree on inputs with exact sums: the cause may be the order of a sum, which is unspecified" : "";
}

/// The program before the pass, parsed from its text.
std::unique_ptr<Subject> Validator::subjectBefore(const pass::Context &context) const {
    diag::Engine scratch;
    if (before_.isTree) {
        std::shared_ptr<const tree::Module> tree = tree::parse(before_.text, "before", scratch);
        return tree ? interpreted(std::move(tree), interpreterOptions(context), scratch) : nullptr;
    }
    const std::unique_ptr<ir::SDFG> graph = serialize::readText(before_.text, "before", scratch);
    return graph ? interpreted(*graph, interpreterOptions(context), scratch) : nullptr;
}

void Validator::report(const Judged &judged, const std::string &what, const std::string &element, const pass::Program &after,
                       const pass::Event &event, pass::Context &context) {
    stopped_ = true;
    pass::Pipeline one;
    one.steps.push_back(pipeline_.steps[event.position - 1]);
    one.steps.back().conditions.clear();
    std::vector<std::string> words = pass::argumentsOf(context.options);
    if (context.changeLimit)
        words.insert(words.end(), {"--pass-limit", std::to_string(*context.changeLimit - changesBefore_)});
    const Result<void> written = writeReproducer(
        {before_, textOf(after), judged.input, pass::print(one), process::quoted(words), process::quoted(options_.arguments)},
        options_.folder);
    diag::Location place;
    place.file = options_.file;
    place.element = element;
    diag::Diagnostic &error = context.diags.report(Id::ResultsChanged, place, event.pass.name, what,
                                                   "`" + options_.folder + "/command` shows the difference and shrinks the graph");
    error.notes.push_back({{}, "with " + judged.input.name});
    error.notes.push_back(
        {{}, written ? "both programs and the input are in " + options_.folder : "no reproducer was written: " + written.error()});
}

} // namespace sdfgc::validate
