// gpu_tensor.h's operations by cuTENSOR or hipTensor (both of version 2), which differ in the prefix of their names.
#pragma once

#include "sdfgc/rt/complex.h"
#include "sdfgc/rt/gpu/workspace.h"

#include <vector>

#ifdef SDFGC_GPU_CUDA
#include <cutensor.h>
#else
#include <hiptensor/hiptensor.h>
#endif

namespace sdfgc::gpu::detail {

#ifdef SDFGC_GPU_CUDA
#define SDFGC_TENSOR_CONSTANT(name) CUTENSOR_##name
#define SDFGC_TENSOR_NAME(name) cutensor##name
#else
#define SDFGC_TENSOR_CONSTANT(name) HIPTENSOR_##name
#define SDFGC_TENSOR_NAME(name) hiptensor##name
#endif
using TensorHandle = SDFGC_TENSOR_NAME(Handle_t);
using TensorPlan = SDFGC_TENSOR_NAME(Plan_t);
using TensorOperation = SDFGC_TENSOR_NAME(OperationDescriptor_t);
using TensorShape = SDFGC_TENSOR_NAME(TensorDescriptor_t);
using TensorStatus = SDFGC_TENSOR_NAME(Status_t);

inline bool tensorOk(TensorStatus status) { return status == SDFGC_TENSOR_CONSTANT(STATUS_SUCCESS); }

/// Type of the elements, and of the sums.
template <class T> struct TensorType;
template <> struct TensorType<float> {
    static auto elements() { return SDFGC_TENSOR_CONSTANT(R_32F); }
    static auto sums() { return SDFGC_TENSOR_CONSTANT(COMPUTE_DESC_32F); }
};
template <> struct TensorType<double> {
    static auto elements() { return SDFGC_TENSOR_CONSTANT(R_64F); }
    static auto sums() { return SDFGC_TENSOR_CONSTANT(COMPUTE_DESC_64F); }
};
template <> struct TensorType<std::complex<float>> {
    static auto elements() { return SDFGC_TENSOR_CONSTANT(C_32F); }
    static auto sums() { return SDFGC_TENSOR_CONSTANT(COMPUTE_DESC_32F); }
};
template <> struct TensorType<std::complex<double>> {
    static auto elements() { return SDFGC_TENSOR_CONSTANT(C_64F); }
    static auto sums() { return SDFGC_TENSOR_CONSTANT(COMPUTE_DESC_64F); }
};

/// The library's descriptor of a tensor, for as long as a plan is made.
template <class T> class DescribedTensor {
public:
    template <class Element> DescribedTensor(TensorHandle handle, const Tensor<Element> &t) {
        ok_ = tensorOk(SDFGC_TENSOR_NAME(CreateTensorDescriptor)(handle, &shape, static_cast<uint32_t>(t.rank), t.extents, t.strides,
                                                                 TensorType<T>::elements(), sizeof(T)));
    }
    DescribedTensor(const DescribedTensor &) = delete;
    DescribedTensor &operator=(const DescribedTensor &) = delete;
    ~DescribedTensor() {
        if (ok_)
            (void)SDFGC_TENSOR_NAME(DestroyTensorDescriptor)(shape);
    }
    explicit operator bool() const { return ok_; }
    TensorShape shape = {};

private:
    bool ok_ = false;
};

class TensorLibrary {
public:
    TensorLibrary() noexcept = default;
    TensorLibrary(const TensorLibrary &) = delete;
    TensorLibrary &operator=(const TensorLibrary &) = delete;
    ~TensorLibrary() {
        for (const Known &k : plans_)
            (void)SDFGC_TENSOR_NAME(DestroyPlan)(k.plan);
        if (open_)
            (void)SDFGC_TENSOR_NAME(Destroy)(handle_);
    }

    template <class T, class A, class B>
    bool contract(Stream stream, T alpha, const Tensor<A> &a, const Tensor<B> &b, T beta, const Tensor<T> &c) {
        constexpr auto as_it_is = SDFGC_TENSOR_CONSTANT(OP_IDENTITY);
        const Known *known = find(key<T>(a, b, c), [&](TensorOperation &operation) {
            const DescribedTensor<T> da(handle_, a), db(handle_, b), dc(handle_, c);
            return da && db && dc &&
                   tensorOk(SDFGC_TENSOR_NAME(CreateContraction)(handle_, &operation, da.shape, a.modes, as_it_is, db.shape, b.modes, as_it_is, dc.shape,
                                                                 c.modes, as_it_is, dc.shape, c.modes, TensorType<T>::sums()));
        });
        if (!known)
            return false;
        const Workspace space(stream, static_cast<size_t>(known->bytes));
        return space && tensorOk(SDFGC_TENSOR_NAME(Contract)(handle_, known->plan, &alpha, a.data, b.data, &beta, c.data, c.data, space.data(),
                                                             known->bytes, stream));
    }

    template <class T, class A> bool permute(Stream stream, T alpha, const Tensor<A> &a, const Tensor<T> &c) {
        const Known *known = find(key<T>(a, c), [&](TensorOperation &operation) {
            const DescribedTensor<T> da(handle_, a), dc(handle_, c);
            return da && dc &&
                   tensorOk(SDFGC_TENSOR_NAME(CreatePermutation)(handle_, &operation, da.shape, a.modes, SDFGC_TENSOR_CONSTANT(OP_IDENTITY), dc.shape,
                                                                 c.modes, TensorType<T>::sums()));
        });
        return known && tensorOk(SDFGC_TENSOR_NAME(Permute)(handle_, known->plan, &alpha, a.data, c.data, stream));
    }

private:
    static constexpr size_t mostPlans = 64;
    using Key = std::vector<int64_t>;
    struct Known {
        Key key;
        TensorPlan plan;
        uint64_t bytes; // that it works in
    };

    template <class Element> static void append(Key &key, const Tensor<Element> &t) {
        key.push_back(t.rank);
        for (int i = 0; i < t.rank; ++i)
            key.insert(key.end(), {t.modes[i], t.extents[i], t.strides[i]});
    }
    template <class T, class... Operands> static Key key(const Operands &...operands) {
        Key key{static_cast<int64_t>(sizeof...(operands)), static_cast<int64_t>(TensorType<T>::elements())};
        (append(key, operands), ...);
        return key;
    }

    /// The plan of that key; `describe` makes the operation that a new one is for.
    template <class Describe> const Known *find(const Key &key, const Describe &describe) {
        for (const Known &k : plans_)
            if (k.key == key)
                return &k;
        if (!open_ && !(open_ = tensorOk(SDFGC_TENSOR_NAME(Create)(&handle_))))
            return nullptr;
        TensorOperation operation = {};
        if (!describe(operation))
            return nullptr;
        Known made{key, {}, 0};
        const bool ok = plan(operation, made);
        (void)SDFGC_TENSOR_NAME(DestroyOperationDescriptor)(operation);
        if (!ok)
            return nullptr;
        if (plans_.size() == mostPlans) { // programs whose sizes change; what is queued may still use it
            (void)deviceSynchronize();
            (void)SDFGC_TENSOR_NAME(DestroyPlan)(plans_.front().plan);
            plans_.erase(plans_.begin());
        }
        plans_.push_back(made);
        return &plans_.back();
    }

    bool plan(TensorOperation operation, Known &made) const {
        SDFGC_TENSOR_NAME(PlanPreference_t) preference = {};
        if (!tensorOk(SDFGC_TENSOR_NAME(CreatePlanPreference)(handle_, &preference, SDFGC_TENSOR_CONSTANT(ALGO_DEFAULT), SDFGC_TENSOR_CONSTANT(JIT_MODE_NONE))))
            return false;
        const bool ok =
            tensorOk(SDFGC_TENSOR_NAME(EstimateWorkspaceSize)(handle_, operation, preference, SDFGC_TENSOR_CONSTANT(WORKSPACE_DEFAULT), &made.bytes)) &&
            tensorOk(SDFGC_TENSOR_NAME(CreatePlan)(handle_, &made.plan, operation, preference, made.bytes));
        (void)SDFGC_TENSOR_NAME(DestroyPlanPreference)(preference);
        return ok;
    }

    TensorHandle handle_ = {};
    bool open_ = false;
    std::vector<Known> plans_;
};

#undef SDFGC_TENSOR_CONSTANT
#undef SDFGC_TENSOR_NAME

} // namespace sdfgc::gpu::detail
