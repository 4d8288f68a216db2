// Structures as arguments: their members are arguments of their own, which the call brings together.
#include "sdfgc/Run/Arguments.h"
#include "sdfgc/Types/Layout.h"

#include <cstring>

namespace sdfgc::run {
namespace {

void addMembers(const tree::Param &p, std::vector<tree::Param> &out) {
    if (!p.desc || !p.desc->isStructure())
        return;
    for (const auto &[name, desc] : p.desc->members) {
        tree::Param member = p;
        member.name = member.cName = Name(p.name.str() + "." + name.str());
        member.type = desc->dtype;
        member.desc = std::shared_ptr<const ir::DataDesc>(p.desc, desc.get());
        out.push_back(member);
        addMembers(member, out);
    }
}

} // namespace

std::vector<tree::Param> withMembers(const tree::Module &interface) {
    std::vector<tree::Param> out;
    for (const auto *list : {&interface.params, &interface.init})
        for (const tree::Param &p : *list) {
            out.push_back(p);
            addMembers(p, out);
        }
    return out;
}

void link(const Arguments &arguments, const std::vector<char *> &memory) {
    for (std::size_t k = arguments.all.size(); k-- > 0;) // members follow their structure, and may be structures
        for (const Field &f : arguments.all[k].fields) {
            const Argument &member = arguments.all[f.argument];
            char *const to = memory[k] + f.offset, *const from = member.isNull ? nullptr : memory[f.argument];
            if (f.isPointer)
                std::memcpy(to, &from, sizeof from);
            else
                std::memcpy(to, from, member.data.size());
        }
}

void unlink(const Arguments &arguments, const std::vector<char *> &memory) {
    for (std::size_t k = 0; k < arguments.all.size(); ++k) {
        const Argument &a = arguments.all[k];
        for (const Field &f : a.fields)
            if (!f.isPointer)
                std::memcpy(memory[f.argument], memory[k] + f.offset, arguments.all[f.argument].data.size());
        if (a.isStructure && memory[k])
            std::memset(memory[k], 0, a.data.size());
    }
}

} // namespace sdfgc::run
