// gpu_tensor.h's operations by cuTENSOR or hipTensor, both of version 2.
#pragma once

#include "sdfgc/rt/complex.h"
#include "sdfgc/rt/gpu/handle.h"
#include "sdfgc/rt/gpu/plans.h"
#include "sdfgc/rt/gpu/workspace.h"

#include SDFGC_TENSOR_HEADER
#if SDFGC_TENSOR_VERSION < 2
#error "this program needs version 2 of the library for tensors"
#endif

namespace sdfgc::gpu::detail {

using TensorHandle = SDFGC_TENSOR_NAME(Handle_t);
using TensorOperation = SDFGC_TENSOR_NAME(OperationDescriptor_t);
using TensorShape = SDFGC_TENSOR_NAME(TensorDescriptor_t);
using TensorStatus = SDFGC_TENSOR_NAME(Status_t);

inline bool tensorOk(TensorStatus status) { return status == SDFGC_TENSOR_CONSTANT(STATUS_SUCCESS); }

/// Type of the elements, and of the sums: hipTensor has complex ones.
template <class T> struct TensorType;
#define SDFGC_TENSOR_TYPE(T, element, sum)                                                                                         \
    template <> struct TensorType<T> {                                                                                             \
        static auto elements() { return SDFGC_TENSOR_CONSTANT(element); }                                                          \
        static auto sums() { return sum; }                                                                                         \
    };
SDFGC_TENSOR_TYPE(float, R_32F, SDFGC_TENSOR_CONSTANT(COMPUTE_DESC_32F))
SDFGC_TENSOR_TYPE(double, R_64F, SDFGC_TENSOR_CONSTANT(COMPUTE_DESC_64F))
SDFGC_TENSOR_TYPE(std::complex<float>, C_32F, SDFGC_TENSOR_COMPLEX_SUMS(32))
SDFGC_TENSOR_TYPE(std::complex<double>, C_64F, SDFGC_TENSOR_COMPLEX_SUMS(64))
#undef SDFGC_TENSOR_TYPE

/// A plan with what it was made from, to which plans of hipTensor 2.0 keep pointers.
struct TensorPlan {
    TensorShape shapes[3] = {};
    TensorOperation operation = {};
    SDFGC_TENSOR_NAME(PlanPreference_t) preference = {};
    SDFGC_TENSOR_NAME(Plan_t) plan = {};
    uint64_t bytes = 0; // of its workspace
};

/// Destroys the parts that exist.
struct EndTensorPlan {
    void operator()(const TensorPlan &p) const {
        if (p.plan)
            (void)SDFGC_TENSOR_NAME(DestroyPlan)(p.plan);
        if (p.preference)
            (void)SDFGC_TENSOR_NAME(DestroyPlanPreference)(p.preference);
        if (p.operation)
            (void)SDFGC_TENSOR_NAME(DestroyOperationDescriptor)(p.operation);
        for (const TensorShape &shape : p.shapes)
            if (shape)
                (void)SDFGC_TENSOR_NAME(DestroyTensorDescriptor)(shape);
    }
};

/// hipTensor's versions take the handle as a value, a reference or a pointer.
template <class Handle> TensorStatus endTensors(Handle handle) {
    if constexpr (std::is_invocable<decltype(SDFGC_TENSOR_NAME(Destroy)) &, Handle *>::value)
        return SDFGC_TENSOR_NAME(Destroy)(&handle);
    else
        return SDFGC_TENSOR_NAME(Destroy)(handle);
}

class TensorLibrary {
public:
    template <class T, class A, class B>
    bool contract(Stream stream, T alpha, const Tensor<A> &a, const Tensor<B> &b, T beta, const Tensor<T> &c) {
        constexpr auto as_it_is = SDFGC_TENSOR_CONSTANT(OP_IDENTITY);
        const TensorPlan *plan = find(stream, key<T>(a, b, c), [&](TensorPlan &p) {
            return describe<T>(p.shapes[0], a) && describe<T>(p.shapes[1], b) && describe<T>(p.shapes[2], c) &&
                   tensorOk(SDFGC_TENSOR_NAME(CreateContraction)(handle_, &p.operation, p.shapes[0], a.modes, as_it_is, p.shapes[1],
                                                                 b.modes, as_it_is, p.shapes[2], c.modes, as_it_is, p.shapes[2],
                                                                 c.modes, TensorType<T>::sums()));
        });
        if (!plan)
            return false;
        const Workspace space(stream, static_cast<size_t>(plan->bytes));
        return space && tensorOk(SDFGC_TENSOR_NAME(Contract)(handle_, plan->plan, &alpha, a.data, b.data, &beta, c.data, c.data,
                                                             space.data(), plan->bytes, stream));
    }

    template <class T, class A> bool permute(Stream stream, T alpha, const Tensor<A> &a, const Tensor<T> &c) {
        const TensorPlan *plan = find(stream, key<T>(a, c), [&](TensorPlan &p) {
            return describe<T>(p.shapes[0], a) && describe<T>(p.shapes[1], c) &&
                   tensorOk(SDFGC_TENSOR_NAME(CreatePermutation)(handle_, &p.operation, p.shapes[0], a.modes,
                                                                 SDFGC_TENSOR_CONSTANT(OP_IDENTITY), p.shapes[1], c.modes,
                                                                 TensorType<T>::sums()));
        });
        return plan && tensorOk(SDFGC_TENSOR_NAME(Permute)(handle_, plan->plan, &alpha, a.data, c.data, stream));
    }

private:
    using Key = std::vector<int64_t>;
    /// Calls take the stream as an argument.
    static TensorStatus noStream(TensorHandle, Stream) { return TensorStatus(); }

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

    template <class T, class Element> bool describe(TensorShape &shape, const Tensor<Element> &t) const {
        return tensorOk(SDFGC_TENSOR_NAME(CreateTensorDescriptor)(handle_, &shape, static_cast<uint32_t>(t.rank), t.extents,
                                                                  t.strides, TensorType<T>::elements(), sizeof(T)));
    }
    /// The plan for the key; `describe` creates the operation for a new plan.
    template <class Describe> const TensorPlan *find(Stream stream, const Key &key, const Describe &describe) {
        if (const TensorPlan *known = plans_.find(key))
            return known;
        if (!handle_.bind(stream))
            return nullptr;
        TensorPlan made;
        if (describe(made) && complete(made))
            return plans_.add(key, made);
        EndTensorPlan()(made);
        return nullptr;
    }
    bool complete(TensorPlan &p) const {
        return tensorOk(SDFGC_TENSOR_NAME(CreatePlanPreference)(handle_, &p.preference, SDFGC_TENSOR_CONSTANT(ALGO_DEFAULT),
                                                                SDFGC_TENSOR_CONSTANT(JIT_MODE_NONE))) &&
               tensorOk(SDFGC_TENSOR_NAME(EstimateWorkspaceSize)(handle_, p.operation, p.preference,
                                                                 SDFGC_TENSOR_CONSTANT(WORKSPACE_DEFAULT), &p.bytes)) &&
               tensorOk(SDFGC_TENSOR_NAME(CreatePlan)(handle_, &p.plan, p.operation, p.preference, p.bytes));
    }

    LibraryHandle<TensorHandle, SDFGC_TENSOR_NAME(Create), endTensors<TensorHandle>, noStream> handle_;
    Plans<Key, TensorPlan, EndTensorPlan> plans_; // destroyed before the handle that made them
};

} // namespace sdfgc::gpu::detail
