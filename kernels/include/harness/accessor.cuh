#pragma once

// An array of N dimensions that is indexed one by one, a[i][j][k], as the accessors of PyTorch extensions are. Rows lie
// one behind the other: the last dimension is the innermost.
namespace harness {

/// What is left of an accessor after its first indices.
template <class T, int N, class Index>
struct AccessorPart {
  T* data_;
  const Index* sizes_;
  const Index* strides_;

  __device__ T* data() const { return data_; }
  __device__ Index size(int i) const { return sizes_[i]; }
  __device__ Index stride(int i) const { return strides_[i]; }
  __device__ decltype(auto) operator[](Index i) const {
    if constexpr (N == 1) return (data_[i * strides_[0]]);
    else return AccessorPart<T, N - 1, Index>{data_ + i * strides_[0], sizes_ + 1, strides_ + 1};
  }
};

template <class T, int N, class Index>
class Accessor {
 public:
  __device__ Accessor(T* data, const Index (&sizes)[N]) : data_(data) {
    Index stride = 1;
    for (int i = N; i-- > 0;) {
      sizes_[i] = sizes[i];
      strides_[i] = stride;
      stride *= sizes[i];
    }
  }
  __device__ T* data() const { return data_; }
  __device__ Index size(int i) const { return sizes_[i]; }
  __device__ Index stride(int i) const { return strides_[i]; }
  __device__ decltype(auto) operator[](Index i) const { return AccessorPart<T, N, Index>{data_, sizes_, strides_}[i]; }

 private:
  T* data_;
  Index sizes_[N], strides_[N];
};

}  // namespace harness
