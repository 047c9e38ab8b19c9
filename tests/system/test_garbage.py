from __future__ import annotations

import gc

import pytest

from agent_memory.system.garbage import uncollected


def test_collecting_is_off_inside_and_on_again_behind_also_after_an_error() -> None:
    @uncollected()
    def fail() -> None:
        assert not gc.isenabled()
        raise LookupError

    with pytest.raises(LookupError):
        fail()
    assert gc.isenabled()


def test_who_had_switched_it_off_finds_it_off() -> None:
    gc.disable()
    try:
        with uncollected():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
