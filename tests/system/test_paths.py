from pathlib import Path

import pytest

from agent_memory.errors import FileError
from agent_memory.system.paths import Places, find_memory


@pytest.fixture
def repository(home):
    root = home / "code" / "shop"
    (root / ".git").mkdir(parents=True)
    (root / "src" / "api").mkdir(parents=True)
    return root


def found_from(cwd: Path, home: Path, flag=None, **environment):
    places = Places(home=home, cwd=cwd, config_dir=home / ".config")
    return find_memory(places, flag=flag, environment=environment).root


def test_it_is_at_the_repositorys_root_even_where_nothing_is_yet(repository, home):
    assert found_from(repository / "src" / "api", home) == repository / ".memory"


def test_the_nearest_one_upwards_wins(repository, home):
    (repository / ".memory").mkdir()
    (repository / "src" / ".memory").mkdir()

    assert found_from(repository / "src" / "api", home) == repository / "src" / ".memory"


def test_nothing_above_the_repository_counts(repository, home):
    (repository.parent / ".memory").mkdir()

    assert found_from(repository / "src", home) == repository / ".memory"


def test_the_one_in_home_never_counts(home):
    (home / ".memory").mkdir()
    (home / "notes").mkdir()

    assert found_from(home / "notes", home) == home / "notes" / ".memory"


def test_outside_a_repository_the_nearest_below_home_counts(home):
    (home / "notes" / "a").mkdir(parents=True)
    (home / "notes" / ".memory").mkdir()

    assert found_from(home / "notes" / "a", home) == home / "notes" / ".memory"


def test_a_flag_outweighs_the_variable_and_the_variable_the_search(repository, home):
    elsewhere = {"AGENT_MEMORY_DIR": "env-memory"}

    assert found_from(repository, home, flag="x", **elsewhere) == repository / "x"
    assert found_from(repository, home, **elsewhere) == repository / "env-memory"


def test_an_empty_variable_counts_as_unset(repository, home):
    assert found_from(repository, home, AGENT_MEMORY_DIR="") == repository / ".memory"


def test_a_file_in_its_place_is_one_sentence(repository, home):
    (repository / "x").write_text("")

    with pytest.raises(FileError, match="is a file, not a memory folder"):
        found_from(repository, home, flag="x")
