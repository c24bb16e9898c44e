"""What an evaluation has told of a task, kept beside what the task leaves behind."""

from __future__ import annotations

from pathlib import Path

import msgspec

from roo_code.ipc.wire import EvaluationContext
from roo_code.json_text import to_json
from roo_code.task.artifacts import TaskArtifacts

_NAME = "evaluation.json"


def save_context(artifacts: TaskArtifacts, context: EvaluationContext) -> None:
    """OSError if it cannot be kept."""
    artifacts.write(_NAME, to_json(context))


def load_context(artifacts: TaskArtifacts) -> EvaluationContext | None:
    try:
        text = Path(artifacts.folder, _NAME).read_bytes()
        return msgspec.json.decode(text, type=EvaluationContext)
    except (OSError, ValueError):
        return None
