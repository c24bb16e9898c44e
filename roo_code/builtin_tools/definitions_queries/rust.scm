(struct_item name: (_) @name) @definition
(enum_item name: (_) @name) @definition
(union_item name: (_) @name) @definition
(trait_item name: (_) @name) @definition
(type_item name: (_) @name) @definition
(impl_item type: (_) @name) @definition
(mod_item name: (_) @name body: (_)) @definition
(function_item name: (_) @name) @definition
(function_signature_item name: (_) @name) @definition
(macro_definition name: (_) @name) @definition
(const_item name: (_) @name) @definition
(static_item name: (_) @name) @definition
(attribute_item) @header
