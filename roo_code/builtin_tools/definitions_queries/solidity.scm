(contract_declaration name: (_) @name) @definition
(interface_declaration name: (_) @name) @definition
(library_declaration name: (_) @name) @definition
(struct_declaration name: (_) @name) @definition
(enum_declaration name: (_) @name) @definition
(event_definition name: (_) @name) @definition
(error_declaration name: (_) @name) @definition
(modifier_definition name: (_) @name) @definition
(function_definition name: (_) @name) @definition
(constructor_definition) @definition @name
