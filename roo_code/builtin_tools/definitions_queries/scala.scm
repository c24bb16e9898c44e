(class_definition name: (_) @name) @definition
(object_definition name: (_) @name) @definition
(trait_definition name: (_) @name) @definition
(enum_definition name: (_) @name) @definition
(type_definition name: (_) @name) @definition
(function_definition name: (_) @name) @definition
(function_declaration name: (_) @name) @definition
(given_definition name: (_) @name) @definition
