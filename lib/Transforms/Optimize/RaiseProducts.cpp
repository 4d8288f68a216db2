// raise-products: compute the products or solutions in the iterations of a loop by one call of a library.
//
//     for r = 0; r < NR; r = r + 1 {                         T'[0:NR, 0:NQ, 0:NP] = A[0:NR, 0:NQ, 0:NP] @ C[0:NP, 0:NP]
//         T[0:NQ, 0:NP] = A[r, 0:NQ, 0:NP] @ C[0:NP, 0:NP] -> map[r = 0:NR, q = 0:NQ, p = 0:NP] { A[r, q, p] = T'[r, q, p] }
//         A[r, 0:NQ, 0:NP] = T[0:NQ, 0:NP]
//     }
//
// Each call costs as much as the launch of a kernel, and products of a single iteration are often too small for the
// threads of a device. The iterations are independent, so all of them may run the first step before any runs the second
// (loop distribution). A container that passes a value from one step to another gets an element for each iteration
// (array expansion). Products become Einsum nodes with the loop as a further label. Their expansion merges labels into rows and
// columns where the layout allows it, and otherwise calls a library for the batch (lib/LibraryNodes/ContractionBlas.cpp).
// All other steps become maps with the loop as their first parameter.
//
// Triangles: if slices get shorter or longer by one element in each iteration, the product uses the entire range, at
// most twice the work. Its result is a new container, of which the other steps use only the elements that they had
// before. Their ranges are moved so that they end at the same element (box-maps).
//
//     for i = 0; i < M; i = i + 1 {                          T'[0:M, 0:M] = D[0:N, 0:M].T @ D[0:N, 0:M]
//         T[0:M - i] = D[0:N, i] @ D[0:N, i:M]          ->   map[i = 0:M, k = i:M] { C[i, k] = T'[i, k] }
//         C[i, i:M] = T[0:M - i]                             map[i = 0:M, k = i:M] { C[k, i] = C[i, k] }
//         C[i:M, i] = C[i, i:M]
//     }
//
// Steps that compute the same values in each iteration run once, in front; if the loop may not run at all, only tasklets that
// compute scalars from scalars. A map that adds to results of earlier iterations runs the loop in each of its own
// iterations, in the same order:
//
//     for b = 0; b < NB; b = b + 1 {                         T'[0:NB, 0:K, 0:K] = A[0:NB, 0:K, 0:K] @ B[0:NB, 0:K, 0:K]
//         T[0:K, 0:K] = A[b, 0:K, 0:K] @ B[b, 0:K, 0:K] ->   map[x = 0:K, y = 0:K] {
//         map[x = 0:K, y = 0:K] { S[x, y] += T[x, y] }           for b = 0:NB { S[x, y] += T'[b, x, y] }
//     }                                                      }
//
// Systems of equations in the iterations become batches, for a GPU (RaisedSolutions.cpp), and so may loops and branches in the
// body (ProductBodyForms.cpp). All maps behind the last call become one with the loop inside, if one of them adds to results
// of earlier iterations (MapsTogether.h).
//
// Legal when:
//   1. the loop counts by one to a known end, and has a chain of states as its body (ProductBody.h);
//   2. iterations do not depend on each other, except by containers that each iteration writes before it reads them, and
//      that nothing reads after the loop, and by those that a single map uses, each iteration its own elements;
//   3. the steps are products without coefficients, maps, copies and tasklets without further effects, and they use
//      containers that get an element for each iteration element by element, or as the result of a product;
//   4. the order of sums is free (class F1): the library may choose another algorithm for the larger product. Sums
//      are over the same terms as before.
//
// Profitable for a GPU unless the loop is known to have one iteration or none. For a CPU, where a call costs little, only
// if a product of matrices replaces products of a matrix and a vector: it reads the matrix once. Batches of matrix products
// are slower there, because their results no longer stay in cache until the next step (doitgen: 0.45 to 0.73 of the speed).
// Triangles are 1.5 to 1.7 times faster on the CPU (covariance, correlation).
//
// Containers may grow by a factor of `trips`, or to the size of a container that the loop uses anyway.
//
// Inner loops come first, so that a nest of loops becomes one product.
//
// Not handled: products of a map; products that update their result; slices that move along a dimension of several
// elements.
#include "Transforms/Optimize/RaisedLoop.h"

#include "sdfgc/Nest/Build.h"
#include "sdfgc/Transforms/Passes.h"

namespace sdfgc::transforms {
namespace {

using namespace ir;
using diag::Reason;

class RaiseProducts : public pass::GraphPass {
    bool run(SDFG &root, pass::Context &context) override {
        std::map<const SDFG *, std::set<Name>> connectors; // of all nodes
        return changeLoops(root, [&](LoopRegion &l, const LoopsOf &known) {
            if (!RaisedLoop::hasProducts(l))
                return false;
            const pass::Element where(l);
            ConditionalBlock *const around =
                context.options.gpu() && l.optimize && context.allows(pass::FloatClass::F1) ? conditionAround(l) : nullptr;
            const bool moves = around && context.mayChange(where, "is moved into the conditional in it, which is tested once then");
            if (moves) {
                moveIntoCondition(l, *around);
                known.loops.changed();
                known.after.forget();
            }
            RaisedLoop raised(l, known, option<int64_t>("trips"), context);
            if (const Reason why = raised.obstacle()) {
                context.missed(where, "does not become products of all iterations", why);
                return moves;
            }
            if (!context.mayChange(where, raised.result())) {
                raised.abandon();
                return moves;
            }
            const auto [names, isNew] = connectors.try_emplace(&known.g);
            if (isNew)
                names->second = nest::connectorsOf(known.g);
            raised.raise(names->second);
            return true;
        });
    }
};

} // namespace

std::unique_ptr<pass::Pass> createRaiseProducts() { return std::make_unique<RaiseProducts>(); }

} // namespace sdfgc::transforms
