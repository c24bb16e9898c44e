# pyright: basic, reportMissingImports=false
"""Conversations with mini-swe-agent's DefaultAgent in one process, one after another.

Its environment starts no shell, as nobody else's tool does here.
"""

import sys

import yaml
from minisweagent.agents.default import DefaultAgent
from minisweagent.config import builtin_config_dir
from minisweagent.environments.local import LocalEnvironment
from minisweagent.models.litellm_model import LitellmModel

SUBMIT = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"


class Notes(LocalEnvironment):
    def execute(self, action, cwd="", *, timeout=None):
        command = action["command"]
        text = command.removeprefix("echo ") if command == SUBMIT else f"Noted: {command}"
        output = {"output": text, "returncode": 0, "exception_info": ""}
        self._check_finished(output)
        return output


config = yaml.safe_load((builtin_config_dir / "mini.yaml").read_text(encoding="utf-8"))
for url in sys.argv[1:]:
    model = LitellmModel(
        model_name="openai/bench",
        model_kwargs={"api_base": url, "api_key": "bench", "drop_params": True},
        cost_tracking="ignore_errors",
        observation_template=config["model"]["observation_template"],
    )
    templates = {k: v for k, v in config["agent"].items() if k.endswith("_template")}
    result = DefaultAgent(model, Notes(), cost_limit=0, **templates).run("Take the steps.")
    if result["exit_status"] != "Submitted":
        sys.exit(f"mini-swe-agent ended with {result['exit_status']!r}")
