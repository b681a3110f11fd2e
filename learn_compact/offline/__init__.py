"""A Messages API inside the process: the real SDK, no key, no network, and a model whose only memory is the request.

`connect()` gives a client, live or offline. Offline, the API keeps the rules of the real one: it validates, counts,
caches, streams and refuses in the same words. It answers through a stand-in model, which shows what a compaction loses,
and nothing about how well a real model would get along with what is left. Importing this loads neither SDK nor HTTP.
"""

import importlib

MODEL = "stand-in"  # the model that answers offline
MODEL_ID = "claude-sonnet-5-5"  # the model that answers live, where the environment's MODEL_ID names no other

_WHERE = {
    "clients": "connect client_of api_of model_for",
    "api": "OfflineAPI Call WINDOW",
    "faults": "Fault",
    "project": "sample_project",
    "subtask": "with_subtask",
}
_MODULE_OF = {name: module for module, names in _WHERE.items() for name in names.split()}

__all__ = ["MODEL", "MODEL_ID", *_MODULE_OF]


def __getattr__(name):
    if name in ("tasks", "standin"):
        return importlib.import_module(f"{__name__}.{name}")
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted([*globals(), *__all__])
