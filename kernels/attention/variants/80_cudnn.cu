// cuDNN does the work: see 80_cudnn.lua.
