#include "sdfgc/Support/Name.h"

#include <deque>
#include <mutex>
#include <unordered_map>

namespace sdfgc {
namespace {

struct Pool {
    std::mutex lock;
    std::deque<std::string> texts; // stable addresses
    std::unordered_map<std::string_view, const std::string *> index;
};

Pool &pool() {
    static Pool *instance = new Pool; // lives as long as the process, since names are bare pointers
    return *instance;
}

} // namespace

const std::string *Name::emptyText() {
    static const std::string *empty = intern("");
    return empty;
}

const std::string *Name::intern(std::string_view text) {
    Pool &p = pool();
    std::lock_guard guard(p.lock);
    if (auto it = p.index.find(text); it != p.index.end())
        return it->second;
    const std::string &stored = p.texts.emplace_back(text);
    p.index.emplace(stored, &stored);
    return &stored;
}

} // namespace sdfgc
