#include "sdfgc/Analysis/LibraryCalls.h"

#include "sdfgc/Tasklet/Types.h"

namespace sdfgc::analysis {

namespace {

using py::ExprKind;

/// `cblas_ddot`, `gpuBlas.gemm`; empty for anything but a name.
std::string functionName(const py::Expr &callee) {
    if (callee.kind == ExprKind::Name)
        return callee.name.str();
    if (callee.kind == ExprKind::Attribute && callee.args[0]->kind == ExprKind::Name)
        return callee.args[0]->name.str() + "." + callee.name.str();
    return "";
}

class CallReader {
public:
    CallReader(const ir::Tasklet &t, std::string &why) : t_(t), why_(why) {}

    std::optional<LibraryCall> read() {
        const auto &code = t_.code.asBlock();
        if (!code.value)
            return refuse(code.error.message);
        const std::vector<py::StmtRef> *at = &*code.value;
        while (at->size() == 1 && at->front()->kind == py::StmtKind::For) {
            if (!loop(*at->front()))
                return refuse("a loop around a library call counts over `range(n)`");
            at = &at->front()->body;
        }
        if (at->size() != 1)
            return refuse("a library call is one statement");
        return call(*at->front()) ? std::optional(std::move(call_)) : std::nullopt;
    }

private:
    std::nullopt_t refuse(std::string why) {
        why_ = std::move(why);
        return std::nullopt;
    }

    bool loop(const py::Stmt &s) {
        const py::Expr &range = *s.value;
        if (s.targets[0]->kind != ExprKind::Name || range.kind != ExprKind::Call || range.args.size() != 2 ||
            functionName(*range.args[0]) != "range")
            return false;
        call_.loops.push_back({s.targets[0]->name, range.args[1]});
        return true;
    }

    bool call(const py::Stmt &s) {
        const bool assigns = s.kind == py::StmtKind::Assign && s.targets.size() == 1 && s.targets[0]->kind == ExprKind::Name;
        if ((!assigns && s.kind != py::StmtKind::ExprStmt) || s.value->kind != ExprKind::Call || !s.value->keywords.empty()) {
            why_ = "a library call is `function(arguments)` or `connector = function(arguments)`";
            return false;
        }
        if (assigns)
            call_.result = s.targets[0]->name;
        if (assigns && !t_.outConnector(call_.result)) {
            why_ = "`" + call_.result.str() + "` is not an output connector";
            return false;
        }
        call_.function = functionName(*s.value->args[0]);
        call_.environment = platform::environmentOfCall(call_.function);
        if (!call_.environment) {
            why_ = "`" + call_.function + "` is not a library function that sdfgc knows";
            return false;
        }
        for (std::size_t i = 1; i < s.value->args.size(); ++i)
            call_.arguments.push_back(argument(s.value->args[i]));
        return true;
    }

    /// A pointer connector, alone or plus an offset.
    const py::Expr *pointer(const py::Expr &e) const {
        const py::Expr *first = &e;
        while (first->kind == ExprKind::Binary && first->op == py::Op::Add)
            first = first->args[0].get();
        if (first->kind != ExprKind::Name)
            return nullptr;
        const ir::Connector *c = t_.inConnector(first->name);
        if (!c)
            c = t_.outConnector(first->name);
        return c && c->type.isPointer() ? first : nullptr;
    }

    LibraryArgument argument(const py::ExprRef &e) const {
        LibraryArgument a;
        const bool calls = e->kind == ExprKind::Call && e->keywords.empty() && e->args[0]->kind == ExprKind::Name;
        if (e->kind == ExprKind::String) {
            a.kind = LibraryArgument::Word;
            a.word = e->text;
        } else if (const py::Expr *memory = pointer(*e)) {
            a.kind = LibraryArgument::Memory;
            a.name = memory->name;
            if (memory != e.get())
                a.value = py::substitute(e, {{a.name, py::intLit(0)}});
        } else if (calls && e->args[0]->name == Name("by_address") && e->args.size() == 2) {
            a.kind = LibraryArgument::ByAddress;
            a.value = e->args[1];
        } else if (calls && call_.environment && !platform::makerOf(*call_.environment, e->args[0]->name.view()).empty()) {
            a.kind = LibraryArgument::Made;
            a.name = e->args[0]->name;
            for (std::size_t i = 1; i < e->args.size(); ++i)
                a.parts.push_back(argument(e->args[i]));
        } else {
            a.value = e;
        }
        return a;
    }

    const ir::Tasklet &t_;
    std::string &why_;
    LibraryCall call_;
};

} // namespace

std::optional<LibraryCall> libraryCall(const ir::Tasklet &t, std::string &why) { return CallReader(t, why).read(); }

bool LoopsAroundLibraries::enclose(const ir::State &s) const {
    for (const ir::Region *r = s.parent(); r;) {
        if (loops_.count(r))
            return true;
        const ir::SDFG *g = r->parent() ? nullptr : r->sdfg();
        r = !g ? r->parent() : g->parentNode ? g->parentNode->state()->parent() : nullptr;
    }
    return false;
}

void LoopsAroundLibraries::find(const ir::SDFG &g, const std::vector<const ir::Region *> &around) {
    for (const ir::State *s : allStates(g)) {
        std::vector<const ir::Region *> loops = around;
        for (const ir::Region *r = s->parent(); r; r = r->parent())
            if (isa<ir::LoopRegion>(r))
                loops.push_back(r);
        for (const auto &n : s->nodes()) {
            const auto *t = dyn_cast<ir::Tasklet>(n.get());
            if (t && t->code.language() == ir::Language::Library)
                loops_.insert(loops.begin(), loops.end());
            if (const auto *nested = dyn_cast<ir::NestedSDFGNode>(n.get()); nested && nested->sdfg)
                find(*nested->sdfg, loops);
        }
    }
}

} // namespace sdfgc::analysis
