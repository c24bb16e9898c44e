"""What a person says, without the keys that this process knows: the log and the model need none.

What merely looks like a key stays: the user may well want to talk of it.
"""

from __future__ import annotations

from roo_code.commands import AnswerQuestion, Command, RespondToApproval, SendMessage, StartTask
from roo_code.redaction import redact


def without_keys(command: Command) -> Command:
    match command:
        case StartTask(spec=spec):
            return command.replace(spec=spec.replace(prompt=redact.known(spec.prompt)))
        case SendMessage(text=text):
            return command.replace(text=redact.known(text))
        case AnswerQuestion(answer=answer):
            return command.replace(answer=redact.known(answer))
        case RespondToApproval(feedback=feedback):
            return command.replace(feedback=redact.known(feedback))
        case _:
            return command
