return rival { "torch", call = "eager.py", compile = true }
