// Memory and copies for the caller, and the name of the device.
#include "by_hand.h"

#include <cstdio>

using namespace by_hand;

extern "C" {

__attribute__((visibility("default"))) void *by_hand_device_alloc(size_t bytes) {
    void *memory = nullptr;
    return gpu::malloc(&memory, bytes, "by hand") == gpu::success ? memory : nullptr;
}
__attribute__((visibility("default"))) void by_hand_device_free(void *memory) { (void)gpu::free(memory); }

/// Page-locked host memory, which copies access at full speed.
__attribute__((visibility("default"))) void *by_hand_host_alloc(size_t bytes) {
    void *memory = nullptr;
    return gpu::mallocHost(&memory, bytes, "by hand") == gpu::success ? memory : nullptr;
}
__attribute__((visibility("default"))) void by_hand_host_free(void *memory) { (void)gpu::freeHost(memory); }

} // extern "C"

/// The plain copy used as a baseline.
BY_HAND by_hand_device_copy(void *to, const void *from, size_t bytes) {
    const gpu::Status copied = gpu::memcpySync(to, from, bytes, gpu::CopyKind::Any);
    return finished(copied); // a device-to-device copy returns before it is finished
}

/// Copies the first device's name; an error if there is none.
BY_HAND by_hand_device_name(char *name, size_t size) {
    int devices = 0;
    const gpu::Status found = gpu::deviceCount(devices);
    if (found != gpu::success || devices == 0)
        return found == gpu::success ? 1 : static_cast<int>(found);
#if defined(SDFGC_GPU_CUDA)
    cudaDeviceProp properties;
    const gpu::Status asked = cudaGetDeviceProperties(&properties, 0);
#elif defined(SDFGC_GPU_HIP)
    hipDeviceProp_t properties;
    const gpu::Status asked = hipGetDeviceProperties(&properties, 0);
#else
    const struct {
        const char *name;
    } properties{"emulated"};
    const gpu::Status asked = gpu::success;
#endif
    std::snprintf(name, size, "%s", properties.name);
    return static_cast<int>(asked);
}
