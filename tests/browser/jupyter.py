"""JupyterLab in a headless Chromium: opens a notebook, runs it, and does with keys and eyes what a reader does.

The server listens on 127.0.0.1 alone, has folders of its own for everything it writes, and ends with the test.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from urllib.request import urlopen

import nbformat
import pytest

TIMEOUT = 90  # seconds for a start, or for a whole notebook
BROWSER = [os.environ.get("LEARN_COMPACT_CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome"]
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]
NO_NEWS = {"fetchNews": "false", "checkForUpdates": False}


def browser_path():
    """The browser to test with; skips the test, with the reason, where there is none."""
    pytest.importorskip("playwright", reason="needs playwright (pip install playwright)")
    pytest.importorskip("jupyterlab", reason="needs jupyterlab")
    found = next(filter(None, map(shutil.which, filter(None, BROWSER))), None)
    return found or pytest.skip("needs Chromium (on Debian: apt-get install chromium fonts-dejavu-core)")


def write_notebook(path, *cells):
    """A notebook with these code cells, never run."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(notebook, path)


@contextmanager
def open_notebook(folder, name, own):
    """A playwright page with the notebook `name` of `folder` open and its kernel idle; nothing is run yet.

    `own` is an empty folder for what server and browser write. Errors of the page's console are in `page.errors`.
    """
    from playwright.sync_api import sync_playwright

    path = browser_path()
    with _server(folder, own) as address, sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            own / "browser", executable_path=path, args=QUIET, viewport={"width": 1280, "height": 1000})
        page = context.pages[0]
        page.errors = []
        page.on("pageerror", lambda error: page.errors.append(str(error)))
        page.goto(f"{address}/lab/tree/{name}")
        _wait_until(lambda: _kernel(address).get("connections"), "the kernel has a connection")
        _wait_until(lambda: _kernel(address)["execution_state"] == "idle", "the kernel is idle")
        page.wait_for_selector(".jp-Notebook .jp-Cell")
        yield page
        context.close()


def run_all(page):
    """Run → Run All Cells, and wait until every code cell has its number."""
    page.click("text=Run >> visible=true")
    page.click(".lm-Menu-itemLabel >> text='Run All Cells'")
    page.wait_for_function(
        """() => {
            const cells = [...document.querySelectorAll('.jp-Notebook .jp-CodeCell')];
            return cells.length && cells.every(cell =>
                /\\d/.test(cell.querySelector('.jp-InputPrompt')?.textContent ?? '1'));
        }""", timeout=TIMEOUT * 1000)


@contextmanager
def _server(folder, own):
    settings = own / "config" / "lab" / "user-settings" / "@jupyterlab" / "apputils-extension"
    settings.mkdir(parents=True)
    (settings / "notification.jupyterlab-settings").write_text(json.dumps(NO_NEWS))
    environment = {**os.environ, "JUPYTER_CONFIG_DIR": str(own / "config"), "JUPYTER_DATA_DIR": str(own / "share"),
                   "JUPYTER_RUNTIME_DIR": str(own / "runtime"), "IPYTHONDIR": str(own / "ipython"),
                   "JUPYTERLAB_SETTINGS_DIR": str(own / "config" / "lab" / "user-settings"),
                   "JUPYTERLAB_WORKSPACES_DIR": str(own / "config" / "lab" / "workspaces"),
                   "LEARN_COMPACT_OFFLINE": "1"}
    port = _free_port()
    with open(own / "server.log", "w") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ServerApp.ip=127.0.0.1",
             f"--ServerApp.port={port}", "--ServerApp.port_retries=0", "--IdentityProvider.token=",
             f"--ServerApp.root_dir={folder}"], env=environment, stdout=log, stderr=log)
        try:
            address = f"http://127.0.0.1:{port}"
            _wait_until(lambda: _answers(address), f"JupyterLab answers (its log: {own / 'server.log'})")
            yield address
        finally:
            server.terminate()
            server.wait(TIMEOUT)


def _free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def _answers(address):
    try:
        return urlopen(f"{address}/api/status", timeout=5).status == 200
    except OSError:
        return False


def _kernel(address):
    sessions = json.load(urlopen(f"{address}/api/sessions", timeout=5))
    return sessions[0]["kernel"] if sessions else {}


def _wait_until(is_so, what):
    end = time.monotonic() + TIMEOUT
    while not is_so():
        assert time.monotonic() < end, f"waited {TIMEOUT} s until {what}"
        time.sleep(0.2)
