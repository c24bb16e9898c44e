(class_declaration name: (_) @name) @definition
(function_declaration name: (_) @name) @definition
(generator_function_declaration name: (_) @name) @definition
(method_definition name: (_) @name) @definition
(field_definition property: (_) @name value: [(arrow_function) (function_expression)]) @definition
(lexical_declaration (variable_declarator name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function) (class)])) @definition
(variable_declaration (variable_declarator name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function) (class)])) @definition
(assignment_expression left: (member_expression) @name
  right: [(arrow_function) (function_expression) (class)]) @definition
(pair key: (_) @name value: [(arrow_function) (function_expression)]) @definition
(export_statement (_ name: (_) @name)) @definition
(export_statement (_ (variable_declarator name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function) (class)]))) @definition
(decorator) @header
