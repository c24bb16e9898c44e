(function_definition declarator: (_) @name) @definition
(struct_specifier name: (_) @name body: (_)) @definition
(union_specifier name: (_) @name body: (_)) @definition
(enum_specifier name: (_) @name body: (_)) @definition
(type_definition declarator: (_) @name) @definition
(preproc_function_def name: (_) @name) @definition
(translation_unit (declaration declarator: (function_declarator) @name) @definition)
