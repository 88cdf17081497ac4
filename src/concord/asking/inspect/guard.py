"""Between Inspect and the provider: what comes back is cleared of secrets before any log sees it."""

import functools
from typing import Any

from inspect_ai.model import Model
from pydantic import BaseModel

from concord.asking.keys import scrub


def keep_secret(model: Model, secrets: tuple[str, ...]) -> Model:
    """Clear replies, raw responses and errors of secrets; some servers send the key back."""
    if not secrets:
        return model
    inner = model.api.generate

    @functools.wraps(inner)
    async def generate(*args: Any, **options: Any) -> Any:
        try:
            result = await inner(*args, **options)
        except Exception as error:
            clear_error(error, secrets)
            raise
        parts = result if isinstance(result, tuple) else (result,)
        for part in parts:
            if isinstance(part, BaseModel):
                clear_record(part, secrets)
            elif isinstance(part, BaseException):
                clear_error(part, secrets)
        return result

    model.api.generate = generate
    return model


def clear_record(record: BaseModel, secrets: tuple[str, ...]) -> None:
    """Clear a record in place: Inspect already holds on to it."""
    text = record.model_dump_json()
    if not any(secret in text for secret in secrets):
        return
    clean = type(record).model_validate_json(scrub(text, secrets))
    for name in type(record).model_fields:
        setattr(record, name, getattr(clean, name))


def clear_error(error: BaseException | None, secrets: tuple[str, ...]) -> None:
    """Clear an error and those behind it in place; its type, by which Inspect decides to retry, stays."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        error.args = tuple(_cleared(part, secrets) for part in error.args)
        for name, value in list(vars(error).items()):
            if isinstance(value, str | dict | list | tuple):
                setattr(error, name, _cleared(value, secrets))
        error = error.__cause__ if error.__cause__ is not None else error.__context__


def _cleared(value: Any, secrets: tuple[str, ...]) -> Any:
    if isinstance(value, str):
        return scrub(value, secrets)
    if isinstance(value, dict):
        return {name: _cleared(part, secrets) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_cleared(part, secrets) for part in value)
    return value
