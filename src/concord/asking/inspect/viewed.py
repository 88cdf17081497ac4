"""A people session as Inspect's viewer shows it: every turn, and what was read from each answer."""

from collections.abc import Mapping
from typing import Any

from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageUser
from inspect_ai.scorer import Score

from concord.asking.inspect.asker import chat
from concord.asking.packing import unpacked
from concord.people.openers import SessionOpener


def session_view(opener: SessionOpener, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the whole session, the share of answers that could be read, and how each was read."""
    replies = unpacked(str(row["response"]))
    session = opener.open()
    messages: list[ChatMessage] = []
    while not session.done:
        for question in session.waiting():
            sent = question.messages
            messages += chat(sent[:1]) if not messages and sent[0].role == "system" else []
            reply = replies.get(question.id)
            messages.append(ChatMessageUser(content=sent[-1].text))
            messages.append(ChatMessageAssistant(content="" if reply is None else reply))
            session.answer(question.id, reply)
    read = [(name, answer) for given in session.given for name, answer in given.answers]
    lines = [f"{name}: {answer.outcome}, {dict(answer.values)}" for name, answer in read]
    ok = sum(str(answer.outcome) == "ok" for _, answer in read)
    values = "; ".join(f"{k} = {v}" for _, answer in read for k, v in answer.values.items())
    if not read:
        return {"messages": messages}
    score = Score(value=ok / len(read), answer=values, explanation="\n".join(lines))
    return {"messages": messages, "scores": {"answers_read": score}}
