(function_declaration name: (_) @name) @definition
(test_declaration) @definition @name
(variable_declaration (identifier) @name
  [(struct_declaration) (enum_declaration) (union_declaration) (opaque_declaration)]) @definition
