// What kernels in OpenCL C cannot contain. It is found before anything is printed, so that no compiler has to find it.
#include "sdfgc/CodeGen/OpenClPrinter.h"

#include "OpenClBlocks.h"

#include "sdfgc/Tree/Fence.h"
#include "sdfgc/Tree/Walk.h"

#include <algorithm>

namespace sdfgc::codegen {

using namespace tree;

namespace {

/// Can a compare-and-swap replace the structure? Not if there are bytes between its fields, which could have any value.
bool isOneWord(Type t) {
    int64_t end = 0;
    for (const auto &[name, field] : t.fields()) {
        const int64_t bytes = field.isScalar() && !field.isComplex() ? field.bytes().value_or(0) : 0;
        if (bytes == 0 || end % bytes != 0)
            return false;
        end += bytes;
    }
    return end == 8;
}

class Refusals {
public:
    Refusals(const Module &m, const OpenClVariant &variant)
        : f_(*m.functions[variant.function]), spaces_(openClSpaces(f_, variant.spaces)) {}

    std::string first() {
        if (f_.kernel && f_.kernel->persistent)
            note("a kernel whose blocks wait for each other (schedule GPU_Persistent)");
        if (spaces_.conflict)
            note("a pointer to memory of several kinds, `" + f_.vars[spaces_.conflict].name.str() + "`");
        for (const VarId p : f_.params)
            variable(f_.vars[p]);
        for (const MemRef &r : f_.refs)
            if (r.castTo && !py::isOpenClType(r.castTo))
                note("a value of type " + r.castTo.str());
        block(f_.body);
        return why_;
    }

private:
    void note(const std::string &what) {
        if (why_.empty())
            why_ = what;
    }
    void variable(const Variable &v) {
        switch (v.kind) {
        case VarKind::Value:
        case VarKind::Stack:
        case VarKind::Pointer:
        case VarKind::Reference:
        case VarKind::Constant:
            break;
        case VarKind::Shared:
            if (!f_.kernel)
                note("memory of the block in a function that kernels call, `" + v.name.str() + "`");
            if (!v.count.asInt())
                note("memory of the block whose size is not known, `" + v.name.str() + "`");
            break;
        case VarKind::Stream:
        case VarKind::StreamRef:
        case VarKind::StreamView:
            note("the stream `" + v.name.str() + "` in a kernel");
            break;
        case VarKind::StructPtr:
        case VarKind::Member:
            note("the structure `" + v.name.str() + "` in a kernel");
            break;
        case VarKind::Callback:
            note("the callback `" + v.name.str() + "` in a kernel");
            break;
        default:
            note("memory that a kernel allocates, `" + v.name.str() + "`");
        }
        if (!py::isOpenClType(v.type) || (v.kind == VarKind::Constant && (py::isOpenClStruct(v.type) || v.type.isStruct())))
            note("`" + v.name.str() + "` of type " + v.type.str() + " in a kernel");
    }
    void value(const py::ExprRef &e) {
        if (!e || !why_.empty())
            return;
        note(py::whyNotOpenCl(*e));
        forEachMemRef(*e, [this](RefId r) { variable(f_.vars[f_.refs[r].var]); });
    }
    void lambda(const py::ExprRef &e) {
        if (e && e->kind == py::ExprKind::Lambda && e->params.size() == 2)
            value(e->args[0]);
        else
            note("an update by a function that is not an expression");
    }
    void code(const py::Stmt &s) {
        using py::StmtKind;
        if (s.kind == StmtKind::Raw)
            note("code in C++ in a kernel");
        if (s.kind == StmtKind::Assert)
            note("`assert` in a kernel");
        if (s.kind == StmtKind::Return && s.value)
            note("`return` in a tasklet");
        forEachExpr(s, [this](const py::Expr &e) {
            note(py::whyNotOpenCl(e));
            forEachMemRef(e, [this](RefId r) { variable(f_.vars[f_.refs[r].var]); });
        });
    }
    void update(const Update &u) {
        using py::Reduction;
        const bool isCustom =
            u.reduction == Reduction::Custom || u.reduction == Reduction::MinLocation || u.reduction == Reduction::MaxLocation;
        if (isCustom)
            lambda(u.lambda);
        const Type type = f_.refs[u.target].castTo ? f_.refs[u.target].castTo : f_.vars[f_.refs[u.target].var].type;
        const bool isPlain = !u.atomic && !u.byBlock;
        const bool isOrder = u.reduction == Reduction::Min || u.reduction == Reduction::Max;
        const bool isArithmetic = u.reduction == Reduction::Sum || u.reduction == Reduction::Sub ||
                                  u.reduction == Reduction::Product || u.reduction == Reduction::Div ||
                                  (isOrder && !type.isComplex());
        if (type.isStruct() && (!isCustom || (u.atomic && !isOneWord(type))))
            note("an update of the structure " + type.str() + (isCustom ? " of other than 8 bytes" : "") + " in a kernel");
        const bool isWide = type.isComplex() || (type.isVector() && type.lanes() != 1);
        const bool isKnown = isCustom ? !u.atomic || !isWide : py::hasOpenClUpdate(u.reduction, type) || (isPlain && isArithmetic);
        if (!isKnown)
            note("an update of " + type.str() + " by `" + std::string(py::reductionName(u.reduction)) + "` in a kernel");
    }
    void statement(const Node &n) {
        if (const auto *d = dyn_cast<Declare>(&n)) {
            variable(f_.vars[d->var]);
            value(d->init);
        } else if (const auto *c = dyn_cast<Code>(&n); c && !isFence(*c)) {
            for (const auto &[name, type] : c->locals)
                if (!py::isOpenClType(type))
                    note("`" + name.str() + "` of " + (type ? "type " + type.str() : "a type that is not known") + " in a kernel");
            for (const py::StmtRef &s : c->stmts)
                code(*s);
        } else if (const auto *u = dyn_cast<Update>(&n)) {
            value(u->value);
            variable(f_.vars[f_.refs[u->target].var]);
            for (const py::ExprRef &i : u->targetIndices)
                value(i);
            update(*u);
        } else if (const auto *b = dyn_cast<Barrier>(&n); b && b->ofGrid) {
            note("a kernel whose blocks wait for each other (schedule GPU_Persistent)");
        } else if (const auto *i = dyn_cast<If>(&n)) {
            for (const If::Branch &branch : i->branches)
                value(branch.condition);
        } else if (const auto *l = dyn_cast<Loop>(&n)) {
            value(l->condition);
            for (const py::StmtRef &s : {l->init, l->update})
                if (s)
                    code(*s);
        } else if (const auto *call = dyn_cast<LibraryCall>(&n); call && combinesInBlock(*call) && f_.kernel && call->result) {
            variable(f_.vars[f_.refs[call->result].var]);
            combination(*call);
            for (const LibraryCall::Argument &a : call->arguments)
                value(a.value);
        } else if (const auto *t = dyn_cast<RawTasklet>(&n)) {
            if (!copyTasklet(*t))
                note("a tasklet in C++ in a kernel");
        } else if (const auto *f = dyn_cast<Fill>(&n)) {
            value(f->value);
        } else {
            kind(n.kind);
        }
    }
    /// Structures are summed by the threads of a block, and combined in no other way.
    void combination(const LibraryCall &call) {
        const Type type = f_.vars[f_.refs[call.result].var].type;
        const std::string &operation = call.arguments[1].word;
        if (type.isStruct() || (py::isOpenClStruct(type) && operation.find("::Sum(") == std::string::npos))
            note("a combination of " + type.str() + " by the threads of a block");
    }
    void kind(TreeKind k) {
        switch (k) {
        case TreeKind::LibraryCall:
            return note("a call of a library in a kernel");
        case TreeKind::StreamPush:
        case TreeKind::StreamPop:
        case TreeKind::Consume:
            return note("a stream in a kernel");
        case TreeKind::Allocate:
            return note("memory that a kernel allocates");
        default:
            return;
        }
    }
    void block(const Block &b) {
        for (const NodePtr &n : b.body) {
            statement(*n);
            forEachBlock(std::as_const(*n), [this](const Block &inner) { block(inner); });
        }
    }

    const Function &f_;
    const OpenClSpaces spaces_;
    std::string why_;
};

} // namespace

std::optional<OpenClRefusal> openClRefusal(const Module &m) {
    for (const auto &f : m.functions)
        if (f->graph)
            return OpenClRefusal{"the GPU graph `" + f->name.str() + "`", f->name.str()};
    for (const OpenClVariant &variant : openClVariants(m))
        if (std::string why = Refusals(m, variant).first(); !why.empty())
            return OpenClRefusal{std::move(why), m.functions[variant.function]->name.str()};
    return std::nullopt;
}

} // namespace sdfgc::codegen
