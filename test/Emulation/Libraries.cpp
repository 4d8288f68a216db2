// Code shared by the headers for device libraries: a handle that is created once, and a plan cache that evicts the oldest plans.
#include "Fixture.h"

#include "sdfgc/rt/gpu/handle.h"
#include "sdfgc/rt/gpu/plans.h"

namespace {

enum class Status { Success, Failure };
struct Library {
    int made = 0, ended = 0;
    bool works = true;
    gpu::Stream stream = nullptr;
} library;

using Pointer = Library *;
Status create(Pointer *handle) {
    ++library.made;
    *handle = library.works ? &library : nullptr;
    return library.works ? Status::Success : Status::Failure;
}
Status destroy(Pointer handle) {
    ++handle->ended;
    return Status::Success;
}
Status setStream(Pointer handle, gpu::Stream stream) {
    handle->stream = stream;
    return Status::Success;
}
using Handle = gpu::detail::LibraryHandle<Pointer, create, destroy, setStream>;

std::vector<int> ended;
struct End {
    void operator()(int plan) const { ended.push_back(plan); }
};
using Plans = gpu::detail::Plans<std::string, int, End>;

} // namespace

TEST_CASE("a library's handle is made at the first use, goes to each stream, and is ended once") {
    const Fresh fresh;
    library = Library();
    const StreamOf first, second;
    {
        Handle handle;
        CHECK(library.made == 0);
        CHECK(handle.bind(first));
        CHECK(library.stream == static_cast<gpu::Stream>(first));
        CHECK(handle.bind(second));
        CHECK(library.stream == static_cast<gpu::Stream>(second));
        CHECK(static_cast<Pointer>(handle) == &library);
        CHECK(library.made == 1);
        CHECK(library.ended == 0);
    }
    CHECK(library.ended == 1);
}

TEST_CASE("a library that cannot be opened fails, and has nothing to end") {
    const Fresh fresh;
    library = Library();
    library.works = false;
    {
        Handle handle;
        CHECK(!handle.bind(nullptr));
        CHECK(!handle.bind(nullptr)); // and the next call tries again
        { const Handle unused; }
    }
    CHECK(library.made == 2);
    CHECK(library.ended == 0);
}

TEST_CASE("plans are kept until there are too many: the oldest goes first, all at the end") {
    const Fresh fresh;
    ended.clear();
    {
        Plans plans;
        CHECK(!plans.find("0"));
        for (int i = 0; i < 64; ++i)
            CHECK(*plans.add(std::to_string(i), i) == i);
        CHECK(ended.empty());
        CHECK(*plans.find("0") == 0);
        CHECK(*plans.add("64", 64) == 64);
        CHECK(ended == std::vector<int>{0});
        CHECK(!plans.find("0"));
        CHECK(*plans.find("1") == 1);
        CHECK(*plans.find("64") == 64);
    }
    CHECK(ended.size() == 65);
}
