// Reverses copies and tasklets.
#include "Transforms/Differentiate/Items.h"
#include "Transforms/Differentiate/Signatures.h"

#include "sdfgc/Nest/Build.h"

#include <algorithm>

namespace sdfgc::transforms::gradient {

using namespace ir;
using nest::Item;
using nest::Step;
using nest::Use;
using nest::UseKind;

// ---- copies

/// Creates a map over the elements that adds the gradient of the destination to that of the source. Uses a buffer if
/// both are in the same container, because an element may be in both; if the copy changes the shape; and if it crosses
/// between host and device. The buffer has the shape and the memory of the source.
void ItemReverser::copy(const Step &s, Body &b, std::vector<Item> &out) {
    const Use &from = s.uses.front(), &to = s.uses.back();
    if (const auto why = obstacleOfCopy(s))
        return fail(*why, *to.access);
    if (!isActive(from))
        return clear(to, b, out);
    const sym::Subset taken = *subsetOf(from);
    const bool plain = from.memory != to.memory && haveSameShape(taken, *subsetOf(to)) &&
                       isGpuStorage(desc(from).storage) == isGpuStorage(desc(to).storage);
    Use source = gradient(to, UseKind::Read, {}, b);
    if (!plain) {
        const Name buffer = temporary("handed_on", desc(from), taken.sizes(), b);
        const sym::Subset all = maker_.sdfg().desc(buffer)->fullSubset();
        out.push_back(maker_.copy(source, maker_.write(buffer, all)));
        clear(to, b, out);
        source = maker_.read(buffer, all);
    }
    const Maker::Walk walk = maker_.walkOver(taken);
    const Name in = maker_.connector("__in"), sum = maker_.connector("__sum"), cleared = maker_.connector("__cleared");
    std::string code = sum.str() + " = " + in.str();
    const sym::Subset element = walk.elementOf(*source.subset);
    std::vector<Use> uses{maker_.read(source.data, element, in),
                          maker_.sum(gradient(from, UseKind::Update, {}, b).data, walk.elementOf(taken), sum)};
    if (plain && mustClear(to, b)) {
        code += "\n" + cleared.str() + " = 0";
        uses.push_back(maker_.write(source.data, element, cleared));
    }
    Item add = maker_.tasklet("hand_on_" + to.data.str(), code, std::move(uses));
    out.push_back(maker_.over(walk, "hand_on_" + to.data.str(), std::move(add), b.inScope()));
}

// ---- tasklets

void ItemReverser::tasklet(const Step &s, const Tasklet &t, Body &b, std::vector<Item> &out) {
    if (leavesNoDerivative(s, t, [this](const Use &u) { return isActive(u); })) {
        for (const Use &u : s.uses)
            if (u.kind == UseKind::Write && isActive(u))
                clear(u, b, out);
        return;
    }
    const auto made = signatureOf(
        s, t, maker_.sdfg(), program_.symbolTypes(), [this](const Use &u) { return isActive(u); }, "g_", request_.ties);
    if (const auto *why = std::get_if<diag::Message>(&made))
        return fail(*why, t);
    const auto &signature = std::get<py::Signature>(made);
    if (const Use *twice = writtenTwice(s))
        return fail({diag::Id::GradientOfUpdate, twice->data.str(), "the tasklet may write one element of it twice"}, t);
    const auto parsed = py::parseBlock(t.code.text);
    if (!parsed.value)
        return fail({diag::Id::GradientOfCode, parsed.error.message, ""}, t);
    const py::DerivativeOr d = py::reverseOf(*parsed.value, signature);
    if (const auto *error = std::get_if<py::DerivativeError>(&d))
        return fail(messageOf(*error), t);
    reversedTasklet(s, t, signature, std::get<py::Derivative>(d), b, out);
}

/// Two results of a tasklet that may be one element: which of the two it holds afterwards is not known.
const Use *ItemReverser::writtenTwice(const Step &s) const {
    for (std::size_t k = 0; k < s.uses.size(); ++k)
        for (std::size_t j = 0; j < k; ++j)
            if (s.uses[k].kind == UseKind::Write && s.uses[j].kind == UseKind::Write && isActive(s.uses[k]) &&
                meet(s.uses[k], s.uses[j], program_.facts()))
                return &s.uses[k];
    return nullptr;
}

/// Puts the code of the derivative to work. The gradient of each result is read and cleared, that of each operand is added to.
void ItemReverser::reversedTasklet(const Step &s, const Tasklet &t, const py::Signature &signature, const py::Derivative &d,
                                   Body &b, std::vector<Item> &out) {
    Reversed r;
    r.code = py::print(d.block);
    for (const Name c : d.primals)
        for (const Use *u : usesAt(s, c, false)) {
            const std::optional<Use> v = value(*u, c, b);
            if (!v)
                return;
            r.uses.push_back(*v);
        }
    std::set<Name> results = d.results;
    share(s, signature, d, results, b, r);
    for (const Name c : signature.activeOutputs)
        if (!inPlace(s, c, signature, d, results, b, r))
            seed(s, t, c, signature, d, b, r);
    for (const Name c : results) {
        const Use *u = usesAt(s, c, false).front();
        const bool isIndexed = d.indexed.count(c) != 0, mayBeOutside = !isIndexed && u->memlet.allowOob && u->subset;
        r.uses.push_back(gradient(*u, UseKind::Update, signature.gradient(c), b));
        r.uses.back().memlet.dynamic = isIndexed || mayBeOutside;
        if (mayBeOutside)
            addOnlyInside(r, signature.gradient(c), *u->subset, desc(*u).fullSubset());
    }
    for (Item &i : r.before)
        out.push_back(std::move(i));
    const py::BlockNames names = py::blockNames(py::parseBlockOrRaw(r.code));
    std::erase_if(r.uses, [&](const Use &u) { return !u.writes() && !names.read.count(u.connector); });
    // What it writes comes last: a use after one that writes the container would be one of what was written.
    std::stable_partition(r.uses.begin(), r.uses.end(), [](const Use &u) { return !u.writes(); });
    if (!r.code.empty() && std::any_of(r.uses.begin(), r.uses.end(), [](const Use &u) { return u.writes(); }))
        out.push_back(maker_.tasklet(t.label + "_reversed", r.code, std::move(r.uses)));
    for (Item &i : r.after)
        out.push_back(std::move(i));
}

/// What may lie outside of its container (`allow_oob`) has a gradient where it lies inside: the last use adds nothing elsewhere.
void ItemReverser::addOnlyInside(Reversed &r, Name sum, const sym::Subset &read, const sym::Subset &whole) {
    std::string isInside;
    for (std::size_t k = 0; k < whole.rank(); ++k) {
        const sym::Range &at = read.dims[k], &all = whole.dims[k];
        isInside += (k ? " and " : "") + ("(" + at.begin.str()) + ") >= " + all.begin.str() + " and (" + at.end.str() + ") < (" +
                    (all.end + 1).str() + ")";
    }
    Use &u = r.uses.back();
    u.connector = maker_.connector("inside_" + sum.str());
    u.certain = false;
    r.code += (r.code.empty() || r.code.back() == '\n' ? "" : "\n") + ("if " + isInside) + ":\n    " + u.connector.str() + " = " +
              sum.str();
}

/// For `a = f(a)`, element by element, replaces the gradient of the destination with that of the source. Returns false
/// for other tasklets.
bool ItemReverser::inPlace(const Step &s, Name connector, const py::Signature &signature, const py::Derivative &d,
                           std::set<Name> &results, Body &b, Reversed &r) {
    const std::vector<const Use *> written = usesAt(s, connector, true);
    const Use &w = *written.front();
    if (written.size() != 1 || w.kind != UseKind::Write || d.partial.count(connector) || d.stored.count(connector))
        return false;
    std::vector<Name> same;
    for (const Name c : results) {
        const std::vector<const Use *> read = usesAt(s, c, false);
        if (!meet(*read.front(), w, program_.facts()))
            continue;
        if (read.size() != 1 || d.indexed.count(c) || read.front()->data != w.data || !(subsetOf(*read.front()) == subsetOf(w)))
            return false;
        same.push_back(c);
    }
    if (same.empty())
        return false;
    const Name name = signature.gradient(connector);
    r.uses.push_back(gradient(w, UseKind::Read, name, b));
    for (const Name c : same)
        results.erase(c);
    std::vector<py::StmtRef> block = py::parseBlockOrRaw(r.code);
    const auto unchanged = std::find_if(block.begin(), block.end(), [&](const py::StmtRef &st) {
        return st->kind == py::StmtKind::Assign && py::equal(*st->targets[0], *py::name(signature.gradient(same[0]))) &&
               py::equal(*st->value, *py::name(name));
    });
    if (same.size() == 1 && unchanged != block.end()) {
        block.erase(unchanged);
        r.code = py::print(block);
        return true;
    }
    const Name kept = maker_.connector("kept_" + connector.str());
    py::ExprRef sum = py::name(signature.gradient(same[0]));
    for (std::size_t k = 1; k < same.size(); ++k)
        sum = py::binary(py::Op::Add, sum, py::name(signature.gradient(same[k])));
    block.push_back(py::assign(py::name(kept), sum));
    r.code = py::print(block);
    r.uses.push_back(gradient(w, UseKind::Write, kept, b));
    return true;
}

/// Provides the gradient of a result to the code. If a tasklet may both read and add to the gradient of the same
/// element, the gradient is copied before.
void ItemReverser::seed(const Step &s, const Tasklet &t, Name connector, const py::Signature &signature, const py::Derivative &d,
                        Body &b, Reversed &r) {
    const std::vector<const Use *> written = usesAt(s, connector, true);
    const Name name = signature.gradient(connector);
    const Use &w = *written.front();
    const bool clears = mustClear(w, b);
    const bool overlaps = clears && std::any_of(d.results.begin(), d.results.end(),
                                                [&](Name c) { return meet(*usesAt(s, c, false).front(), w, program_.facts()); });
    if (written.size() == 1 && !overlaps) {
        r.uses.push_back(gradient(w, UseKind::Read, name, b));
        if (!clears)
            return;
        if (d.partial.count(connector) || d.stored.count(connector))
            return clearWhereAssigned(s, t, connector, signature, b, r);
        const Name cleared = maker_.connector("cleared_" + connector.str());
        r.uses.push_back(gradient(w, UseKind::Write, cleared, b));
        r.code += (r.code.empty() || r.code.back() == '\n' ? "" : "\n") + cleared.str() + " = 0";
        return;
    }
    if (d.partial.count(connector) || d.stored.count(connector))
        return fail({diag::Id::GradientOfCode, "it may leave `" + w.data.str() + "` as it was, which it reads, too",
                     "write to another container"},
                    t);
    const Name taken = temporary("taken_" + w.data.str(), desc(w), {}, b);
    const Name out = maker_.connector("__out"), cleared = maker_.connector("__cleared");
    std::string code = out.str() + " = ";
    std::vector<Use> uses;
    for (std::size_t k = 0; k < written.size(); ++k) {
        const Name in = maker_.connector("__in" + std::to_string(k));
        code += (k ? " + " : "") + in.str();
        uses.push_back(gradient(*written[k], UseKind::Read, in, b));
    }
    uses.push_back(maker_.whole(UseKind::Write, taken, out));
    for (std::size_t k = 0; k < written.size(); ++k)
        if (mustClear(*written[k], b)) {
            const Name c(cleared.str() + std::to_string(k));
            code += "\n" + c.str() + " = 0";
            uses.push_back(gradient(*written[k], UseKind::Write, c, b));
        }
    r.before.push_back(maker_.tasklet(t.label + "_take", code, std::move(uses)));
    r.uses.push_back(maker_.whole(UseKind::Read, taken, name));
}

/// Clears the gradient of what a tasklet assigns on some paths only, or element by element.
void ItemReverser::clearWhereAssigned(const Step &s, const Tasklet &t, Name connector, const py::Signature &signature, Body &b,
                                      Reversed &r) {
    const Name cleared = maker_.connector("cleared_" + connector.str());
    py::Signature zero = signature;
    zero.activeOutputs = {connector};
    zero.gradient = [&](Name n) { return n == connector ? cleared : signature.gradient(n); };
    const py::DerivativeOr d = py::clearingOf(py::parseBlockOrRaw(t.code.text), zero);
    if (const auto *error = std::get_if<py::DerivativeError>(&d))
        return fail(messageOf(*error), t);
    const auto &clearing = std::get<py::Derivative>(d);
    std::vector<Use> uses;
    for (const Name c : clearing.primals)
        for (const Use *u : usesAt(s, c, false)) {
            const std::optional<Use> v = value(*u, c, b);
            if (!v)
                return;
            uses.push_back(*v);
        }
    uses.push_back(gradient(*usesAt(s, connector, true).front(), UseKind::Write, cleared, b));
    uses.back().memlet.dynamic = true;
    uses.back().certain = false;
    r.after.push_back(maker_.tasklet(t.label + "_clear", py::print(clearing.block), std::move(uses)));
}

} // namespace sdfgc::transforms::gradient
