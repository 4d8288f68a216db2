// SD2158, SD2159: the arguments of a call match the function's parameters, kernels are launched and other functions are called, and
// a kernel uses nothing that only the host has: no state, no allocation of memory, no queued operation.
#include "Rules.h"

#include <algorithm>

namespace sdfgc::tree::rules {
namespace {

class Calls {
public:
    explicit Calls(Report &r) : r_(r), device_(r.f.kernel || r.f.device) {}

    void run() {
        if (device_ && r_.f.needsState)
            r_.fault(diag::Id::TreeKernel, r_.f.body, r_.f.name.str(), "the state of the program");
        indices();
        body(r_.f.body);
    }

private:
    /// Indices that a launch chooses the type of: integers of kernels that name this type, bounded in parameters.
    void indices() {
        const bool hasType = r_.f.kernel && r_.f.kernel->index;
        for (const Variable &v : r_.f.vars)
            if (v.isIndex && (!hasType || v.kind != VarKind::Value || v.type != Type(ScalarKind::Int64)))
                r_.fault(diag::Id::TreeKernel, r_.f.body, r_.f.name.str(),
                         "`" + v.name.str() + "` as an index, which it cannot be");
        if (!hasType)
            return;
        for (const Name n : r_.f.kernel->range.freeSymbols())
            if (std::none_of(r_.f.params.begin(), r_.f.params.end(), [&](VarId p) { return r_.var(p).name == n; }))
                r_.fault(diag::Id::TreeKernel, r_.f.body, r_.f.name.str(),
                         "`" + n.str() + "`, which is not a parameter, to bound its indices");
    }
    void body(const Block &b) {
        for (const NodePtr &n : b.body) {
            check(*n);
            forEachBlock(std::as_const(*n), [this](const Block &inner) { body(inner); });
        }
    }
    void check(const Node &n) {
        if (const auto *c = dyn_cast<Call>(&n))
            call(n, *r_.m.functions[c->function], c->arguments, false);
        else if (const auto *l = dyn_cast<Launch>(&n))
            call(n, *r_.m.functions[l->function], l->arguments, true);
        if (!device_)
            return;
        if (isOfHost(n.kind))
            r_.fault(diag::Id::TreeKernel, n, r_.f.name.str(), "`" + std::string(keyword(n.kind)) + "`, a host statement");
        forEachVariable(r_.f, n, [&](VarId v) {
            const Variable &x = r_.var(rootOf(r_.f, v));
            if (isOfHost(x.kind))
                r_.fault(diag::Id::TreeKernel, n, r_.f.name.str(), "`" + x.name.str() + "`, which is on the host");
        });
    }
    static bool isOfHost(TreeKind k) {
        switch (k) {
        case TreeKind::Launch:
        case TreeKind::DeviceCopy:
        case TreeKind::DeviceFill:
        case TreeKind::Synchronise:
        case TreeKind::EventRecord:
        case TreeKind::EventWait:
        case TreeKind::Release:
        case TreeKind::Consume:
        case TreeKind::Measure:
        case TreeKind::DataProbe:
            return true;
        default:
            return false;
        }
    }
    /// (A heap array of a kernel is on the device's heap, and may be allocated there.)
    static bool isOfHost(VarKind k) { return k == VarKind::StateField || k == VarKind::Stream || isDeviceOwned(k); }

    void call(const Node &n, const Function &callee, const std::vector<Call::Argument> &arguments, bool launch) {
        auto fault = [&](const std::string &what) { r_.fault(diag::Id::TreeCall, n, callee.name.str(), what); };
        if (launch != callee.kernel.has_value())
            fault(launch ? "is not a kernel" : "is a kernel and must be launched");
        if (device_ && !callee.device)
            fault("is a host function");
        if (callee.needsState && !r_.f.needsState)
            fault("requires the program's state, which `" + r_.f.name.str() + "` does not have");
        if (arguments.size() != callee.params.size())
            return fault("takes " + std::to_string(callee.params.size()) + " arguments, not " + std::to_string(arguments.size()));
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            const Variable &p = callee.vars[callee.params[i]];
            if (!arguments[i].ref && !arguments[i].expr && p.kind != VarKind::Value && p.kind != VarKind::Callback)
                fault("takes memory for `" + p.name.str() + "`, not a size");
            if (launch && p.kind != VarKind::Value && p.kind != VarKind::Pointer)
                fault("takes `" + p.name.str() + "`, which is neither a value nor an address");
        }
    }

    Report &r_;
    const bool device_;
};

} // namespace

void calls(Report &r) { Calls(r).run(); }

} // namespace sdfgc::tree::rules
