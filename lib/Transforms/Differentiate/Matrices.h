// Matrix operations for derivatives of Cholesky, Solve and Inv nodes.
#pragma once

#include "Transforms/Differentiate/Maker.h"

#include <functional>

namespace sdfgc::transforms::gradient {

/// Appends operations to a list of items, for a node of the program.
class Matrices {
public:
    /// Creates a container for a result.
    using Temporary = std::function<Name(std::string_view name, const ir::DataDesc &like, std::vector<sym::Expr> shape)>;
    Matrices(Maker &m, const ir::LibraryNode &node, bool inScope, std::vector<nest::Item> &out, Temporary temporary)
        : m_(m), node_(node), inScope_(inScope), out_(out), temporary_(std::move(temporary)) {}

    /// Creates a matrix with the type of an operand.
    Name make(std::string_view name, const nest::Use &like, std::vector<sym::Expr> shape) const {
        return temporary_(name, desc(like), std::move(shape));
    }
    /// The sizes of the operand's dimensions with more than one element.
    static std::vector<sym::Expr> shapeOf(const nest::Use &u);
    nest::Use whole(Name matrix) const { return m_.whole(nest::UseKind::Read, matrix); }

    /// The part of an operand that a tasklet gets: the element at the same place, the one of the transposed matrix, the
    /// row's element of a vector, or the entire operand.
    enum class At { Place, Transposed, Row, All };
    struct Operand {
        const char *connector;
        nest::Use use;
        At at = At::Place;
    };
    /// Runs a tasklet for each element of a matrix: `code` sets `out` from the elements of the operands, or adds to it.
    /// ROW and COLUMN in the code stand for the position of the element.
    void each(const std::string &label, const std::vector<sym::Expr> &shape, std::string code, const std::vector<Operand> &operands,
              const nest::Use &out, bool adds);
    Name transposed(const nest::Use &u);
    Name copy(const nest::Use &u);
    /// A read of a part of a matrix.
    nest::Use block(const nest::Use &u, sym::Expr row, sym::Expr rows, sym::Expr column, sym::Expr columns) const;
    /// Solves a system with a matrix.
    Name solve(const nest::Use &matrix, const nest::Use &right);
    /// Solves a system with one triangle of a matrix: op(A) X = B, or X op(A) = B.
    struct Triangle {
        bool lower = true, transposed = false;
        bool unit = false; // ones on the diagonal
        bool left = true;
    };
    Name solve(const nest::Use &matrix, const nest::Use &right, const Triangle &t);
    /// Returns the permutation of a factorisation's row exchanges (`pivots`, counted from one): where rows go or, if
    /// `inverse`, where they come from: row i of P B is row `places[i]` of B. Counted from zero.
    Name places(const nest::Use &pivots, sym::Expr rows, bool inverse);
    /// Writes row `places[i]` of a matrix (or that element of a vector) to row i, or adds it.
    void permute(Name matrix, Name places, const nest::Use &out, bool adds);
    /// out (+)= alpha times the product that the letters specify.
    void product(const std::string &letters, const nest::Use &a, const nest::Use &b, nest::Use out, const char *alpha, bool adds);

private:
    const ir::DataDesc &desc(const nest::Use &u) const { return *m_.sdfg().desc(u.data); }
    std::shared_ptr<ir::LibraryNode> library(const std::string &classPath, const std::string &label) const;
    void add(std::shared_ptr<ir::LibraryNode> node, std::vector<std::pair<const char *, nest::Use>> inputs, const char *result,
             nest::Use out);

    Maker &m_;
    const ir::LibraryNode &node_;
    bool inScope_;
    std::vector<nest::Item> &out_;
    Temporary temporary_;
};

} // namespace sdfgc::transforms::gradient
