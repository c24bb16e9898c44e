(class_declaration name: (_) @name) @definition
(object_declaration name: (_) @name) @definition
(companion_object "object" @name) @definition
(function_declaration name: (_) @name) @definition
