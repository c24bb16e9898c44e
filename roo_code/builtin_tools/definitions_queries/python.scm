(class_definition name: (identifier) @name) @definition
(function_definition name: (identifier) @name) @definition
(type_alias_statement . (type) @name) @definition
(decorated_definition definition: (_ name: (identifier) @name)) @definition
