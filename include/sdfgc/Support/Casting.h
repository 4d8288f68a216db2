// isa / cast / dyn_cast for class hierarchies with a kind (each class has `static bool classof(const Base *)`).
#pragma once

#include <cassert>

namespace sdfgc {

template <class To, class From> bool isa(const From *p) { return p && To::classof(p); }

template <class To, class From> To *cast(From *p) {
    assert(p && To::classof(p));
    return static_cast<To *>(p);
}
template <class To, class From> const To *cast(const From *p) {
    assert(p && To::classof(p));
    return static_cast<const To *>(p);
}
template <class To, class From> To *dyn_cast(From *p) { return p && To::classof(p) ? static_cast<To *>(p) : nullptr; }
template <class To, class From> const To *dyn_cast(const From *p) {
    return p && To::classof(p) ? static_cast<const To *>(p) : nullptr;
}

} // namespace sdfgc
