// Numbers of either sign in [1, 2): tensor cores take more power on them than on zeros.
__device__ inline unsigned harness_operand(unsigned i, unsigned ones, unsigned random) {
  unsigned h = i * 2654435761u;
  h ^= h >> 15;
  h *= 2246822519u;
  return ones | ((h ^ (h >> 13)) & random);
}
