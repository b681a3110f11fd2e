"""Writing over a file: through a link to what it names, and never over what is no file."""

import os
import stat

import pytest

from learn_compact import files

pytestmark = pytest.mark.skipif(os.name != "posix", reason="pipes and links as posix has them")


def test_a_link_stays_and_what_it_names_is_written(tmp_path):
    (tmp_path / "there").mkdir()
    target = tmp_path / "there" / "page.html"
    target.write_text("old")
    for name, to in (("link", target), ("new", tmp_path / "there" / "none.html")):
        (tmp_path / name).symlink_to(to)
        files.write_over(tmp_path / name, b"new")
        assert (tmp_path / name).is_symlink() and to.read_bytes() == b"new"


@pytest.mark.parametrize("through_a_link", [False, True])
def test_what_is_no_ordinary_file_is_refused_and_stays(tmp_path, through_a_link):
    pipe = path = tmp_path / "pipe"
    os.mkfifo(pipe)
    if through_a_link:
        path = tmp_path / "link"
        path.symlink_to(pipe)
    with pytest.raises(OSError, match="no ordinary file"):
        files.write_over(path, b"new")
    assert stat.S_ISFIFO(pipe.stat().st_mode) and not list(tmp_path.glob(".partial*"))
