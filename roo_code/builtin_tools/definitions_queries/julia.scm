(module_definition name: (_) @name) @definition
(struct_definition (type_head) @name) @definition
(abstract_definition (type_head) @name) @definition
(function_definition (signature) @name) @definition
(macro_definition (signature) @name) @definition
