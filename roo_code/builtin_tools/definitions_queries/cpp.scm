(function_definition declarator: (_) @name) @definition
(class_specifier name: (_) @name body: (_)) @definition
(struct_specifier name: (_) @name body: (_)) @definition
(union_specifier name: (_) @name body: (_)) @definition
(enum_specifier name: (_) @name body: (_)) @definition
(namespace_definition name: (_) @name) @definition
(concept_definition name: (_) @name) @definition
(alias_declaration name: (_) @name) @definition
(type_definition declarator: (_) @name) @definition
(preproc_function_def name: (_) @name) @definition
(field_declaration declarator: (function_declarator) @name) @definition
(translation_unit (declaration declarator: (function_declarator) @name) @definition)
(template_declaration (_ name: (_) @name)) @definition
(template_declaration (function_definition declarator: (_) @name)) @definition
(template_declaration (declaration declarator: (_) @name)) @definition
