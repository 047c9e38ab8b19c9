import os
import stat

import pytest

from agent_memory.errors import FileError, PageConflict
from agent_memory.system import files


def leftovers(folder):
    return [path.name for path in folder.iterdir() if files.TEMPORARY_SUFFIX in path.name]


def test_replacing_a_file_leaves_only_the_new_bytes(tmp_path):
    page = tmp_path / "page.md"
    page.write_bytes(b"old")

    identity = files.replace(page, b"new \xff", expected=files.identify(page))

    assert page.read_bytes() == b"new \xff"
    assert identity == files.identify(page)
    assert leftovers(tmp_path) == []


def test_a_file_that_was_not_there_is_made(tmp_path):
    files.replace(tmp_path / "page.md", b"x", expected=None)

    assert (tmp_path / "page.md").read_bytes() == b"x"


def test_a_file_that_changed_since_it_was_read_is_not_replaced(tmp_path):
    page = tmp_path / "page.md"
    page.write_bytes(b"old")
    seen = files.identify(page)
    page.write_bytes(b"a person's")

    with pytest.raises(PageConflict):
        files.replace(page, b"machine", expected=seen)

    assert page.read_bytes() == b"a person's"
    assert leftovers(tmp_path) == []


def test_a_file_that_appeared_since_is_not_replaced(tmp_path):
    (tmp_path / "page.md").write_bytes(b"a person's")

    with pytest.raises(PageConflict):
        files.replace(tmp_path / "page.md", b"machine", expected=None)


def test_permissions_and_symbolic_links_stay(tmp_path):
    page, link = tmp_path / "page.md", tmp_path / "link.md"
    page.write_bytes(b"old")
    page.chmod(0o640)
    link.symlink_to(page)

    files.replace(link, b"new", expected=files.identify(page))

    assert link.is_symlink()
    assert page.read_bytes() == b"new"
    assert stat.S_IMODE(page.stat().st_mode) == 0o640


def test_appending_closes_a_torn_line_first(tmp_path):
    ledger = tmp_path / "taken.jsonl"
    ledger.write_bytes(b'{"k":1}\n{"k":')

    files.append(ledger, '{"k":2}\n')

    assert ledger.read_bytes() == b'{"k":1}\n{"k":\n{"k":2}\n'


def test_reading_what_is_not_there_is_none(tmp_path):
    assert files.read(tmp_path / "no") is None
    assert files.identify(tmp_path / "no" / "no") is None
    assert files.list_folder(tmp_path / "no") == []


def test_a_bom_is_dropped_from_small_texts(tmp_path):
    (tmp_path / "config.toml").write_bytes(b"\xef\xbb\xbfx = 1")

    assert files.read_text(tmp_path / "config.toml") == "x = 1"


def test_a_folder_where_a_file_should_be_is_one_sentence(tmp_path):
    with pytest.raises(FileError, match="is a folder where a file should be") as caught:
        files.read(tmp_path)

    assert caught.value.hint


def test_a_file_where_a_folder_should_be_is_one_sentence(tmp_path):
    (tmp_path / "x").write_text("")

    with pytest.raises(FileError, match="file where a folder should be"):
        files.make_folder(tmp_path / "x" / "y")


def test_private_folders_are_for_their_owner_only(tmp_path):
    files.make_folder(tmp_path / ".vault", private=True)

    if os.name == "posix":
        assert stat.S_IMODE((tmp_path / ".vault").stat().st_mode) == 0o700


def test_what_a_killed_writer_left_is_swept_by_the_next(tmp_path):
    (tmp_path / ".page.md.0123456789ab.am-tmp").write_bytes(b"half")
    (tmp_path / ".other.md.0123456789ab.am-tmp").write_bytes(b"half")

    files.replace(tmp_path / "page.md", b"whole", expected=None)
    assert leftovers(tmp_path) == [".other.md.0123456789ab.am-tmp"]
    (tmp_path / ".page.md.0123456789ab.am-tmp").write_bytes(b"whole")
    files.put(tmp_path / "page.md", b"whole")  # which it is already
    assert leftovers(tmp_path) == [".other.md.0123456789ab.am-tmp"]
    files.sweep(tmp_path)
    assert leftovers(tmp_path) == []
