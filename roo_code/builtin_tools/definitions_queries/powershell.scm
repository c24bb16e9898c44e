(function_statement (function_name) @name) @definition
(class_statement (simple_name) @name) @definition
(class_method_definition (simple_name) @name) @definition
(enum_statement (simple_name) @name) @definition
