(namespace_definition name: (_) @name) @definition
(class_declaration name: (_) @name) @definition
(interface_declaration name: (_) @name) @definition
(trait_declaration name: (_) @name) @definition
(enum_declaration name: (_) @name) @definition
(function_definition name: (_) @name) @definition
(method_declaration name: (_) @name) @definition
