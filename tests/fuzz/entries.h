#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

// What reads bytes of strangers, one function each: it takes any bytes and must neither crash, nor hang, nor use memory
// that is not its own. An Error is a right answer. `test_fuzz` runs each on mutations of tests/fuzz/corpus; the preset
// `fuzz` makes libFuzzer programs of them (libfuzzer.cpp).
namespace harness::fuzz {

void import(const std::uint8_t* data, std::size_t bytes);    // a text of harness export
void frames(const std::uint8_t* data, std::size_t bytes);    // what a worker writes on its channel
void space(const std::uint8_t* data, std::size_t bytes);     // Kernel Tuner, T4, gzip, export: recorded spaces
void npy(const std::uint8_t* data, std::size_t bytes);       // NumPy arrays
void manifest(const std::uint8_t* data, std::size_t bytes);  // kernel.lua
void elf(const std::uint8_t* data, std::size_t bytes);       // shared objects of the cpu device
void cubin(const std::uint8_t* data, std::size_t bytes);     // machine code of a GPU
void ptx(const std::uint8_t* data, std::size_t bytes);       // what a compiler made of a candidate

/// A file of this process in memory, holding these bytes, for readers that want a path.
std::string file_of(const char* name, const std::uint8_t* data, std::size_t bytes);

}  // namespace harness::fuzz
