"""Names that models invent for tools, and the tools they mean."""

from __future__ import annotations

import re

ALIASES_BY_TOOL: dict[str, str] = {
    "read_file": """
        cat open open_file read read_code read_file_content read_file_contents read_files
        read_lines read_many_files read_text_file show_file view view_code_item view_file
        get_file get_file_content get_file_contents fs_read file_read load_file
    """,
    "search_files": """
        find_in_files find_text grep grep_search regex_search rg ripgrep search search_code
        search_dir search_file search_file_content search_for_pattern search_in_files search_text
        file_content_search
    """,
    "list_files": """
        dir directory_tree find_by_name find_files get_files glob glob_file_search glob_search
        list list_dir list_directory list_file list_folder ls read_dir read_directory
        read_folder show_directory tree view_directory file_glob_search file_search
    """,
    "list_code_definition_names": """
        code_outline document_symbols find_symbol get_outline get_symbols get_symbols_overview
        list_code_definitions list_definitions list_symbols list_code_usages outline symbols
        view_file_outline
    """,
    "fetch_instructions": "fetch_instruction get_instructions load_instructions read_instructions",
    "write_to_file": """
        create create_file create_new_file fs_write file_write new_file overwrite_file save
        save_file save_to_file write write_content write_file write_new_file write_text_file
        create_text_file
    """,
    "apply_diff": "apply_edit apply_edits diff diff_edit edit_diff apply_search_replace",
    "insert_content": """
        append append_file append_to_file insert insert_at_line insert_line insert_lines
        insert_text insert_code
    """,
    "execute_command": """
        bash bash_command cmd command exec exec_command execute execute_bash execute_shell
        execute_shell_command execute_terminal_command local_shell powershell run run_bash
        run_bash_command run_cmd run_command run_command_in_terminal run_commands run_in_terminal
        run_shell run_shell_command run_terminal_cmd run_terminal_command sh shell shell_command
        shell_exec system terminal developer_shell
    """,
    "read_command_output": """
        bash_output check_command_output command_output command_status get_command_output
        get_terminal_output read_output read_terminal terminal_output
    """,
    "background_command": """
        await_command background_commands bash_kill kill_bash kill_command kill_process kill_shell
        list_background_commands list_processes manage_background_command stop_command
        stop_process terminate_command wait_for_command
    """,
    "browser_action": """
        browse browser browser_click browser_control browser_navigate browser_tool browser_use
        computer open_browser puppeteer
    """,
    "use_mcp_tool": "call_mcp_tool mcp mcp_call mcp_tool run_mcp_tool use_mcp",
    "access_mcp_resource": """
        fetch_mcp_resource get_mcp_resource mcp_resource read_mcp_resource
    """,
    "ask_followup_question": """
        ask ask_a_question ask_followup ask_follow_up_question ask_human ask_question
        ask_questions ask_user ask_user_question clarify followup_question human_input prompt_user
        question request_user_input user_input
    """,
    "attempt_completion": """
        complete complete_task completion done end_task final_answer finalize finish finish_task
        finished mark_complete return_result submit submit_answer submit_result task_complete
        task_completed task_done terminate
    """,
    "update_todo_list": """
        manage_todo_list set_todos task_list todo todo_list todo_write todos todowrite create_plan
        create_todo_list make_plan set_todo_list update_plan update_task_list update_todo
        update_todos write_todos task_progress
    """,
    "codebase_search": """
        code_search codebase codebase_retrieval find_code search_codebase semantic_search
        semantic_code_search vector_search codebase_investigator
    """,
    "run_slash_command": """
        custom_command execute_slash_command invoke_slash_command run_custom_command run_slash slash
        slash_command use_slash_command
    """,
    "generate_image": """
        create_image create_picture draw_image generate_picture image_gen image_generation imagegen
        make_image paint_image text_to_image
    """,
    "apply_patch": "patch patch_file apply_unified_diff",
    "edit": """
        find_and_replace replace replace_in_file search_and_replace str_replace
        string_replace replace_string_in_file replace_text str_replace_based_edit_tool
        str_replace_editor
    """,
    "search_replace": "edit_search_replace replace_content search_replace_edit",
    "edit_file": "file_edit modify_file update_file change_file edit_existing_file",
    "switch_mode": "change_mode enter_mode exit_plan_mode handoff mode_switch set_mode",
    "new_task": """
        agent create_task delegate delegate_task dispatch_agent spawn_agent start_task sub_agent
        subagent subtask task
    """,
    "skill": """
        activate_skill fetch_skill get_skill invoke_skill load_skill read_skill run_skill use_skill
    """,
    "web_fetch": """
        browse_url fetch fetch_page fetch_url fetch_web_page fetch_webpage get_url http_get get_page
        get_webpage open_url read_page read_url read_url_content read_webpage scrape_url
        read_web_page visit_url visit_webpage webfetch
    """,
}

TOOL_ALIASES: dict[str, str] = {
    alias: tool for tool, aliases in ALIASES_BY_TOOL.items() for alias in aliases.split()
}

_NAMESPACE = re.compile(r"^(?:functions?|tools?|default_api|repo_browser|container|roo)[.:/]+")
_WORD_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SEPARATORS = re.compile(r"[\s-]+")


def canonical_name(name: str) -> str:
    """The tool a name means: `ls`, `ListFiles` and `functions.list-files` are all list_files."""
    if name in TOOL_ALIASES:
        return TOOL_ALIASES[name]
    if name.startswith("mcp--"):
        return name
    bare = _WORD_BOUNDARY.sub("_", _NAMESPACE.sub("", name.strip()))
    snake = _SEPARATORS.sub("_", bare).lower()
    return TOOL_ALIASES.get(snake, snake)
