// Tiled matrix transpose through shared memory; any number of rows and columns.
#include <assert.h>
#include <stdint.h>

#include <iostream>

#define TILE_DIM 32
#define BLOCK_ROWS 8

__global__ void transpose(float *odata, const float *idata, int width, int height)
{
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];  // +1: no bank conflicts

    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * width + x];

    __syncthreads();

    x = blockIdx.y * TILE_DIM + threadIdx.x;
    y = blockIdx.x * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < height && y + j < width)
            odata[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

int main()
{
    const int nx = 1024, ny = 2048;
    float *h_idata = new float[nx * ny], *d_idata, *d_tdata;
    for (int i = 0; i < nx * ny; i++) h_idata[i] = i;
    cudaMalloc(&d_idata, nx * ny * sizeof(float));
    cudaMalloc(&d_tdata, nx * ny * sizeof(float));
    cudaMemcpy(d_idata, h_idata, nx * ny * sizeof(float), cudaMemcpyHostToDevice);

    dim3 dimGrid((nx + TILE_DIM - 1) / TILE_DIM, (ny + TILE_DIM - 1) / TILE_DIM, 1);
    dim3 dimBlock(TILE_DIM, BLOCK_ROWS, 1);
    transpose<<<dimGrid, dimBlock>>>(d_tdata, d_idata, nx, ny);
    cudaDeviceSynchronize();

    std::cout << "done" << std::endl;
    delete[] h_idata;
    return 0;
}
