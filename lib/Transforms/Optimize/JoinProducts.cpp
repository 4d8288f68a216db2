// join-products: compute a product along the rows and one along the columns of a matrix in a single pass over the
// matrix.
//
//                          map[c = 0:N / 64] {                                   blocks of 64 rows, by a team of threads
//     q = A @ p                map[k = 0:M] { part[c, k] = 0 }
//     s = r @ A                map[b = 0:16] {                                   four rows i..i+3 of a block
//                      ->          map[k = 0:M] {
//                                      q_0 += A[i, k] * p[k];  q_1 += A[i + 1, k] * p[k];  ...
//                                      part[c, k] = part[c, k] + r[i] * A[i, k] + r[i + 1] * A[i + 1, k] + ...
//                                  }
//                                  q[i] = q_0;  q[i + 1] = q_1;  ...
//                              }
//                          }
//                          map[k = 0:M] { s[k] = sum of part[c, k] over c }
//
// Such products take as long as reading the matrix. A library reads it once for each product; here it is read once in
// total. Four rows are processed at a time to amortise each walk along `part`. Each block of rows has its own sums, so
// threads share nothing, and the order of the sums does not depend on the number of threads. `part` takes as much
// memory as every 64th row of the matrix.
//
// If the second product needs the result of the first (`s = (A @ p) @ A`), the single loop over `k` becomes two; the
// rows are still in cache for the second.
//
// Legal when:
//   1. the order of sums is free (class F1), elements are floating-point numbers, and rows of the matrix are
//      contiguous;
//   2. results share no memory with the operands or with each other, except that the first result may be the vector of
//      the second product;
//   3. one of the two products can be moved past everything between them.
//
// Not handled: matrices that are known to be small (option `elements`).
//
// Runs after fuse-nests, so that a product first gets the chance to join the maps that compute its operands, which
// saves storing these.
#include "Transforms/Edits/NestRemarks.h"

#include "sdfgc/Nest/Build.h"
#include "sdfgc/Nest/Conflicts.h"
#include "sdfgc/Nest/MakeMaps.h"
#include "sdfgc/Transforms/Passes.h"

#include <algorithm>

namespace sdfgc::transforms {
namespace {

using namespace ir;
using diag::Reason;
using diag::Why;
using nest::Item;
using nest::Map;
using nest::Use;
using nest::UseKind;

constexpr int64_t jammed = 4, rowsOfBlock = 64; // the second is a multiple of the first

bool isBlasReal(Type t) { return t == Type(ScalarKind::Float64) || t == Type(ScalarKind::Float32); }

sym::Expr var(Name n) { return sym::Expr::symbol(n); }

/// Two products, along the rows and along the columns of one matrix.
struct Pair {
    nest::MatrixProduct along, across;
    bool chained = false; // the second one's vector is the first one's result
};

/// Creates the items that replace a pair.
class OnePass {
public:
    OnePass(const Pair &pair, std::string label, SDFG &g, analysis::Memories &memories, const std::set<Name> &connectors)
        : pair_(pair), label_(std::move(label)), g_(g), memories_(memories), connectors_(connectors),
          type_(g.desc(pair.along.matrix.data)->dtype), rows_(pair.along.rows), columns_(pair.along.columns) {
        for (Name *n : {&c_, &b_, &k_, &i_})
            *n = fresh();
        blocks_ = sym::ceilDiv(rows_, rowsOfBlock);
        DataDesc part = DataDesc::array(type_, {blocks_, columns_}, true);
        part.storage = Storage::CPU_Heap;
        part_ = container("part", std::move(part));
    }

    std::vector<Item> items() {
        auto blocks = map(Schedule::CPU_Multicore, c_, blocks_);
        auto clear = map(Schedule::Sequential, k_, columns_);
        clear->body.push_back(
            nest::taskletStep("clear", "__out = 0.0", {}, element(part_, {var(c_), var(k_)}, "__out", UseKind::Write), g_));
        blocks->body.push_back({std::move(clear), nullptr});

        // All rows of each block except for at most three.
        const sym::Expr left = sym::min({sym::Expr(rowsOfBlock), rows_ - rowsOfBlock * var(c_)});
        const sym::Expr first = rowsOfBlock * var(c_);
        auto fours = map(Schedule::Sequential, b_, sym::floorDiv(left, jammed));
        addRows(*fours, first + jammed * var(b_), jammed);
        auto rest = map(Schedule::Sequential, i_, 0);
        rest->ranges = {{first + jammed * sym::floorDiv(left, jammed), first + left - 1, 1, 1}};
        addRows(*rest, var(i_), 1);
        blocks->body.push_back({std::move(fours), nullptr});
        blocks->body.push_back({std::move(rest), nullptr});

        std::vector<Item> out;
        out.push_back({std::move(blocks), nullptr});
        out.push_back({sums(), nullptr});
        return out;
    }

private:
    Name fresh() {
        Name n = g_.freshName("__k" + std::to_string(names_++));
        while (n == c_ || n == b_ || n == k_ || n == i_ || connectors_.count(n))
            n = g_.freshName("__k" + std::to_string(names_++));
        return n;
    }

    Name container(const std::string &base, DataDesc d) { return nest::addContainer(g_, base, std::move(d), connectors_); }

    Name variable(const std::string &base) {
        DataDesc d = DataDesc::scalar(type_, true);
        d.storage = Storage::Register;
        return container(base, std::move(d));
    }

    std::unique_ptr<Map> map(Schedule schedule, Name parameter, sym::Expr trips) const {
        auto entry = std::make_shared<MapEntry>();
        entry->label = label_;
        entry->schedule = schedule;
        entry->debugInfo = pair_.along.result.access->debugInfo;
        auto out = std::make_unique<Map>();
        out->entry = entry.get();
        out->made = std::move(entry);
        out->params = {parameter};
        out->ranges = {{0, trips - 1, 1, 1}};
        return out;
    }

    /// A use of an element, or of a variable if there are no indices.
    Use element(Name data, const std::vector<sym::Expr> &at, const char *connector, UseKind kind) const {
        Use u = pair_.along.result;
        u.kind = kind;
        u.moveTo(data, memories_.of(g_, data));
        u.certain = kind == UseKind::Write;
        u.node = 0;
        return withSum(nest::ofElement(u, at.empty() ? g_.desc(data)->fullSubset() : sym::Subset::point(at), Name(connector)));
    }
    /// The same for an operand of the products.
    Use element(const Use &whole, const std::vector<sym::Expr> &at, const std::string &connector) const {
        Use u = nest::ofElement(whole, nest::elementOf(*whole.subset, at), Name(connector));
        u.certain = u.writes();
        u.node = 0;
        return u;
    }
    static Use withSum(Use u) {
        if (u.kind == UseKind::Update)
            u.memlet.wcr = "lambda x, y: x + y";
        return u;
    }

    /// Adds the contributions of `n` rows to the sums, inside a map over rows.
    void addRows(Map &m, sym::Expr first, int64_t n) {
        std::vector<Name> sums;
        for (int64_t r = 0; r < n; ++r) {
            sums.push_back(variable("sum"));
            m.locals.insert(sums.back());
            m.body.push_back(nest::taskletStep("init", "__out = 0.0", {}, element(sums.back(), {}, "__out", UseKind::Write), g_));
        }
        std::vector<Item> along, across;
        for (int64_t r = 0; r < n; ++r)
            along.push_back(nest::taskletStep(
                "along", "__out = __a * __b",
                {element(pair_.along.matrix, {first + r, var(k_)}, "__a"), element(pair_.along.vector, {var(k_)}, "__b")},
                element(sums[static_cast<std::size_t>(r)], {}, "__out", UseKind::Update), g_));
        std::string code = "__out = __part";
        std::vector<Use> reads{element(part_, {var(c_), var(k_)}, "__part", UseKind::Read)};
        for (int64_t r = 0; r < n; ++r) {
            const std::string a = "__a" + std::to_string(r), b = "__b" + std::to_string(r);
            code += " + " + b + " * " + a;
            reads.push_back(element(pair_.across.matrix, {first + r, var(k_)}, a));
            reads.push_back(pair_.chained ? element(sums[static_cast<std::size_t>(r)], {}, b.c_str(), UseKind::Read)
                                          : element(pair_.across.vector, {first + r}, b));
        }
        across.push_back(
            nest::taskletStep("across", code, std::move(reads), element(part_, {var(c_), var(k_)}, "__out", UseKind::Write), g_));
        addLoop(m, std::move(along), std::move(across));
        for (int64_t r = 0; r < n; ++r)
            m.body.push_back(nest::taskletStep("row", "__out = __inp",
                                               {element(sums[static_cast<std::size_t>(r)], {}, "__inp", UseKind::Read)},
                                               element(pair_.along.result, {first + r}, "__out"), g_));
    }

    /// Adds loops over the columns: one, or two if the second one's steps need the sums of the first.
    void addLoop(Map &m, std::vector<Item> along, std::vector<Item> across) const {
        for (std::vector<Item> *steps : {&along, &across}) {
            if (steps == &along || pair_.chained)
                m.body.push_back({map(Schedule::Sequential, k_, columns_), nullptr});
            std::move(steps->begin(), steps->end(), std::back_inserter(m.body.back().map->body));
        }
    }

    /// Sums up the results of the blocks of rows.
    std::unique_ptr<Map> sums() {
        const Name sum = variable("sum");
        auto all = map(Schedule::CPU_Multicore, k_, columns_);
        all->locals.insert(sum);
        all->body.push_back(nest::taskletStep("init", "__out = 0.0", {}, element(sum, {}, "__out", UseKind::Write), g_));
        auto parts = map(Schedule::Sequential, c_, blocks_);
        parts->body.push_back(nest::taskletStep("add", "__out = __inp",
                                                {element(part_, {var(c_), var(k_)}, "__inp", UseKind::Read)},
                                                element(sum, {}, "__out", UseKind::Update), g_));
        all->body.push_back({std::move(parts), nullptr});
        all->body.push_back(nest::taskletStep("column", "__out = __inp", {element(sum, {}, "__inp", UseKind::Read)},
                                              element(pair_.across.result, {var(k_)}, "__out"), g_));
        return all;
    }

    const Pair &pair_;
    const std::string label_;
    SDFG &g_;
    analysis::Memories &memories_;
    const std::set<Name> &connectors_;
    const Type type_;
    const sym::Expr rows_, columns_;
    Name c_, b_, k_, i_; // parameters: of blocks, of groups of four rows, of columns, of remaining rows
    Name part_;          // the column sums of each block
    sym::Expr blocks_;
    int names_ = 0;
};

/// Joins the products of one SDFG.
class Joining {
public:
    Joining(SDFG &g, analysis::Memories &memories, int64_t elements, std::size_t window, const NodeLabels &labels,
            pass::Context &context)
        : g_(g), memories_(memories), items_(g, memories), connectors_(nest::connectorsOf(g)), elements_(elements), window_(window),
          labels_(labels), context_(context) {}

    /// Joins the products of a run. Returns whether anything changed.
    bool in(std::vector<Item> &list) {
        bool changed = false;
        for (std::size_t later = 0; later < list.size(); ++later) {
            const auto second = productOf(list[later]);
            for (std::size_t back = 1; second && back <= std::min(later, window_); ++back)
                if (const auto first = productOf(list[later - back]); first && join(list, later - back, later, *first, *second)) {
                    changed = true;
                    break;
                }
        }
        return changed;
    }

private:
    std::optional<nest::MatrixProduct> productOf(const Item &i) const {
        return i.step && nest::isProduct(*i.step) ? nest::matrixProductOf(*i.step, g_) : std::nullopt;
    }

    bool join(std::vector<Item> &list, std::size_t earlier, std::size_t later, const nest::MatrixProduct &first,
              const nest::MatrixProduct &second) {
        if (first.ofRows == second.ofRows || first.matrix.data != second.matrix.data ||
            !(*first.matrix.subset == *second.matrix.subset))
            return false;
        Pair pair{first.ofRows ? first : second, first.ofRows ? second : first};
        pair.chained = first.ofRows && second.vector.data == first.result.data && *second.vector.subset == *first.result.subset;
        const Node &node = *list[later].step->nodes.front();
        const std::string other = labels_.of(*list[earlier].step->nodes.front());
        const bool up = canMove(list, later, earlier), down = !up && canMove(list, earlier, later);
        Reason why = obstacle(pair);
        if (!why && !up && !down)
            why = {Why::Order, "an item between them must stay there"};
        if (why) {
            context_.missed(node, "does not share its reads of `" + first.matrix.data.str() + "` with " + other, why);
            return false;
        }
        if (!context_.mayChange(node, "reads `" + first.matrix.data.str() + "` together with " + other))
            return false;
        std::vector<Item> made = OnePass(pair, node.label, g_, memories_, connectors_).items();
        const auto at = static_cast<std::ptrdiff_t>(up ? earlier : later),
                   other_ = static_cast<std::ptrdiff_t>(up ? later : earlier);
        list[static_cast<std::size_t>(at)] = std::move(made.front());
        list.insert(list.begin() + at + 1, std::move(made.back()));
        list.erase(list.begin() + (other_ > at ? other_ + 1 : other_));
        return true;
    }

    Reason obstacle(const Pair &p) const {
        const DataDesc &matrix = *g_.desc(p.along.matrix.data);
        if (!context_.allows(pass::FloatClass::F1))
            return {Why::Contract, "the order of its sums must not change"};
        const std::vector<std::size_t> dims = p.along.matrix.subset->nonUnitDims();
        if (!isBlasReal(matrix.dtype) || !matrix.strides[dims.back()].isOne() ||
            !p.along.matrix.subset->dims[dims.back()].step.isOne())
            return {Why::Layout, "rows of the matrix are not contiguous, or not numbers"};
        const auto size = (p.along.rows * p.along.columns).asInt();
        if (size && *size < elements_)
            return {Why::Small, "the matrix is small"};
        const Use *operands[] = {&p.along.matrix, &p.along.vector, &p.across.vector, &p.across.result};
        for (const Use *u : operands)
            if (items_.meet(*u, p.along.result) && !(p.chained && u == &p.across.vector))
                return {Why::Dependence, "results share memory with operands"};
        for (const Use *u : operands)
            if (u != &p.across.result && items_.meet(*u, p.across.result))
                return {Why::Dependence, "results share memory with operands"};
        return {};
    }

    /// May an item move to the position of another one?
    bool canMove(const std::vector<Item> &list, std::size_t item, std::size_t to) const {
        const nest::ItemFacts facts = items_.factsOf(list[item]);
        for (std::size_t i = std::min(item, to) + 1; i < std::max(item, to); ++i)
            if (items_.ordered(list[item], facts, list[i], items_.factsOf(list[i])))
                return false;
        return true;
    }

    SDFG &g_;
    analysis::Memories &memories_;
    const nest::Conflicts items_;
    const std::set<Name> connectors_; // of all nodes
    const int64_t elements_;
    const std::size_t window_;
    const NodeLabels &labels_;
    pass::Context &context_;
};

class JoinProducts : public pass::GraphPass {
    bool run(SDFG &root, pass::Context &context) override {
        if (context.options.gpu())
            return false;
        const NodeLabels labels(root);
        return rewriteRuns(root, context, [&](SDFG &g, analysis::Memories &memories, std::vector<nest::Run> &runs) {
            const auto window = static_cast<std::size_t>(std::max<int64_t>(option<int64_t>("window"), 0));
            Joining joining(g, memories, option<int64_t>("elements"), window, labels, context);
            for (nest::Run &run : runs)
                run.changed |= joining.in(run.items);
        });
    }
};

} // namespace

std::unique_ptr<pass::Pass> createJoinProducts() { return std::make_unique<JoinProducts>(); }

} // namespace sdfgc::transforms
