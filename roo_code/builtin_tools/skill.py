"""skill: instructions for one kind of work, read when the task comes to need them."""

from __future__ import annotations

import asyncio
from pathlib import Path

from pydantic import AliasChoices, Field

from roo_code.builtin_tools.instruction_file import read_instructions, titled
from roo_code.builtin_tools.project_trust import check_skill
from roo_code.builtin_tools.tool_input import ToolInput
from roo_code.config.front_matter import split_front_matter
from roo_code.config.paths import roo_home
from roo_code.config.skills import Skill, SkillPlaces, list_skills
from roo_code.config.unreadable import Unreadable
from roo_code.errors import ToolError
from roo_code.tools import Tool, ToolContext


class UseSkillInput(ToolInput):
    skill: str = Field(
        min_length=1,
        validation_alias=AliasChoices("skill", "name", "skill_name", "command"),
        description="The name of the skill.",
    )
    args: str = Field(
        default="",
        validation_alias=AliasChoices("args", "arguments", "input", "context"),
        description="What the skill is to be used for, if it wants to be told.",
    )


class UseSkill(Tool[UseSkillInput]):
    name = "skill"
    description = (
        "Read a skill: instructions by the user or the project for one kind of work. If there is "
        "one for what you are about to do, read and follow it first. A name that does not exist "
        "is answered with the list of those that do."
    )
    group = "advanced"
    input_type = UseSkillInput
    repeatable = True
    needs_approval = False

    async def execute(self, arguments: UseSkillInput, context: ToolContext) -> str:
        return await asyncio.to_thread(_read, arguments, context)


def _read(arguments: UseSkillInput, context: ToolContext) -> str:
    name = arguments.skill.strip().lstrip("/")
    skills = skills_of(context)
    if name in skills:
        return skill_text(skills[name], arguments.args, context)
    raise ToolError(f"There is no skill {name!r}. {known('skills', skills)}")


def skills_of(context: ToolContext) -> dict[str, Skill]:
    """Those that the task may use in its mode, by name."""
    places = SkillPlaces(context.workspace.root, roo_home(), Path.home())
    found, _ = list_skills(places, str(context.settings.get("mode") or ""))
    return {skill.name: skill for skill in found}


def skill_text(skill: Skill, arguments: str, context: ToolContext) -> str:
    if skill.source == "project":
        check_skill(context.workspace.root, skill.path.parent)
    text = read_instructions(skill.path, skill.source, context.workspace)
    try:
        body = split_front_matter(text)[1]
    except Unreadable as error:
        raise ToolError(f"{str(skill.path)!r}: {error}.") from error
    facts = {
        "Skill": skill.name,
        "Description": skill.description,
        "Provided arguments": arguments,
        "Source": skill.source,
        "Folder": context.workspace.relative(skill.path.parent.resolve()),
    }
    return titled(facts, "Skill Instructions", body)


def known(kind: str, names: dict[str, Skill]) -> str:
    """What there is, for a model that asked for something else."""
    if not names:
        return f"There are no {kind} here."
    listed = "\n".join(f"- {skill.name}: {skill.description}" for skill in names.values())
    return f"These {kind} exist:\n{listed}"
