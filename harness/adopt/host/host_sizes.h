#pragma once
#include <map>
#include <string>
#include <vector>

#include "harness/adopt/host/launch_shape.h"
#include "harness/adopt/host/resolver.h"

// What the host's function (nullptr: there is none) says at a launch of the sizes: what it computes, asserts and
// allocates, and their order.
namespace harness::adopt {

/// Is it made of the kernel's whole numbers and tuned names alone, without the parameter `but`?
bool is_of_parameters(const Formula& formula, const KernelLaunch& at, const std::string& but);

/// `const int Bc = 32;` and `Tc = cdiv(N, Bc)` of a function that is called with arrays and sizes are settings; those
/// of a main are one program's example.
void note_what_the_host_computes(const KernelLaunch& at, const HostFunction* function, LaunchShape& shape);

/// What the host passes for whole numbers of the kernel is followed back to tensors: `N = x.numel()`. Gives which
/// parameter each extent is: x.size(1).
std::map<std::string, FormulaPtr> note_what_tensors_say(const KernelLaunch& at, LaunchShape& shape);

/// `assert(n % 8 == 0)` and TORCH_CHECK of what is passed, also where it has its name in a tensor: x.size(1).
void note_assertions(const KernelLaunch& at, const Resolver& resolver,
                     const std::map<std::string, FormulaPtr>& of_tensors, LaunchShape& shape);

/// What the host asks cudaMalloc for where it launches, as far as it is made of the kernel's sizes, and the tensors
/// that it makes.
void note_allocations(const KernelLaunch& at, const Resolver& resolver,
                      const std::map<std::string, FormulaPtr>& of_tensors, LaunchShape& shape);

/// The sizes that the host's function is given, in the order of its parameters, under the kernel's names for them.
std::vector<std::string> order_of_host(const KernelLaunch& at, const HostFunction* function);

/// Extents of tensors that the kernel is passed, or that a count is made of (x.size(0)): of each tensor in the order of
/// its dimensions.
std::vector<std::string> order_of_tensors(const KernelLaunch& at);

}  // namespace harness::adopt
