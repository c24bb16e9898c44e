(class_definition name: (_) @name) @definition
(enum_declaration name: (_) @name) @definition
(extension_declaration name: (_) @name) @definition
(mixin_declaration (identifier) @name) @definition
((function_signature name: (_) @name) @definition . (function_body)? @body)
((method_signature (function_signature name: (_) @name)) @definition . (function_body)? @body)
(annotation) @header
