(function_declaration name: (_) @name) @definition
(variable_declaration (assignment_statement (variable_list name: (_) @name)
  (expression_list value: (function_definition)))) @definition
(assignment_statement (variable_list name: (dot_index_expression) @name)
  (expression_list value: (function_definition))) @definition
