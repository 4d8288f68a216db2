// Python code of a tasklet.
#include "TaskletPython.h"

#include "Lower/Expressions/Expressions.h"
#include "TaskletBinding.h"
#include "TaskletNames.h"
#include "TaskletPlan.h"
#include "TaskletStatements.h"
#include "TaskletStores.h"

#include "sdfgc/Analysis/Memory/Connectors.h"

#include <algorithm>

namespace sdfgc::tree::lowering {

using py::StmtRef;

namespace {

/// Types of the names in the code: connectors, then names visible around the tasklet.
py::Env environmentOf(const Instance &in, const TaskletConnections &connections) {
    py::Env env = environment(in);
    auto outer = env.typeOf;
    env.typeOf = [&connections, outer](Name n) -> std::optional<Type> {
        if (const Connection *c = connections.output(n))
            return c->type;
        if (const Connection *c = connections.input(n))
            return c->pointer && !c->single ? Type::pointer(c->type) : c->type;
        return outer(n);
    };
    return env;
}

/// The kind of a store to a name, for updates of several elements in one statement.
py::Store storeOf(const TaskletConnections &connections, Name n) {
    const Connection *c = connections.output(n);
    if (!c || !c->isSpecial())
        return py::Store::Plain;
    if (!c->wcr)
        return py::Store::Other;
    return c->dynamic ? py::Store::DynamicUpdate : py::Store::Update;
}

/// Statements without declarations are merged into the surrounding block.
void land(const ir::Tasklet &t, std::unique_ptr<Block> block, Block &out) {
    block->comment = "tasklet " + t.label;
    bool declares =
        std::any_of(block->body.begin(), block->body.end(), [](const NodePtr &n) { return n->kind == TreeKind::Declare; });
    if (declares || block->body.size() > 1) {
        block->braces = declares;
        out.body.push_back(std::move(block));
    } else if (!block->body.empty()) {
        block->body[0]->comment = block->comment;
        out.body.push_back(std::move(block->body[0]));
    }
}

} // namespace

void lowerPython(Instance &in, const ir::Tasklet &t, TaskletConnections &connections, std::vector<StmtRef> code, Block &out) {
    const analysis::SeveralElements several(t);
    const std::vector<StmtRef> written = code;
    std::erase_if(code, [&](const StmtRef &s) { return several.isRebinding(*s, written); });
    if (code.empty())
        return;
    const py::Env env = environmentOf(in, connections);
    code = renameLambdaParameters(py::resolveModules(code, env));
    code = py::splitChainedUpdates(code, [&](Name n) { return storeOf(connections, n); });
    in.fn->names.open();
    auto block = std::make_unique<Block>();
    TaskletPlan plan(in, connections, *block);
    plan.make(code);
    TaskletBinding binding(in, t, connections, plan.olds());
    code = binding.typed(binding.bind(code), env);
    TaskletStatements(in, t, connections, binding, plan.olds()).emit(code, *block);
    for (const Connection &c : connections.outputs)
        if (c.local && !c.keepsOld)
            store(in, c, in.varName(c.local), *block);
    in.fn->names.close();
    land(t, std::move(block), out);
}

} // namespace sdfgc::tree::lowering
