// A library step has no source of its own: see 90_cublas.lua.
