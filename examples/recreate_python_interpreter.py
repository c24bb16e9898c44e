"""Have agents write a small interactive Python, in five phases.

    python examples/recreate_python_interpreter.py --replay

needs no key: the model's replies come from the file beside this one, the tools run for real, in a
new folder. Without --replay a model does it: give --provider and, if you like, --model. A run that
was stopped goes on where it was, from its checkpoint.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path

from roo_code import ProviderSettings, RooClient
from roo_code.errors import RooCodeError, explain
from roo_code.testing import ModelServer
from roo_code.workflows.graph import bar
from roo_code.workflows.runner import WorkflowRunner
from roo_code.workflows.state import PhaseSpec, SubtaskSpec, WorkflowState

RECORDING = Path(__file__).with_suffix(".json")


def phase(id: str, name: str, mode: str, checks: tuple[str, ...] = (), **work: str) -> PhaseSpec:
    subtasks = tuple(SubtaskSpec(subtask_id=key, message=text) for key, text in work.items())
    return PhaseSpec(phase_id=id, name=name, mode=mode, checks=checks, retries=1, subtasks=subtasks)


class PythonInterpreterWorkflowRunner(WorkflowRunner):
    phases = (
        phase(
            "planning",
            "Planning",
            "architect",
            structure="Create the project structure: write PLAN.md with the modules of `minipy`.",
            requirements="Define the requirements: write REQUIREMENTS.md, one sentence each.",
        ),
        phase(
            "core",
            "Core Implementation",
            "code",
            checks=("printf '1 + 1\\n' | python3 -m minipy",),
            repl="Implement the REPL loop in minipy/repl.py and minipy/__main__.py.",
            input="Add input handling: minipy/source.py tells a whole statement from half of one.",
        ),
        phase(
            "features",
            "Features",
            "code",
            highlighting="Add syntax highlighting in minipy/highlight.py.",
            history="Add command history in minipy/history.py.",
            completion="Add auto-completion in minipy/completion.py.",
        ),
        phase(
            "testing",
            "Testing",
            "code",
            checks=("python3 -m unittest -q",),
            tests="Write tests in test_minipy.py with unittest.",
            run="Run the test suite and mend what fails.",
        ),
        phase(
            "documentation",
            "Documentation",
            "architect",
            readme="Write README.md.",
            examples="Create usage examples in EXAMPLES.md.",
        ),
    )


async def run(arguments: argparse.Namespace) -> WorkflowState:
    async with AsyncExitStack() as stack:
        settings = ProviderSettings(
            api_provider=arguments.provider, api_model_id=arguments.model or ""
        )
        if arguments.replay:
            server = ModelServer(json.loads(RECORDING.read_bytes()))
            await stack.enter_async_context(server)
            settings = ProviderSettings(
                api_provider="anthropic", api_base_url=server.url, api_key="none"
            )
        runner = PythonInterpreterWorkflowRunner(
            RooClient(settings),
            project_root=arguments.workspace,
            checkpoint_file=arguments.workspace / "workflow.json",
            on_progress=lambda state: print(bar(state), flush=True),
        )
        return await runner.run()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, add_help=True)
    parser.add_argument("--replay", action="store_true", help="offline, from the recording")
    parser.add_argument("--provider", default="anthropic")
    parser.add_argument("--model")
    parser.add_argument("--workspace", type=Path, help="default: a new folder")
    arguments = parser.parse_args()
    arguments.workspace = (
        arguments.workspace or Path(tempfile.mkdtemp(prefix="minipy-"))
    ).resolve()
    arguments.workspace.mkdir(parents=True, exist_ok=True)
    try:
        asyncio.run(run(arguments))
    except RooCodeError as error:
        shown = explain(error)
        print(f"Error: {shown}\n  {shown.hint}", file=sys.stderr)
        return 1
    print(f"Done: {arguments.workspace}. Try it there: python3 -m minipy")
    return 0


if __name__ == "__main__":
    sys.exit(main())
