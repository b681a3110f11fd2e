"""A client of the real SDK, live or offline, and what a chapter asks about it.

`connect` looks for a key where the SDK looks (and in a file `.env`), says in one sentence what it found, and the rest
of the course runs the same cells on either. Left out: profiles and federated credentials, which only the SDK reads.
"""

import os
import weakref

from dotenv import find_dotenv, load_dotenv

from learn_compact.errors import ConnectionSetupError
from learn_compact.offline import MODEL, MODEL_ID
from learn_compact.offline.api import WINDOW, OfflineAPI

_apis = weakref.WeakValueDictionary()  # address: the API that answers there


def connect(window=WINDOW, *, clock=None, faults=(), live=None):
    """An `anthropic.Anthropic`: live where a key is set, else offline; prints which.

    Offline the stand-in model answers in this process, with a context window of `window` tokens, a prompt cache that
    forgets by `clock()` (seconds; without one time stands still) and `faults` (see `Fault`). Live, the model has its
    own window. `live=False` and LEARN_COMPACT_OFFLINE=1 keep it offline, and so do faults, which no real API has on
    request; `live=True` insists on a key. A file `.env` is read and overrides nothing. Where ANTHROPIC_BASE_URL is set,
    ANTHROPIC_AUTH_TOKEN is dropped from the environment (s06). Never prints a key.
    """
    if live is not False and not faults and _finds_key():
        return _live_client()
    if live:
        raise ConnectionSetupError("There is no key to go live with: set ANTHROPIC_API_KEY, or write it into a file "
                                   ".env, and unset LEARN_COMPACT_OFFLINE. Faults can be had offline only.")
    api = OfflineAPI(window, clock=clock, faults=faults)
    print(f"Offline: model {MODEL} with a window of {window:,} tokens, inside this process; no key, no network.")
    return client_of(api)


def client_of(api):
    """A client of the real SDK that talks to this `OfflineAPI` inside the process and can reach no network."""
    from anthropic import Anthropic, DefaultHttpxClient  # late: takes a second or two

    from learn_compact.offline.transport import OfflineTransport

    _apis[api.address] = api
    return Anthropic(api_key="offline", base_url=api.address,
                     http_client=DefaultHttpxClient(transport=OfflineTransport(api)))


def api_of(client):
    """The `OfflineAPI` behind an offline client; `api_of(client).calls` lists what was asked of it."""
    address = _address(client)
    if address not in _apis:
        raise ConnectionSetupError(f"{address} is no offline API of this process, so its calls are not listed here. "
                                   "connect(live=False) gives an offline client.")
    return _apis[address]


def model_for(client):
    """The name of the model to ask this client for: the stand-in offline, else MODEL_ID (environment, then default).

    >>> model_for(client_of(OfflineAPI()))
    'stand-in'
    """
    return MODEL if is_offline(client) else os.environ.get("MODEL_ID") or MODEL_ID


def is_offline(client):
    """Whether an `OfflineAPI` of this process answers this client; a served one is as live as any other address."""
    return _address(client) in _apis


def _live_client():
    from anthropic import Anthropic
    from httpx2 import InvalidURL

    try:
        client = Anthropic()
    except InvalidURL as error:
        raise ConnectionSetupError(f"ANTHROPIC_BASE_URL is no address: {error}.") from None
    print(f"Live: model {model_for(client)} at {_address(client)}. MODEL_ID names another model.")
    return client


def _finds_key():
    if _is_forced_offline():
        return False
    path = find_dotenv(usecwd=True)
    try:
        load_dotenv(path)
    except UnicodeDecodeError:
        raise ConnectionSetupError(f"{path} is not UTF-8 text; save it as UTF-8 and connect again.") from None
    if os.environ.get("ANTHROPIC_BASE_URL"):
        os.environ.pop("ANTHROPIC_AUTH_TOKEN", None)
    has_key = os.environ.get("ANTHROPIC_API_KEY") or os.environ.get("ANTHROPIC_AUTH_TOKEN")
    return bool(has_key) and not _is_forced_offline()  # `.env` may force it too


def _is_forced_offline():
    return os.environ.get("LEARN_COMPACT_OFFLINE", "") not in ("", "0")


def _address(client):
    """Where a client's requests go, without any credentials that the address may hold."""
    url = client.base_url
    return f"{url.scheme}://{url.netloc.decode()}{url.path}".rstrip("/")
