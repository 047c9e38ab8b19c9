import pytest

from agent_memory.errors import SettingsError
from agent_memory.system.settings import load
from agent_memory.system.settings_table import SETTINGS


@pytest.fixture
def loaded(tmp_path):
    def _load(user="", workspace="", environment=None, **flags):
        (tmp_path / "user.toml").write_text(user, encoding="utf-8")
        (tmp_path / "workspace.toml").write_text(workspace, encoding="utf-8")
        return load(
            user_file=tmp_path / "user.toml",
            workspace_file=tmp_path / "workspace.toml",
            environment=environment or {},
            flags={key.replace("__", "."): value for key, value in flags.items()},
        )

    return _load


def test_every_setting_has_its_default(loaded):
    settings = loaded()

    assert {key: found.value for key, found in settings.items()} == {s.key: s.default for s in SETTINGS}
    assert {found.source for found in settings.values()} == {"default"}


def test_slow_models_get_the_time_that_they_need(loaded):
    settings = loaded()

    assert (settings.number("reflection.timeout_s"), settings.number("recall.rewrite.timeout_s")) == (60.0, 10.0)


@pytest.mark.parametrize(
    ("key", "value"), [("dedup__threshold", 1.1), ("recall_injection__k", 51), ("index__limit", -1)]
)
def test_a_number_outside_its_range_is_an_error_that_names_the_range(loaded, key, value):
    with pytest.raises(SettingsError, match=r"at least 0 and at most (?:1|50|200), not"):
        loaded(**{key: value})


def test_each_layer_outweighs_the_one_before_and_says_so(loaded):
    user = '[workspace]\nagent = "u"\n[context]\nmax_tokens = 900\nlessons = 1\ndecisions = 1\n'
    workspace = "[context]\nmax_tokens = 800\nlessons = 7\n"

    settings = loaded(user, workspace, {"AGENT_MEMORY_CONTEXT_MAX_TOKENS": "700"}, context__decisions=5)

    assert settings.text("workspace.agent") == "u"
    assert settings["workspace.agent"].source.endswith("user.toml, line 2")
    assert settings.count("context.max_tokens") == 700
    assert settings["context.max_tokens"].source == "environment (AGENT_MEMORY_CONTEXT_MAX_TOKENS)"
    assert settings["context.lessons"].source.endswith("workspace.toml, line 3")
    assert settings["context.decisions"].source == "flag"


def test_an_unknown_key_is_an_error_with_file_line_and_nearest_key(loaded):
    with pytest.raises(SettingsError, match=r"context.max_token in .*workspace.toml, line 3") as caught:
        loaded(workspace="[context]\n\nmax_token = 5\n")

    assert caught.value.hint == "Did you mean context.max_tokens?"


def test_an_unknown_section_is_an_error(loaded):
    with pytest.raises(SettingsError, match=r"contxt.max_tokens"):
        loaded(workspace="[contxt]\nmax_tokens = 5\n")


def test_an_unknown_variable_is_an_error_with_the_nearest_one(loaded):
    with pytest.raises(SettingsError) as caught:
        loaded(environment={"AGENT_MEMORY_CONTEXT_MAXTOKENS": "5"})

    assert caught.value.hint == "Did you mean AGENT_MEMORY_CONTEXT_MAX_TOKENS?"


@pytest.mark.parametrize(
    "line",
    ['max_tokens = "many"', "max_tokens = 1.5", "max_tokens = true", "max_tokens = 5", "max_tokens = [1]"],
)
def test_a_value_of_the_wrong_kind_is_an_error(loaded, line):
    with pytest.raises(SettingsError, match="must be a whole number, at least 50"):
        loaded(workspace=f"[context]\n{line}\n")


def test_a_number_that_is_none_is_an_error(loaded):
    with pytest.raises(SettingsError, match="not nan"):
        loaded(workspace="[watch]\ndebounce_s = nan\n")


def test_a_choice_lists_what_there_is(loaded):
    with pytest.raises(SettingsError, match="must be en or pt"):
        loaded(workspace='[vault]\nlanguage = "fr"\n')


def test_a_file_that_is_not_toml_is_one_sentence(loaded):
    with pytest.raises(SettingsError, match="is not TOML"):
        loaded(workspace="[context\n")


def test_variables_of_the_npm_package_and_empty_ones_are_ignored(loaded):
    loaded(environment={"AGENT_MEMORY_SKIP_CURSOR_RULE": "1", "AGENT_MEMORY_DIR": "x", "AGENT_MEMORY_NO_SUCH": ""})


def test_a_whole_number_serves_as_a_number(loaded):
    assert loaded(workspace="[watch]\ndebounce_s = 3\n").number("watch.debounce_s") == 3.0
