(module_attribute name: (_) @name) @definition
(record_decl name: (_) @name) @definition
(fun_decl clause: (function_clause name: (_) @name)) @definition
