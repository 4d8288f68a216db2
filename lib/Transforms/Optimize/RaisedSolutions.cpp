// Systems of equations in a loop with products, as batches.
//
//     for b {                          map[b = 0:N, i, j] { F'[b, i, j] = A[i, j] }
//         X = solve(A, B)              F', P' = getrf(F')                                     of all iterations
//     }                           ->   map[b = 0:N, i, j] { X'[b, i, j] = B[i, j] }
//                                      X' = getrs(F', P', X')
//
// An inverse is Getri instead of Getrs. The matrices lie by columns, as libraries for devices need them, so nothing is copied around the calls. A matrix that
// only this step uses once it is complete is factored in place of F.
//
// Legal when all operands are plain arrays of the same type, which LAPACK knows, and the matrix has more than one row. An
// iteration whose matrix is singular has the same result as before.
#include "Transforms/Optimize/RaisedLoop.h"

#include "sdfgc/Analysis/Indexing.h"
#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Nest/Build.h"

#include <algorithm>

namespace sdfgc::transforms {

using namespace ir;
using diag::Reason;
using diag::Why;
using nest::Item;
using nest::Map;
using nest::Use;
using nest::UseKind;

/// The operands of X = A^-1 B, or of an inverse, which has no B.
struct RaisedLoop::System {
    std::optional<Use> matrix, right, result;
};

bool isSystem(const LibraryNode &n) { return analysis::has(n, analysis::Trait::System); }

bool isSystem(const nest::Step &s) {
    const auto *n = s.nodes.size() == 1 ? dyn_cast<LibraryNode>(s.nodes.front()) : nullptr;
    return n && isSystem(*n);
}

namespace {

std::vector<sym::Expr> sizesOf(const Use &u) {
    std::vector<sym::Expr> out;
    for (const std::size_t k : u.subset->nonUnitDims())
        out.push_back(u.subset->dims[k].size());
    return out;
}

} // namespace

Reason RaisedLoop::readMatrix(const nest::Step &s, const char *connector, bool isWritten, std::optional<Use> &out) const {
    const auto found = std::find_if(s.uses.begin(), s.uses.end(),
                                    [&](const Use &u) { return u.connector == Name(connector) && u.writes() == isWritten; });
    if (found == s.uses.end())
        return {Why::Opaque, "the elements of an operand of `" + s.nodes.front()->label + "` in it are not known"};
    const Use u = nest::throughView(*found, g_);
    const DataDesc *d = g_.desc(u.data);
    if (!analysis::isPlain(d) || !analysis::isOnHost(d) || !u.subset || !u.access || u.memlet.dynamic || u.memlet.data != u.data ||
        u.kind == UseKind::Update)
        return {Why::Container, "the elements of `" + u.data.str() + "` are not those of a plain array"};
    for (const std::size_t k : u.subset->nonUnitDims())
        if (u.subset->dims[k].size().dependsOn(loop_.variable) || !u.subset->dims[k].tile.isOne())
            return {Why::Shape, "matrix `" + u.data.str() + "` changes its size"};
    out = u;
    return {};
}

Reason RaisedLoop::readSystem(const nest::Step &s, System &out) const {
    const auto &node = *cast<LibraryNode>(s.nodes.front());
    const bool isInverse = analysis::has(node, analysis::Trait::Inverts);
    const auto writes = [&](const char *connector) {
        return std::any_of(s.uses.begin(), s.uses.end(),
                           [&](const Use &u) { return u.writes() && u.connector == Name(connector); });
    };
    if (Reason why = readMatrix(s, "_ain", false, out.matrix))
        return why;
    if (Reason why = readMatrix(s, !isInverse ? "_bout" : writes("_aout") ? "_aout" : "_ain", true, out.result))
        return why;
    if (!isInverse)
        if (Reason why = readMatrix(s, "_bin", false, out.right))
            return why;
    const std::vector<sym::Expr> square = sizesOf(*out.matrix), result = sizesOf(*out.result);
    const std::string name = "`" + node.label + "` in it";
    if (square.size() != 2 || !(square[0] == square[1]) || result.empty() || !(result[0] == square[0]) ||
        (isInverse ? result != square : result != sizesOf(*out.right)))
        return {Why::Shape, "the operands of " + name + " are not known to have matching sizes"};
    const Type type = g_.desc(out.matrix->data)->dtype;
    const bool isKnown = type == Type(ScalarKind::Float32) || type == Type(ScalarKind::Float64) ||
                         type == Type(ScalarKind::Complex64) || type == Type(ScalarKind::Complex128);
    if (!isKnown || !(g_.desc(out.result->data)->dtype == type) || (out.right && !(g_.desc(out.right->data)->dtype == type)))
        return {Why::Library, "LAPACK has no " + name + " for these types"};
    return {};
}

/// Is it all of a container that is private to an iteration?
bool RaisedLoop::isAllOfLocal(const Use &u) const {
    const DataDesc &d = *g_.desc(u.data);
    return locals_.count(u.data) && *u.subset == d.fullSubset() && u.subset->nonUnitDims().size() == d.rank();
}

bool RaisedLoop::canFactorInPlace(const Use &matrix, std::size_t at) {
    if (!isAllOfLocal(matrix))
        return false;
    const std::vector<Item> &items = body_.items();
    const auto mentions = [&](const Item &i) {
        const std::vector<nest::PlacedUse> uses = nest::usesOf(i);
        return std::any_of(uses.begin(), uses.end(), [&](const nest::PlacedUse &u) {
            return u.use->data == matrix.data || !memories_.apart(u.use->place(), matrix.place());
        });
    };
    return std::count_if(items[at].step->uses.begin(), items[at].step->uses.end(),
                         [&](const Use &u) { return nest::throughView(u, g_).data == matrix.data; }) == 1 &&
           std::none_of(items.begin() + static_cast<std::ptrdiff_t>(at) + 1, items.end(), mentions);
}

/// A container for the values of an iteration.
Use RaisedLoop::made(const Use &like, std::string_view base, Type type, std::vector<sym::Expr> shape) {
    const Name name = body_.make(base, DataDesc::array(type, std::move(shape), true));
    locals_.insert(name);
    Use u = like;
    u.moveTo(name, memories_.of(g_, name));
    u.subset = g_.desc(name)->fullSubset();
    u.memlet = Memlet::simple(name, *u.subset);
    u.memlet.debugInfo = like.memlet.debugInfo;
    return u;
}

void RaisedLoop::addCopy(const Use &from, const Use &to) {
    Map m = emptyMap("copy_" + from.data.str());
    std::vector<sym::Expr> at;
    for (const std::size_t d : to.subset->nonUnitDims()) {
        m.params.push_back(parameter(m.params.size()));
        m.ranges.push_back({0, to.subset->dims[d].size() - 1, 1, 1});
        at.push_back(sym::Expr::symbol(m.params.back()));
    }
    Use read = nest::ofElement(from, nest::elementOf(*from.subset, at), Name("__inp")),
        written = nest::ofElement(to, nest::elementOf(*to.subset, at), Name("__out"));
    read.kind = UseKind::Read;
    written.kind = UseKind::Write;
    read.certain = false;
    written.certain = true;
    read.node = written.node = 0;
    m.body.push_back(nest::taskletStep(m.entry->label, "__out = __inp", {std::move(read)}, std::move(written), g_));
    parts_.emplace_back().item = {std::make_unique<Map>(std::move(m)), nullptr};
}

/// `operands`: connectors, which begin with `>` for outputs.
void RaisedLoop::addNode(const LibraryNode &like, const char *className, std::vector<std::pair<std::string, Use>> operands) {
    auto node = std::make_shared<LibraryNode>();
    node->label = node->name = like.label;
    node->classPath = className;
    node->schedule = like.schedule;
    node->debugInfo = like.debugInfo;
    if (like.implementation == "pure")
        node->implementation = like.implementation;
    auto step = std::make_unique<nest::Step>();
    step->nodes.push_back(node.get());
    for (auto &[connector, u] : operands) {
        const bool isWritten = connector.front() == '>';
        u.connector = Name(isWritten ? connector.substr(1) : connector);
        u.kind = isWritten ? UseKind::Write : UseKind::Read;
        u.certain = isWritten;
        u.node = 0;
        const Type pointer = Type::pointer(g_.desc(u.data)->dtype);
        isWritten ? node->addOut(u.connector, pointer) : node->addIn(u.connector, pointer);
        step->uses.push_back(std::move(u));
    }
    step->made = std::move(node);
    LoopPart &p = parts_.emplace_back();
    p.item = {nullptr, std::move(step)};
    p.isSolution = true;
}

Reason RaisedLoop::readSolution(std::size_t at) {
    const nest::Step &s = *body_.items()[at].step;
    const auto &node = *cast<LibraryNode>(s.nodes.front());
    System x;
    if (Reason why = readSystem(s, x))
        return why;
    const Type type = g_.desc(x.matrix->data)->dtype;
    const std::vector<sym::Expr> square = sizesOf(*x.matrix);
    const std::string base = x.matrix->data.str();
    const bool direct = isAllOfLocal(*x.result) && memories_.apart(x.matrix->place(), x.result->place()) &&
                        (!x.right || memories_.apart(x.right->place(), x.result->place()));
    const bool inPlace = canFactorInPlace(*x.matrix, at);
    const Use factors = !x.right && direct ? *x.result
                        : inPlace          ? *x.matrix
                                           : made(*x.matrix, base + "_factors", type, square),
              pivots = made(*x.matrix, base + "_pivots", ScalarKind::Int32, {square[0]});
    if (factors.data != x.matrix->data)
        addCopy(*x.matrix, factors);
    addNode(node, "dace.libraries.lapack.nodes.getrf.Getrf", {{"_xin", factors}, {">_xout", factors}, {">_ipiv", pivots}});
    Use solution = factors;
    if (x.right) {
        solution = direct ? *x.result : made(*x.result, x.result->data.str() + "_solution", type, sizesOf(*x.result));
        addCopy(*x.right, solution);
        addNode(node, "dace.libraries.lapack.nodes.getrs.Getrs",
                {{"_a", factors}, {"_ipiv", pivots}, {"_rhs_in", solution}, {">_rhs_out", solution}});
    } else {
        addNode(node, "dace.libraries.lapack.nodes.getri.Getri", {{"_xin", factors}, {"_ipiv", pivots}, {">_xout", factors}});
    }
    if (solution.data != x.result->data)
        addCopy(solution, *x.result);
    for (const Use *u : {&factors, &std::as_const(solution)})
        if (u->subset->rank() == 2)
            columns_.insert(u->data);
    return {};
}

Item RaisedLoop::ofAll(Item node) const {
    for (Use &u : node.step->uses) {
        const PerIteration &e = private_.at(u.data);
        u.moveTo(e.made, e.memory);
        u.subset = g_.desc(e.made)->fullSubset();
        const DebugInfo place = u.memlet.debugInfo;
        u.memlet = Memlet::simple(e.made, *u.subset);
        u.memlet.debugInfo = place;
    }
    return node;
}

} // namespace sdfgc::transforms
