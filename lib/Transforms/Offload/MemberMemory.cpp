#include "Transforms/Offload/MemberMemory.h"

#include "Transforms/Edits/HostReads.h"
#include "Transforms/Offload/HandleSizes.h"

#include "sdfgc/Analysis/Symbols/Symbols.h"

namespace sdfgc::transforms {

using namespace ir;

std::set<Name> namesGiven(const SDFG &root) {
    std::set<Name> given;
    const analysis::ArgumentList arguments = analysis::argumentList(root);
    for (const auto *list : {&arguments.program, &arguments.init})
        for (const analysis::Argument &a : *list)
            given.insert(a.name);
    for (const auto &[name, value] : root.constants)
        given.insert(name);
    return given;
}

std::string sharedMemory(SDFG &root, const std::vector<MovedMember> &moved, const std::set<Name> &written,
                         analysis::Memories &memories) {
    struct Moved {
        Name name;
        analysis::Place place;
        bool isMember, isWritten;
    };
    std::vector<Moved> all;
    for (const MovedMember &m : moved)
        all.push_back({m.member, memories.placeOf(root, m.member), true, written.count(m.member) != 0});
    for (const auto &[name, d] : root.arrays)
        if (d.isArray() && !d.transient && !d.isView())
            all.push_back({name, memories.placeOf(root, name), false, writtenInDataflow(root, name)});
    for (const Moved &m : all)
        if (m.isMember && !m.place.member.fixed)
            return "the pointer of member `" + m.name.str() + "` changes";
    for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if ((all[i].isMember || all[j].isMember) && (all[i].isWritten || all[j].isWritten) &&
                !memories.apart(all[i].place, all[j].place))
                return "`" + all[j].name.str() + "` and `" + all[i].name.str() +
                       "` may share memory, and the program writes one of them";
    return "";
}

std::string unknownSizes(const SDFG &root, const std::vector<MovedMember> &moved, const std::set<Name> &known) {
    for (const MovedMember &m : moved) {
        const DataDesc &d = *root.arrays.find(m.container);
        if (d.isScalar())
            continue;
        if (hasUndefinedSize(d))
            return "the size of `" + m.member.str() + "` is undefined";
        if (std::string why = missingSize(m.member, d, known); !why.empty())
            return why;
    }
    return "";
}

} // namespace sdfgc::transforms
