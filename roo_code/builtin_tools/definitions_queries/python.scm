(class_definition name: (identifier) @name) @definition
(function_definition name: (identifier) @name) @definition
(type_alias_statement . (type) @name) @definition
