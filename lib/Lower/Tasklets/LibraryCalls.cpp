// Calls of libraries.
#include "LibraryCalls.h"

#include "Lower/Expressions/Expressions.h"
#include "Lower/Expressions/Symbols.h"
#include "Lower/Flow/Loops.h"
#include "Lower/Memory/Elements.h"

#include "sdfgc/Analysis/Device/Async.h"
#include "sdfgc/Analysis/LibraryCalls.h"
#include "sdfgc/Analysis/Verify.h"

#include <algorithm>

namespace sdfgc::tree::lowering {

using analysis::LibraryArgument;

namespace {

/// Lowers one call, whose loops have already been added.
class CallLowering {
public:
    CallLowering(Instance &in, const ir::Tasklet &t, const TaskletConnections &connections, const analysis::LibraryCall &call)
        : in_(in), t_(t), connections_(connections), call_(call) {}

    std::unique_ptr<LibraryCall> lower() {
        auto node = std::make_unique<LibraryCall>();
        node->comment = "tasklet " + t_.label;
        node->function = platform::spelled(*call_.environment, call_.function);
        in_.function().needsState |= node->function.starts_with("__state->");
        if (const Connection *c = connections_.output(call_.result))
            node->result = elementAt(in_, c->place, c->start);
        for (const LibraryArgument &a : call_.arguments)
            node->arguments.push_back(argument(a));
        if (call_.environment->side == platform::Environment::Side::Device && !in_.fn->device.inside) {
            node->stream = analysis::streamOf(t_);
            in_.usesStream(node->stream);
        }
        return node;
    }

private:
    LibraryCall::Argument argument(const LibraryArgument &a) {
        LibraryCall::Argument out;
        switch (a.kind) {
        case LibraryArgument::Memory:
            memory(a, out);
            break;
        case LibraryArgument::ByAddress:
            out.byAddress = true;
            out.value = value(a.value);
            break;
        case LibraryArgument::Value:
            out.value = value(a.value);
            break;
        case LibraryArgument::Word:
            out.word = a.word;
            break;
        case LibraryArgument::Made:
            out.value = made(a);
            break;
        }
        return out;
    }

    /// The expression for a library function applied to the arguments.
    py::ExprRef made(const LibraryArgument &a) {
        std::vector<py::ExprRef> parts;
        for (const LibraryArgument &part : a.parts) {
            const LibraryCall::Argument p = argument(part);
            parts.push_back(p.ref     ? memRef(p.ref, Type::pointer(in_.function().vars[in_.function().refs[p.ref].var].type))
                            : p.value ? p.value
                                      : py::raw(p.word));
        }
        return py::call(Name(platform::makerOf(*call_.environment, a.name.view())), std::move(parts));
    }

    void memory(const LibraryArgument &a, LibraryCall::Argument &out) {
        const Connection *output = connections_.output(a.name);
        const Connection &c = output ? *output : *connections_.input(a.name);
        sym::Expr start = c.start;
        if (a.value) {
            const sym::ParseResult offset = sym::parse(py::print(*a.value));
            if (!offset.expr)
                in_.error(diag::Id::BadCode, analysis::placeOf(t_), "`" + py::print(*a.value) + "` is not an integer offset");
            else
                start += inVariables(in_, *offset.expr);
        }
        out.ref = addressAt(in_, c.place, start);
        if (c.type != c.place.type)
            in_.function().refs[out.ref].castTo = c.type;
        const bool readsOnly = call_.environment->inputs == platform::Environment::Inputs::Const;
        out.isConst = in_.function().vars[c.place.var].isConst || (!output && readsOnly);
    }

    py::ExprRef value(const py::ExprRef &e) {
        if (e->kind == py::ExprKind::Name)
            if (const Connection *c = connections_.input(e->name))
                return readOf(in_, *c);
        return expression(in_, e, analysis::placeOf(t_), semantics(in_));
    }

    Instance &in_;
    const ir::Tasklet &t_;
    const TaskletConnections &connections_;
    const analysis::LibraryCall &call_;
};

/// The feature of a connector that a call does not support; empty if it supports all.
std::string unsuitable(const analysis::LibraryCall &call, const TaskletConnections &connections) {
    for (const auto *list : {&connections.inputs, &connections.outputs})
        for (const Connection &c : *list)
            if (c.stream || c.setsReference || c.wcr)
                return "connector `" + c.conn.str() + "` is a queue, a reference or has conflict resolution";
    const Connection *result = connections.output(call.result);
    return result && result->pointer ? "connector `" + call.result.str() + "` receives a value but is a pointer" : "";
}

} // namespace

void lowerLibraryCall(Instance &in, const ir::Tasklet &t, const TaskletConnections &connections, Block &out) {
    std::string why;
    const std::optional<analysis::LibraryCall> call = analysis::libraryCall(t, why);
    if (!call)
        return in.error(diag::Id::BadCode, analysis::placeOf(t), why);
    if (why = unsuitable(*call, connections); !why.empty())
        return in.error(diag::Id::LowerUnsupported, analysis::placeOf(t), "a library call whose " + why, "");
    checkPointers(in, connections, out);
    SymbolScope symbols(in);
    in.fn->names.open();
    Block *at = &out;
    for (const analysis::LibraryCall::Loop &l : call->loops) {
        const sym::ParseResult count = sym::parse(py::print(*l.count));
        if (!count.expr)
            return in.error(diag::Id::BadCode, analysis::placeOf(t), "`" + py::print(*l.count) + "` is not an integer number");
        For &loop = countingLoop(in, l.variable, inVariables(in, *count.expr), *at);
        symbols.define(l.variable, loop.var);
        at = &loop.body;
    }
    at->body.push_back(CallLowering(in, t, connections, *call).lower());
    in.fn->names.close();
}

} // namespace sdfgc::tree::lowering
