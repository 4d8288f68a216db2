// Arguments of a called program: symbols, scalars, arrays. See sdfgc/rt/caller.h.
#pragma once

#include "sdfgc/rt/caller/command.h"

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>

namespace sdfgc::caller {

/// How the program accesses an array. A write-only array is filled with zeros unless it is given.
enum Access { In = 1, Out = 2, InOut = 3, Optional = 4 };
constexpr Access operator|(Access a, Access b) { return static_cast<Access>(static_cast<int>(a) | static_cast<int>(b)); }

/// The element type in files for a type of the program. Floating-point formats that NumPy lacks are stored as raw bits.
inline npy::Dtype dtypeOf(std::string_view type) {
    constexpr std::pair<std::string_view, char> kinds[] = {{"float8", 'u'}, {"bfloat", 'u'},  {"bool", 'b'}, {"int", 'i'},
                                                           {"uint", 'u'},   {"complex", 'c'}, {"float", 'f'}};
    const auto digits = [&](std::string_view start) {
        int bits = 0;
        std::from_chars(type.data() + start.size(), type.data() + type.size(), bits);
        return bits;
    };
    for (const auto &[start, kind] : kinds)
        if (type.substr(0, start.size()) == start)
            return {kind, kind == 'b' || start == "float8" ? 1 : digits(start) / 8};
    return {'V', 1};
}

/// `[4, 8]`
inline std::string shapeText(const std::vector<std::int64_t> &shape) {
    std::string out;
    for (std::int64_t s : shape)
        out += (out.empty() ? "" : ", ") + std::to_string(s);
    return "[" + out + "]";
}

/// A number on the command line: `100`, `-2.5`, `1e-3`, `inf`, `true`, `1+2j`.
struct Number {
    bool isInteger = false;
    std::int64_t integer = 0;
    std::complex<double> value;
};

namespace detail {

template <class T> bool parseWhole(std::string_view text, T &out) {
    if (!text.empty() && text[0] == '+')
        text.remove_prefix(1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    return !text.empty() && error == std::errc() && end == text.data() + text.size();
}

/// `1+2j`, `3j`: the sign that separates the parts is not at the start and does not follow an `e`.
inline bool parseComplex(std::string_view text, std::complex<double> &out) {
    text.remove_suffix(1);
    std::size_t split = 0;
    for (std::size_t i = 1; i < text.size(); ++i)
        if ((text[i] == '+' || text[i] == '-') && text[i - 1] != 'e' && text[i - 1] != 'E')
            split = i;
    double real = 0, imaginary = 0;
    if ((split != 0 && !parseWhole(text.substr(0, split), real)) || !parseWhole(text.substr(split), imaginary))
        return false;
    out = {real, imaginary};
    return true;
}

} // namespace detail

inline std::optional<Number> parseNumber(std::string_view text) {
    Number n;
    if (text == "true" || text == "True" || text == "false" || text == "False")
        n.integer = text[0] == 't' || text[0] == 'T';
    else if (!detail::parseWhole(text, n.integer)) {
        double real = 0;
        if (detail::parseWhole(text, real))
            n.value = real;
        else if (text.size() < 2 || text.back() != 'j' || !detail::parseComplex(text, n.value))
            return std::nullopt;
        n.isInteger = n.value.imag() == 0 && std::floor(n.value.real()) == n.value.real() && std::fabs(n.value.real()) < 0x1p53;
        n.integer = n.isInteger ? static_cast<std::int64_t>(n.value.real()) : 0;
        return n;
    }
    n.isInteger = true;
    n.value = static_cast<double>(n.integer);
    return n;
}

/// Does C lack a type for these floating-point numbers? They then come from files.
template <class T> bool isKeptAsBits(std::string_view type) {
    return std::is_integral<T>::value && type.find("float") != std::string_view::npos;
}

/// Converts a number to an element. False if the type cannot hold it; formats stored as raw bits accept only zero.
template <class T> bool store(std::string_view type, const Number &n, T &out) {
    constexpr bool isFloat = std::is_floating_point<T>::value;
    if constexpr (std::is_same<T, std::complex<float>>::value || std::is_same<T, std::complex<double>>::value) {
        out = T(n.value);
        return true;
    } else if constexpr (isFloat) {
        out = static_cast<T>(n.value.real());
        return n.value.imag() == 0;
    } else {
        const bool fits = n.isInteger && (std::is_signed<T>::value || n.integer >= 0) &&
                          (sizeof(T) == 8 || (n.integer >= static_cast<std::int64_t>(std::numeric_limits<T>::min()) &&
                                              n.integer <= static_cast<std::int64_t>(std::numeric_limits<T>::max())));
        out = static_cast<T>(n.integer);
        return fits && (!isKeptAsBits<T>(type) || n.integer == 0);
    }
}

/// Reads the file of an argument and checks its element type. Reports errors and returns false.
inline bool readNpy(Command &command, const Argument &argument, const char *type, const std::string &name, npy::Array &out) {
    std::string text;
    if (!command.readFile(argument, name, text))
        return false;
    if (const std::string wrong = npy::parse(text, out); !wrong.empty()) {
        command.wrong(argument, name + ": " + wrong);
        return false;
    }
    const npy::Dtype wanted = dtypeOf(type), got = out.dtype;
    if (got == wanted || (got.kind == 'V' && wanted.kind == 'u' && got.size == wanted.size))
        return true;
    command.wrong(argument, name + " holds " + got.name() + ", the program takes " + type +
                                "; in Python: numpy.save(file, array.astype('" + wanted.name() + "'))");
    return false;
}

inline bool isFile(const std::string &value) { return value.size() > 4 && value.compare(value.size() - 4, 4, ".npy") == 0; }

/// A value that is passed as type T.
template <class T> class Scalar : public Argument {
public:
    using Argument::Argument;
    operator T() const { return value_; }

    void take(Command &command, const std::string &text) override {
        if (text.empty())
            return command.error("argument `" + name + "` has no value; give " + name + "=1");
        if (isFile(text))
            return takeFile(command, text);
        const std::optional<Number> number = text == "zeros" ? std::optional<Number>(Number{true, 0, 0.0}) : parseNumber(text);
        if (!number)
            command.wrong(*this, "`" + text + "` is neither a file .npy nor a number");
        else if (!store(type_, *number, value_))
            command.wrong(*this,
                          "`" + text + "` is not a value of type " + type_ + (isKeptAsBits<T>(type_) ? "; give a file .npy" : ""));
    }

protected:
    void takeFile(Command &command, const std::string &file) {
        npy::Array array;
        if (!readNpy(command, *this, type_.c_str(), file, array))
            return;
        if (array.data.size() != sizeof(T))
            return command.wrong(*this,
                                 file + " holds " + std::to_string(npy::elements(array.shape)) + " elements, a scalar is one");
        std::memcpy(&value_, array.data.data(), sizeof(T));
    }
    T value_{};
};

/// An integer that sizes of arrays may depend on. Unlike a scalar, a symbol may be derived from the shapes of files.
class Size {
public:
    /// For formulas; valid only if the number is known.
    std::int64_t number() const { return number_.value_or(0); }
    bool isKnown() const { return number_.has_value(); }
    void know(std::int64_t number, std::string by) {
        number_ = number;
        source_ = std::move(by);
    }
    void forget() { number_.reset(); }
    const std::string &source() const { return source_; }
    virtual const std::string &symbol() const = 0;
    virtual bool mayFollow() const { return false; }
    /// Converts the number to a value. False if the type cannot hold it.
    virtual bool follow() { return true; }

protected:
    ~Size() = default;
    std::optional<std::int64_t> number_; // a trial, while sizes are solved
    std::string source_;
};

template <class T> class Integer : public Scalar<T>, public Size {
public:
    using Scalar<T>::Scalar;
    void take(Command &command, const std::string &text) override {
        Scalar<T>::take(command, text);
        know(static_cast<std::int64_t>(this->value_), "the command line");
    }
    const std::string &symbol() const override { return this->name; }
};

template <class T> class Symbol : public Integer<T> {
public:
    using Integer<T>::Integer;
    void take(Command &command, const std::string &text) override {
        if (!text.empty())
            Integer<T>::take(command, text);
    }
    bool mayFollow() const override { return true; }
    bool follow() override {
        return store(this->type_, Number{true, this->number(), static_cast<double>(this->number())}, this->value_);
    }
};

/// The part of an array that does not depend on the element type: its file and its shape.
class AnyArray : public Memory {
public:
    AnyArray(const char *type, std::size_t rank, Access access, std::int64_t lanes)
        : Memory(type), rank_(rank), access_(access), lanes_(lanes) {}
    bool isNull() const override { return isNull_; }
    bool hasFile() const { return hasFile_; }
    /// The shape of the file, in elements of the program.
    const std::vector<std::int64_t> &fileShape() const { return file_.shape; }
    std::string description() const override {
        return type_ + (lanes_ > 1 ? " x " + std::to_string(lanes_) : "") + ", array of " + std::to_string(rank_) + " dimensions";
    }

    void take(Command &command, const std::string &text) override {
        value_ = !text.empty() ? text : access_ & In ? (access_ & Optional ? "null" : "") : "zeros";
        isNull_ = value_ == "null";
        if (value_.empty())
            command.error("argument `" + name + "` has no value; give " + name + "=FILE.npy");
        if (isFile(value_))
            return takeFile(command);
        number_ = value_ == "zeros" ? Number{true, 0, 0.0} : parseNumber(value_);
        if (!value_.empty() && !isNull_ && value_ != "range" && !number_)
            command.wrong(*this, "`" + value_ + "` is neither a file .npy, nor a number, nor `zeros`, `range` or `null`");
    }

protected:
    void takeFile(Command &command) {
        if (!readNpy(command, *this, type_.c_str(), value_, file_))
            return;
        hasFile_ = true;
        std::vector<std::int64_t> &shape = file_.shape;
        if (lanes_ > 1) { // a vector is one element
            if (shape.size() == rank_ + 1 && shape.back() == lanes_)
                shape.pop_back();
            else if (!shape.empty() && shape.back() % lanes_ == 0)
                shape.back() /= lanes_;
            else
                return command.wrong(*this, value_ + " has the shape " + shapeText(shape) + ", but elements are vectors of " +
                                                std::to_string(lanes_));
        }
        if (shape.size() != rank_ && npy::elements(shape) == 1)
            shape.assign(rank_, 1);
        if (shape.size() != rank_)
            command.wrong(*this, value_ + " has " + std::to_string(shape.size()) + " dimensions, the program's array has " +
                                     std::to_string(rank_));
    }

    /// Describes negative or too large sizes, and shapes that exceed the memory given by strides and total size; empty if there is
    /// no error.
    std::string layoutProblem(std::int64_t bytesEach) const {
        constexpr std::int64_t largest = std::int64_t(1) << 40; // bytes
        std::int64_t first = 0, last = 0;
        bool isEmpty = false;
        for (std::size_t d = 0; d < shape_.size(); ++d) {
            if (shape_[d] < 0 || shape_[d] > largest)
                return "its shape would be " + shapeText(shape_);
            isEmpty = isEmpty || shape_[d] == 0;
            std::int64_t span = 0, &end = strides_[d] > 0 ? last : first;
            if ((shape_[d] > 0 && __builtin_mul_overflow(shape_[d] - 1, strides_[d], &span)) ||
                __builtin_add_overflow(end, span, &end))
                return "its strides would be " + shapeText(strides_);
        }
        if (elements_ < 0 || elements_ > largest / bytesEach)
            return "it would have " + std::to_string(elements_) + " elements";
        if (!isEmpty && (first < 0 || last >= elements_))
            return "shape " + shapeText(shape_) + " with strides " + shapeText(strides_) + " does not fit into its " +
                   std::to_string(elements_) + " elements";
        return "";
    }

    const std::size_t rank_;
    const Access access_;
    const std::int64_t lanes_;
    std::string value_;            // as given, or the default
    std::optional<Number> number_; // of every element
    npy::Array file_;
    bool hasFile_ = false, isNull_ = false;
    std::vector<std::int64_t> shape_, strides_; // in elements
    std::int64_t elements_ = 0;                 // with padding
};

/// An array with elements of the C type T; `lanes` of them form one element of the program.
template <class T> class Array : public AnyArray {
public:
    Array(const char *type, std::size_t rank, Access access, std::int64_t lanes = 1) : AnyArray(type, rank, access, lanes) {}
    ~Array() override { std::free(memory_); }

    /// Allocates memory for the shape and fills it as the command line specifies. Reports impossible sizes.
    void allocate(Command &command, std::vector<std::int64_t> shape, std::vector<std::int64_t> strides, std::int64_t elements) {
        if (isNull_)
            return;
        shape_ = std::move(shape);
        strides_ = std::move(strides);
        elements_ = elements;
        if (const std::string problem = layoutProblem(static_cast<std::int64_t>(sizeof(T)) * lanes_); !problem.empty())
            return command.wrong(*this, problem);
        constexpr std::size_t alignment = 64;
        memory_ = static_cast<T *>(std::aligned_alloc(alignment, (bytes() / alignment + 1) * alignment));
        if (!memory_)
            return command.wrong(*this, "there is not enough memory");
        std::memset(static_cast<void *>(memory_), 0, bytes());
        if (!fill())
            command.wrong(*this, "`" + value_ + "` contains values that " + type_ + " cannot hold" +
                                     (isKeptAsBits<T>(type_) ? "; give a file .npy" : ""));
    }
    /// As passed to the program; null if absent.
    T *data() const { return device_ ? device_ : memory_; }
    std::size_t bytes() const { return static_cast<std::size_t>(elements_ * lanes_) * sizeof(T); }

    /// For programs that take device memory: functions of their C interface. The memory is freed when the process ends.
    template <class Allocate, class Copy> void toDevice(Command &command, Allocate allocate, Copy copy) {
        if (isNull_ || !memory_)
            return;
        device_ = static_cast<T *>(allocate(bytes() + 1));
        if (!device_ || copy(device_, memory_, bytes()) != 0)
            command.wrong(*this, "the device has no memory for it, or there is no device");
    }
    template <class Copy> void toHost(Command &command, Copy copy) {
        if (device_ && copy(memory_, device_, bytes()) != 0)
            command.wrong(*this, "it cannot be copied from the device");
    }

    npy::Array content() const override {
        npy::Array out{dtypeOf(type_), shape_, {}};
        const std::size_t lanes = static_cast<std::size_t>(lanes_), size = sizeof(T) * lanes;
        npy::forEachElement(shape_, strides_, [&](std::int64_t offset) {
            const auto at = static_cast<std::size_t>(offset);
            out.data.append(reinterpret_cast<const char *>(memory_ + at * lanes), size);
        });
        if (lanes_ > 1)
            out.shape.push_back(lanes_);
        return out;
    }

private:
    bool fill() {
        const std::size_t lanes = static_cast<std::size_t>(lanes_), size = sizeof(T) * lanes;
        std::size_t count = 0;
        bool fits = true;
        npy::forEachElement(shape_, strides_, [&](std::int64_t offset) {
            const auto at = static_cast<std::size_t>(offset);
            if (hasFile_)
                std::memcpy(static_cast<void *>(memory_ + at * lanes), file_.data.data() + count++ * size, size);
            else
                for (std::size_t lane = 0; lane < lanes; ++lane)
                    fits = store(type_, number_ ? *number_ : counted(count++), memory_[at * lanes + lane]) && fits;
        });
        return fits;
    }
    /// The numbers of `range`; small types wrap, as NumPy's `astype` does.
    static Number counted(std::size_t i) {
        if constexpr (std::is_integral<T>::value)
            i %= static_cast<std::size_t>(std::numeric_limits<T>::max()) + (sizeof(T) < 8 ? 1 : 0);
        return {true, static_cast<std::int64_t>(i), static_cast<double>(i)};
    }

    T *memory_ = nullptr, *device_ = nullptr;
};

} // namespace sdfgc::caller
