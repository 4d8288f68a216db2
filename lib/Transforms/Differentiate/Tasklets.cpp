// Reverses tasklets: the derivative's code (sdfgc/Tasklet/Derivatives.h), and the gradients that it reads, adds to and clears.
#include "Transforms/Differentiate/Items.h"
#include "Transforms/Differentiate/SharedGradients.h"
#include "Transforms/Differentiate/Signatures.h"

#include <algorithm>

namespace sdfgc::transforms::gradient {

using namespace ir;
using nest::Item;
using nest::Step;
using nest::Use;
using nest::UseKind;

namespace {

class TaskletReverser {
public:
    TaskletReverser(ItemReverser &r, const Step &s, const Tasklet &t, Body &b)
        : r_(r), maker_(r.maker()), program_(r.program()), s_(s), t_(t), b_(b) {}

    void run(std::vector<Item> &out) {
        if (leavesNoDerivative(s_, t_, [this](const Use &u) { return r_.isActive(u); })) {
            for (const Use &u : s_.uses)
                if (u.kind == UseKind::Write && r_.isActive(u))
                    r_.clear(u, b_, out);
            return;
        }
        auto made = signatureOf(
            s_, t_, maker_.sdfg(), program_.symbolTypes(), [this](const Use &u) { return r_.isActive(u); }, "g_", r_.ties());
        if (const auto *why = std::get_if<diag::Message>(&made))
            return r_.fail(*why, t_);
        signature_ = std::move(std::get<py::Signature>(made));
        if (const Use *twice = writtenTwice())
            return r_.fail({diag::Id::GradientOfUpdate, twice->data.str(), "the tasklet may write one element of it twice"}, t_);
        const auto &parsed = t_.code.asBlock();
        if (!parsed.value)
            return r_.fail({diag::Id::GradientOfCode, parsed.error.message, ""}, t_);
        py::DerivativeOr derived = py::reverseOf(*parsed.value, signature_);
        if (const auto *error = std::get_if<py::DerivativeError>(&derived))
            return r_.fail(messageOf(*error), t_);
        derivative_ = std::move(std::get<py::Derivative>(derived));
        write(out);
    }

private:
    /// Two results of a tasklet that may be the same element: it is unknown which one it holds afterwards.
    const Use *writtenTwice() const {
        for (std::size_t k = 0; k < s_.uses.size(); ++k)
            for (std::size_t j = 0; j < k; ++j)
                if (s_.uses[k].kind == UseKind::Write && s_.uses[j].kind == UseKind::Write && r_.isActive(s_.uses[k]) &&
                    meet(s_.uses[k], s_.uses[j], program_.facts()))
                    return &s_.uses[k];
        return nullptr;
    }

    /// Connects the derivative's code. It reads and clears the gradient of each result, and adds to that of each operand.
    void write(std::vector<Item> &out) {
        code_ = derivative_.block;
        for (const Name c : derivative_.primals)
            for (const Use *u : usesAt(s_, c, false)) {
                const std::optional<Use> v = r_.value(*u, c, b_);
                if (!v)
                    return;
                uses_.push_back(*v);
            }
        results_ = derivative_.results;
        share();
        for (const Name c : signature_.activeOutputs)
            if (!inPlace(c))
                seed(c);
        for (const Name c : results_) {
            const Use *u = usesAt(s_, c, false).front();
            const bool isIndexed = derivative_.indexed.count(c) != 0, mayBeOutside = !isIndexed && u->memlet.allowOob && u->subset;
            uses_.push_back(r_.gradient(*u, UseKind::Update, signature_.gradient(c), b_));
            uses_.back().memlet.dynamic = isIndexed || mayBeOutside;
            if (mayBeOutside)
                addOnlyInside(signature_.gradient(c), *u->subset, r_.desc(*u).fullSubset());
        }
        for (Item &i : before_)
            out.push_back(std::move(i));
        const py::BlockNames names = py::blockNames(code_);
        std::erase_if(uses_, [&](const Use &u) { return !u.writes() && !names.read.count(u.connector); });
        // Writes come last: a later use would refer to the written value.
        std::stable_partition(uses_.begin(), uses_.end(), [](const Use &u) { return !u.writes(); });
        if (!code_.empty() && std::any_of(uses_.begin(), uses_.end(), [](const Use &u) { return u.writes(); }))
            out.push_back(maker_.tasklet(t_.label + "_reversed", py::print(code_), std::move(uses_)));
        for (Item &i : after_)
            out.push_back(std::move(i));
    }

    /// A read that may be out of bounds (`allow_oob`) has a gradient only inside the bounds: elsewhere, the last use adds nothing.
    void addOnlyInside(Name sum, const sym::Subset &read, const sym::Subset &whole) {
        std::string isInside;
        for (std::size_t k = 0; k < whole.rank(); ++k) {
            const sym::Range &at = read.dims[k], &all = whole.dims[k];
            isInside += (k ? " and " : "") + ("(" + at.begin.str()) + ") >= " + all.begin.str() + " and (" + at.end.str() +
                        ") < (" + (all.end + 1).str() + ")";
        }
        Use &u = uses_.back();
        u.connector = maker_.connector("inside_" + sum.str());
        u.certain = false;
        py::Stmt adds;
        adds.kind = py::StmtKind::If;
        adds.value = py::parseExprOrRaw(isInside);
        adds.body = {py::assign(py::name(u.connector), py::name(sum))};
        code_.push_back(std::make_shared<py::Stmt>(std::move(adds)));
    }

    /// For `a = f(a)`, element by element, replaces the gradient of the destination with that of the source. Returns false
    /// for other tasklets.
    bool inPlace(Name connector) {
        const std::vector<const Use *> written = usesAt(s_, connector, true);
        const Use &w = *written.front();
        if (written.size() != 1 || w.kind != UseKind::Write || derivative_.partial.count(connector) ||
            derivative_.stored.count(connector))
            return false;
        std::vector<Name> same;
        for (const Name c : results_) {
            const std::vector<const Use *> read = usesAt(s_, c, false);
            if (!meet(*read.front(), w, program_.facts()))
                continue;
            if (read.size() != 1 || derivative_.indexed.count(c) || read.front()->data != w.data ||
                !(subsetOf(*read.front()) == subsetOf(w)))
                return false;
            same.push_back(c);
        }
        if (same.empty())
            return false;
        const Name name = signature_.gradient(connector);
        uses_.push_back(r_.gradient(w, UseKind::Read, name, b_));
        for (const Name c : same)
            results_.erase(c);
        const auto unchanged = copyOf(name, signature_.gradient(same[0]));
        if (same.size() == 1 && unchanged != code_.end()) {
            code_.erase(unchanged);
            return true;
        }
        const Name kept = maker_.connector("kept_" + connector.str());
        py::ExprRef sum = py::name(signature_.gradient(same[0]));
        for (std::size_t k = 1; k < same.size(); ++k)
            sum = py::binary(py::Op::Add, sum, py::name(signature_.gradient(same[k])));
        code_.push_back(py::assign(py::name(kept), sum));
        uses_.push_back(r_.gradient(w, UseKind::Write, kept, b_));
        return true;
    }

    /// Provides the gradient of a result to the code. If a tasklet may both read and add to the gradient of the same
    /// element, the gradient is copied before.
    void seed(Name connector) {
        const std::vector<const Use *> written = usesAt(s_, connector, true);
        const Name name = signature_.gradient(connector);
        const Use &w = *written.front();
        const bool clears = r_.mustClear(w, b_);
        const bool overlaps = clears && std::any_of(derivative_.results.begin(), derivative_.results.end(), [&](Name c) {
                                  return meet(*usesAt(s_, c, false).front(), w, program_.facts());
                              });
        if (written.size() == 1 && !overlaps) {
            uses_.push_back(r_.gradient(w, UseKind::Read, name, b_));
            if (!clears)
                return;
            if (derivative_.partial.count(connector) || derivative_.stored.count(connector))
                return clearWhereAssigned(connector);
            const Name cleared = maker_.connector("cleared_" + connector.str());
            uses_.push_back(r_.gradient(w, UseKind::Write, cleared, b_));
            code_.push_back(py::assign(py::name(cleared), py::intLit(0)));
            return;
        }
        if (derivative_.partial.count(connector) || derivative_.stored.count(connector))
            return r_.fail({diag::Id::GradientOfCode, "it may leave `" + w.data.str() + "` unchanged, which it also reads",
                            "write to another container"},
                           t_);
        const Name taken = r_.temporary("taken_" + w.data.str(), r_.desc(w), {}, b_);
        const Name out = maker_.connector("__out"), cleared = maker_.connector("__cleared");
        std::string code = out.str() + " = ";
        std::vector<Use> uses;
        for (std::size_t k = 0; k < written.size(); ++k) {
            const Name in = maker_.connector("__in" + std::to_string(k));
            code += (k ? " + " : "") + in.str();
            uses.push_back(r_.gradient(*written[k], UseKind::Read, in, b_));
        }
        uses.push_back(maker_.whole(UseKind::Write, taken, out));
        for (std::size_t k = 0; k < written.size(); ++k)
            if (r_.mustClear(*written[k], b_)) {
                const Name c(cleared.str() + std::to_string(k));
                code += "\n" + c.str() + " = 0";
                uses.push_back(r_.gradient(*written[k], UseKind::Write, c, b_));
            }
        before_.push_back(maker_.tasklet(t_.label + "_take", code, std::move(uses)));
        uses_.push_back(maker_.whole(UseKind::Read, taken, name));
    }

    /// Clears the gradient of a result that a tasklet assigns on some paths only, or element by element.
    void clearWhereAssigned(Name connector) {
        const Name cleared = maker_.connector("cleared_" + connector.str());
        py::Signature zero = signature_;
        zero.activeOutputs = {connector};
        zero.gradient = [&](Name n) { return n == connector ? cleared : signature_.gradient(n); };
        const py::DerivativeOr d = py::clearingOf(t_.code.blockOrRaw(), zero);
        if (const auto *error = std::get_if<py::DerivativeError>(&d))
            return r_.fail(messageOf(*error), t_);
        const auto &clearing = std::get<py::Derivative>(d);
        std::vector<Use> uses;
        for (const Name c : clearing.primals)
            for (const Use *u : usesAt(s_, c, false)) {
                const std::optional<Use> v = r_.value(*u, c, b_);
                if (!v)
                    return;
                uses.push_back(*v);
            }
        uses.push_back(r_.gradient(*usesAt(s_, connector, true).front(), UseKind::Write, cleared, b_));
        uses.back().memlet.dynamic = true;
        uses.back().certain = false;
        after_.push_back(maker_.tasklet(t_.label + "_clear", py::print(clearing.block), std::move(uses)));
    }

    /// Operands whose gradient equals that of the result share its container, and need no further code.
    void share() {
        if (signature_.activeOutputs.size() != 1)
            return;
        const Name out = *signature_.activeOutputs.begin();
        const std::vector<const Use *> written = usesAt(s_, out, true);
        if (written.size() != 1 || derivative_.partial.count(out) || derivative_.stored.count(out))
            return;
        for (const Name c : derivative_.results) {
            const std::vector<const Use *> read = usesAt(s_, c, false);
            const auto unchanged = copyOf(signature_.gradient(out), signature_.gradient(c));
            if (read.size() != 1 || derivative_.indexed.count(c) || unchanged == code_.end())
                continue;
            const Use &operand = *read.front(), &result = *written.front();
            if (!r_.gradients().isShared(operand.data)) {                           // by an earlier part of the map
                if (r_.hasAnotherPart() && !ItemReverser::isLocal(result.data, b_)) // the last part may clear the shared one
                    continue;
                if (r_.gradients().has(operand.data) || !canShare(r_, operand, result, b_) || r_.mustClear(result, b_))
                    continue;
                r_.gradient(result, UseKind::Read, out, b_); // this creates it
                r_.gradients().share(operand.data, result.data);
            }
            code_.erase(unchanged);
            results_.erase(c);
        }
    }

    /// The statement `to = from`.
    Code::Block::iterator copyOf(Name from, Name to) {
        return std::find_if(code_.begin(), code_.end(), [&](const py::StmtRef &st) {
            return st->kind == py::StmtKind::Assign && py::equal(*st->targets[0], *py::name(to)) &&
                   py::equal(*st->value, *py::name(from));
        });
    }

    ItemReverser &r_;
    Maker &maker_;
    const PrimalProgram &program_;
    const Step &s_;
    const Tasklet &t_;
    Body &b_;
    py::Signature signature_;
    py::Derivative derivative_;
    std::set<Name> results_; // operands whose gradients have not been added to yet
    // The reversed tasklet, while it is made.
    Code::Block code_;
    std::vector<Use> uses_;
    std::vector<Item> before_; // reads of gradients that the tasklet itself must not clear
    std::vector<Item> after_;  // clears results that are not always, or not entirely, assigned
};

} // namespace

void reverseTasklet(ItemReverser &r, const Step &s, const Tasklet &t, Body &b, std::vector<Item> &out) {
    TaskletReverser(r, s, t, b).run(out);
}

} // namespace sdfgc::transforms::gradient
