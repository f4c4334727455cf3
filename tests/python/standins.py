"""Stands in for libraries that the projects in others_test.py import, and that are not installed here.

Each is a module that has any attribute: a class that takes anything. Only `openai` does something: it is the scripted
model, and answers with the next reply of $SCRIPTED_REPLIES (a JSON list), also across processes.
"""
import importlib.abc, importlib.machinery, importlib.util, json, os, sys, types


class AnyClass(type):
    def __getattr__(cls, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return Anything
    def __or__(cls, _): return cls
    __ror__ = __or__


class Anything(metaclass=AnyClass):
    def __init__(self, *_, **__): pass
    def __init_subclass__(cls, **_): pass
    def __class_getitem__(cls, _): return cls
    @classmethod
    def __get_pydantic_core_schema__(cls, *_):
        from pydantic_core import core_schema
        return core_schema.any_schema()
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()
    def __call__(self, *_, **__): return _[0] if len(_) == 1 and callable(_[0]) else Anything()
    def __or__(self, _): return self
    __ror__ = __or__


class Module(types.ModuleType):
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name == "BaseConfig":  # of pydantic_config: a model that also reads command lines
            from pydantic import BaseModel
            return BaseModel
        made = type(name, (Exception if name.endswith("Error") else Anything,), {})
        setattr(self, name, made)
        return made


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, names): self.names = names
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] not in self.names:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)
    def create_module(self, spec): return Module(spec.name)
    def exec_module(self, module): pass


def next_reply():
    path = os.environ["SCRIPTED_REPLIES"]
    with open(path) as file:
        replies = json.load(file)
    with open(path + ".taken", "a+") as taken:  # appended to, so that no process waits for another
        taken.write("x")
        taken.flush()
        return replies[min(taken.tell(), len(replies)) - 1]


class Wire:
    """What a provider answered: its fields as attributes, nothing where it has none."""
    def __init__(self, fields): self.fields = fields
    @classmethod
    def model_validate(cls, fields): return cls(fields)
    def model_dump(self, **_): return self.fields
    def __getattr__(self, name):
        value = self.fields.get(name)
        if isinstance(value, list):
            return [Wire(each) if isinstance(each, dict) else each for each in value]
        return Wire(value) if isinstance(value, dict) else value


def scripted_provider():
    """An endpoint of chat completions on this machine, which answers with the next reply; its address."""
    import http.server, threading

    class Provider(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            message = {"role": "assistant", "content": next_reply()}
            answer = json.dumps({"id": "1", "created": 1, "model": "scripted", "object": "chat.completion",
                                 "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)
        def log_message(self, *_): pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/v1"


def note_size(messages):
    """Of what was asked, in bytes, a line a request."""
    size = sum(len(str(each.get("content", "")).encode()) for each in messages or [] if isinstance(each, dict))
    with open(os.environ["SCRIPTED_REPLIES"] + ".asked", "a") as file:
        file.write(f"{size}\n")


def scripted_openai():
    module = Module("openai")

    def answer(**asked):
        note_size(asked.get("messages"))
        message = types.SimpleNamespace(content=next_reply())
        return types.SimpleNamespace(choices=[types.SimpleNamespace(message=message)], usage=None)

    async def answer_later(**asked):
        return answer(**asked)

    def client(create):
        return lambda **_: types.SimpleNamespace(chat=types.SimpleNamespace(completions=types.SimpleNamespace(create=create)))

    module.OpenAI, module.AsyncOpenAI = client(answer), client(answer_later)
    return module


def install(names):
    """For those of `names` that are not installed; says which."""
    missing = [name for name in names if name == "openai" or importlib.util.find_spec(name) is None]
    sys.meta_path.append(Finder(set(missing)))
    if "openai" in missing:
        sys.modules["openai"] = scripted_openai()
        sys.modules["openai"].__path__ = []
        sys.modules["openai.types.chat"] = Module("openai.types.chat")
        sys.modules["openai.types.chat"].__path__ = []
        sys.modules["openai.types.chat"].ChatCompletion = Wire
    return missing
