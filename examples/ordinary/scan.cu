// Running sums of each row: out[r][c] = in[r][0] + ... + in[r][c].
#include <cmath>
#include <cstdio>
#include <vector>

#include "check.h"

#define BLOCK 256

// A block takes its row in pieces of BLOCK. Within one: Hillis and Steele, eight steps; then all that came before.
__global__ void scan_rows(const float *in, float *out, int cols)
{
    __shared__ float sums[2][BLOCK];
    __shared__ float before;
    const float *row = in + (size_t)blockIdx.x * cols;
    float *result = out + (size_t)blockIdx.x * cols;

    if (threadIdx.x == 0) before = 0.0f;
    for (int start = 0; start < cols; start += BLOCK) {
        const int c = start + threadIdx.x;
        int now = 0;
        sums[now][threadIdx.x] = c < cols ? row[c] : 0.0f;
        __syncthreads();
        for (int step = 1; step < BLOCK; step *= 2) {
            float sum = sums[now][threadIdx.x];
            if (threadIdx.x >= step) sum += sums[now][threadIdx.x - step];
            sums[1 - now][threadIdx.x] = sum;
            now = 1 - now;
            __syncthreads();
        }
        if (c < cols) result[c] = before + sums[now][threadIdx.x];
        __syncthreads();
        if (threadIdx.x == BLOCK - 1) before += sums[now][threadIdx.x];
    }
}

void scan_rows_cpu(const float *in, float *out, int rows, int cols)
{
    for (int r = 0; r < rows; r++) {
        double sum = 0.0;
        for (int c = 0; c < cols; c++) {
            sum += in[r * cols + c];
            out[r * cols + c] = (float)sum;
        }
    }
}

int main()
{
    const int rows = 2048, cols = 4096;
    std::vector<float> in((size_t)rows * cols), out(in.size()), expected(in.size());
    for (size_t i = 0; i < in.size(); i++) in[i] = (float)(i * 2654435761u % 1000) / 1000.0f - 0.5f;

    float *d_in, *d_out;
    cudaCheck(cudaMalloc(&d_in, in.size() * sizeof(float)));
    cudaCheck(cudaMalloc(&d_out, out.size() * sizeof(float)));
    cudaCheck(cudaMemcpy(d_in, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice));
    scan_rows<<<rows, BLOCK>>>(d_in, d_out, cols);
    cudaCheck(cudaGetLastError());
    cudaCheck(cudaMemcpy(out.data(), d_out, out.size() * sizeof(float), cudaMemcpyDeviceToHost));

    scan_rows_cpu(in.data(), expected.data(), rows, cols);
    double worst = 0.0;
    for (size_t i = 0; i < out.size(); i++) worst = fmax(worst, fabs((double)out[i] - expected[i]));
    printf("largest difference: %g\n", worst);
    cudaCheck(cudaFree(d_in));
    cudaCheck(cudaFree(d_out));
    return worst < 1e-2 ? 0 : 1;
}
