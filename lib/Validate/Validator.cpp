#include "sdfgc/Validate/Validator.h"

#include "sdfgc/IR/StateGraph.h"
#include "sdfgc/Serialize/Text.h"
#include "sdfgc/Tree/Text.h"

#include <algorithm>

namespace sdfgc::validate {
namespace {

using diag::Id;

/// Once so many inputs took too long, the others will.
constexpr int patience = 3;

/// A run that takes so many times as long as the one before the pass does not end.
constexpr double endless = 50;

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

/// An argument of the program that the input does not have: a pass may take arguments away and add none.
std::string foreignArgument(const tree::Module &interface, const run::Arguments &input) {
    for (const tree::Param &p : interface.params)
        if (!input.find(p.name.view()))
            return p.name.str();
    return {};
}

/// Was there too little memory? A tree has, for every thread of a kernel at once, what a graph has in each iteration.
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

ProgramText textOf(const pass::Program &program) {
    return program.tree ? ProgramText{tree::print(*program.tree), true} : ProgramText{serialize::print(*program.graph), false};
}

} // namespace

std::vector<Judged> usableInputs(InputMaker maker, Subject &subject, const ValidateOptions &options, std::string *why) {
    std::vector<Judged> out;
    std::string fault;
    int late = 0;
    while (static_cast<int>(out.size()) < options.count && late < patience) {
        std::optional<Input> input = maker.next();
        if (!input)
            break;
        Execution done = execute(subject, input->arguments);
        late += done.timedOut;
        if (!done.timedOut && done.faults.empty())
            out.push_back({std::move(*input), std::move(done)});
        else if (fault.empty() && done.timedOut)
            fault = "with " + input->name + ", it takes too long to execute";
        else if (fault.empty())
            fault = "with " + input->name + ", " + done.faults.front().element + ": " + done.faults.front().what;
    }
    if (why && out.empty())
        *why = fault.empty() ? maker.problem() : "the program has faults with every input that was made; first, " + fault;
    return out;
}

interpret::Options Validator::interpreterOptions(const pass::Context &context) const {
    return {.compatDace = context.options.compatDace,
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
    if (inputs_.empty() && !why_.empty() && !isRepaired())
        context.diags.report(Id::NoUsableInput, {options_.file}, why_);
}

/// Will a pass mend the graph?
bool Validator::isRepaired() const {
    return std::any_of(pipeline_.steps.begin(), pipeline_.steps.end(), [&](const pass::Step &s) {
        const pass::PassInfo *info = registry_.find(s.pass);
        return info && info->repairs;
    });
}

/// Does the order of reductions decide what becomes of infinities and NaN?
bool Validator::orderCounts(const Judged &before, const Execution &after) const {
    const bool was = isFinite(before.input.arguments, before.execution);
    return (reductions_.compares && !was) || (reductions_.multiplies && !(was && isFinite(before.input.arguments, after)));
}

/// Chooses the inputs, and executes the program that is compared with what comes next.
void Validator::start(const pass::Program &program, pass::Context &context, const std::string &passes) {
    inputs_.clear();
    why_.clear();
    keep(program);
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
    reductions_ = program.tree ? reductionsOf(*program.tree) : reductionsOf(*program.graph);
}

void Validator::after(const pass::Program &program, const pass::Event &event, bool changed, pass::Context &context) {
    if (stopped_)
        return;
    const bool repaired = event.pass.repairs;
    if (repaired && (changed || inputs_.empty())) {
        start(program, context, "from " + event.pass.name + " on");
        if (inputs_.empty() && !why_.empty())
            context.diags.report(Id::NoUsableInput, {options_.file}, why_);
    } else if (changed && !inputs_.empty()) {
        compareAfter(program, event, context);
    }
}

void Validator::compareAfter(const pass::Program &program, const pass::Event &event, pass::Context &context) {
    diag::Engine refusals;
    const std::unique_ptr<Subject> subject = subjectOf(program, interpreterOptions(context), refusals);
    if (!subject)
        return notValidated(context, "from " + event.pass.name + " on", firstError(refusals));
    const std::string name = foreignArgument(interfaceOf(program), inputs_.front().input.arguments);
    if (!name.empty())
        return report(inputs_.front(), "it takes an argument `" + name + "` that it did not take before", {}, program, event,
                      context);
    for (Judged &judged : inputs_)
        if (!judge(judged, execute(*subject, judged.input.arguments), program, event, context))
            return;
    std::erase_if(inputs_, [](const Judged &j) { return j.execution.timedOut; });
    if (inputs_.empty())
        return notValidated(context, "after " + event.pass.name, "the program takes too long to execute");
    keep(program);
}

/// Compares one execution with the one before the pass, and takes its place. False after a difference.
bool Validator::judge(Judged &judged, Execution after, const pass::Program &program, const pass::Event &event,
                      pass::Context &context) {
    if (after.timedOut && judged.execution.seconds * endless < options_.seconds) {
        report(judged, "it does not end any more", {}, program, event, context);
        return false;
    }
    if (needsMore(after)) { // the same as too much time
        judged.execution.timedOut = true;
        return true;
    }
    if (event.pass.floatClass != pass::FloatClass::F0 && after.faults.empty() && orderCounts(judged, after)) {
        judged.execution = std::move(after);
        return true;
    }
    if (const auto found = compare(judged.input.arguments, judged.execution, after, event.pass.floatClass)) {
        const std::string element = found->fault    ? found->fault->element
                                    : program.graph ? writerOf(*program.graph, found->container)
                                                    : std::string();
        report(judged, found->fault ? found->fault->what : found->text(), element, program, event, context);
        return false;
    }
    judged.execution = std::move(after);
    return true;
}

void Validator::report(const Judged &judged, const std::string &what, const std::string &element, const pass::Program &after,
                       const pass::Event &event, pass::Context &context) {
    stopped_ = true;
    pass::Pipeline one;
    one.steps.push_back(pipeline_.steps[event.position - 1]);
    one.steps.back().conditions.clear();
    std::string target = "--target " + context.options.target;
    target += context.options.compatDace ? " --compat dace" : "";
    target += context.options.emulate ? " --emulate" : "";
    target += context.options.orderedReductions ? " --reductions ordered" : "";
    target += context.options.gpuGraph.empty() ? "" : " --gpu-graph " + context.options.gpuGraph;
    const Result<void> written = writeReproducer({before_, textOf(after), judged.input, pass::print(one), target}, options_.folder);
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
