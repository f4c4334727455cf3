return rival { "torch", call = "eager.py" }
