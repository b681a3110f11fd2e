"""Run notebooks afresh, in the order given, and store what they print: `make notebooks`.

A stored output is read on GitHub and compared by nbval, so it holds only what every run gives again. Left out are the
views of live widgets (their ids are random), run times, the interpreter's version and the frames of tracebacks (they
name this machine's folders). Each notebook runs in its own kernel, in its own folder. One that prints to stderr or
fails, other than in a cell tagged `raises-exception`, is not stored: the file stays as it was and the exit code is 1.
"""

import json
import os
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

CELL_TIMEOUT_SECONDS = 60
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
LANGUAGE = {"file_extension": ".py", "mimetype": "text/x-python", "name": "python", "pygments_lexer": "ipython3"}


def read(path):
    """The notebook in the file, its outputs aside, every cell with an id that stays."""
    raw = json.loads(path.read_text(encoding="utf-8"))
    for number, cell in enumerate(raw["cells"]):
        cell.setdefault("id", f"cell-{number:02}")
        cell["metadata"] = {key: cell["metadata"][key] for key in ("tags", "jupyter") if cell["metadata"].get(key)}
        if cell["cell_type"] == "code":
            cell.update(outputs=[], execution_count=None)
    raw.update(nbformat=4, nbformat_minor=5, metadata={"kernelspec": KERNEL, "language_info": LANGUAGE})
    return nbformat.reads(json.dumps(raw), as_version=4)


def clean(notebook):
    """Take out of the outputs, in place, what another run would not give again."""
    notebook.metadata = {"kernelspec": KERNEL, "language_info": LANGUAGE}
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if output.output_type == "error":
                output.traceback = [f"{output.ename}: {output.evalue}"]
            else:
                output.get("data", {}).pop(WIDGET_VIEW, None)


def faults(notebook):
    """What keeps a run from being stored, a sentence for each."""
    for number, cell in enumerate(notebook.cells):
        for output in cell.get("outputs", []):
            if output.output_type == "stream" and output.name == "stderr":
                yield f"cell {number} prints to stderr: {output.text.strip()}"
            if output.output_type == "error" and "raises-exception" not in cell.metadata.get("tags", []):
                yield f"cell {number} fails: {output.ename}: {output.evalue}"


def store(path):
    """Run one notebook and write it back; the faults that kept it from being written."""
    notebook = read(path)
    client = NotebookClient(
        notebook,
        kernel_name="python3",
        timeout=CELL_TIMEOUT_SECONDS,
        resources={"metadata": {"path": str(path.parent)}},
        record_timing=False,
        coalesce_streams=True,
        store_widget_state=False,
        extra_arguments=["--IPKernelApp.log_level=ERROR"],  # its warning about unencrypted TCP, at every start
    )
    try:
        client.execute()
    except CellExecutionError:
        pass  # the cell's error output says it, and `faults` reads that
    found = list(faults(notebook))
    if not found:
        clean(notebook)
        nbformat.validate(notebook)
        path.write_text(nbformat.writes(notebook) + "\n", encoding="utf-8")
    return found


def main(paths):
    os.environ["LEARN_COMPACT_OFFLINE"] = "1"
    failed = False
    for path in map(Path, paths):
        found = store(path)
        failed = failed or bool(found)
        print(f"{path}: {'stored' if not found else 'NOT stored'}", *found, sep="\n    ", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
