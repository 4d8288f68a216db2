#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Analysis/Symbols/Symbols.h"
#include "sdfgc/Run/Arguments.h"

namespace sdfgc::run {
namespace {

std::vector<tree::Param> parameters(const std::vector<analysis::Argument> &list, const std::map<Name, analysis::Access> &access) {
    std::vector<tree::Param> out;
    for (const analysis::Argument &a : list) {
        tree::Param p;
        p.name = p.cName = a.name;
        p.type = a.type;
        if (a.desc)
            p.desc = std::make_shared<ir::DataDesc>(*a.desc);
        if (const auto found = access.find(a.name); found != access.end()) {
            p.read = found->second.read;
            p.written = found->second.written;
        }
        out.push_back(std::move(p));
    }
    return out;
}

} // namespace

tree::Module interfaceOf(const ir::SDFG &graph) {
    tree::Module m;
    m.name = graph.name;
    const analysis::ArgumentList list = analysis::argumentList(graph);
    const std::map<Name, analysis::Access> access = analysis::containerAccess(graph);
    m.params = parameters(list.program, access);
    m.init = parameters(list.init, access);
    for (const analysis::Argument &a : list.sizes)
        m.params.push_back({.name = a.name, .cName = a.name, .type = a.type, .onHandle = true});
    return m;
}

} // namespace sdfgc::run
