// 256-bin histogram of bytes: private counts in shared memory, then one atomic a bin.
#include <cstdint>
#include <cstdio>
#include <cstring>

const int NUM_BINS = 256;

__global__ void histogram256(unsigned int *bins, const uint8_t *data, size_t count)
{
    __shared__ unsigned int local[NUM_BINS];
    for (int i = threadIdx.x; i < NUM_BINS; i += blockDim.x) local[i] = 0;
    __syncthreads();
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x)
        atomicAdd(&local[data[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < NUM_BINS; i += blockDim.x) atomicAdd(&bins[i], local[i]);
}

void histogram_cpu(unsigned int *bins, const uint8_t *data, size_t count)
{
    for (size_t i = 0; i < count; ++i) ++bins[data[i]];
}

int main()
{
    const size_t count = 64u << 20;
    uint8_t *h_data = new uint8_t[count], *d_data;
    for (size_t i = 0; i < count; ++i) h_data[i] = i * 2654435761u >> 24;
    unsigned int *d_bins, h_bins[NUM_BINS];
    cudaMalloc((void **)&d_data, count);
    cudaMalloc((void **)&d_bins, sizeof(h_bins));
    cudaMemcpy(d_data, h_data, count, cudaMemcpyHostToDevice);
    cudaMemset(d_bins, 0, sizeof(h_bins));
    int blocks = (int)((count + 256 * 16 - 1) / (256 * 16));
    histogram256<<<blocks, 256>>>(d_bins, d_data, count);
    cudaMemcpy(h_bins, d_bins, sizeof(h_bins), cudaMemcpyDeviceToHost);
    printf("bin 0 has %u\n", h_bins[0]);
    return 0;
}
