// distribute: turn a program for one process into one for many ranks that partition its arrays.
//
// The caller specifies arguments of which every rank has a block, along one dimension. The pass derives everything
// else: where transients are, which iterations a rank runs, and what it needs from other ranks.
//
//   before   A, B: float64[N]                             after, with A=block:0+B=block:0
//            while t < T:                                 A, B: float64[N_local];  A_part: float64[N_local + 2]
//              map i = 1:N - 1:                           N_begin = mpi.begin_of_part(N, N_local);  A_part[1:N_local + 1] = A
//                B[i] = (A[i - 1] + A[i + 1]) / 2         while t < T:
//              map i = 1:N - 1:                             mpi.Halo: one element of A_part on both sides
//                A[i] = B[i]                                map i = N_from:N_to:
//                                                             B[i - N_begin] = (A_part[i - N_begin] + A_part[i - N_begin + 2]) / 2
//                                                           ...
//                                                         A = A_part[1:N_local + 1]
//
// Arguments are those of the rank (SPMD). With N elements on P ranks, rank r has elements r * b to (r + 1) * b, with b
// = ceil(N / P), as far as they exist. The array is exactly that long: the parts are NumPy slices of the whole array,
// and concatenate to it. Its length is a symbol, which follows from the array; N remains a symbol with the same value
// on all ranks. If an array of a rank has another length, the program reports an error. Other distributions are valid:
// surplus ranks have no elements, and a halo may be wider than a block, because mpi.Halo fetches elements from any rank
// that has them. For that reason a halo is a separate kind of node rather than two Sendrecv nodes.
//
//   1. States are read as items: maps, library nodes and tasklets (Items.cpp, Libraries.cpp). Copies become maps.
//   2. Positions and layouts are chosen: an item runs where the elements that it writes are, transients are placed
//      where they are used, and everything else is placed to cost as little as possible (Choose.cpp, Plan.h).
//   3. The graph is rewritten (Apply.cpp, Storage.cpp). Iterations keep their indices, since tasklets may use them;
//      array indices are shifted instead.
//
// Reads at constant distances use a halo. It is fetched wherever the contents may have changed, or once if they never
// change. Other reads gather the array. Sums over the distributed dimension end with an Allreduce; the old contents are
// added once.
//
// Not handled (rejected): control flow that reads a distributed container, and items that would write elements of other ranks.
#include "Transforms/Distribute/Plan.h"

#include "sdfgc/Analysis/Verify.h"
#include "sdfgc/Support/Text.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace ir;
using namespace distribution;

bool isPackedF(const DataDesc &d) {
    sym::Expr stride = 1;
    for (std::size_t k = 0; k < d.rank(); ++k) {
        if (!d.shape[k].isOne() && d.strides[k] != stride)
            return false;
        stride *= d.shape[k];
    }
    return true;
}

class Distribute : public pass::GraphPass {
public:
    bool run(SDFG &root, pass::Context &context) override {
        Plan plan{root, {}, {}, {}, {}, {}, !context.allows(pass::FloatClass::F1)};
        if (!declare(plan, context))
            return false;
        collect(plan);
        if (const std::optional<Refusal> r = returns(root) ? refusalOfReturns(plan) : choose(plan))
            return refuse(*r, context);
        report(plan, context);
        apply(plan);
        root.name = Name(root.name.str() + "_distributed"); // its arguments are parts, unlike those of the program for one process
        return true;
    }

private:
    static bool refuse(const Refusal &r, pass::Context &context) {
        diag::Location place;
        if (r.place)
            place = analysis::placeOf(*r.place);
        place.file = context.options.file;
        context.diags.report(diag::Id::DistributeRefused, place, r.what, r.why, r.hint);
        return false;
    }

    static bool returns(SDFG &root) {
        const std::vector<Block *> blocks = allBlocks(root);
        return std::any_of(blocks.begin(), blocks.end(), [](const Block *b) { return b->kind() == BlockKind::Return; });
    }
    static Refusal refusalOfReturns(const Plan &plan) {
        return {plan.declared.begin()->str(), "the program returns before its end", "let the pass structure-exits run before"};
    }

    /// Reads the option; false after an error, or without any array.
    bool declare(Plan &plan, pass::Context &context) const {
        const std::string &text = option<std::string>("arrays");
        for (const std::string_view part : text::splitOutsideBrackets(text, '+')) {
            const std::string word(part);
            const std::size_t equals = word.find('='), colon = word.find(':', equals);
            const std::string how = equals < colon && colon != std::string::npos ? word.substr(equals + 1, colon - equals - 1) : "";
            const std::string dim = how.empty() ? "" : word.substr(colon + 1);
            if (how != "block" || dim.empty() || dim.size() > 2 || dim.find_first_not_of("0123456789") != std::string::npos) {
                context.diags.report(diag::Id::PassOptionType, {}, "arrays", "distribute", "a list such as `A=block:0+B=block:1`",
                                     word);
                return false;
            }
            if (const auto r = declareOne(plan, Name(word.substr(0, equals)), std::stoul(dim)))
                return refuse(*r, context);
        }
        return !plan.declared.empty();
    }

    static std::optional<Refusal> declareOne(Plan &plan, Name name, std::size_t dim) {
        const auto no = [&](const std::string &why, const std::string &hint) { return Refusal{name.str(), why, hint}; };
        const DataDesc *d = plan.graph.arrays.find(name);
        std::vector<std::string> arguments;
        for (const auto &[n, desc] : plan.graph.arrays)
            if (!desc.transient && desc.isArray())
                arguments.push_back(n.str());
        if (!d || d->transient)
            return no(d ? "it is no argument" : "the program has no such array",
                      "the arrays among its arguments are " + (arguments.empty() ? "none" : text::joined(arguments)));
        if (!d->isArray() || d->alias != AliasKind::None || dim >= d->rank())
            return no("it has no dimension " + std::to_string(dim), "dimensions count from 0");
        if (d->shape[dim].isOne())
            return no("it has one element along dimension " + std::to_string(dim), "deal it out along another dimension");
        if (!d->isPackedC() && !isPackedF(*d))
            return no("there are gaps between its elements", "only arrays by rows or by columns can be dealt out");
        if (!plan.declared.insert(name).second)
            return no("it is named twice", "an array is dealt out along one dimension");
        plan.layouts.emplace(name, Layout{dim, lineOf(plan, d->shape[dim], name), 0});
        return std::nullopt;
    }

    static std::size_t lineOf(Plan &plan, const sym::Expr &whole, Name array) {
        for (std::size_t k = 0; k < plan.lines.size(); ++k)
            if (plan.lines[k].whole == whole)
                return k;
        const std::string stem = whole.isSymbol() ? whole.name().str() : array.str();
        plan.lines.push_back({whole, stem, plan.graph.freshName(stem + "_local"), plan.graph.freshName(stem + "_begin")});
        return plan.lines.size() - 1;
    }

    static void report(const Plan &plan, pass::Context &context) {
        const pass::Element program(plan.graph);
        for (const auto &[name, l] : plan.layouts) {
            std::string text = "dealt " + name.str() + " out along dimension " + std::to_string(l.dim);
            if (l.hasHalo())
                text += ", with " + std::to_string(l.before) + " elements before and " + std::to_string(l.after) + " after it";
            context.done(program, text);
        }
        for (const Item &item : plan.items)
            for (const Use &u : item.uses) {
                const Meaning::Kind kind = meaningOf(plan, item, u).kind;
                if (kind == Meaning::Whole)
                    context.done(*item.node, "gathered all of " + u.data.str());
                else if (kind == Meaning::Reduced)
                    context.done(*item.node, "combined " + u.data.str() + " over the ranks");
            }
    }
};

} // namespace

std::unique_ptr<pass::Pass> createDistribute() { return std::make_unique<Distribute>(); }

} // namespace sdfgc::transforms
