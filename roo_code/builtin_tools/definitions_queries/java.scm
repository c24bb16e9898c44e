(class_declaration name: (_) @name) @definition
(interface_declaration name: (_) @name) @definition
(enum_declaration name: (_) @name) @definition
(record_declaration name: (_) @name) @definition
(annotation_type_declaration name: (_) @name) @definition
(method_declaration name: (_) @name) @definition
(constructor_declaration name: (_) @name) @definition
(compact_constructor_declaration name: (_) @name) @definition
