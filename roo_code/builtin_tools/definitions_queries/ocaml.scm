(module_definition (module_binding (_) @name)) @definition
(module_type_definition (_) @name) @definition
(type_definition (type_binding name: (_) @name)) @definition
(class_definition (class_binding name: (_) @name)) @definition
(value_definition (let_binding pattern: (value_name) @name)) @definition
