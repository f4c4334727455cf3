// 2-D convolution of an image, the mask in constant memory; outside of the image there are zeros.
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

#define MASK_RADIUS 2
#define MASK_DIM (2 * MASK_RADIUS + 1)
#define BLOCK 16

__constant__ float mask[MASK_DIM][MASK_DIM];
__constant__ float gain;

__global__ void convolve(const float *in, float *out, int width, int height)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (col >= width || row >= height)
        return;

    float sum = 0.0f;
    for (int r = 0; r < MASK_DIM; r++) {
        for (int c = 0; c < MASK_DIM; c++) {
            int y = row + r - MASK_RADIUS, x = col + c - MASK_RADIUS;
            if (y >= 0 && y < height && x >= 0 && x < width)
                sum += mask[r][c] * in[y * width + x];
        }
    }
    out[row * width + col] = gain * sum;
}

void set_filter(const float *host_mask, float host_gain)
{
    cudaCheck(cudaMemcpyToSymbol(mask, host_mask, MASK_DIM * MASK_DIM * sizeof(float)));
    cudaCheck(cudaMemcpyToSymbol(gain, &host_gain, sizeof(float)));
}

int main()
{
    const int width = 1000, height = 600;
    float *image = make_random_float(width * height);
    float *host_mask = make_random_float(MASK_DIM * MASK_DIM);
    set_filter(host_mask, 0.5f);

    float *d_in, *d_out;
    cudaCheck(cudaMalloc(&d_in, width * height * sizeof(float)));
    cudaCheck(cudaMalloc(&d_out, width * height * sizeof(float)));
    cudaCheck(cudaMemcpy(d_in, image, width * height * sizeof(float), cudaMemcpyHostToDevice));

    dim3 block(BLOCK, BLOCK);
    dim3 grid((width + BLOCK - 1) / BLOCK, (height + BLOCK - 1) / BLOCK);
    convolve<<<grid, block>>>(d_in, d_out, width, height);
    cudaCheck(cudaGetLastError());

    float *result = (float *)malloc(width * height * sizeof(float));
    cudaCheck(cudaMemcpy(result, d_out, width * height * sizeof(float), cudaMemcpyDeviceToHost));
    printf("%f\n", result[0]);
    free(image);
    free(host_mask);
    free(result);
    return 0;
}
