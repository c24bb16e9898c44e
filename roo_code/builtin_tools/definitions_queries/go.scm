(function_declaration name: (_) @name) @definition
(method_declaration name: (_) @name) @definition
(type_spec name: (_) @name) @definition
(type_alias name: (_) @name) @definition
(method_elem name: (_) @name) @definition
