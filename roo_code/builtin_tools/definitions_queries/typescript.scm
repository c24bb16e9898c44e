(class_declaration name: (_) @name) @definition
(abstract_class_declaration name: (_) @name) @definition
(interface_declaration name: (_) @name) @definition
(type_alias_declaration name: (_) @name) @definition
(enum_declaration name: (_) @name) @definition
(internal_module name: (_) @name) @definition
(module name: (_) @name) @definition
(function_declaration name: (_) @name) @definition
(function_signature name: (_) @name) @definition
(generator_function_declaration name: (_) @name) @definition
(method_definition name: (_) @name) @definition
(method_signature name: (_) @name) @definition
(abstract_method_signature name: (_) @name) @definition
(public_field_definition name: (_) @name value: [(arrow_function) (function_expression)]) @definition
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
(ambient_declaration (_ name: (_) @name)) @definition
