(type_definition (_ (name) @name)) @definition
(operation_definition (name) @name) @definition
(fragment_definition (fragment_name) @name) @definition
(directive_definition (name) @name) @definition
