from harness_kernels.taskset import KernelConfig, KernelData, KernelTask, KernelTaskset

__all__ = ["KernelConfig", "KernelData", "KernelTask", "KernelTaskset"]
