(class_interface . "@interface" . (identifier) @name) @definition
(class_implementation . "@implementation" . (identifier) @name) @definition
(protocol_declaration "@protocol" . (identifier) @name) @definition
(method_definition (identifier) @name) @definition
(method_declaration (identifier) @name) @definition
(function_definition declarator: (_) @name) @definition
