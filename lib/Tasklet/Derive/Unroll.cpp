// Loops over short constant ranges, written out.
#include "Tasklet/Derive/Steps.h"
#include "Tasklet/Infer.h"

namespace sdfgc::py::detail {

namespace {

constexpr int64_t longest = 16; // iterations

struct Range {
    int64_t begin = 0, end = 0, step = 1;
    int64_t count() const {
        if (step == 0)
            return 0;
        const int64_t span = step > 0 ? end - begin : begin - end;
        return span <= 0 ? 0 : (span + std::abs(step) - 1) / std::abs(step);
    }
};

std::optional<Range> constantRange(const Expr &e) {
    if (!isRange(e))
        return std::nullopt;
    std::vector<int64_t> bounds;
    for (std::size_t k = 1; k < e.args.size(); ++k) {
        const auto v = intValue(*e.args[k]);
        if (!v || std::abs(*v) > (int64_t(1) << 32))
            return std::nullopt;
        bounds.push_back(*v);
    }
    if (bounds.size() == 1)
        return Range{0, bounds[0], 1};
    return Range{bounds[0], bounds[1], bounds.size() > 2 ? bounds[2] : 1};
}

void appendLoop(const Stmt &loop, std::vector<StmtRef> &out) {
    const auto range = constantRange(*loop.value);
    if (!range || range->step == 0 || loop.targets[0]->kind != ExprKind::Name)
        refuseConstruct("a `for` loop over anything but a constant range", loop.at);
    if (range->count() > longest)
        refuseConstruct("a `for` loop of more than " + std::to_string(longest) + " iterations", loop.at);
    const Name variable = loop.targets[0]->name;
    if (blockNames(loop.body).written.count(variable))
        refuseConstruct("a `for` loop that assigns its own variable", loop.at);
    for (int64_t k = 0; k < range->count(); ++k) {
        const ExprRef value = intLit(range->begin + k * range->step);
        const auto body = unrolled(substitute(loop.body, {{variable, value}}));
        out.insert(out.end(), body.begin(), body.end());
        if (k + 1 == range->count()) // later code may read it
            out.push_back(assign(loop.targets[0], value));
    }
}

} // namespace

std::vector<StmtRef> unrolled(const std::vector<StmtRef> &block) {
    std::vector<StmtRef> out;
    for (const StmtRef &s : block) {
        if (s->kind == StmtKind::For) {
            appendLoop(*s, out);
        } else if (s->kind == StmtKind::If) {
            Stmt copy = *s;
            copy.body = unrolled(s->body);
            copy.orelse = unrolled(s->orelse);
            out.push_back(std::make_shared<const Stmt>(std::move(copy)));
        } else {
            out.push_back(s);
        }
    }
    return out;
}

} // namespace sdfgc::py::detail
