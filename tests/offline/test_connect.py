"""Live or offline: what the environment says, what is printed, and what never is."""

import os
import socket
import subprocess
import sys

import anthropic
import pytest
from offline_parts import HELLO, hello, says

from learn_compact import offline
from learn_compact.errors import ConnectionSetupError
from learn_compact.offline import MODEL_ID, Fault, OfflineAPI, api_of, client_of, connect, model_for

SECRET = "sk-ant-secret"
NAMES = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "MODEL_ID", "LEARN_COMPACT_OFFLINE")
OFFLINE = "Offline: model stand-in with a window of 200,000 tokens, inside this process; no key, no network.\n"


@pytest.fixture
def set_up(monkeypatch, tmp_path):
    """Sets the environment and, with `dotenv`, a file .env in the current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "environ", {name: value for name, value in os.environ.items() if name not in NAMES})

    def set_up(dotenv="", **environment):
        if dotenv:
            (tmp_path / ".env").write_bytes(dotenv if isinstance(dotenv, bytes) else dotenv.encode())
        os.environ.update(environment)
    return set_up


LIVE = [
    ({"ANTHROPIC_API_KEY": SECRET}, f"Live: model {MODEL_ID} at https://api.anthropic.com."),
    ({"ANTHROPIC_AUTH_TOKEN": SECRET}, f"Live: model {MODEL_ID} at https://api.anthropic.com."),
    ({"ANTHROPIC_API_KEY": SECRET, "MODEL_ID": "claude-opus-5-5"},
     "Live: model claude-opus-5-5 at https://api.anthropic.com."),
    ({"ANTHROPIC_API_KEY": SECRET, "ANTHROPIC_BASE_URL": f"http://me:{SECRET}@127.0.0.1:8008/v9/"},
     f"Live: model {MODEL_ID} at http://127.0.0.1:8008/v9."),
    ({"dotenv": f"ANTHROPIC_API_KEY={SECRET}\nMODEL_ID=claude-haiku-5-5\n"},
     "Live: model claude-haiku-5-5 at https://api.anthropic.com."),
    ({"ANTHROPIC_API_KEY": SECRET, "LEARN_COMPACT_OFFLINE": "0"},
     f"Live: model {MODEL_ID} at https://api.anthropic.com."),
]


@pytest.mark.parametrize(("environment", "sentence"), LIVE)
def test_with_a_key_it_is_live_and_says_model_and_address(set_up, capsys, environment, sentence):
    set_up(**environment)
    client = connect()
    assert type(client) is anthropic.Anthropic
    assert SECRET in (client.api_key, client.auth_token)
    assert capsys.readouterr().out == f"{sentence} MODEL_ID names another model.\n"
    assert model_for(client) == sentence.split()[2]


NOT_LIVE = [
    {}, {"ANTHROPIC_API_KEY": ""}, {"MODEL_ID": "claude-opus-5-5"}, {"dotenv": "# nothing set\n"},
    {"ANTHROPIC_API_KEY": SECRET, "LEARN_COMPACT_OFFLINE": "1"},
    {"LEARN_COMPACT_OFFLINE": "1", "dotenv": f"ANTHROPIC_API_KEY={SECRET}\n"},
    {"ANTHROPIC_API_KEY": SECRET, "dotenv": "LEARN_COMPACT_OFFLINE=1\n"},
    {"ANTHROPIC_BASE_URL": "http://127.0.0.1:8008", "ANTHROPIC_AUTH_TOKEN": SECRET},
]


@pytest.mark.parametrize("environment", NOT_LIVE)
def test_without_a_key_or_when_told_it_is_offline_and_says_the_same_everywhere(set_up, capsys, environment):
    set_up(**environment)
    client = connect()
    assert capsys.readouterr().out == OFFLINE
    assert model_for(client) == offline.MODEL and SECRET not in (client.api_key, client.auth_token)


def test_a_base_url_drops_the_auth_token(set_up):
    set_up(ANTHROPIC_API_KEY=SECRET, ANTHROPIC_BASE_URL="http://127.0.0.1:8008", ANTHROPIC_AUTH_TOKEN="other")
    client = connect()
    assert (client.api_key, client.auth_token) == (SECRET, None)
    assert "ANTHROPIC_AUTH_TOKEN" not in os.environ


def test_a_dotenv_file_overrides_nothing(set_up):
    set_up(ANTHROPIC_API_KEY="mine", dotenv=f"ANTHROPIC_API_KEY={SECRET}\n")
    assert connect().api_key == "mine"


def test_a_dotenv_file_that_is_no_text_is_one_clear_sentence(set_up):
    set_up(dotenv=f"ANTHROPIC_API_KEY={SECRET}".encode("utf-16"))
    with pytest.raises(ConnectionSetupError, match="not UTF-8") as caught:
        connect()
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("options", [{"live": False}, {"faults": [Fault(call=1, status=529)]}])
def test_offline_can_be_asked_for_with_a_key_too(set_up, capsys, options):
    set_up(ANTHROPIC_API_KEY=SECRET)
    connect(**options)
    assert capsys.readouterr().out == OFFLINE


@pytest.mark.parametrize("environment", [{}, {"ANTHROPIC_API_KEY": SECRET, "LEARN_COMPACT_OFFLINE": "1"}])
def test_live_without_a_key_is_one_clear_sentence(set_up, environment):
    set_up(**environment)
    with pytest.raises(ConnectionSetupError, match="set ANTHROPIC_API_KEY"):
        connect(live=True)


def test_window_faults_and_clock_reach_the_api():
    api = api_of(connect(1_234, faults=[Fault(call=1, status=529)], clock=lambda: 7))
    assert (api.window, api.faults, api._cache._clock()) == (1_234, (Fault(call=1, status=529),), 7)


def test_the_environment_does_not_reach_an_offline_client(set_up):
    set_up(ANTHROPIC_BASE_URL="http://127.0.0.1:9", ANTHROPIC_API_KEY=SECRET)
    assert client_of(OfflineAPI(model=says("Hello."))).messages.create(**HELLO).content[0].text == "Hello."


def test_an_offline_client_opens_no_socket(monkeypatch):
    def refuse(*_):
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    client = client_of(OfflineAPI(model=says("Hello.")))
    assert client.messages.create(**HELLO).content[0].text == "Hello."
    with client.messages.stream(**HELLO) as stream:
        assert stream.get_final_text() == "Hello."
    with pytest.raises(anthropic.APIConnectionError):  # the socket could have been opened
        anthropic.Anthropic(api_key="x", base_url="http://127.0.0.1:9", max_retries=0).messages.create(**HELLO)


def test_a_copy_of_a_client_leads_to_the_same_api():
    api = OfflineAPI(model=says("Hello."))
    copy = client_of(api).with_options(max_retries=0, timeout=5)
    copy.messages.create(**HELLO)
    assert api_of(copy) is api and len(api.calls) == 1 and model_for(copy) == offline.MODEL


def test_two_clients_know_nothing_of_each_other():
    one, two = (client_of(OfflineAPI(model=says(text))) for text in ("One.", "Two."))
    assert [client.messages.create(**HELLO).content[0].text for client in (one, two)] == ["One.", "Two."]
    assert len(api_of(one).calls) == len(api_of(two).calls) == 1


def test_a_live_client_has_no_list_of_calls():
    client = anthropic.Anthropic(api_key=SECRET)
    with pytest.raises(ConnectionSetupError, match="https://api.anthropic.com is no offline API"):
        api_of(client)


def test_the_stand_in_answers_where_no_other_model_is_given():
    answer = client_of(OfflineAPI()).messages.create(**hello(max_tokens=500))
    assert answer.stop_reason == "end_turn" and answer.content[0].text


def test_offline_loads_neither_sdk_nor_http_client_before_connect():
    program = ("import sys; from learn_compact import offline; offline.MODEL, offline.MODEL_ID; "
               "print(sorted({'anthropic', 'httpx2', 'pydantic', 'ctok'} & set(sys.modules)))")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
