from pathlib import Path

import pytest

from agent_memory.errors import FileError
from agent_memory.system.paths import Places, find_memory, main_worktree


@pytest.fixture
def repository(home):
    root = home / "code" / "shop"
    (root / ".git").mkdir(parents=True)
    (root / "src" / "api").mkdir(parents=True)
    return root


def found_from(cwd: Path, home: Path, flag=None, **environment):
    places = Places(home=home, cwd=cwd, config_dir=home / ".config", data_dir=home / ".data")
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


@pytest.fixture
def worktree(repository, home):
    """A linked worktree of the repository, as git lays it out."""
    private = repository / ".git" / "worktrees" / "fix"
    private.mkdir(parents=True)
    (private / "commondir").write_text("../..\n")
    linked = home / "worktrees" / "fix"
    (linked / "src" / "api").mkdir(parents=True)
    (linked / ".git").write_text(f"gitdir: {private}\n")
    return linked


def test_in_a_linked_worktree_the_main_worktrees_comes_first(worktree, repository, home):
    assert found_from(worktree / "src", home) == repository / ".memory"
    (worktree / ".memory").mkdir()
    assert found_from(worktree / "src", home) == worktree / ".memory"
    (repository / ".memory").mkdir()
    assert found_from(worktree / "src", home) == repository / ".memory"


def test_below_a_linked_worktree_the_same_place_of_the_main_one_counts(worktree, repository, home):
    (repository / ".memory").mkdir()
    (repository / "src" / ".memory").mkdir()

    assert found_from(worktree / "src" / "api", home) == repository / "src" / ".memory"
    assert found_from(worktree, home) == repository / ".memory"


def test_a_separate_worktree_has_its_own(worktree, repository, home):
    (repository / ".memory").mkdir()
    places = Places(home=home, cwd=worktree, config_dir=home / ".config", data_dir=home / ".data")

    assert find_memory(places, flag=None, environment={}, separate=True).root == worktree / ".memory"


@pytest.mark.parametrize("text", ["", "gitdir: /nowhere", "\0", "gitdir: ../shop/.git/modules/part"])
def test_a_submodule_or_a_broken_git_file_is_no_worktree(home, repository, text):
    (repository / ".git" / "modules" / "part").mkdir(parents=True)
    part = home / "code" / "part"
    part.mkdir()
    (part / ".git").write_text(text)

    assert main_worktree(part) is None
    assert found_from(part, home) == part / ".memory"


def test_a_worktree_of_a_bare_repository_has_its_own(home):
    private = home / "bare.git" / "worktrees" / "fix"
    private.mkdir(parents=True)
    (private / "commondir").write_text("../..")
    linked = home / "fix"
    linked.mkdir()
    (linked / ".git").write_text(f"gitdir: {private}")

    assert found_from(linked, home) == linked / ".memory"
