#include "sdfgc/Support/BuildId.h"

#include "sdfgc/Support/File.h"
#include "sdfgc/Support/Hash.h"
#include "sdfgc/Support/Resources.h"

#include <cstdint>
#include <cstring>

#include <elf.h>
#include <link.h>

namespace sdfgc {
namespace {

/// The build id in a segment of notes: each has a header, a name and a description, padded to multiples of four bytes.
std::string idIn(const char *at, std::size_t size) {
    const auto padded = [](std::size_t n) { return (n + 3) & ~std::size_t{3}; };
    ElfW(Nhdr) head;
    while (size >= sizeof head) {
        std::memcpy(&head, at, sizeof head);
        const std::size_t name = padded(head.n_namesz), length = sizeof head + name + padded(head.n_descsz);
        if (length > size)
            break;
        if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 && std::memcmp(at + sizeof head, "GNU", 4) == 0)
            return {at + sizeof head + name, head.n_descsz};
        at += length;
        size -= length;
    }
    return "";
}

struct CodeSearch {
    std::uintptr_t code; // an address in the wanted object
    std::string id;
};

/// Called for each loaded object, the executable and shared libraries, until it returns 1.
int readObject(::dl_phdr_info *object, std::size_t, void *data) {
    auto &search = *static_cast<CodeSearch *>(data);
    bool isWanted = false;
    std::string id;
    for (int i = 0; i < object->dlpi_phnum; ++i) {
        const ElfW(Phdr) &segment = object->dlpi_phdr[i];
        const std::uintptr_t start = object->dlpi_addr + segment.p_vaddr;
        isWanted = isWanted || (segment.p_type == PT_LOAD && start <= search.code && search.code - start < segment.p_memsz);
        if (segment.p_type == PT_NOTE && id.empty())
            id = idIn(reinterpret_cast<const char *>(start), segment.p_memsz);
    }
    if (isWanted)
        search.id = std::move(id);
    return isWanted ? 1 : 0;
}

} // namespace

std::string buildId() {
    CodeSearch search{reinterpret_cast<std::uintptr_t>(&buildId), ""};
    ::dl_iterate_phdr(readObject, &search);
    if (!search.id.empty())
        return hashOf(search.id).hex();
    const Result<std::string> content = file::readRegular(executablePath());
    return content ? hashOf(*content).hex() : "";
}

} // namespace sdfgc
